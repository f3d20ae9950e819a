//! `curt stat`.

use crate::args::StatOptions;
use crate::exit::Exit;

pub(crate) fn run(_options: &StatOptions) -> Exit {
    Exit::SUCCESS
}
