use std::fmt;

use crate::sys::OsError;

/// Why a [`Copy`](crate::Copy) refused an entry, without a system error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyRefusal {
    /// Source and destination are the same entry.
    SameEntry,
    /// The destination is inside the source, which would be copied into itself.
    IntoItself,
    /// The source is a directory, but the destination exists and is none.
    DirectoryOverFile,
    /// The destination is a directory, but the source is none.
    FileOverDirectory,
    /// The destination is a device, a named pipe or a socket, which is never replaced.
    Special,
    /// This copy has just created the destination, from a source of the same name.
    JustCreated,
    /// The source is a directory, and the options do not copy directories.
    IsADirectory,
    /// The source is a device, and the options do not copy special files.
    IsADevice,
    /// The source is a named pipe, and the options do not copy special files.
    IsANamedPipe,
    /// The source is a socket, and the options do not copy special files.
    IsASocket,
}

impl CopyRefusal {
    /// Returns the name, the closest system error, and the message after the destination.
    fn facts(self) -> (&'static str, OsError, &'static str) {
        match self {
            Self::SameEntry => ("same-entry", OsError::Invalid, "is the same entry"),
            Self::IntoItself => ("into-itself", OsError::Invalid, "is inside the source"),
            Self::DirectoryOverFile => {
                ("directory-over-file", OsError::Exists, "is not a directory")
            }
            Self::FileOverDirectory => {
                ("file-over-directory", OsError::IsDirectory, "is a directory")
            }
            Self::Special => ("special", OsError::Invalid, "is not a regular file"),
            Self::JustCreated => ("just-created", OsError::Exists, "was created by this copy"),
            Self::IsADirectory => (
                "is-a-directory",
                OsError::IsDirectory,
                "would be a copy of a directory, which the options exclude",
            ),
            Self::IsADevice => (
                "is-a-device",
                OsError::Invalid,
                "would be a copy of a device, which the options exclude",
            ),
            Self::IsANamedPipe => (
                "is-a-named-pipe",
                OsError::Invalid,
                "would be a copy of a named pipe, which the options exclude",
            ),
            Self::IsASocket => (
                "is-a-socket",
                OsError::Invalid,
                "would be a copy of a socket, which the options exclude",
            ),
        }
    }

    /// Returns the refusal's name, as in JSON output: `same-entry`, `into-itself`, …
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    pub(super) fn closest(self) -> OsError {
        self.facts().1
    }
}

impl fmt::Display for CopyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().2)
    }
}
