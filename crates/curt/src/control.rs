//! The options that operations on trees have in common: threads, when to stop, what to leave out.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fields::Kind;

/// How many threads may work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Threads {
    /// Begins on the caller's thread, starts others when the work is large enough and the measured
    /// rate shows that they pay, and stops them when they do not.
    #[default]
    Automatic,
    /// At most this many, including the caller's. With 1 no thread is ever started; with more, they
    /// are started after the first 64 entries of a removal, or 256 of a walk, whether they pay or
    /// not. [`List::gather`](crate::list::List::gather) takes one for each 64 entries to ask about.
    AtMost(usize),
}

impl Threads {
    /// The most threads that a number from outside may ask for: a larger one is a mistake.
    pub const MOST: usize = 1024;
}

/// Checks a number from outside, such as an argument of a script: from 1 to [`Threads::MOST`].
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

/// Whether an operation stays on the file system of an operand. `true` is
/// [`SameFileSystem::Device`], and `false` is [`SameFileSystem::No`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameFileSystem {
    /// It enters all file systems.
    No,
    /// It enters no mount point, not even a bind mount of the same file system, but subvolumes.
    Mount,
    /// It enters no directory on another device, as with `find -xdev` and GNU `rm
    /// --one-file-system`. A nested subvolume, which is no mount point, is on another device too; a
    /// bind mount of the same file system is not, and only a removal refuses it.
    Device,
}

impl From<bool> for SameFileSystem {
    fn from(yes: bool) -> SameFileSystem {
        if yes { SameFileSystem::Device } else { SameFileSystem::No }
    }
}

/// Asks an operation to stop, from any thread or from a signal handler. Workers check it between
/// entries; after that they only close what is open.
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
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// Creates a token that is not cancelled.
    pub const fn new() -> Self {
        Cancel(AtomicBool::new(false))
    }

    /// Asks the operation to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the operation was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// An entry that an operation has found in a listing: an `exclude` predicate decides about it.
#[derive(Clone, Copy, Debug)]
pub struct Unvisited<'a> {
    pub(crate) path: &'a Path,
    pub(crate) relative: &'a Path,
    pub(crate) kind: Kind,
}

impl<'a> Unvisited<'a> {
    /// Returns the path: the operand as it was given, and the names below it.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the path below the operand.
    pub fn relative_path(&self) -> &'a Path {
        self.relative
    }

    /// Returns the last part of the path.
    pub fn name(&self) -> &'a OsStr {
        self.relative.file_name().unwrap_or(self.relative.as_os_str())
    }

    /// Returns the kind that the listing has; [`Kind::Unknown`] if it has none.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// Decides which entries are left out.
pub(crate) type Exclude<'a> = Arc<dyn Fn(&Unvisited<'_>) -> Answer + Send + Sync + 'a>;

/// The answer of a callback: how the operation goes on. A callback may also return `()` to go on,
/// or a [`ControlFlow`], whose `Break` stops the operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// The operation goes on.
    #[default]
    Continue,
    /// The operation goes on without entering the directory that was just visited. For anything
    /// else the same as [`Next::Continue`].
    Skip,
    /// The operation stops: its workers only close what is open.
    Stop,
}

impl From<()> for Next {
    fn from((): ()) -> Next {
        Next::Continue
    }
}

// Not for any `ControlFlow<B, C>`: the types of `ControlFlow::Break(())` would not be inferred.
impl From<ControlFlow<()>> for Next {
    fn from(flow: ControlFlow<()>) -> Next {
        match flow {
            ControlFlow::Continue(()) => Next::Continue,
            ControlFlow::Break(()) => Next::Stop,
        }
    }
}

/// The answer to a question of an operation. A callback may also return a `bool`, or a
/// [`ControlFlow`] whose `Break` stops the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes: `true`.
    Yes,
    /// No: `false`.
    No,
    /// The operation stops, and leaves the entry as it is.
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

/// A callback that the caller's thread calls every few milliseconds, and that can stop the
/// operation.
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

/// The paths that an operation is given: one path, or an array, a slice or a vector of paths.
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

    /// Calls `work` with the paths, in order. Those of the caller are not copied.
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
