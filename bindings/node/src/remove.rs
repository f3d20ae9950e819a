//! Removing a tree, for `rm` and `rmSync`.

use std::fs;
use std::path::PathBuf;

use curt::remove::Kept;
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
        if cancel.is_cancelled() {
            return Ok(());
        }
        let path = &self.path;
        let failed = |function| move |error| Failure::of_path(path, &error, function);
        let found = fs::symlink_metadata(path).map(|found| found.is_dir()).map_err(failed("lstat"));
        let removed = remove_alone(found, self.force, |is_directory| match is_directory {
            true => fs::remove_dir(path).map_err(failed("rmdir")),
            false => fs::remove_file(path).map_err(failed("unlink")),
        });
        if removed? {
            return Ok(());
        }
        // As with Node's `rm`, what can be removed is removed in spite of a failure.
        let report = Remove::new()
            .missing_is_fine(true)
            .threads(work::threads(self.threads))
            .on_error(|_| Next::Continue)
            .cancel(cancel)
            .run(path);
        report.errors.first().map_or(Ok(()), |error| Err(failure(error)))
    }
}

/// Removes a file or an empty directory; false if it may be a directory with entries. Node, too,
/// tries this first, and leaves everything in a directory that cannot be removed, such as a mount
/// point. `found` says whether there is a directory.
pub fn remove_alone(
    found: Answer<bool>,
    force: bool,
    remove: impl FnOnce(bool) -> Answer<()>,
) -> Answer<bool> {
    let is_directory = match found {
        Err(failure) if force && failure.number == numbers::ENOENT => return Ok(true),
        found => found?,
    };
    match remove(is_directory) {
        Ok(()) => Ok(true),
        Err(failure) => match failure.number {
            numbers::ENOENT => Ok(true),
            // On Windows also what is write-protected.
            numbers::ENOTEMPTY | numbers::EEXIST | numbers::EPERM => Ok(false),
            _ => Err(failure),
        },
    }
}

/// The failure of an entry of the tree. A directory that is kept on purpose is one that cannot be
/// removed: the function that Node calls first. Without `recursive`, `rm` itself refuses one.
pub fn failure(error: &Error) -> Failure {
    match (error.operation(), error.cause()) {
        (_, Cause::Kept(Kept::IsADirectory)) => Failure::new(error, "rm"),
        (Operation::Remove, _) => Failure::new(error, "rmdir"),
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
