use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fields::Kind;

/// How many threads an operation may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Threads {
    /// Adds threads when the work is large enough. Pauses them again if they do not increase the
    /// measured rate.
    #[default]
    Automatic,
    /// Uses at most this many threads, including the caller's.
    ///
    /// With 1, no thread is started. With a larger number, threads are started after 64 entries of
    /// a removal, or 256 of a walk, even if they do not help.
    AtMost(usize),
}

impl Threads {
    /// The maximum that `Threads::try_from` accepts; more is probably a mistake.
    pub const MOST: usize = 1024;
}

/// Converts an untrusted number, such as a script's argument. Accepts 1 to [`Threads::MOST`].
///
/// ```
/// use curt::Threads;
/// assert_eq!(Threads::try_from(4)?, Threads::AtMost(4));
/// let error = Threads::try_from(0).unwrap_err();
/// assert_eq!(error.to_string(), "threads must be from 1 to 1024");
/// assert!(Threads::try_from(Threads::MOST + 1).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
impl TryFrom<usize> for Threads {
    type Error = io::Error;

    fn try_from(number: usize) -> io::Result<Threads> {
        if (1..=Threads::MOST).contains(&number) {
            return Ok(Threads::AtMost(number));
        }
        let message = format!("threads must be from 1 to {}", Threads::MOST);
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}

/// Whether an operation remains on the filesystem of its operand.
///
/// `true` converts to [`SameFileSystem::Device`], and `false` to [`SameFileSystem::No`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameFileSystem {
    /// Enters all filesystems.
    No,
    /// Enters subvolumes, but no mount points, not even bind mounts.
    Mount,
    /// Enters no directory on another device, like `find -xdev` and GNU `rm --one-file-system`.
    ///
    /// A nested subvolume counts as another device. A bind mount of the same filesystem does not,
    /// but a removal still refuses to enter it.
    Device,
}

impl From<bool> for SameFileSystem {
    fn from(yes: bool) -> SameFileSystem {
        if yes { SameFileSystem::Device } else { SameFileSystem::No }
    }
}

/// Stops an operation, from any thread or from a signal handler, such as for Ctrl-C.
///
/// Workers check for cancellation between entries. A cancelled token cannot be reused.
///
/// ```
/// use curt::{Cancel, Walk};
/// use std::sync::Arc;
///
/// let cancel = Arc::new(Cancel::new());
/// let theirs = Arc::clone(&cancel);
/// let other = std::thread::spawn(move || theirs.cancel());
/// other.join().unwrap();
/// let summary = Walk::new("src").cancel(&cancel).visit(|_| ());
/// assert!(summary.stopped);
/// ```
///
/// A signal handler can cancel a `static` token, because [`Cancel::cancel`] is one atomic store:
///
/// ```no_run
/// use curt::{Cancel, Remove};
/// use std::ffi::c_int;
///
/// static CANCEL: Cancel = Cancel::new();
///
/// // Install this handler for `SIGINT` (Ctrl-C), for example with `libc::sigaction`,
/// // or `ctrlc::set_handler(|| CANCEL.cancel())`.
/// extern "C" fn interrupted(_signal: c_int) {
///     CANCEL.cancel();
/// }
///
/// let report = Remove::new().cancel(&CANCEL).run("node_modules");
/// println!("{} files removed, stopped: {}", report.files, report.stopped);
/// ```
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// Creates a token that is not cancelled.
    pub const fn new() -> Self {
        Cancel(AtomicBool::new(false))
    }

    /// Requests that the operation stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether cancellation was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An entry that an operation has not visited yet, passed to an `exclude` predicate.
#[derive(Clone, Copy, Debug)]
pub struct Unvisited<'a> {
    pub(crate) path: &'a Path,
    pub(crate) relative: &'a Path,
    pub(crate) kind: Kind,
}

impl<'a> Unvisited<'a> {
    /// Returns the path: the operand as given, followed by the names beneath it.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the path relative to the operand.
    pub fn relative_path(&self) -> &'a Path {
        self.relative
    }

    /// Returns the last component of the path.
    ///
    /// Test a prefix with `entry.name().as_encoded_bytes().starts_with(b".")`.
    pub fn name(&self) -> &'a OsStr {
        self.relative.file_name().unwrap_or(self.relative.as_os_str())
    }

    /// Returns the kind from the listing, or [`Kind::Unknown`] if the listing has none.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

