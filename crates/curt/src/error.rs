mod copy_refusal;
mod find;
mod remain_reason;
#[cfg(test)]
mod tests;

use std::error;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use copy_refusal::CopyRefusal;
pub use find::{FindCause, NotFound};
pub use remain_reason::RemainReason;

use crate::quoted::{Printable, Quoted};
use crate::sys::{OsError, is_missing, may_pass};
use curt_paths::Refusal;

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Looking up an entry to remove, or refusing to remove it.
    Remove,
    /// Removing a non-directory (`unlink`).
    RemoveFile,
    /// Removing an empty directory (`rmdir`).
    RemoveDirectory,
    /// Opening a directory to list it.
    OpenDirectory,
    /// Reading a directory.
    ReadDirectory,
    /// Reading metadata.
    Stat,
    /// Reading the target of a symlink.
    ReadLink,
    /// Checking access rights.
    Access,
    /// Reading extended attributes.
    ReadAttributes,
    /// Reading the owner.
    ReadOwner,
    /// Reading a file.
    ReadFile,
    /// Opening a file.
    Open,
    /// Refusing to copy an entry.
    Copy,
    /// Creating a file.
    CreateFile,
    /// Writing to a file.
    WriteFile,
    /// Sharing the content of a file with its copy.
    Clone,
    /// Creating a device, a named pipe or a socket.
    CreateSpecial,
    /// Creating a directory.
    CreateDirectory,
    /// Creating a symlink or hard link.
    CreateLink,
    /// Changing the owner or group.
    SetOwner,
    /// Changing extended attributes.
    SetAttributes,
    /// Changing permissions.
    SetPermissions,
    /// Changing times.
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
    /// Returns the operation's name in one word (`remove_file`, `open_directory`, …), as used in
    /// JSON output, C and Ruby.
    pub fn name(self) -> &'static str {
        self.words()[0]
    }

    /// Returns the operation's name for messages, as in the GNU tools: `remove`, `open directory`,
    /// …
    pub fn verb(self) -> &'static str {
        self.words()[1]
    }

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
            Operation::Copy => ["copy", "copy", "cp"],
            Operation::CreateFile => ["create_file", "create file", "open"],
            Operation::WriteFile => ["write_file", "write", "write"],
            Operation::Clone => ["clone", "clone to", "copyfile"],
            Operation::CreateSpecial => ["create_special", "create special file", "mknod"],
            Operation::CreateDirectory => ["create_directory", "create directory", "mkdir"],
            Operation::CreateLink => ["create_link", "create link", "link"],
            Operation::SetOwner => ["set_owner", "change the owner of", "chown"],
            Operation::SetAttributes => {
                ["set_attributes", "set the extended attributes of", "setxattr"]
            }
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

/// The cause of a failure.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The system's error.
    Os(io::Error),
    /// A removal refused an entry, or gave up on it.
    Remains(RemainReason),
    /// A copy to this destination was refused.
    CopyRefused(CopyRefusal, PathBuf),
    /// The name now belongs to a different entry.
    Replaced,
    /// A symlink or mount leads back to this ancestor.
    Loop(PathBuf),
    /// The path was refused before any action.
    Refused(Refusal),
    /// A program was found but failed to start.
    Start(StartFailure, io::Error),
    /// No program of that name was found.
    Find(NotFound),
    /// A bug in this library. The affected entry is left alone.
    Bug(&'static str),
}

impl Cause {
    pub(crate) fn system(&self) -> Option<&io::Error> {
        match self {
            Cause::Os(error) | Cause::Start(_, error) => Some(error),
            Cause::Find(why) => why.system(),
            _ => None,
        }
    }

    pub(crate) fn kind(&self) -> io::ErrorKind {
        match self {
            Cause::Refused(refusal) => refusal.kind(),
            _ => self.system().map_or_else(|| self.closest().error().kind(), io::Error::kind),
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Cause::Os(error) => is_missing(error),
            Cause::Refused(refusal) => *refusal == Refusal::Empty,
            _ => false,
        }
    }

    fn closest(&self) -> OsError {
        match self {
            Cause::Os(error) | Cause::Start(_, error) => OsError::of(error.kind()),
            Cause::Remains(reason) => reason.closest(),
            Cause::CopyRefused(refusal, _) => refusal.closest(),
            // Not `ENOENT`, which `rm -f` and others ignore: the name still exists.
            Cause::Replaced => OsError::Stale,
            Cause::Refused(Refusal::Empty) => OsError::NotFound,
            Cause::Refused(Refusal::Nul) => OsError::Invalid,
            // `openat2(2)` returns `ELOOP` for `RESOLVE_NO_SYMLINKS` and `RESOLVE_NO_MAGICLINKS`.
            Cause::Refused(Refusal::Link) | Cause::Loop(_) => OsError::TooManyLinks,
            // `openat2(2)` returns `EXDEV` for an escape. Refusals of a spelling have no closer
            // number.
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
            | Cause::Start(StartFailure::System | StartFailure::Directory, error) => {
                f.write_str(&words_of(error))
            }
            Cause::Remains(reason) => reason.fmt(f),
            Cause::CopyRefused(refusal, to) => write!(f, "{} {refusal}", Quoted(to.as_os_str())),
            Cause::Replaced => f.write_str("another entry has replaced it"),
            Cause::Loop(_) => f.write_str("symbolic link or mount loop"),
            Cause::Refused(refusal) => refusal.fmt(f),
            Cause::Start(why, _) => why.fmt(f),
            Cause::Find(why) => why.fmt(f),
            Cause::Bug(what) => write!(f, "internal error: {what}"),
        }
    }
}

