mod callbacks;
// Windows under Wine does not support 100,000 levels. The in-memory tests use Unix error numbers.
#[cfg(unix)]
mod deep;
mod faults;
#[cfg(unix)]
mod growth;
#[cfg(unix)]
mod imagined;
#[cfg(unix)]
mod in_memory;
#[cfg(unix)]
mod limits;
mod races;
#[cfg(unix)]
mod repairs;
mod scaling;
#[cfg(unix)]
mod several;
mod trees;

use std::path::PathBuf;

use curt_testkit::Scratch;

use super::options::{DirectoryOperands, Remove};
use super::report::Report;
use crate::sys::tests::on_real_platforms;
use crate::sys::{Setup, Sys};

fn remove_on<S: Sys>(options: &Remove<'_>, setup: &Setup, paths: &[PathBuf]) -> Report {
    super::run_on::<S>(options, setup, paths)
}

fn remove<S: Sys>(options: &Remove<'_>, scratch: &Scratch, path: &str) -> Report {
    remove_on::<S>(options, &Setup::default(), &[scratch.at(path)])
}

fn operands(contents: bool) -> DirectoryOperands {
    if contents { DirectoryOperands::Contents } else { DirectoryOperands::Recursive }
}

const fn many(count: u64) -> u64 {
    if cfg!(windows) { count / 5 } else { count }
}

fn mixed_tree(scratch: &Scratch, root: &str) {
    scratch.dir(format!("{root}/empty"));
    scratch.file(format!("{root}/a/b/c/file"));
    scratch.file(format!("{root}/a/b/odd {} name", if cfg!(unix) { '\n' } else { '☃' }));
    scratch.file_with(format!("{root}/a/full"), &[7; 5000]);
    #[cfg(unix)]
    {
        scratch.link(format!("{root}/a/to-outside"), "../../outside");
        scratch.link(format!("{root}/dangling"), "nowhere");
        scratch.fifo(format!("{root}/a/pipe"));
    }
    #[cfg(windows)]
    for name in ["a/to-outside", "dangling", "a/pipe"] {
        scratch.file(format!("{root}/{name}"));
    }
    scratch.hard_link(format!("{root}/a/full"), format!("{root}/second"));
    scratch.dir(format!("{root}/a/other"));
}
