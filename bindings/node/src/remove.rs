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
        if cancel.is_cancelled() || self.remove_alone()? {
            return Ok(());
        }
        // As with Node's `rm`, what can be removed is removed in spite of a failure.
        let report = Remove::new()
            .missing_is_fine(true)
            .threads(work::threads(self.threads))
            .on_error(|_| Next::Continue)
            .cancel(cancel)
            .run(&self.path);
        report.errors.first().map_or(Ok(()), |error| Err(failure(error)))
    }
}

impl Removal {
    /// Removes a file or an empty directory; false if the directory has entries. Node, too, tries
    /// this first, and leaves everything in a directory that cannot be removed, such as a mount
    /// point.
    fn remove_alone(&self) -> Answer<bool> {
        let path = &self.path;
        let (removed, function) = match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => (fs::remove_dir(path), "rmdir"),
            Ok(_) => (fs::remove_file(path), "unlink"),
            Err(error) => {
                let failure = Failure::of_path(path, &error, "lstat");
                return if self.force && failure.number == numbers::ENOENT {
                    Ok(true)
                } else {
                    Err(failure)
                };
            }
        };
        removed_alone(removed.map_err(|error| Failure::of_path(path, &error, function)))
    }
}

/// Whether a file or an empty directory is gone; false if it may be a directory with entries.
pub fn removed_alone(removed: Answer<()>) -> Answer<bool> {
    match removed {
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
