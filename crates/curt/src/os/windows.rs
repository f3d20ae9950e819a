//! Windows: removal below an open directory, names in UTF-16, and handles for child processes.

use std::ffi::OsStr;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;

use crate::list::Entry;
use crate::process::{Child, ChildInput, ChildOutput, Command, Stream};
use crate::remove::{Remove, Report};
use crate::sys::open_directory;
use crate::sys::process::Pipe;
use crate::which::Found;

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

impl Units for Found {
    /// Returns the units of the absolute path.
    fn units(&self) -> &[u16] {
        self.raw_units()
    }
}

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `name` of the directory `dir`, which must have been opened with
    /// `FILE_TRAVERSE` and `FILE_READ_ATTRIBUTES`. The name is one component, taken literally: a
    /// name with a separator, `.` and `..` are refused. Paths in errors and events begin with the
    /// name.
    ///
    /// If the handle is not that of a directory, or is that of a link to one, the report has an
    /// error.
    ///
    /// Costs what [`Remove::run`] costs, two calls for a duplicate of the handle and one for its
    /// type.
    #[must_use = "a removal may have failed; the report says so"]
    fn run_below(&self, dir: BorrowedHandle<'_>, name: impl AsRef<OsStr>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedHandle<'_>, name: impl AsRef<OsStr>) -> Report {
        super::remove_below(self, open_directory(dir), Path::new(name.as_ref()))
    }
}

/// Options for starting programs that only Windows has.
pub trait CommandExtras {
    /// Passes a handle to the program, where it has the same value; pass the value in an argument.
    ///
    /// The handle is not duplicated, because the program knows it by its value. While the program
    /// is started it is inheritable, so a process that other code starts at the same time without a
    /// list of handles inherits it too. Costs 2 calls.
    fn handle(&mut self, handle: impl Into<OwnedHandle>) -> &mut Self;
}

impl CommandExtras for Command {
    fn handle(&mut self, handle: impl Into<OwnedHandle>) -> &mut Self {
        // The number has a meaning on Unix only; this is the least that is allowed there.
        self.give(Pipe(handle.into()), 3);
        self
    }
}

impl<T: Into<OwnedHandle>> From<T> for Stream {
    fn from(open: T) -> Stream {
        Stream::open(Pipe(open.into()))
    }
}

/// The handle of the process, for the caller's own calls, such as waiting for several things. It
/// stays valid after the program has ended.
impl AsHandle for Child {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.process().handle()
    }
}

impl AsHandle for ChildInput {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.0.as_handle()
    }
}

impl AsHandle for ChildOutput {
    fn as_handle(&self) -> BorrowedHandle<'_> {
        self.0.0.as_handle()
    }
}

impl From<ChildInput> for OwnedHandle {
    fn from(input: ChildInput) -> OwnedHandle {
        input.0.0
    }
}

impl From<ChildOutput> for OwnedHandle {
    fn from(output: ChildOutput) -> OwnedHandle {
        output.0.0
    }
}
