//! Unix: operations below a directory that is already open, and the descriptor of a root.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use crate::confine::Root;
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
        super::remove_below(self, open_directory(dir), Path::new(name.as_ref()))
    }
}

/// The open directory, for calls of one's own; where the system can, it is open as a place to begin from
/// only (`O_PATH`).
impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir().as_fd()
    }
}