pub(crate) type Exclude<'a> = Arc<dyn Fn(&Unvisited<'_>) -> Answer + Send + Sync + 'a>;

/// Tells an operation how to continue after a callback.
///
/// A callback may also return `()` to continue, or a [`ControlFlow`] whose `Break` stops the
/// operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// Continues.
    #[default]
    Continue,
    /// Continues without entering the directory just visited. Outside a walk, as `Continue`.
    Skip,
    /// Stops the operation.
    Stop,
}

impl From<()> for Next {
    fn from((): ()) -> Next {
        Next::Continue
    }
}

// Not generic over `ControlFlow<B, C>`: the type of `C` in `ControlFlow::Break(())` could not be
// inferred.
impl From<ControlFlow<()>> for Next {
    fn from(flow: ControlFlow<()>) -> Next {
        match flow {
            ControlFlow::Continue(()) => Next::Continue,
            ControlFlow::Break(()) => Next::Stop,
        }
    }
}

/// A callback's answer to a yes-or-no question.
///
/// A callback may also return a `bool`, or a [`ControlFlow`] whose `Break` stops the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `true`.
    Yes,
    /// `false`.
    No,
    /// Stops the operation, and leaves the entry alone.
    Stop,
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Answer {
        if yes { Answer::Yes } else { Answer::No }
    }
}

impl From<ControlFlow<(), bool>> for Answer {
    fn from(flow: ControlFlow<(), bool>) -> Answer {
        match flow {
            ControlFlow::Continue(yes) => yes.into(),
            ControlFlow::Break(()) => Answer::Stop,
        }
    }
}

#[derive(Clone)]
pub(crate) struct Poll<'a>(Arc<dyn Fn() -> Next + Send + Sync + 'a>);

impl<'a> Poll<'a> {
    pub(crate) fn new<N: Into<Next>>(poll: impl Fn() -> N + Send + Sync + 'a) -> Self {
        Poll(Arc::new(move || poll().into()))
    }

    pub(crate) fn call(&self) -> Next {
        (self.0)()
    }
}

impl fmt::Debug for Poll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Poll")
    }
}

/// The paths given to an operation: one path, or an array, a slice or a vector of paths.
///
/// ```
/// use curt::Walk;
/// let one = Walk::new(".");
/// let several = Walk::new(["src", "tests"]);
/// let paths: Vec<std::path::PathBuf> = vec!["docs".into()];
/// let borrowed = Walk::new(&paths);
/// # let _ = (one, several, borrowed);
/// ```
pub trait Operands {
    /// Returns the paths, in order.
    fn into_paths(self) -> Vec<PathBuf>;

    /// Calls `work` with the paths, without copying paths that the caller owns.
    fn lend<T>(self, work: impl FnOnce(&[&Path]) -> T) -> T
    where
        Self: Sized,
    {
        work(&borrowed(&self.into_paths()))
    }
}

fn borrowed<P: AsRef<Path>>(paths: &[P]) -> Vec<&Path> {
    paths.iter().map(AsRef::as_ref).collect()
}

macro_rules! one_path {
    ($($path:ty),+ $(,)?) => {
        $(impl Operands for $path {
            fn into_paths(self) -> Vec<PathBuf> {
                vec![PathBuf::from(self)]
            }

            fn lend<T>(self, work: impl FnOnce(&[&Path]) -> T) -> T {
                work(&[self.as_ref()])
            }
        })+
    };
}

one_path!(&str, String, &String, &OsStr, OsString, &OsString, &Path, PathBuf, &PathBuf);
one_path!(Cow<'_, Path>, Box<Path>);

macro_rules! several_paths {
    ($($paths:ty: ($($extra:tt)*)),+ $(,)?) => {
        $(impl<P: AsRef<Path>, $($extra)*> Operands for $paths {
            fn into_paths(self) -> Vec<PathBuf> {
                self.iter().map(|path| path.as_ref().to_owned()).collect()
            }

            fn lend<T>(self, work: impl FnOnce(&[&Path]) -> T) -> T {
                work(&borrowed(&self[..]))
            }
        })+
    };
}

several_paths!(&[P]: (), Vec<P>: (), &Vec<P>: ());
several_paths!([P; N]: (const N: usize), &[P; N]: (const N: usize));
