//! Errors as values: which operation, on which path, and why.

use std::error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::refusal::Refusal;

/// What was being done when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Removing a directory entry.
    Remove,
    /// Opening a directory in order to list it.
    OpenDirectory,
    /// Reading the entries of a directory.
    ReadDirectory,
    /// Reading the metadata of an entry.
    Stat,
    /// Reading what a link holds.
    ReadLink,
    /// Asking what this process may do with an entry.
    Access,
    /// Reading the extended attributes of an entry.
    ReadAttributes,
    /// Reading who owns an entry.
    ReadOwner,
    /// Reading a file with rules.
    ReadFile,
    /// Opening a file.
    Open,
    /// Making a directory.
    CreateDirectory,
    /// Renaming an entry.
    Rename,
    /// Finding the name that the directories have.
    Canonicalize,
}

impl Operation {
    /// What could not be done, in the words of the GNU tools: `remove`, `open directory`, …
    pub fn verb(self) -> &'static str {
        match self {
            Operation::Remove => "remove",
            Operation::OpenDirectory => "open directory",
            Operation::ReadDirectory => "read directory",
            Operation::Stat | Operation::Access => "access",
            Operation::ReadLink => "read symbolic link",
            Operation::ReadAttributes => "read the extended attributes of",
            Operation::ReadOwner => "read the owner of",
            Operation::ReadFile => "read",
            Operation::Open => "open",
            Operation::CreateDirectory => "create directory",
            Operation::Rename => "rename",
            Operation::Canonicalize => "find the name of",
        }
    }
}

/// Why it failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The system refused; the error is the system's.
    Os(io::Error),
    /// Another file system, or another part of the same one, is mounted there. It is left alone
    /// unless [`Remove::cross_mounts`](crate::Remove::cross_mounts) allows it.
    MountPoint,
    /// The directory was emptied again and again, within the limits of
    /// [`Remove::retries`](crate::Remove::retries), and somebody kept adding entries.
    BeingWrittenTo,
    /// The last part of the path is `.` or `..`; POSIX forbids to remove those.
    DotOrDotDot,
    /// The path is the root directory, by identity and not by spelling.
    RootDirectory,
    /// The path lies on another file system than its parent, and that was asked to be refused.
    OtherFileSystem,
    /// The path is a directory, and removing directories was not asked for.
    IsADirectory,
    /// The directory was opened again by name, and another one was found in its place.
    Replaced,
    /// A buffer that the longest name does not fit into.
    BufferTooSmall,
    /// A link leads back to a directory that it lies in.
    Loop,
    /// The path was refused, for this reason. Nothing was done.
    Refused(Refusal),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Os(error) => return fmt::Display::fmt(error, f),
            Cause::Refused(refusal) => return fmt::Display::fmt(refusal, f),
            Cause::MountPoint => "is a mount point, and crossing mounts was not asked for",
            Cause::BeingWrittenTo => "not empty: being written to",
            Cause::DotOrDotDot => "refusing to remove '.' or '..'",
            Cause::RootDirectory => "refusing to remove the root directory",
            Cause::OtherFileSystem => "is on another file system than its parent",
            Cause::IsADirectory => "is a directory",
            Cause::BufferTooSmall => "the buffer does not hold the longest name",
            Cause::Loop => "leads back to a directory that it lies in",
            Cause::Replaced => "another directory took its place while it was removed",
        })
    }
}

/// One failure: the operation, the path as the caller would write it, and the cause.
///
/// Boxed, so that a `Result` with it stays small.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    operation: Operation,
    path: PathBuf,
    cause: Cause,
}

impl Error {
    pub(crate) fn new(operation: Operation, path: PathBuf, cause: Cause) -> Self {
        Error(Box::new(Inner { operation, path, cause }))
    }

    /// What was being done.
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// The path: that of the operand as it was given, followed by the names below it.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Why it failed.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// The system's error, of its own.
    pub(crate) fn into_system(self) -> io::Error {
        match self.0.cause {
            Cause::Os(error) => error,
            _ => self.into(),
        }
    }

    /// The system's error number, where the system refused.
    pub fn raw_os_error(&self) -> Option<i32> {
        match &self.0.cause {
            Cause::Os(error) => error.raw_os_error(),
            _ => None,
        }
    }

    /// The nearest kind of the standard library.
    pub fn kind(&self) -> io::ErrorKind {
        match &self.0.cause {
            Cause::Os(error) => error.kind(),
            Cause::MountPoint | Cause::OtherFileSystem => io::ErrorKind::CrossesDevices,
            Cause::BeingWrittenTo => io::ErrorKind::DirectoryNotEmpty,
            Cause::DotOrDotDot | Cause::RootDirectory | Cause::BufferTooSmall => {
                io::ErrorKind::InvalidInput
            }
            Cause::Refused(_) => io::ErrorKind::PermissionDenied,
            Cause::IsADirectory => io::ErrorKind::IsADirectory,
            Cause::Replaced | Cause::Loop => io::ErrorKind::Other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cannot {} '{}': {}",
            self.operation().verb(),
            self.path().display(),
            self.cause()
        )
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.cause {
            Cause::Os(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for io::Error {
    /// Keeps operation and path in the message; the system's number is lost, as it always is when
    /// an `io::Error` carries more than a number.
    fn from(error: Error) -> io::Error {
        io::Error::new(error.kind(), error)
    }
}
