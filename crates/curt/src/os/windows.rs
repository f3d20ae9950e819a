//! Windows: removal below an open directory, the handles of roots and directories, and names in
//! UTF-16.

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;

use crate::Calls;
use crate::beneath::Root;
use crate::error::{Cause, Error, Operation};
use crate::list::{Directory, Entry, EntryName, List};
use crate::remove::{Remove, Report};
use crate::sys::{into_descriptor, open_directory};

/// Names in the system's own units.
pub trait Units {
    /// Returns the units of the name without a copy: UTF-16 that can contain unpaired surrogates.
    fn units(&self) -> &[u16];
}

impl Units for Entry<'_> {
    fn units(&self) -> &[u16] {
        self.name.units()
    }
}

impl Units for EntryName<'_> {
    fn units(&self) -> &[u16] {
        self.0.units()
    }
}

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `path` of the directory `dir`, which must have been opened with
    /// `FILE_TRAVERSE` and `FILE_READ_ATTRIBUTES`. The path is one name, taken literally, with or
    /// without separators at its end: longer paths, `.` and `..` are refused. Paths in errors and
    /// events begin with `path`.
    ///
    /// If the handle is not that of a directory, or is that of a link to one, the report has an
    /// error.
    ///
    /// Costs what [`Remove::run`] costs, two calls for a duplicate of the handle and one for its
    /// type.
    ///
    /// A failure of these calls is reported as any other, to the callbacks too.
    #[must_use = "a removal may have failed; the report says so"]
    fn run_below(&self, dir: BorrowedHandle<'_>, path: impl AsRef<Path>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedHandle<'_>, path: impl AsRef<Path>) -> Report {
        super::remove_below(self, path.as_ref(), |parent| match parent.as_os_str().len() {
            0 => open_directory(dir),
            // The kernel knows no `..`, so it would resolve other paths than Win32.
            _ => (Err(io::ErrorKind::InvalidInput.into()), Calls::default()),
        })
    }
}

/// Adopts a directory that was opened with `FILE_LIST_DIRECTORY`, `FILE_TRAVERSE`,
/// `FILE_READ_ATTRIBUTES` and `SYNCHRONIZE` for synchronous use. A handle of anything else, also of
/// a link to a directory, is refused. 2 calls. On an error the handle is closed.
impl TryFrom<OwnedHandle> for Directory {
    type Error = Error;

    fn try_from(handle: OwnedHandle) -> Result<Directory, Error> {
        Directory::adopted(|sys| sys.adopt(handle))
    }
}

impl AsHandle for Directory {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.dir.as_handle()
    }
}

impl AsHandle for List {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.dir.as_handle()
    }
}

/// Gives the handle up. No call.
impl TryFrom<Directory> for OwnedHandle {
    type Error = Error;

    fn try_from(directory: Directory) -> Result<OwnedHandle, Error> {
        let path = directory.path().to_owned();
        into_descriptor(directory.dir)
            .map_err(|error| Error::new(Operation::OpenDirectory, path, Cause::Os(error)))
    }
}

/// A root at a directory that is open already, with `FILE_TRAVERSE` and `FILE_READ_ATTRIBUTES`, by
/// a duplicate of its handle. 4 calls. A handle of anything else is refused, also of a link to a
/// directory.
impl TryFrom<OwnedHandle> for Root {
    type Error = Error;

    fn try_from(handle: OwnedHandle) -> Result<Root, Error> {
        Root::adopted(open_directory(handle.as_handle()).0)
    }
}

/// The open directory, for the caller's own system calls.
impl AsHandle for Root {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.dir().as_handle()
    }
}
