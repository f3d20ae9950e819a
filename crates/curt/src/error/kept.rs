//! Why a removal refused an entry, or gave it up.

use std::fmt;
use std::io;

/// Why a [`Remove`](crate::Remove) refused an entry, or gave it up, though the system did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kept {
    /// A mount point, which is not crossed unless
    /// [`Crossing::Mounts`](crate::Crossing::Mounts) allows it.
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
    /// Returns the nearest error kind of the standard library.
    pub(super) fn kind(self) -> io::ErrorKind {
        match self {
            Kept::MountPoint | Kept::OtherFileSystem => io::ErrorKind::CrossesDevices,
            Kept::BeingWrittenTo => io::ErrorKind::DirectoryNotEmpty,
            Kept::DotOrDotDot | Kept::RootDirectory => io::ErrorKind::InvalidInput,
            Kept::IsADirectory => io::ErrorKind::IsADirectory,
            Kept::IsALink => io::ErrorKind::NotADirectory,
        }
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kept::MountPoint => "is a mount point, and crossing mounts was not asked for",
            Kept::BeingWrittenTo => "not empty: being written to",
            Kept::DotOrDotDot => "refusing to remove '.' or '..'",
            Kept::RootDirectory => "refusing to remove the root directory",
            Kept::OtherFileSystem => "is on another file system than its parent",
            Kept::IsADirectory => "is a directory",
            Kept::IsALink => "is a link",
        })
    }
}
