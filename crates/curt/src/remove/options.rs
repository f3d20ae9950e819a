use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::callbacks::{Ask, Question, Subject, Totals};
use crate::control::{Answer, Cancel, Next, Poll, SameFileSystem, Threads, Unvisited};
use crate::error::{Cause, Error, Operation};
use crate::fields::Kind;
use crate::notifier::Callbacks;
use crate::sys::{Feature, Features, Repairs, Setup};

/// How to handle directory operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectoryOperands {
    /// Removes a directory with everything inside.
    #[default]
    Recursive,
    /// Like `Recursive`, but refuses non-directories.
    ///
    /// A symlink, even to a directory, fails with
    /// [`RemainReason::IsALink`](super::RemainReason::IsALink), as in Python's `shutil.rmtree`.
    /// Costs a stat for each refused operand.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc3-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// use curt::remove::DirectoryOperands;
    ///
    /// // `scratch` is an empty directory.
    /// let file = scratch.join("file");
    /// std::fs::write(&file, "")?;
    /// let report = curt::Remove::new().directories(DirectoryOperands::Required).run(&file);
    /// assert_eq!(report.errors[0].kind(), std::io::ErrorKind::NotADirectory);
    /// assert!(file.exists());
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    Required,
    /// Like [`Recursive`](DirectoryOperands::Recursive), but tries `rmdir` first.
    ///
    /// If `rmdir` refuses the directory (a mount point, a parent without write permission), its
    /// contents remain. `EPERM`, as from a sticky bit, does not count as a refusal. Costs 1 call,
    /// and saves all others if the directory is empty. Has no effect with
    /// [`dry_run`](Remove::dry_run), [`confirm`](Remove::confirm) or [`exclude`](Remove::exclude).
    ///
    /// As in Node's `fs.rm`, an operand that vanishes meanwhile counts as removed, but a path
    /// through a file (`ENOTDIR`) is an error even with [`missing_is_fine`].
    ///
    /// [`missing_is_fine`]: Remove::missing_is_fine
    Removable,
    /// Removes everything inside a directory, but not the directory itself.
    ///
    /// Refuses non-directories. An operand may be `.`, or end in `/.`.
    Contents,
    /// Removes a directory only if it is empty, as `rmdir` does.
    OnlyEmpty,
    /// Refuses directories, as `unlink` does.
    Refuse,
}

/// Which operands are always refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preserve {
    /// Refuses no operand.
    Nothing,
    /// The root directory, recognized by its device and file number.
    #[default]
    Root,
    /// The root directory, and directories on a different device from their parent.
    ///
    /// Like GNU `rm --preserve-root=all`. Costs a stat per operand.
    Mounted,
}

/// For which entries [`Remove::confirm`] calls its callback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confirm {
    /// No entry.
    #[default]
    Never,
    /// Entries that the process cannot write to. Costs a stat and an access check per entry.
    WriteProtected,
    /// Every entry, at the same cost.
    Always,
}

impl Confirm {
    pub(super) fn asks(self, write_protected: bool) -> bool {
        match self {
            Confirm::Never => false,
            Confirm::WriteProtected => write_protected,
            Confirm::Always => true,
        }
    }
}

/// A removal with its options.
///
/// # Callbacks
///
/// A callback returns a [`Next`], or `()` to continue. After a stop, calls and callbacks already
/// running on other threads still finish.
///
/// Callbacks run on the thread that does the work, possibly on several threads at once, unless
/// [`Remove::callbacks_on_caller_thread`] is set. A panic in a callback ends the removal and
/// reaches the caller.
///
/// # Deep trees
///
/// The deeper the tree, the more directories a removal keeps open, up to half of the process's
/// descriptor limit and at most 1,024. Each thread may always open 8.
///
/// ```
/// use curt::{Remove, Threads};
///
/// # let scratch = std::env::temp_dir().join(format!("curt-doc2-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("keep/this"))?;
/// # std::fs::File::create(scratch.join("not-this"))?;
/// // `scratch` is a directory with keep/this/ and not-this.
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
    pub(crate) directories: DirectoryOperands,
    pub(crate) same_file_system: SameFileSystem,
    pub(crate) preserve: Preserve,
    missing_is_fine: bool,
    pub(crate) dry_run: bool,
    pub(crate) try_parents: bool,
    make_writable: bool,
    pub(crate) confirm: Confirm,
    pub(super) ask: Option<Ask<'a>>,
    pub(super) callbacks: Callbacks<'a, (PathBuf, Kind), Totals>,
    pub(crate) cancel: Option<&'a Cancel>,
    pub(crate) retries: u32,
    pub(crate) retry_window: Duration,
    pub(crate) descriptors: Option<usize>,
    pub(crate) without: Features,
}

