use std::path::PathBuf;

use curt::remove::{DirectoryOperands, Report};
use curt::{Cancel, Next, Remove};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Failure, Fallible};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

pub struct Removal {
    path: PathBuf,
    force: bool,
    threads: u32,
}

impl Work for Removal {
    type Output = ();

    fn run(&mut self, cancel: &Cancel) -> Fallible<()> {
        // Like Node's `rm`, continue after a failure.
        let removal = removal(self.threads, self.force, cancel).on_error(|_| Next::Continue);
        to_result(&removal.run(&self.path))
    }
}

pub fn removal(threads: u32, force: bool, cancel: &Cancel) -> Remove<'_> {
    let removal = Remove::new().directories(DirectoryOperands::Removable).missing_is_fine(force);
    removal.threads(work::threads(threads)).cancel(cancel)
}

pub fn to_result(report: &Report) -> Fallible<()> {
    report.errors.first().map_or(Ok(()), |error| Err(Failure::from(error)))
}

/// Removes a tree like `fs.rm` with `recursive`, but without retries.
#[napi]
pub fn remove(
    env: Env,
    path: PathArgument,
    force: bool,
    threads: u32,
    control: Option<&Control>,
) -> Result<Outcome<Removal>> {
    work::start(env, Removal { path: text::path(path), force, threads }, control)
}
