//! Removing a tree, for `rm` and `rmSync`.

use std::path::PathBuf;

use curt::remove::{DirectoryOperands, Report};
use curt::{Cancel, Cause, Error, Next, Operation, Remove};
use napi::{Env, Result};
use napi_derive::napi;

use crate::failure::{Answer, Failure, numbers};
use crate::text::{self, PathArgument};
use crate::work::{self, Control, Outcome, Work};

pub struct Removal {
    path: PathBuf,
    force: bool,
    threads: u32,
}

impl Work for Removal {
    type Output = ();

    fn run(&mut self, cancel: &Cancel) -> Answer<()> {
        // As with Node's `rm`, what can be removed is removed in spite of a failure.
        let removal = removal(self.threads, cancel).on_error(|_| Next::Continue);
        answer(&removal.run(&self.path), self.force)
    }
}

/// A removal as Node's.
pub fn removal(threads: u32, cancel: &Cancel) -> Remove<'_> {
    let removal = Remove::new().directories(DirectoryOperands::Removable);
    removal.threads(work::threads(threads)).cancel(cancel)
}

/// What came of it: its first failure.
pub fn answer(report: &Report, force: bool) -> Answer<()> {
    report.errors.first().map_or(Ok(()), |error| forgive(error, force))
}

/// Fails, unless the entry has vanished meanwhile or, with `force`, was missing from the beginning.
pub fn forgive(error: &Error, force: bool) -> Answer<()> {
    let was_there = !matches!(error.operation(), Operation::Remove | Operation::Stat);
    match failure(error) {
        // On Windows also for a name that none can have.
        Failure { number: numbers::ENOENT, .. } if force || was_there => Ok(()),
        failure => Err(failure),
    }
}

/// The failure of an entry of the tree. Node has no name for what curt refuses: it is a failed
/// `rmdir`, the call with which Node begins.
fn failure(error: &Error) -> Failure {
    match error.cause() {
        Cause::Kept(_) | Cause::Replaced => Failure::new(error, "rmdir"),
        _ => Failure::from(error),
    }
}

/// Removes a tree, as `fs.rm` does with `recursive`, without its retries.
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
