//! Windows: operations below a directory that is already open, names in UTF-16, and handles for
//! programs.

use std::ffi::OsStr;
use std::os::windows::io::{AsHandle, BorrowedHandle, OwnedHandle};
use std::path::Path;

use crate::list::Entry;
use crate::process::{ChildInput, ChildOutput, Command, Stream};
use crate::remove::{Remove, Report};
use crate::sys::open_directory;
use crate::sys::process::Pipe;
use crate::which::Found;

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

impl Units for Found {
    /// The units of the absolute path.
    fn units(&self) -> &[u16] {
        self.raw_units()
    }
}

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `name` of the directory `dir`, which must have been opened with the right
    /// to pass through it (`FILE_TRAVERSE`) and to ask about it (`FILE_READ_ATTRIBUTES`). The name
    /// is one component, taken as it is written: one with a separator in it, `.` and `..` are
    /// refused. In errors and events the path is the name and what lies below it.
    ///
    /// A handle of anything but a directory, a link to one among it, is an error of the report.
    ///
    /// Costs what [`Remove::run`] costs, two calls for a handle of our own and one for what it is.
    fn run_below(&self, dir: BorrowedHandle<'_>, name: impl AsRef<OsStr>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedHandle<'_>, name: impl AsRef<OsStr>) -> Report {
        super::remove_below(self, open_directory(dir), Path::new(name.as_ref()))
    }
}

/// What programs can be given on Windows alone.
pub trait CommandExtras {
    /// Gives the program a handle, which has the same value there; tell it the value in an
    /// argument.
    ///
    /// Its number is what the program knows it by, so it cannot be a copy: for as long as the start
    /// takes, it is inheritable, and a start by other code without a list of handles takes it too.
    /// Costs 2 calls.
    fn handle(&mut self, handle: impl Into<OwnedHandle>) -> &mut Self;
}

impl CommandExtras for Command {
    fn handle(&mut self, handle: impl Into<OwnedHandle>) -> &mut Self {
        // The number means something on Unix alone; this is the least that is allowed there.
        self.give(Pipe(handle.into()), 3);
        self
    }
}

impl From<OwnedHandle> for Stream {
    fn from(handle: OwnedHandle) -> Stream {
        Stream::open(Pipe(handle))
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
