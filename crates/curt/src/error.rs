//! Errors: which operation failed, on which path, and why.

mod find;
mod kept;
#[cfg(test)]
mod tests;

use std::error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use find::{FindCause, NotFound};
pub use kept::Kept;

use crate::quoted::{Printable, Quoted};
use crate::sys::{OsError, is_missing, may_pass};
use curt_paths::Refusal;

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Removing an entry: finding it, or a refusal before or between the steps below.
    Remove,
    /// Removing an entry that is not a directory (`unlink`).
    RemoveFile,
    /// Removing an empty directory (`rmdir`).
    RemoveDirectory,
    /// Opening a directory to list it.
    OpenDirectory,
    /// Reading the entries of a directory.
    ReadDirectory,
    /// Reading the metadata of an entry.
    Stat,
    /// Reading the target of a link.
    ReadLink,
    /// Checking the access rights to an entry.
    Access,
    /// Reading the extended attributes of an entry.
    ReadAttributes,
    /// Reading the owner of an entry.
    ReadOwner,
    /// Reading an ignore file.
    ReadFile,
    /// Opening a file.
    Open,
    /// Creating a directory.
    CreateDirectory,
    /// Creating a symbolic or a hard link.
    CreateLink,
    /// Changing the permissions of an entry.
    SetPermissions,
    /// Changing the times of an entry.
    SetTimes,
    /// Renaming an entry.
    Rename,
    /// Finding the canonical name.
    Canonicalize,
    /// Searching for a program.
    Find,
    /// Starting a program.
    Start,
    /// Entering the working directory of a program.
    Enter,
    /// Waiting for a program, or reading its output.
    Wait,
    /// Killing a program.
    Kill,
}

impl Operation {
    /// Returns its name, one word: `remove_file`, `open_directory`, … It is the same in the JSON of
    /// the command, in C and in Ruby's messages.
    pub fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the words for it in messages, as the GNU tools have them: `remove`, `open
    /// directory`, …
    pub fn verb(self) -> &'static str {
        self.words()[1]
    }

    /// Its name, its verb, and the function of the C library that a program would call instead.
    fn words(self) -> [&'static str; 3] {
        match self {
            Operation::Remove => ["remove", "remove", "lstat"],
            Operation::RemoveFile => ["remove_file", "remove", "unlink"],
            Operation::RemoveDirectory => ["remove_directory", "remove", "rmdir"],
            Operation::OpenDirectory => ["open_directory", "open directory", "open"],
            Operation::ReadDirectory => ["read_directory", "read directory", "scandir"],
            Operation::Stat => ["stat", "access", "lstat"],
            Operation::ReadLink => ["read_link", "read symbolic link", "readlink"],
            Operation::Access => ["access", "access", "access"],
            Operation::ReadAttributes => {
                ["read_attributes", "read the extended attributes of", "listxattr"]
            }
            Operation::ReadOwner => ["read_owner", "read the owner of", "getpwuid"],
            Operation::ReadFile => ["read_file", "read", "read"],
            Operation::Open => ["open", "open", "open"],
            Operation::CreateDirectory => ["create_directory", "create directory", "mkdir"],
            Operation::CreateLink => ["create_link", "create link", "link"],
            Operation::SetPermissions => ["set_permissions", "change permissions of", "chmod"],
            Operation::SetTimes => ["set_times", "set times of", "utime"],
            Operation::Rename => ["rename", "rename", "rename"],
            Operation::Canonicalize => ["canonicalize", "find the name of", "realpath"],
            Operation::Find => ["find", "find", "access"],
            Operation::Start => ["start", "start", "execve"],
            Operation::Enter => ["enter", "change directory to", "chdir"],
            Operation::Wait => ["wait", "wait for", "waitpid"],
            Operation::Kill => ["kill", "kill", "kill"],
        }
    }
}

/// Why an operation failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The system's error.
    Os(io::Error),
    /// A removal refused the entry, or gave it up.
    Kept(Kept),
    /// Another entry has this name now.
    Replaced,
    /// A link, or a mount, leads back to this directory, which is above it.
    Loop(PathBuf),
    /// The path was refused before anything was done.
    Refused(Refusal),
    /// A program could not be started.
    Start(StartFailure, io::Error),
    /// No program of that name was found.
    Find(NotFound),
    /// A bug of this library. What it was working on is left as it is.
    Bug(&'static str),
}

