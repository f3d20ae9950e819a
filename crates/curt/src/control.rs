//! What every operation on a tree lets its caller choose: threads, when to stop, what to leave out.

use std::io;
use std::path::Path;
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

/// Decides which entries are left out: kept by a removal, not told of by a walk.
pub trait Exclude: Sync {
    /// Whether to leave out the entry at `path` and everything below it. The path is relative to
    /// the operand, which is itself never asked about.
    fn excludes(&self, path: &Path, kind: Kind) -> bool;

    /// The same, also with the path that begins with the operand as it was given. Walks and
    /// measurements ask this; what it answers by itself is what [`Exclude::excludes`] answers for
    /// the relative path.
    fn excludes_entry(&self, path: &Path, relative: &Path, kind: Kind) -> bool {
        let _ = path;
        self.excludes(relative, kind)
    }
}

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

impl<F: Fn(&Path, Kind) -> bool + Sync> Exclude for F {
    fn excludes(&self, path: &Path, kind: Kind) -> bool {
        self(path, kind)
    }
}
