//! What a caller of [`Remove`] can choose, and what it is told while the removal runs.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::control::{Cancel, Exclude, Threads, Unvisited};
use crate::error::Error;
use crate::fields::Kind;
use crate::sys::{Feature, Features};

/// What to do with an operand that is a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Directories {
    /// Remove it with everything below it.
    #[default]
    Recursive,
    /// Remove it if it is empty, as `rmdir` would.
    OnlyEmpty,
    /// Refuse, as `unlink` would.
    Refuse,
}

/// For which entries the observer's [`confirm`](Observer::confirm) is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirm {
    /// For none.
    #[default]
    Never,
    /// For those that the process may not write to. Costs a stat and an access check per entry.
    WriteProtected,
    /// For all. Costs a stat and an access check per entry.
    Always,
}

impl Confirm {
    /// Whether an entry is asked about that the process may not, or may, write to.
    pub(super) fn asks(self, write_protected: bool) -> bool {
        match self {
            Confirm::Never => false,
            Confirm::WriteProtected => write_protected,
            Confirm::Always => true,
        }
    }
}

/// What [`Observer::confirm`] is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Whether to look into a directory that has entries.
    Descend,
    /// Whether to remove a directory, which is empty now.
    RemoveDirectory,
    /// Whether to try to remove a directory that cannot be read.
    RemoveUnreadableDirectory,
    /// Whether to remove anything else.
    RemoveFile,
}

/// The entry that a question is about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The path: the operand as given and the names below it.
    pub path: &'a Path,
    /// What it is.
    pub kind: Kind,
    /// Whether it is a regular file without content.
    pub empty_file: bool,
    /// Whether the process may not write to it.
    pub write_protected: bool,
}

/// Running totals, given to [`Observer::progress`] from time to time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Entries removed that were not directories.
    pub files: u64,
    /// Directories removed.
    pub directories: u64,
}

/// Somebody who follows a removal. All methods have empty defaults. They are called from whichever
/// thread does the work, one entry at a time per thread. A panic of one of them ends the removal and
/// reaches the caller.
pub trait Observer: Sync {
    /// Whether [`removed`](Observer::removed) is wanted: it costs building a path per entry.
    fn wants_removed(&self) -> bool {
        false
    }

    /// Asked before something happens to an entry, as chosen by [`Remove::confirm`](crate::Remove::confirm).
    /// `false` keeps the entry and counts it as skipped. Only ever called from the caller's thread.
    fn confirm(&self, question: Question, subject: &Subject<'_>) -> bool {
        let _ = (question, subject);
        true
    }

    /// An entry is gone (or, in a dry run, would be).
    fn removed(&self, path: &Path, kind: Kind) {
        let _ = (path, kind);
    }

    /// Something failed. The removal goes on with what is left.
    fn failed(&self, error: &Error) {
        let _ = error;
    }

    /// Called every few hundred entries.
    fn progress(&self, totals: &Totals) {
        let _ = totals;
    }
}

/// The observer that looks away.
pub(crate) struct Nobody;
impl Observer for Nobody {}

/// How to remove: every choice with the safe one as default.
///
/// What a removal promises, what it costs in calls, which races it prevents and which not, and how
/// it compares with others, is in `docs/semantics.md` of the repository.
/// In short: links are never followed, mounts never crossed, nothing is atomic, everything that
/// fails is reported, and what is not stopped by a failure goes on.
///
/// # Deep trees
///
/// As many directories are open as the tree is deep, up to [`Remove::descriptors`]. Beyond, those on
/// the way are closed, opened again by name when their turn comes, and must then be the same ones.
///
/// ```
/// use curt::{Remove, Threads};
///
/// # let scratch = std::env::temp_dir().join(format!("curt-doc2-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("keep/this"))?;
/// # std::fs::File::create(scratch.join("not-this"))?;
/// let keep = |entry: &curt::Unvisited| entry.relative_path().starts_with("keep");
/// let report = Remove::new().threads(Threads::AtMost(1)).exclude(keep).run(&scratch);
/// assert!(report.is_complete());
/// assert_eq!((report.files, report.skipped), (1, 1));
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a removal does nothing until it is run"]
pub struct Remove<'a> {
    pub(crate) threads: Threads,
    pub(crate) directories: Directories,
    pub(crate) cross_mounts: bool,
    pub(crate) one_device: bool,
    pub(crate) missing_is_fine: bool,
    pub(crate) contents: bool,
    pub(crate) preserve_root: bool,
    pub(crate) dry_run: bool,
    pub(crate) count_bytes: bool,
    pub(crate) confirm: Confirm,
    pub(crate) exclude: Option<Exclude<'a>>,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) cancel: Option<&'a Cancel>,
    pub(crate) retries: u32,
    pub(crate) retry_window: Duration,
    pub(crate) keep_errors: usize,
    pub(crate) descriptors: Option<usize>,
    pub(crate) without: Features,
}