impl Cause {
    /// Returns the system's error, if the system failed.
    pub(crate) fn system(&self) -> Option<&io::Error> {
        match self {
            Cause::Os(error) | Cause::Start(_, error) => Some(error),
            Cause::Find(why) => why.system(),
            _ => None,
        }
    }

    /// See [`Error::kind`].
    pub(crate) fn kind(&self) -> io::ErrorKind {
        match self {
            Cause::Refused(refusal) => refusal.kind(),
            _ => self.system().map_or_else(|| self.closest().error().kind(), io::Error::kind),
        }
    }

    /// Returns whether there is no such entry, as the system says it; or no such path could be.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Cause::Os(error) => is_missing(error),
            Cause::Refused(refusal) => *refusal == Refusal::Empty,
            _ => false,
        }
    }

    /// Returns the system's error that is closest, for a cause without a number.
    fn closest(&self) -> OsError {
        match self {
            Cause::Os(error) | Cause::Start(_, error) => OsError::of(error.kind()),
            Cause::Kept(kept) => kept.closest(),
            // Not `ENOENT`, which `rm -f` and its like forgive: something has this name.
            Cause::Replaced => OsError::Stale,
            Cause::Refused(Refusal::Empty) => OsError::NotFound,
            Cause::Refused(Refusal::Nul) => OsError::Invalid,
            // As `RESOLVE_NO_SYMLINKS` and `RESOLVE_NO_MAGICLINKS`.
            Cause::Refused(Refusal::Link) | Cause::Loop(_) => OsError::TooManyLinks,
            // As `RESOLVE_BENEATH`: it would leave the root, here or on another system.
            Cause::Refused(_) => OsError::OtherDevice,
            Cause::Find(why) => why.closest(),
            Cause::Bug(_) => OsError::Io,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Os(error)
            | Cause::Start(StartFailure::System | StartFailure::Directory, error) => error.fmt(f),
            Cause::Kept(kept) => kept.fmt(f),
            Cause::Replaced => f.write_str("was replaced meanwhile"),
            Cause::Loop(_) => f.write_str("symbolic link or mount loop"),
            Cause::Refused(refusal) => refusal.fmt(f),
            Cause::Start(why, _) => why.fmt(f),
            Cause::Find(why) => why.fmt(f),
            Cause::Bug(what) => write!(f, "internal error: {what}"),
        }
    }
}

/// Why a program could not be started. The system's error comes with it.
///
/// Systems have one error number for several of these. Which one it is is found out by looking at
/// the file once, and only after a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartFailure {
    /// The program does not exist.
    ProgramMissing,
    /// The program exists, but the interpreter of the script, or the loader of the image, does not.
    InterpreterMissing {
        /// The interpreter or loader that the program names.
        interpreter: PathBuf,
        /// The first line of the script ends in a carriage return, as on Windows, which the system
        /// takes for a part of the name.
        carriage_return: bool,
    },
    /// The working directory of the program could not be entered.
    Directory,
    /// It is not a program, or this user may not execute it: permissions, a directory, a file
    /// system mounted `noexec`.
    NotExecutable,
    /// The system does not know the format. A script must begin with `#!`.
    BadFormat,
    /// The program is open for writing.
    TextBusy,
    /// The arguments and variables are longer than the system accepts.
    TooLong,
    /// An argument, a variable or a path contains a NUL or, in the arguments of a batch file, a
    /// line end.
    InvalidText,
    /// A variable cannot have this name, which is empty or contains `=`.
    InvalidVariable {
        /// The name.
        name: OsString,
    },
    /// The program requires administrator rights (Windows).
    NeedsElevation,
    /// Any other error of the system.
    System,
}

