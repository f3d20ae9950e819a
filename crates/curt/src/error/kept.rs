//! Why a removal refused an entry, or gave it up.

use std::fmt;
use std::io;

use crate::sys::OsError;

/// Why a [`Remove`](crate::Remove) refused an entry, or gave it up, though the system did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// A mount point, which is not crossed unless
    /// [`SameFileSystem::No`](crate::SameFileSystem::No) allows it.
    MountPoint,
    /// Another process kept adding entries to the directory while it was emptied, until
    /// [`Remove::retries`](crate::Remove::retries) ran out.
    BeingWrittenTo,
    /// The path ends in `.` or `..`, which POSIX forbids to remove.
    DotOrDotDot,
    /// The path is the root directory, however it is spelled.
    RootDirectory,
    /// The path lies on another device than its parent, and the options refuse that.
    OtherFileSystem,
    /// The path is a directory, and the options do not remove directories.
    IsADirectory,
    /// The path is a link, and directories were asked for.
    IsALink,
}

impl Kept {
    /// The nearest error kind of the standard library, the error with which the system refuses the
    /// same, mostly in `rmdir`, and the message.
    fn facts(self) -> (io::ErrorKind, OsError, &'static str) {
        use io::ErrorKind::{
            CrossesDevices, DirectoryNotEmpty, InvalidInput, IsADirectory, NotADirectory,
        };
        match self {
            Kept::MountPoint => {
                let text = "is a mount point, and crossing mounts was not asked for";
                (CrossesDevices, OsError::Busy, text)
            }
            Kept::BeingWrittenTo => {
                (DirectoryNotEmpty, OsError::NotEmpty, "not empty: being written to")
            }
            Kept::DotOrDotDot => (InvalidInput, OsError::Invalid, "refusing to remove '.' or '..'"),
            Kept::RootDirectory => {
                (InvalidInput, OsError::Busy, "refusing to remove the root directory")
            }
            Kept::OtherFileSystem => {
                let text = "is on another file system than its parent";
                (CrossesDevices, OsError::OtherDevice, text)
            }
            Kept::IsADirectory => (IsADirectory, OsError::IsDirectory, "is a directory"),
            Kept::IsALink => (NotADirectory, OsError::NotDirectory, "is a link"),
        }
    }

    pub(super) fn kind(self) -> io::ErrorKind {
        self.facts().0
    }

    pub(super) fn closest(self) -> OsError {
        self.facts().1
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().2)
    }
}
