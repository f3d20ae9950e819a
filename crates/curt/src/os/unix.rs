//! Unix: removal below an open directory, the descriptors of a root and of a visited directory,
//! names of owners, and descriptors for child processes.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

use crate::beneath::Root;
use crate::error::Error;
use crate::process::{ChildInput, ChildOutput, Command, Stream};
use crate::remove::{Remove, Report};
use crate::sys::open_directory;
use crate::sys::process::Pipe;
use crate::sys::unix::accounts;
use crate::walk::VisitedDirectory;

/// Removal below an open directory.
pub trait RemoveBelow {
    /// Removes the entry `name` of the directory `dir`, which can be opened with `O_PATH`. The name
    /// is one component: a name with a separator, `.` and `..` are refused. Paths in errors and
    /// events begin with the name.
    ///
    /// Costs what [`Remove::run`] costs, and two calls for a duplicate of the descriptor.
    #[must_use = "a removal may have failed; the report says so"]
    fn run_below(&self, dir: BorrowedFd<'_>, name: impl AsRef<OsStr>) -> Report;
}

impl RemoveBelow for Remove<'_> {
    fn run_below(&self, dir: BorrowedFd<'_>, name: impl AsRef<OsStr>) -> Report {
        super::remove_below(self, open_directory(dir), Path::new(name.as_ref()))
    }
}

/// The descriptor of a directory that a walk is at, as Python's `os.fwalk` has it.
///
/// ```
/// use curt::os::unix::OpenDirectory;
///
/// let mut directories = curt::Walk::new("src").directories();
/// while let Some(directory) = directories.next() {
///     let mut directory = directory?;
///     let file = std::fs::File::from(directory.descriptor()?.try_clone_to_owned()?);
///     assert!(file.metadata()?.is_dir());
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait OpenDirectory {
    /// Returns the descriptor. It is closed when the walk goes on or later.
    ///
    /// Costs no call, unless the directory was closed for a while because the descriptor budget was
    /// used up, which happens only where contents come first. Then it is opened again, about 4
    /// calls, and it is an error if another directory has its name by now.
    fn descriptor(&mut self) -> Result<BorrowedFd<'_>, Error>;
}

impl OpenDirectory for VisitedDirectory<'_> {
    fn descriptor(&mut self) -> Result<BorrowedFd<'_>, Error> {
        self.open().map(AsFd::as_fd)
    }
}

/// The open directory, for the caller's own system calls. Where the system can, it is opened with
/// `O_PATH`.
impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.dir().as_fd()
    }
}

/// Returns the name of a user by number, from the C library's user database; `None` if it has none.
/// A database in a file is read again each time; the cost depends on the database.
///
/// Fails if descriptors or memory run out. Other failures count as no name, because their error
/// numbers depend on the database (`getpwuid_r(3)`).
///
/// ```
/// assert_eq!(curt::os::unix::user_name(0)?.unwrap(), "root");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn user_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::user_name(id)
}

/// Returns the name of a group by number: see [`user_name`] (`getgrgid_r(3)`).
pub fn group_name(id: u32) -> io::Result<Option<OsString>> {
    accounts::group_name(id)
}

/// Options for starting programs that only Unix has.
pub trait CommandExtras {
    /// Passes a descriptor to the program as `number`, which is 3 or more; the standard streams
    /// have their own methods. If a number is passed twice, the last descriptor is used.
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
