use std::fmt;

use crate::sys::OsError;

/// Why a [`Remove`](crate::Remove) refused an entry or gave up on it, without a system error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemainReason {
    /// The entry is a mount point; to cross it, set
    /// [`SameFileSystem::No`](crate::SameFileSystem::No).
    MountPoint,
    /// Another process kept adding entries until the [`Remove::retries`](crate::Remove::retries)
    /// ran out.
    BeingWrittenTo,
    /// The path ends in `.` or `..`, which POSIX forbids.
    DotOrDotDot,
    /// The path is the root directory, however spelled.
    RootDirectory,
    /// The path is on a different device from its parent, and the options refuse that.
    OtherFileSystem,
    /// The path is a directory, and the options do not remove directories.
    IsADirectory,
    /// The path is a link, but the options remove only directories.
    IsALink,
}

impl RemainReason {
    /// Returns the name, the error with which the system (usually `rmdir`) would refuse the entry,
    /// and the message.
    fn facts(self) -> (&'static str, OsError, &'static str) {
        const MOUNT: &str = "it is a mount point, and mounts are not crossed";
        const DOTS: &str = "refusing to remove '.' or '..'";
        const ROOT: &str = "refusing to remove the root directory";
        const OTHER: &str = "it is on a different filesystem from its parent";
        const WRITTEN: &str = "not empty: other processes keep adding entries";
        match self {
            Self::MountPoint => ("mount-point", OsError::Busy, MOUNT),
            Self::BeingWrittenTo => ("being-written-to", OsError::NotEmpty, WRITTEN),
            Self::DotOrDotDot => ("dot-or-dot-dot", OsError::Invalid, DOTS),
            Self::RootDirectory => ("root-directory", OsError::Busy, ROOT),
            Self::OtherFileSystem => ("other-file-system", OsError::OtherDevice, OTHER),
            Self::IsADirectory => ("is-a-directory", OsError::IsDirectory, "is a directory"),
            Self::IsALink => ("is-a-link", OsError::NotDirectory, "is a link"),
        }
    }

    /// Returns the reason's name, as in JSON output: `mount-point`, `is-a-link`, …
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    pub(super) fn closest(self) -> OsError {
        self.facts().1
    }
}

impl fmt::Display for RemainReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().2)
    }
}
