//! Windows: operations below a directory that is already open, and names in UTF-16.

use std::ffi::OsStr;
use std::os::windows::io::BorrowedHandle;
use std::path::Path;

use crate::list::Entry;
use crate::remove::{Remove, Report};
use crate::sys::open_directory;

/// Names as the system has them.
pub trait Units {
    /// The units of the name, UTF-16 that may have surrogates without a partner, without a copy.
    fn units(&self) -> &[u16];
}

impl Units for Entry<'_> {
    fn units(&self) -> &[u16] {
        self.name.units()
    }
}

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `name` of the directory `dir`, which must have been opened with the right
    /// to pass through it (`FILE_TRAVERSE`) and to ask about it (`FILE_READ_ATTRIBUTES`). The name
    /// is one component, taken as it is written: one with a separator in it, `.` and `..` are
    /// refused. In errors and events the path is the name and what lies below it.
    ///
    /// Costs what [`Remove::run`] costs, and two calls for a handle of our own.
    fn run_below(&self, dir: BorrowedHandle<'_>, name: impl AsRef<OsStr>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedHandle<'_>, name: impl AsRef<OsStr>) -> Report {
        super::remove_below(self, open_directory(dir), Path::new(name.as_ref()))
    }
}
