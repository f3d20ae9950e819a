//! Unix: operations below a directory that is already open.

use std::ffi::OsStr;
use std::os::fd::BorrowedFd;
use std::path::Path;

use crate::error::{Cause, Error, Operation};
use crate::remove::{Remove, Report};
use crate::sys::open_directory;

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `name` of the directory `dir`, which may be open for searching only
    /// (`O_PATH`). The name is one component: one with a separator in it, `.` and `..` are refused.
    /// In errors and events the path is the name and what lies below it.
    ///
    /// Costs what [`Remove::run`] costs, and two calls for a descriptor of our own.
    fn run_below(&self, dir: BorrowedFd<'_>, name: impl AsRef<OsStr>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedFd<'_>, name: impl AsRef<OsStr>) -> Report {
        let name = Path::new(name.as_ref());
        match open_directory(dir) {
            Ok(dir) => self.run_in(Some(dir), &[name]),
            Err(error) => {
                let cause = Cause::Os(error);
                let error = Error::new(Operation::OpenDirectory, name.to_path_buf(), cause);
                Report { errors: vec![error], error_count: 1, ..Report::default() }
            }
        }
    }
}