/// Why a file or directory that has the name of a program is none.
const NOT_EXECUTABLE: &str = "not an executable file";

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
            StartFailure::NotExecutable => NOT_EXECUTABLE,
            StartFailure::BadFormat => "the system does not know its format",
            StartFailure::TextBusy => "text file busy: it is open for writing",
            StartFailure::TooLong => "the arguments are too long",
            StartFailure::InvalidText => {
                "an argument, a variable or the path contains a NUL byte or, for a batch file, a \
                 line end"
            }
            StartFailure::InvalidVariable { name } => {
                return write!(
                    f,
                    "{} is not the name of a variable: it is empty or contains '='",
                    Quoted(name)
                );
            }
            StartFailure::NeedsElevation => "it requires administrator rights",
            StartFailure::System => "could not be started",
        })
    }
}

/// A failure: the operation, the path as the caller would write it, and the cause.
///
/// A pointer, so that a `Result` with it stays small. Clones share one failure.
///
/// # As an `io::Error`
///
/// The operator `?` makes an [`io::Error`] of this one. That type holds either a number or a text,
/// and programs match on the number: where the system failed, the number is kept and the operation
/// and path are dropped. [`io::Error::other`] keeps them, and drops the number; so does `?` in a
/// function that returns `Box<dyn Error>`, from which both can be taken.
///
/// ```
/// fn size(path: &str) -> std::io::Result<Option<u64>> {
///     Ok(curt::stat(path, curt::Fields::SIZE)?.size().known())
/// }
/// let missing = std::fs::metadata("no such file").unwrap_err();
/// let error = size("no such file").unwrap_err();
/// assert_eq!(error.raw_os_error(), missing.raw_os_error());
/// ```
///
/// # Examples
///
/// ```
/// let error = curt::list("no such directory").unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
/// assert!(error.raw_os_error().is_some());
/// assert_eq!(error.operation(), curt::Operation::OpenDirectory);
/// assert_eq!(error.path(), std::path::Path::new("no such directory"));
/// assert!(matches!(error.cause(), curt::Cause::Os(_)));
/// ```
///
/// The message has the cause, so [`source`](std::error::Error::source) is mostly `None`: the
/// system's error is in [`cause`](Error::cause).
///
/// `{:?}` shows the message, so that `fn main() -> Result<(), curt::Error>` ends with a sentence;
/// `{:#?}` shows the parts.
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    operation: Operation,
    path: PathBuf,
    cause: Cause,
}

impl Error {
    pub(crate) fn new(operation: Operation, path: PathBuf, cause: Cause) -> Self {
        Error(Arc::new(Inner { operation, path, cause }))
    }

    /// Returns the operation that failed.
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// Returns the path: the operand as it was given, followed by the names below it.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns why it failed.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// Returns the cause of an error that nobody else has.
    pub(crate) fn into_cause(self) -> Cause {
        Arc::into_inner(self.0).map_or_else(|| bug("a new error is shared"), |inner| inner.cause)
    }

    /// Returns the system's error, or this one where there is none.
    pub(crate) fn into_system(self) -> io::Error {
        match Arc::try_unwrap(self.0) {
            Ok(Inner { cause: Cause::Os(error), .. }) => error,
            Ok(inner) => Error(Arc::new(inner)).into(),
            Err(shared) => Error(shared).into(),
        }
    }

