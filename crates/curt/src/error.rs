//! Errors as values: which operation, on which path, and why.

mod find;

use std::error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use find::{FindCause, FindError};

use crate::quoted::Quoted;
use curt_paths::Refusal;

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
    /// Looking for a program by its name.
    Find,
    /// Starting a program.
    Start,
    /// Entering the directory that a program is to run in.
    Enter,
    /// Waiting for a program to end, or reading what it writes.
    Wait,
    /// Ending a program by force.
    Kill,
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
            Operation::Find => "find",
            Operation::Start => "start",
            Operation::Enter => "change directory to",
            Operation::Wait => "wait for",
            Operation::Kill => "kill",
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
    /// A program could not be started.
    Start(StartFailure, io::Error),
    /// No program of that name was found.
    Find(FindError),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Refused(refusal) => return fmt::Display::fmt(refusal, f),
            Cause::Os(error)
            | Cause::Start(StartFailure::System | StartFailure::Directory, error) => {
                return fmt::Display::fmt(error, f);
            }
            Cause::Start(why, _) => return fmt::Display::fmt(why, f),
            Cause::Find(error) => return f.write_str(&error.reason()),
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

/// Why a program could not be started, as far as it can be told apart. The system's own words for
/// it are in the error beside it.
///
/// Systems have one number for many of these; which it was is found out by looking at the file
/// once, on the way of failure alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartFailure {
    /// There is no such program.
    ProgramMissing,
    /// The program is there; what it says that it is run by is not: the interpreter of a script, or
    /// the loader of an image.
    InterpreterMissing {
        /// What it names.
        interpreter: PathBuf,
        /// The script's first line ends in a carriage return, as lines do on Windows, and the
        /// system takes that for a part of the name.
        carriage_return: bool,
    },
    /// The working directory for the program could not be entered.
    Directory,
    /// It is no program, or this user may not run it: permissions, a directory, a file system
    /// mounted without the right to execute.
    NotExecutable,
    /// The system does not know this format of program. A script needs a first line that begins
    /// with `#!`.
    BadFormat,
    /// Somebody has the program open for writing.
    TextBusy,
    /// The arguments, or these and the variables, are longer than the system takes.
    TooLong,
    /// An argument, a variable or a path holds what cannot be handed over: a NUL; in the arguments
    /// of a batch file an end of line as well.
    InvalidText,
    /// The program wants the rights of an administrator (Windows).
    NeedsElevation,
    /// Anything else; the system's error says what.
    System,
}

impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StartFailure::ProgramMissing => "no such program",
            StartFailure::InterpreterMissing { interpreter, carriage_return } => {
                write!(f, "its interpreter {} is missing", Quoted(interpreter.as_os_str()))?;
                if *carriage_return {
                    f.write_str("; its first line ends in a carriage return")?;
                }
                return Ok(());
            }
            StartFailure::Directory => "the working directory cannot be entered",
            StartFailure::NotExecutable => "it may not be executed",
            StartFailure::BadFormat => "the system does not know its format",
            StartFailure::TextBusy => "somebody has it open for writing",
            StartFailure::TooLong => "the arguments are too long",
            StartFailure::InvalidText => "an argument, a variable or a path is no text for it",
            StartFailure::NeedsElevation => "it wants the rights of an administrator",
            StartFailure::System => "the system refuses",
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
            Cause::Os(error) | Cause::Start(_, error) => error.raw_os_error(),
            _ => None,
        }
    }

    /// The nearest kind of the standard library.
    pub fn kind(&self) -> io::ErrorKind {
        match &self.0.cause {
            Cause::Os(error) | Cause::Start(_, error) => error.kind(),
            Cause::Find(error) => error.kind(),
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
            "cannot {} {}: {}",
            self.operation().verb(),
            Quoted(self.path().as_os_str()),
            self.cause()
        )
    }
}

impl error::Error for Error {
    /// What the text of this error does not say already: the system's error behind a start that
    /// failed for a reason of its own.
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.cause {
            Cause::Start(StartFailure::System | StartFailure::Directory, _) => None,
            Cause::Start(_, error) => Some(error),
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
