//! What every operation on a tree lets its caller choose: threads, when to stop, what to leave out.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
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
    /// Begin on the caller's thread, start others when the work is large enough and the rate
    /// shows that they pay, and stop them when they do not.
    #[default]
    Automatic,
    /// At most this many, the caller's included. With 1 no thread is started, ever; with more,
    /// they are started as soon as there is work to share, whether they pay or not.
    AtMost(usize),
}

/// Asks an operation to stop. Set it from any thread or from a signal handler; no new call to the
/// system is begun once a worker has seen it, which is before its next call.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// A token that is not set.
    pub const fn new() -> Self {
        Cancel(AtomicBool::new(false))
    }

    /// Asks to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// The flag itself: what a signal handler may set to `true` instead of calling
    /// [`cancel`](Cancel::cancel).
    pub const fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// Whether it was asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl AsRef<Cancel> for Cancel {
    fn as_ref(&self) -> &Cancel {
        self
    }
}

/// An entry that an operation has found and not looked at yet; what an `exclude` predicate decides
/// about.
#[derive(Clone, Copy, Debug)]
pub struct Unvisited<'a> {
    pub(crate) path: &'a Path,
    pub(crate) relative: &'a Path,
    pub(crate) kind: Kind,
}

impl<'a> Unvisited<'a> {
    /// The path: the operand as it was given, and the names below it.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// The path below the operand.
    pub fn relative_path(&self) -> &'a Path {
        self.relative
    }

    /// The last part of the path.
    pub fn name(&self) -> &'a OsStr {
        self.relative.file_name().unwrap_or(self.relative.as_os_str())
    }

    /// What it is, as the listing tells; [`Kind::Unknown`] where the listing does not tell.
    pub fn kind(&self) -> Kind {
        self.kind
    }
}

/// Decides which entries are left out.
pub(crate) type Exclude<'a> = Arc<dyn Fn(&Unvisited<'_>) -> bool + Send + Sync + 'a>;

/// What an operation does after a callback. Callbacks may also return `()` to go on, or a
/// [`ControlFlow`], whose `Break` stops the operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// The operation goes on.
    #[default]
    Continue,
    /// It goes on without entering the directory that was just visited. Anywhere else the same as
    /// [`Next::Continue`].
    Skip,
    /// The operation stops: no new system call is begun once its workers have seen it.
    Stop,
}

impl From<()> for Next {
    fn from((): ()) -> Next {
        Next::Continue
    }
}

impl<B, C> From<ControlFlow<B, C>> for Next {
    fn from(flow: ControlFlow<B, C>) -> Next {
        match flow {
            ControlFlow::Continue(_) => Next::Continue,
            ControlFlow::Break(_) => Next::Stop,
        }
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
    /// The paths, in order.
    fn into_paths(self) -> Vec<PathBuf>;
}

macro_rules! one_path {
    ($($path:ty),+ $(,)?) => {
        $(impl Operands for $path {
            fn into_paths(self) -> Vec<PathBuf> {
                vec![PathBuf::from(self)]
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
        })+
    };
}

several_paths!(&[P]: (), Vec<P>: (), &Vec<P>: ());
several_paths!([P; N]: (const N: usize), &[P; N]: (const N: usize));

/// Reads the rules that directories hold in files of their own.
pub(crate) trait Rulebook: Send + Sync {
    /// Whether there are such files to look for.
    fn reads_files(&self) -> bool;
    /// Whether names that begin with a dot are left out, unless a rule says otherwise.
    fn hides_dots(&self) -> bool;
    /// What the text of a file says; an error where that is more than [`MOST_RULES`].
    fn read(&self, text: &[u8]) -> io::Result<Box<dyn Rules>>;
}

/// The most rules that may hold in one place.
pub(crate) const MOST_RULES: usize = 100_000;

/// That there is more than may hold in one place.
pub(crate) fn too_many_rules(most: usize, what: &str) -> io::Error {
    let words = format!("more than {most} {what} are in force");
    io::Error::new(io::ErrorKind::FileTooLarge, words)
}

/// The rules of one file.
pub(crate) trait Rules: Send + Sync {
    /// Whether the entry at `path`, relative to the directory that the file is for, is to be left
    /// out; `None` where no rule is about it.
    fn decide(&self, path: &Path, is_directory: bool) -> Option<bool>;
    /// How many there are.
    fn count(&self) -> usize;
}
