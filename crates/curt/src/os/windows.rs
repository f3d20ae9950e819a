//! Features of Windows: removal below an open directory, handles, and names in UTF-16.

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;

use crate::Calls;
use crate::beneath::Root;
use crate::error::{Cause, Error, Operation};
use crate::list::{Directory, Entry, EntryName, List};
use crate::remove::{Remove, Report};
use crate::sys::{into_descriptor, open_directory};

/// Access to names as the system stores them.
pub trait Units {
    /// Returns the UTF-16 units of the name without a copy; surrogates may be unpaired.
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

/// Removal beneath an open directory.
pub trait RemoveBelow {
    /// Removes the entry `path` of the directory `dir`, which must be open with `FILE_TRAVERSE` and
    /// `FILE_READ_ATTRIBUTES`.
    ///
    /// The path must be one name, which is taken literally. Longer paths, `.` and `..` are refused.
    /// Paths in errors and events begin with `path`.
    ///
    /// Costs the same as [`Remove::run`], plus two calls to duplicate the handle and one to query
    /// its type. Their failure, or a handle of another type, is reported like any other failure,
    /// even to the callbacks.
    #[must_use = "a removal may have failed; the report says so"]
    fn run_below(&self, dir: BorrowedHandle<'_>, path: impl AsRef<Path>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedHandle<'_>, path: impl AsRef<Path>) -> Report {
        super::remove_below(self, path.as_ref(), |parent| match parent.as_os_str().len() {
            0 => open_directory(dir),
            // Refuse longer paths, because the kernel does not resolve `..`.
            _ => (Err(io::ErrorKind::InvalidInput.into()), Calls::default()),
        })
    }
}

/// Adopts a directory opened with `FILE_LIST_DIRECTORY`, `FILE_TRAVERSE`, `FILE_READ_ATTRIBUTES`
/// and `SYNCHRONIZE` for synchronous use. Makes 2 system calls.
///
/// Refuses other handles, even to directory links. Closes the handle on an error.
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

/// Returns the handle. Makes no system call.
impl TryFrom<Directory> for OwnedHandle {
    type Error = Error;

    fn try_from(directory: Directory) -> Result<OwnedHandle, Error> {
        let path = directory.path().to_owned();
        into_descriptor(directory.dir)
            .map_err(|error| Error::new(Operation::OpenDirectory, path, Cause::Os(error)))
    }
}

/// Creates a root from a duplicate of a directory handle, which needs `FILE_TRAVERSE` and
/// `FILE_READ_ATTRIBUTES`. Makes 4 system calls. Refuses other handles, even to directory links.
impl TryFrom<OwnedHandle> for Root {
    type Error = Error;

    fn try_from(handle: OwnedHandle) -> Result<Root, Error> {
        Root::adopted(open_directory(handle.as_handle()).0)
    }
}

/// Returns the open directory, for the caller's own system calls.
impl AsHandle for Root {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.dir().as_handle()
    }
}
