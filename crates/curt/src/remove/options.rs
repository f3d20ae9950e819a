//! The options of a removal, and the observer that follows it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::control::{Cancel, Exclude, Threads, Unvisited};
use crate::error::Error;
use crate::fields::Kind;
use crate::sys::{Feature, Features};

/// What to do with operands that are directories.
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

/// For which entries [`Observer::confirm`] is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirm {
    /// For no entry.
    #[default]
    Never,
    /// For entries that the process may not write to. Costs a stat and an access check per entry.
    WriteProtected,
    /// For every entry. Costs a stat and an access check per entry.
    Always,
}

impl Confirm {
    /// Returns whether to ask about an entry, which the process may write to or not.
    pub(super) fn asks(self, write_protected: bool) -> bool {
        match self {
            Confirm::Never => false,
            Confirm::WriteProtected => write_protected,
            Confirm::Always => true,
        }
    }
}

/// A question to [`Observer::confirm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Whether to enter a directory that is not empty.
    Descend,
    /// Whether to remove a directory that is empty now.
    RemoveDirectory,
    /// Whether to try to remove a directory that cannot be read.
    RemoveUnreadableDirectory,
    /// Whether to remove an entry that is not a directory.
    RemoveFile,
}

/// The entry that a question is about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The path: the operand as it was given, and the names below it.
    pub path: &'a Path,
    /// The kind of the entry.
    pub kind: Kind,
    /// Whether it is an empty regular file.
    pub empty_file: bool,
    /// Whether the process may not write to it.
    pub write_protected: bool,
}

/// The totals so far, passed to [`Observer::progress`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Entries removed that were not directories.
    pub files: u64,
    /// Directories removed.
    pub directories: u64,
}

/// Follows a removal. All methods have empty defaults.
///
/// They are called from the thread that does the work, one entry at a time per thread. A panic in
/// one of them ends the removal and reaches the caller.
pub trait Observer: Sync {
    /// Returns whether [`removed`](Observer::removed) is to be called, which costs building a path
    /// per entry.
    fn wants_removed(&self) -> bool {
        false
    }

    /// Decides about an entry, for those that [`Remove::confirm`](crate::Remove::confirm) selects.
    /// `false` keeps the entry and counts it as skipped. Only called from the caller's thread.
    fn confirm(&self, question: Question, subject: &Subject<'_>) -> bool {
        let _ = (question, subject);
        true
    }

    /// Called after an entry was removed or, in a dry run, would have been.
    fn removed(&self, path: &Path, kind: Kind) {
        let _ = (path, kind);
    }

    /// Called for each error. The removal goes on with the other entries.
    ///
    /// A directory that is left because another process writes to it is reported at the end.
    fn failed(&self, error: &Error) {
        let _ = error;
    }

    /// Called every few hundred entries.
    fn progress(&self, totals: &Totals) {
        let _ = totals;
    }
}

/// An observer that ignores every event.
pub(crate) struct NoopObserver;
impl Observer for NoopObserver {}

/// A removal: its options, each with the safe choice as default.
///
/// Links are never followed, mounts are not crossed unless asked for, nothing is atomic, every
/// failure is reported, and the removal goes on after it. The races that are prevented, and those
/// that are not, the calls that a removal makes, and how it compares with others are in
/// [`crate::remove`].
///
/// # Deep trees
///
/// As many directories are open as the tree is deep, up to [`Remove::descriptors`]. Beyond that,
/// ancestors are closed and reopened by name, and must then be the same ones.
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
    /// Returns a removal with the safe defaults: recursive, mounts not crossed, a missing operand
    /// is an error, the root directory is preserved, threads are automatic, 100 retries within one
    /// second.
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
            observer: &NoopObserver,
            cancel: None,
            retries: 100,
            retry_window: Duration::from_secs(1),
            keep_errors: usize::MAX,
            descriptors: None,
            without: Features::default(),
        }
    }

    /// Sets how many threads may work; [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets what to do with operands that are directories; [`Directories::Recursive`] by default.
    pub fn directories(mut self, directories: Directories) -> Self {
        self.directories = directories;
        self
    }

    /// Sets whether mount points below an operand are entered. Off by default: a mount point, also
    /// a bind mount of the same file system, stays and is reported as
    /// [`Cause::MountPoint`](crate::Cause::MountPoint).
    pub fn cross_mounts(mut self, yes: bool) -> Self {
        self.cross_mounts = yes;
        self
    }

    /// Sets whether an operand must lie on the same file system as its parent. Off by default.
    /// Costs two stats per operand. (`--preserve-root=all` of the command.)
    pub fn refuse_mounted_operands(mut self, yes: bool) -> Self {
        self.one_device = yes;
        self
    }

    /// Sets whether an operand that does not exist counts as removed. Off by default. Entries
    /// *below* an operand that vanish while it is removed are never errors.
    pub fn missing_is_fine(mut self, yes: bool) -> Self {
        self.missing_is_fine = yes;
        self
    }

    /// Sets whether to empty the operands and keep the directories themselves. Off by default.
    pub fn contents_only(mut self, yes: bool) -> Self {
        self.contents = yes;
        self
    }

    /// Sets whether the root directory is refused, by identity. On by default.
    pub fn preserve_root(mut self, yes: bool) -> Self {
        self.preserve_root = yes;
        self
    }

    /// Sets whether to remove nothing and to count what a removal would find. Off by default.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Sets whether to sum the allocated bytes that the removal gives back: those of entries whose
    /// last link goes. Off by default. Costs one stat per entry.
    pub fn count_bytes(mut self, yes: bool) -> Self {
        self.count_bytes = yes;
        self
    }

    /// Sets for which entries to ask the observer; [`Confirm::Never`] by default. With anything
    /// else, only the caller's thread works.
    pub fn confirm(mut self, confirm: Confirm) -> Self {
        self.confirm = confirm;
        self
    }

    /// Keeps the entries for which `exclude` returns `true`, with their parents, and counts each as
    /// skipped.
    pub fn exclude(mut self, exclude: impl Fn(&Unvisited<'_>) -> bool + Send + Sync + 'a) -> Self {
        self.exclude = Some(Arc::new(exclude));
        self
    }

    /// Sets the observer that follows the removal.
    pub fn observer(mut self, observer: &'a dyn Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Sets the token that stops the removal early.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets how often, and for how long, a directory that gained entries is emptied again: 100
    /// times within a second by default. A pass that finds at most half of the entries that any
    /// pass before found is progress, and starts the window again.
    ///
    /// Entries that are in use, which Windows refuses to remove, and shortages of descriptors are
    /// waited for within the same window.
    pub fn retries(mut self, count: u32, window: Duration) -> Self {
        self.retries = count;
        self.retry_window = window;
        self
    }

    /// Sets how many errors the report keeps; all by default. Every error is counted and passed to
    /// the observer in any case, so a caller that prints them at once may keep none.
    pub fn keep_errors(mut self, limit: usize) -> Self {
        self.keep_errors = limit;
        self
    }

    /// Sets how many directories may be open at a time: at least 8 and at most 1,024, by default
    /// half of the process's limit.
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// Does not use a feature of the system, as on a system that lacks it. For tests and for
    /// finding faults.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
