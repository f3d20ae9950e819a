//! Why a removal refused an entry, or gave it up.

use std::fmt;

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
    /// Its name, the error with which the system refuses the same, mostly in `rmdir`, and the
    /// message.
    fn facts(self) -> (&'static str, OsError, &'static str) {
        const MOUNT: &str = "is a mount point, and crossing mounts was not asked for";
        const DOTS: &str = "refusing to remove '.' or '..'";
        const ROOT: &str = "refusing to remove the root directory";
        const OTHER: &str = "is on another file system than its parent";
        const WRITTEN: &str = "not empty: being written to";
        match self {
            Kept::MountPoint => ("mount-point", OsError::Busy, MOUNT),
            Kept::BeingWrittenTo => ("being-written-to", OsError::NotEmpty, WRITTEN),
            Kept::DotOrDotDot => ("dot-or-dot-dot", OsError::Invalid, DOTS),
            Kept::RootDirectory => ("root-directory", OsError::Busy, ROOT),
            Kept::OtherFileSystem => ("other-file-system", OsError::OtherDevice, OTHER),
            Kept::IsADirectory => ("is-a-directory", OsError::IsDirectory, "is a directory"),
            Kept::IsALink => ("is-a-link", OsError::NotDirectory, "is a link"),
        }
    }

    /// Returns its name in words, as JSON of the command has it: `mount-point`, `is-a-link`, …
    pub fn name(self) -> &'static str {
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