/// Why a program failed to start; [`Cause::Start`] also holds the system's error.
///
/// One error number can have several causes, so curt examines the file after the failure.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartFailure {
    /// The program does not exist.
    ProgramMissing,
    /// The program exists, but its script interpreter or image loader does not.
    InterpreterMissing {
        /// The interpreter or loader named by the program.
        interpreter: PathBuf,
        /// Whether the script's first line ends in a carriage return, which the system treats as
        /// part of the interpreter's name.
        carriage_return: bool,
    },
    /// The working directory of the program could not be entered.
    Directory,
    /// Not a program, or not executable by this user: permissions, a directory, a `noexec` mount.
    NotExecutable,
    /// The system does not know the format. A script must begin with `#!`.
    BadFormat,
    /// The program is open for writing.
    TextBusy,
    /// The arguments and variables exceed the system's limit.
    TooLong,
    /// An argument, a variable or a path contains NUL, or an argument of a batch file contains a
    /// line end.
    InvalidText,
    /// A variable name is empty or contains `=`.
    InvalidVariable {
        /// The name of the variable.
        name: OsString,
    },
    /// The program requires administrator rights (Windows).
    NeedsElevation,
    /// Any other error of the system.
    System,
}

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
/// Holds a single shared pointer, so that a `Result` remains small.
///
/// # As an `io::Error`
///
/// The `?` operator converts this into an [`io::Error`], which can hold a number or a message, but
/// not both. Programs match on the number, so a system failure keeps only its number. To keep
/// operation and path as well, use `Box<dyn Error>` or [`io::Error::other`].
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
/// The message includes the cause, so [`source`](std::error::Error::source) usually returns `None`.
///
/// `{:?}` also shows the message, because a `main` that returns `Result<(), curt::Error>` prints
/// errors that way.
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

    /// Returns the failed operation.
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// Returns the path: the operand as given, followed by the names beneath it. A copy fails at its
    /// source (`Stat`, `Open`, `ReadFile`, …) or at its destination (`CreateFile`, `WriteFile`, …).
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the cause.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    pub(crate) fn into_cause(self) -> Cause {
        Arc::into_inner(self.0).map_or_else(|| bug("a new error is shared"), |inner| inner.cause)
    }

    pub(crate) fn into_system(self) -> io::Error {
        match Arc::try_unwrap(self.0) {
            Ok(Inner { cause: Cause::Os(error), .. }) => error,
            Ok(inner) => Error(Arc::new(inner)).into(),
            Err(shared) => Error(shared).into(),
        }
    }

    /// Returns the system's error number, if a system call failed.
    pub fn raw_os_error(&self) -> Option<i32> {
        self.cause().system().and_then(io::Error::raw_os_error)
    }

    /// Returns [`raw_os_error`](Error::raw_os_error), or else the closest error number.
    ///
    /// For bindings to other languages. Examples are `EXDEV` for a path that leaves a
    /// [`Root`](crate::Root), `EBUSY` for a mount point, `ESTALE` for a replaced directory, and
    /// `EIO` if no number fits. On Windows the result is a `GetLastError` code.
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

    /// Returns the name of the equivalent C library function, such as `unlink` or `scandir`.
    ///
    /// Returns `rmdir` if a removal refused an entry or found it replaced.
    ///
    /// ```
    /// assert_eq!(curt::stat("no such file", curt::Fields::SIZE).unwrap_err().function(), "lstat");
    /// ```
    pub fn function(&self) -> &'static str {
        match (self.operation(), self.cause()) {
            (_, Cause::Remains(_)) | (Operation::Remove, Cause::Replaced) => "rmdir",
            (operation, _) => operation.words()[2],
        }
    }

    /// Returns the cause in words, or `None` if the system's message for [`errno`](Error::errno)
    /// already describes it, as `ENOENT` does for an empty path.
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

    /// Returns whether a retry may succeed, as in Node's `fs.rm` (`maxRetries`): the entry was
    /// busy, not empty or not permitted, or descriptors ran out.
    ///
    /// ```
    /// assert!(!curt::list("no such directory").unwrap_err().may_pass());
    /// ```
    pub fn may_pass(&self) -> bool {
        match self.cause() {
            Cause::Remains(reason) => *reason == RemainReason::BeingWrittenTo,
            _ => may_pass(self.errno()),
        }
    }

    /// Returns the error kind of [`errno`](Error::errno). A refused path has [the refusal's
    /// kind](Refusal::kind) instead, because stable Rust has no kind for `ELOOP`.
    pub fn kind(&self) -> io::ErrorKind {
        self.cause().kind()
    }
}

/// Returns the number of a system error. If the error has no number, returns the one that fits its
/// kind.
#[doc(hidden)]
pub fn number_of(error: &io::Error) -> Option<i32> {
    let known = OsError::of(error.kind());
    let has_number = error.get_ref().is_none() && known != OsError::Io;
    error.raw_os_error().or(has_number.then(|| known.number()))
}

/// Returns the system's message, without the number that `std` appends.
#[doc(hidden)]
pub fn words_of(error: &io::Error) -> String {
    let text = error.to_string();
    let Some(number) = error.raw_os_error() else { return text };
    // Windows' messages end in a period.
    text.trim_end_matches(&format!(" (os error {number})")).trim_end_matches('.').to_owned()
}

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
    /// Returns the system's error behind a failed start, unless the message already shows it.
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.0.cause {
            Cause::Start(StartFailure::System | StartFailure::Directory, _) => None,
            Cause::Start(_, error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for io::Error {
    /// Returns the system's error if a system call failed. Wraps other failures, for
    /// [`io::Error::downcast`].
    fn from(error: Error) -> io::Error {
        match error.raw_os_error() {
            Some(number) => io::Error::from_raw_os_error(number),
            None => io::Error::new(error.kind(), error),
        }
    }
}