    /// Returns the system's error number, if the system failed.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.cause().system().and_then(io::Error::raw_os_error)
    }

    /// Returns [`raw_os_error`](Error::raw_os_error) if there is one, and otherwise the number with
    /// which the system would refuse the same: `EXDEV` for a path that leaves a
    /// [`Root`](crate::Root), `EBUSY` for a mount point, `ESTALE` for a directory that was replaced
    /// meanwhile, `EIO` where nothing fits. On Windows it is the code of `GetLastError`.
    ///
    /// Languages whose errors have a number take it from here.
    ///
    /// ```
    /// # #[cfg(target_os = "linux")]
    /// # fn main() -> Result<(), curt::Error> {
    /// let error = curt::Root::open(".")?.stat("../x", curt::Fields::KIND).unwrap_err();
    /// assert_eq!((error.raw_os_error(), error.errno()), (None, 18)); // EXDEV
    /// # Ok(())
    /// # }
    /// # #[cfg(not(target_os = "linux"))]
    /// # fn main() {}
    /// ```
    pub fn errno(&self) -> i32 {
        self.raw_os_error().unwrap_or_else(|| self.cause().closest().number())
    }

    /// Returns the function of the C library that a program would call in its place, for languages
    /// whose errors name one: `unlink`, `scandir`, … A removal that refuses an entry, or finds
    /// another one in its place, is a failed `rmdir`.
    ///
    /// ```
    /// assert_eq!(curt::stat("no such file", curt::Fields::SIZE).unwrap_err().function(), "lstat");
    /// ```
    pub fn function(&self) -> &'static str {
        match (self.operation(), self.cause()) {
            (_, Cause::Kept(_)) | (Operation::Remove, Cause::Replaced) => "rmdir",
            (operation, _) => operation.words()[2],
        }
    }

    /// Returns the cause in words, if the system's text for [`errno`](Error::errno) would not say
    /// it: a refusal, a path that was replaced meanwhile, and others. Languages whose errors have
    /// the system's text take it from here. `None` also for an empty path, which is as missing as
    /// the system says.
    ///
    /// ```
    /// # fn main() -> Result<(), curt::Error> {
    /// assert_eq!(curt::list("no such directory").unwrap_err().reason(), None);
    /// let refused = curt::Root::open(".")?.stat("../x", curt::Fields::KIND).unwrap_err();
    /// assert_eq!(refused.reason().unwrap(), "the path leaves the root directory");
    /// # Ok(())
    /// # }
    /// ```
    pub fn reason(&self) -> Option<String> {
        let is_said = match self.cause() {
            Cause::Start(why, error) => {
                let is_plain = matches!(why, StartFailure::System | StartFailure::Directory);
                is_plain && error.raw_os_error().is_some()
            }
            Cause::Refused(Refusal::Empty) => true,
            _ => self.raw_os_error().is_some(),
        };
        (!is_said).then(|| self.cause().to_string())
    }

    /// Returns whether another attempt may succeed: something was in use, not empty or not
    /// permitted, or descriptors ran out. Node's `fs.rm` repeats these (`maxRetries`).
    ///
    /// ```
    /// assert!(!curt::list("no such directory").unwrap_err().may_pass());
    /// ```
    pub fn may_pass(&self) -> bool {
        match self.cause() {
            Cause::Kept(kept) => *kept == Kept::BeingWrittenTo,
            _ => may_pass(self.errno()),
        }
    }

    /// Returns the error kind that the standard library has for [`errno`](Error::errno). A refused
    /// path has the one [of its refusal](Refusal::kind), mostly `PermissionDenied`, because stable
    /// Rust has no name for that of `ELOOP`.
    pub fn kind(&self) -> io::ErrorKind {
        self.cause().kind()
    }
}

/// Returns the system's number of an error, also of one that has only a kind. For the command.
#[doc(hidden)]
pub fn number_of(error: &io::Error) -> Option<i32> {
    let known = OsError::of(error.kind());
    let has_number = error.get_ref().is_none() && known != OsError::Io;
    error.raw_os_error().or(has_number.then(|| known.number()))
}

/// Returns the cause to report for an impossible state, which is a bug of this library.
pub(crate) fn bug(what: &'static str) -> Cause {
    debug_assert!(false, "{what}");
    Cause::Bug(what)
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() { self.0.fmt(f) } else { fmt::Display::fmt(self, f) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, cause) = (self.path().as_os_str(), self.cause());
        if let Cause::Find(_) = cause {
            return write!(f, "{}: {cause}", Printable(path));
        }
        write!(f, "cannot {} {}: {cause}", self.operation().verb(), Quoted(path))
    }
}

impl error::Error for Error {
    /// Returns what the message does not say already: the system's error behind a start that failed
    /// for another reason.
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.cause {
            Cause::Start(StartFailure::System | StartFailure::Directory, _) => None,
            Cause::Start(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for io::Error {
    /// Keeps the number: if the system failed, the result is its error, as a function of the
    /// standard library returns it. Any other failure is put inside the result, for
    /// [`io::Error::downcast`], and has the same message. An `io::Error` holds a number or a text,
    /// never both, and language runtimes and servers match on the number.
    fn from(error: Error) -> io::Error {
        match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::new(error.kind(), error),
        }
    }
}