impl fmt::Debug for Remove<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Remove");
        shown.field("threads", &self.threads).field("directories", &self.directories);
        shown.field("cross_mounts", &self.cross_mounts).field("dry_run", &self.dry_run);
        shown.finish_non_exhaustive()
    }
}

impl Default for Remove<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Remove<'a> {
    /// The safe defaults: recursive, mounts not crossed, a missing operand is an error, the root
    /// directory preserved, threads automatic, 100 retries within one second.
    pub fn new() -> Self {
        Remove {
            threads: Threads::Automatic,
            directories: Directories::Recursive,
            cross_mounts: false,
            one_device: false,
            missing_is_fine: false,
            contents: false,
            preserve_root: true,
            dry_run: false,
            count_bytes: false,
            confirm: Confirm::Never,
            exclude: None,
            observer: &Nobody,
            cancel: None,
            retries: 100,
            retry_window: Duration::from_secs(1),
            keep_errors: usize::MAX,
            descriptors: None,
            without: Features::default(),
        }
    }

    /// How many threads may work; [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// What to do with an operand that is a directory; [`Directories::Recursive`] by default.
    pub fn directories(mut self, directories: Directories) -> Self {
        self.directories = directories;
        self
    }

    /// Whether to go on below mount points. Off by default: what is mounted below the operand,
    /// also a bind mount of the same file system, stays and is reported as
    /// [`Cause::MountPoint`](crate::Cause::MountPoint).
    pub fn cross_mounts(mut self, yes: bool) -> Self {
        self.cross_mounts = yes;
        self
    }

    /// Whether an operand must lie on the same file system as its parent. Off by default. Costs
    /// two stats per operand. (`--preserve-root=all` of the command.)
    pub fn refuse_mounted_operands(mut self, yes: bool) -> Self {
        self.one_device = yes;
        self
    }

    /// Whether an operand that does not exist counts as removed. Off by default. Entries *below*
    /// an operand that vanish while it is removed are never errors.
    pub fn missing_is_fine(mut self, yes: bool) -> Self {
        self.missing_is_fine = yes;
        self
    }

    /// Whether to empty the operands and keep the directories themselves. Off by default.
    pub fn contents_only(mut self, yes: bool) -> Self {
        self.contents = yes;
        self
    }

    /// Whether the root directory is refused, by identity. On by default.
    pub fn preserve_root(mut self, yes: bool) -> Self {
        self.preserve_root = yes;
        self
    }

    /// Whether to look only: the report counts what a removal would find. Off by default.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Whether to sum the allocated bytes that removal gives back: those of entries whose last
    /// link goes. Off by default. Costs one stat per entry.
    pub fn count_bytes(mut self, yes: bool) -> Self {
        self.count_bytes = yes;
        self
    }

    /// For which entries to ask the observer; [`Confirm::Never`] by default. Anything else works
    /// on the caller's thread alone.
    pub fn confirm(mut self, confirm: Confirm) -> Self {
        self.confirm = confirm;
        self
    }

    /// Keeps the entries that the predicate names, with their parents, and counts each as skipped.
    pub fn exclude(mut self, exclude: impl Fn(&Unvisited<'_>) -> bool + Send + Sync + 'a) -> Self {
        self.exclude = Some(Arc::new(exclude));
        self
    }

    /// Who is told what happens.
    pub fn observer(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// What stops the removal early.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// How often, and for how long, a directory is emptied again when something was added to it
    /// meanwhile: 100 times within a second by default. A pass that found at most half of what the
    /// pass before it found is progress and starts the window anew.
    pub fn retries(mut self, count: u32, window: Duration) -> Self {
        self.retries = count;
        self.retry_window = window;
        self
    }

    /// How many errors the report keeps; all by default. Every error is counted and given to the
    /// observer in any case, so a caller that prints them as they come may keep none.
    pub fn keep_errors(mut self, limit: usize) -> Self {
        self.keep_errors = limit;
        self
    }

    /// How many directories may be open at a time; by default half of the process's limit, and
    /// never more than 1,024. The least is 8, whatever is given.
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// Does without a feature of the system, as on a system that lacks it. For tests and for
    /// finding faults.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
