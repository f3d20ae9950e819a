//! Unix: operations below a directory that is already open, the descriptor of a root, names of
//! owners, and descriptors for programs.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

use crate::beneath::Root;
use crate::process::{ChildInput, ChildOutput, Command, Stream};
use crate::remove::{Remove, Report};
use crate::sys::open_directory;
use crate::sys::process::Pipe;
use crate::sys::unix::accounts;

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

/// The open directory, for calls of one's own; where the system can, it is open as a place to begin
/// from only (`O_PATH`).
impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir().as_fd()
    }
}

/// The name of the user with this number, from the C library's user database; `None` where there is
/// none. What stands in a file is read anew each time, and what it costs is the database's affair.
///
/// The error is a shortage of descriptors or memory. Other failures count as no name: what their
/// numbers mean depends on who keeps the database (`getpwuid_r(3)`).
///
/// ```
/// assert_eq!(curt::os::unix::user_name(0)?.unwrap(), "root");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn user_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::user_name(id)
}

/// The name of the group with this number: see [`user_name`] (`getgrgid_r(3)`).
pub fn group_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::group_name(id)
}

/// What programs can be given on Unix alone.
pub trait CommandExtras {
    /// Gives the program a descriptor under this number, 3 or more; the standard streams have words
    /// of their own. Given twice, the last one holds.
    ///
    /// Costs 1 call in the child.
    fn descriptor(&mut self, fd: impl Into<OwnedFd>, number: RawFd) -> &mut Self;
}

impl CommandExtras for Command {
    fn descriptor(&mut self, fd: impl Into<OwnedFd>, number: RawFd) -> &mut Self {
        self.give(Pipe(fd.into()), number);
        self
    }
}

impl From<OwnedFd> for Stream {
    fn from(fd: OwnedFd) -> Stream {
        Stream::open(Pipe(fd))
    }
}

impl AsFd for ChildInput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AsFd for ChildOutput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl From<ChildInput> for OwnedFd {
    fn from(input: ChildInput) -> OwnedFd {
        input.0.0
    }
}

impl From<ChildOutput> for OwnedFd {
    fn from(output: ChildOutput) -> OwnedFd {
        output.0.0
    }
}