impl fmt::Debug for Remove<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Remove");
        shown.field("threads", &self.threads).field("directories", &self.directories);
        shown.field("same_file_system", &self.same_file_system).field("dry_run", &self.dry_run);
        shown.finish_non_exhaustive()
    }
}

impl Default for Remove<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Remove<'a> {
    /// The default of [`Remove::retries`].
    pub const RETRY_WINDOW: Duration = Duration::from_secs(1);

    /// Creates a removal with the defaults.
    pub fn new() -> Self {
        Remove {
            threads: Threads::Automatic,
            directories: DirectoryOperands::Recursive,
            same_file_system: SameFileSystem::Mount,
            preserve: Preserve::Root,
            missing_is_fine: false,
            dry_run: false,
            try_parents: false,
            make_writable: false,
            confirm: Confirm::Never,
            ask: None,
            callbacks: Callbacks::default(),
            cancel: None,
            retries: 100,
            retry_window: Self::RETRY_WINDOW,
            descriptors: None,
            without: Features::default(),
        }
    }

    /// Sets the number of threads; [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets how to handle directory operands; [`DirectoryOperands::Recursive`] by default.
    pub fn directories(mut self, directories: DirectoryOperands) -> Self {
        self.directories = directories;
        self
    }

    /// Sets whether to leave other filesystems alone; [`SameFileSystem::Mount`] by default.
    ///
    /// A skipped mount point is reported as
    /// [`RemainReason::MountPoint`](super::RemainReason::MountPoint). [`SameFileSystem::Device`] or
    /// `true` costs a stat per directory, reports
    /// [`RemainReason::OtherFileSystem`](super::RemainReason::OtherFileSystem), and also skips a
    /// directory whose device is unknown.
    pub fn same_file_system(mut self, same: impl Into<SameFileSystem>) -> Self {
        self.same_file_system = same.into();
        self
    }

    /// Sets which operands are refused; [`Preserve::Root`] by default.
    pub fn preserve(mut self, preserve: Preserve) -> Self {
        self.preserve = preserve;
        self
    }

    /// Sets whether a missing operand, or a path through a file, counts as removed; off by default.
    ///
    /// Entries *inside* an operand may always vanish.
    pub fn missing_is_fine(mut self, yes: bool) -> Self {
        self.missing_is_fine = yes;
        self
    }

    /// Sets whether to only report what a removal would do; off by default.
    ///
    /// Reports the entries, the allocated bytes of entries whose last link would be removed, and
    /// the failures predicted from permissions (not on Windows), sticky bits, attributes and
    /// mounts. An unreadable directory counts as a failure. Costs 1 call per entry, and 2 to 4 per
    /// directory.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Sets whether to try to remove a directory after a failure inside it; off by default.
    ///
    /// This is for an [`on_error`](Remove::on_error) that removes the entries that failed. If the
    /// directory is still not empty, it is reported as well, as in Python's `shutil.rmtree`.
    ///
    /// Costs 1 call for each such directory. Has no effect in a dry run, or with
    /// [`confirm`](Remove::confirm) or [`exclude`](Remove::exclude).
    pub fn try_parents(mut self, yes: bool) -> Self {
        self.try_parents = yes;
        self
    }

    /// Sets whether to give directories the permissions that their removal needs; off by default.
    ///
    /// A directory of the tree that belongs to this user and refuses a step gets `u+rwx`, through
    /// its own descriptor, and the step is tried again. If it remains, it gets back its permissions,
    /// unless the process is killed or the directory was moved.
    /// [`Report::made_writable`](super::Report::made_writable) counts such directories. The parent
    /// of an operand, files and symlinks are never changed, nor is a set-group-ID directory of a
    /// group without this user, who could not give back that bit. On Windows, this has no effect,
    /// because read-only directories are always removed; outside Linux, unreadable directories
    /// remain.
    ///
    /// Costs 4 calls for each such directory, and 3 more if it was unreadable. A dry run expects
    /// that a directory without write permission can be emptied, but does not look into others.
    pub fn make_writable(mut self, yes: bool) -> Self {
        self.make_writable = yes;
        self
    }

    /// Sets which entries need a confirmation, and the callback that confirms; none by default.
    ///
    /// The callback returns a `bool` or an [`Answer`]; `false` skips the entry. The removal runs on
    /// the caller's thread only.
    ///
    /// ```
    /// use curt::remove::{Confirm, Remove};
    ///
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc4-{}", std::process::id()));
    /// # std::fs::create_dir_all(scratch.join("cache"))?;
    /// # std::fs::write(scratch.join("cache/keep"), "")?;
    /// let report = Remove::new()
    ///     .confirm(Confirm::Always, |_question, subject| !subject.path.ends_with("keep"))
    ///     .run(scratch.join("cache"));
    /// assert_eq!(report.skipped, 1);
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn confirm<A: Into<Answer>>(
        mut self,
        which: Confirm,
        ask: impl Fn(Question, &Subject<'_>) -> A + Send + Sync + 'a,
    ) -> Self {
        self.confirm = which;
        self.ask = Some(Arc::new(move |question, subject| ask(question, subject).into()));
        self
    }

    /// Skips the entries for which `exclude` returns `true`. Their parents therefore remain.
    ///
    /// `exclude` is called only for entries inside operands: **an operand is always removed**, so
    /// filter operands before [`run`](Remove::run). The callback returns a `bool` or an [`Answer`].
    ///
    /// To choose by metadata, such as an age, walk with
    /// [`contents_first`](crate::Walk::contents_first) and call
    /// [`Visited::remove`](crate::walk::Visited::remove).
    pub fn exclude<A: Into<Answer>>(
        mut self,
        exclude: impl Fn(&Unvisited<'_>) -> A + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.exclude = Some(Arc::new(move |entry| exclude(entry).into()));
        self
    }

    /// Sets a callback for failures. It is called by one thread at a time.
    ///
    /// The report then counts all failures but keeps only the first.
    ///
    /// ```
    /// use std::sync::Mutex;
    ///
    /// let steps = Mutex::new(Vec::new());
    /// let report = curt::Remove::new()
    ///     .on_error(|error| steps.lock().unwrap().push(error.operation()))
    ///     .run("missing");
    /// assert_eq!(report.error_count, 1);
    /// # drop(report);
    /// assert_eq!(*steps.lock().unwrap(), [curt::Operation::Remove]);
    /// ```
    pub fn on_error<N: Into<Next>>(
        mut self,
        callback: impl Fn(&Error) -> N + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.on_error = Some(Arc::new(move |error| callback(error).into()));
        self
    }

    /// Sets a callback for each entry that was removed or, in a dry run, would be removed.
    ///
    /// Builds a path for each entry.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc5-{}", std::process::id()));
    /// # std::fs::create_dir_all(scratch.join("cache/empty"))?;
    /// let report = curt::Remove::new()
    ///     .on_removed(|path, kind| println!("{} ({kind:?})", path.display()))
    ///     .run(scratch.join("cache"));
    /// assert_eq!(report.directories, 2);
    /// # std::fs::remove_dir(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_removed<N: Into<Next>>(
        mut self,
        callback: impl Fn(&Path, Kind) -> N + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.on_done = Some(Arc::new(move |(path, kind)| callback(path, *kind).into()));
        self
    }

    /// Sets a callback for the totals of all threads.
    ///
    /// Each thread calls it after every few hundred entries and when it ends. With several threads,
    /// totals can repeat or get smaller, so a display should keep the largest:
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc6-{}", std::process::id()));
    /// # std::fs::create_dir(&scratch)?;
    /// let largest = AtomicU64::new(0);
    /// let report = curt::Remove::new()
    ///     .on_progress(|totals| {
    ///         if largest.fetch_max(totals.files, Ordering::Relaxed) < totals.files {
    ///             eprint!("\r{} files removed", totals.files);
    ///         }
    ///     })
    ///     .run(&scratch);
    /// assert!(report.is_complete());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn on_progress<N: Into<Next>>(
        mut self,
        callback: impl Fn(&Totals) -> N + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.on_progress = Some(Arc::new(move |totals| callback(totals).into()));
        self
    }

    /// Sets a callback that the caller's thread calls every few milliseconds.
    ///
    /// Language runtimes use this to check for signals; in Rust, use [`cancel`](Remove::cancel).
    /// The first call is at the beginning, and calls continue while the thread waits for others.
    /// The clock is read for each entry, without a system call. A call that blocks on a slow
    /// filesystem is not interrupted.
    ///
    /// ```
    /// use curt::Next;
    ///
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc7-{}", std::process::id()));
    /// # std::fs::create_dir(&scratch)?;
    /// let is_interrupted = || true;
    /// let report = curt::Remove::new()
    ///     .poll(|| if is_interrupted() { Next::Stop } else { Next::Continue })
    ///     .run(&scratch);
    /// assert!(report.stopped && scratch.exists());
    /// # std::fs::remove_dir(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn poll<N: Into<Next>>(mut self, poll: impl Fn() -> N + Send + Sync + 'a) -> Self {
        self.callbacks.poll = Some(Poll::new(poll));
        self
    }

    /// Sets whether all callbacks run on the caller's thread, one at a time; off by default.
    ///
    /// This is for language runtimes with an interpreter lock. Other threads put events into a
    /// queue of at most 256 KiB, and block while it is full. Events of a directory follow those of
    /// its contents. Totals and stops are delayed by the events in the queue. With
    /// [`exclude`](Remove::exclude), only the caller's thread works.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc8-{}", std::process::id()));
    /// # std::fs::create_dir(&scratch)?;
    /// let caller = std::thread::current().id();
    /// let report = curt::Remove::new()
    ///     .callbacks_on_caller_thread(true)
    ///     .on_removed(|_, _| assert_eq!(std::thread::current().id(), caller))
    ///     .run(&scratch);
    /// assert_eq!(report.directories, 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn callbacks_on_caller_thread(mut self, yes: bool) -> Self {
        self.callbacks.on_caller_thread = yes;
        self
    }

    /// Sets a token that stops the removal early.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets how often, and for how long, a directory that gained entries is emptied again.
    ///
    /// The default is 100 times within a second. The window restarts when a round finds at most
    /// half as many entries as the best round before it. The same window limits the wait for
    /// descriptors in a shortage and, on Windows, for entries in use, even after a cancellation.
    pub fn retries(mut self, count: u32, window: Duration) -> Self {
        self.retries = count;
        self.retry_window = window;
        self
    }

    /// Limits the open directories, for tests, and for the command, which knows the descriptor
    /// limit.
    #[doc(hidden)]
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.descriptors = Some(limit);
        self
    }

    pub(super) fn forgives(&self, operation: Operation, cause: &Cause) -> bool {
        use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
        if self.directories == DirectoryOperands::Removable {
            let was_there = !matches!(operation, Operation::Remove | Operation::Stat);
            return (self.missing_is_fine || was_there) && cause.is_missing();
        }
        self.missing_is_fine
            && match cause.kind() {
                NotFound | NotADirectory => !matches!(cause, Cause::Remains(_)),
                InvalidInput => cause.system().is_some_and(|error| error.raw_os_error().is_some()),
                _ => false,
            }
    }

    pub(super) fn setup(&self, setup: &Setup) -> Setup {
        let busy_window = if self.retries > 0 { self.retry_window } else { Duration::ZERO };
        let repairs = match (self.make_writable, self.dry_run) {
            (false, _) => Repairs::None,
            (true, true) => Repairs::Expected,
            (true, false) => Repairs::Made,
        };
        Setup { repairs, busy_window, ..setup.with(self.without) }
    }

    /// Disables a feature of the system, for tests and troubleshooting.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
