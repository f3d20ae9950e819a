//! The options of a removal.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::callbacks::{Callbacks, Question, Subject, Totals};
use crate::control::{Answer, Cancel, Next, Poll, SameFileSystem, Threads, Unvisited};
use crate::error::{Cause, Error, Operation};
use crate::fields::Kind;
use crate::sys::{Feature, Features, Setup};

/// What to do with operands that are directories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DirectoryOperands {
    /// Remove it with everything below it.
    #[default]
    Recursive,
    /// The same, and refuse any other operand: a link, to a directory or not, with
    /// [`Kept::IsALink`](super::Kept::IsALink). Costs a stat for an operand that is refused.
    ///
    /// This is what Python's `shutil.rmtree` does.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc3-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// use curt::remove::DirectoryOperands;
    ///
    /// let file = scratch.join("file");
    /// std::fs::write(&file, "")?;
    /// let report = curt::Remove::new().directories(DirectoryOperands::Required).run(&file);
    /// assert_eq!(report.errors[0].kind(), std::io::ErrorKind::NotADirectory);
    /// assert!(file.exists());
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    Required,
    /// As [`Recursive`](DirectoryOperands::Recursive), but `rmdir` comes first, and a directory
    /// that it refuses (a mount point, a parent without write permission) keeps its contents.
    /// `EPERM`, from a sticky bit for example, does not count as a refusal. That costs 1 call, and
    /// saves the others if the directory is empty. [`dry_run`](Remove::dry_run),
    /// [`confirm`](Remove::confirm) and [`exclude`](Remove::exclude) turn this off.
    ///
    /// An operand that vanishes meanwhile counts as removed. [`missing_is_fine`] forgives only what
    /// is missing, not a path through a file (`ENOTDIR`).
    ///
    /// [`missing_is_fine`]: Remove::missing_is_fine
    ///
    /// This is what Node's `fs.rm` does.
    Removable,
    /// Remove everything below it and keep the directory itself. Any other operand is refused. An
    /// operand may be `.`, or end in it.
    Contents,
    /// Remove it if it is empty, as `rmdir` would.
    OnlyEmpty,
    /// Refuse, as `unlink` would.
    Refuse,
}

/// Which operands are refused, whatever is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preserve {
    /// None.
    Nothing,
    /// The root directory, by its identity.
    #[default]
    Root,
    /// The root directory, and directories on another device than their parent, as with GNU `rm
    /// --preserve-root=all`. Costs a stat per operand.
    Mounted,
}

/// For which entries [`Remove::confirm`] asks.
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

/// A removal: its options, each with the safe choice as default.
///
/// Links are never followed, mounts are not crossed unless asked for, nothing is atomic, every
/// failure is reported, and the removal goes on after it. The races that are prevented, and those
/// that are not, the calls that a removal makes, and how it compares with others are in
/// [`crate::remove`].
///
/// # Callbacks
///
/// A callback answers how the removal goes on: `()` and [`Next::Continue`] go on,
/// [`Next::Stop`] and [`ControlFlow::Break`](std::ops::ControlFlow::Break) stop it. After such an
/// answer only calls and callbacks that are under way on other threads end, and directories are
/// closed; the report says [`stopped`](super::Report::stopped).
///
/// Callbacks are called on the thread that does the work, several at a time with several threads,
/// unless [`Remove::callbacks_on_caller_thread`] says otherwise. A panic in one of them ends the
/// removal and reaches the caller.
///
/// # Deep trees
///
/// As many directories are open as the tree is deep, up to half of the process's limit of
/// descriptors and never more than 1,024. Beyond that, ancestors are closed and reopened by name,
/// and must then be the same ones. Each thread may open 8 all the same, which with many threads can
/// be up to about twice as many together.
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
    pub(crate) directories: DirectoryOperands,
    pub(crate) same_file_system: SameFileSystem,
    pub(crate) preserve: Preserve,
    missing_is_fine: bool,
    pub(crate) dry_run: bool,
    pub(crate) try_parents: bool,
    pub(crate) confirm: Confirm,
    pub(super) callbacks: Callbacks<'a>,
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
    /// Returns a removal with the safe defaults: recursive, mounts not crossed, a missing operand
    /// is an error, the root directory is preserved, threads are automatic, 100 retries within one
    /// second.
    pub fn new() -> Self {
        Remove {
            threads: Threads::Automatic,
            directories: DirectoryOperands::Recursive,
            same_file_system: SameFileSystem::Mount,
            preserve: Preserve::Root,
            missing_is_fine: false,
            dry_run: false,
            try_parents: false,
            confirm: Confirm::Never,
            callbacks: Callbacks::default(),
            cancel: None,
            retries: 100,
            retry_window: Duration::from_secs(1),
            descriptors: None,
            without: Features::default(),
        }
    }

    /// Sets how many threads may work; [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets what to do with operands that are directories; [`DirectoryOperands::Recursive`] by
    /// default.
    pub fn directories(mut self, directories: DirectoryOperands) -> Self {
        self.directories = directories;
        self
    }

    /// Sets whether to stay on the file system of an operand; [`SameFileSystem::Mount`] by default.
    /// A mount point that stays is reported as [`Kept::MountPoint`](super::Kept::MountPoint). With
    /// [`SameFileSystem::Device`], or `true`, which costs a stat per directory, each directory that
    /// stays is reported as [`Kept::OtherFileSystem`](super::Kept::OtherFileSystem), and one that
    /// cannot be asked for its device stays too. `false` crosses mounts.
    pub fn same_file_system(mut self, same: impl Into<SameFileSystem>) -> Self {
        self.same_file_system = same.into();
        self
    }

    /// Sets which operands are refused; [`Preserve::Root`] by default.
    pub fn preserve(mut self, preserve: Preserve) -> Self {
        self.preserve = preserve;
        self
    }

    /// Sets whether an operand that does not exist counts as removed, also because its path leads
    /// through a file. Off by default. Entries *below* an operand that vanish while it is removed
    /// are never errors.
    pub fn missing_is_fine(mut self, yes: bool) -> Self {
        self.missing_is_fine = yes;
        self
    }

    /// Sets whether to remove nothing, and to report what a removal would: entries, the allocated
    /// bytes of those whose last link would go, and the failures that permissions, sticky bits,
    /// attributes and mounts predict. (A directory that may not be read is one, although it would
    /// be removed if it is empty. On Windows no rights are checked.) What one operand would remove
    /// is gone for the next. Off by default. Costs 1 call per entry, and 2 to 4 per directory.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Sets whether a directory in which something has stayed is removed all the same if it is
    /// empty by then, because [`on_error`](Remove::on_error) has removed the rest, and is reported
    /// otherwise. Off by default: a directory is not reported because of what was in it.
    ///
    /// Costs 1 call for each such directory. With callbacks on the caller's thread, other threads
    /// wait for them there. Not done in a dry run, nor if entries stay by the caller's choice.
    ///
    /// This is what Python's `shutil.rmtree` does.
    pub fn try_parents(mut self, yes: bool) -> Self {
        self.try_parents = yes;
        self
    }

    /// Sets for which entries to ask whether they are to be removed; none by default. The answer
    /// no keeps the entry and counts it as skipped. An answer is a `bool`, an [`Answer`] or a
    /// `ControlFlow<(), bool>`.
    ///
    /// Only the caller's thread works then.
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
        self.callbacks.ask = Some(Arc::new(move |question, subject| ask(question, subject).into()));
        self
    }

    /// Keeps the entries for which `exclude` answers yes, with their parents, and counts each as
    /// skipped. It is asked about entries below operands only: **an operand is always removed**, so
    /// leave out those that are to stay before [`run`](Remove::run). An answer is a `bool`, an
    /// [`Answer`] or a `ControlFlow<(), bool>`.
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

    /// Sets a callback for each failure, which one thread at a time calls. The removal goes on with
    /// the other entries unless the callback stops it: that failure is the last one then. The
    /// report counts the failures and keeps the first, since the callback has seen all.
    ///
    /// A directory that is left because another process writes to it is reported at the end.
    ///
    /// ```
    /// # use std::sync::Mutex;
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

    /// Sets a callback for each entry that was removed or, in a dry run, would have been. Costs
    /// building a path per entry.
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
        self.callbacks.on_removed = Some(Arc::new(move |path, kind| callback(path, kind).into()));
        self
    }

    /// Sets a callback that gets the totals of all threads: every few hundred entries of a thread,
    /// and at its end.
    ///
    /// The thread that has worked calls it, so with several threads it can run on several at once
    /// ([`Remove::callbacks_on_caller_thread`] changes that). The same totals can come twice, and
    /// smaller ones after larger ones, if one thread overtakes another: a display keeps the
    /// largest. Unless a callback stops the removal, the largest are those of the report.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// # let scratch = std::env::temp_dir().join(format!("curt-doc6-{}", std::process::id()));
    /// # std::fs::create_dir(&scratch)?;
    /// // No more than about a million files.
    /// let report = curt::Remove::new()
    ///     .on_progress(|totals| match totals.files {
    ///         0..1_000_000 => ControlFlow::Continue(()),
    ///         _ => ControlFlow::Break(()),
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

    /// Sets a callback that the caller's thread calls at the beginning and then every few
    /// milliseconds, while it works and while it waits for other threads. It can stop the removal:
    /// language runtimes check for signals there. Reads the clock for each entry, without a call
    /// to the system.
    ///
    /// A call that blocks, on a slow filesystem, is not interrupted.
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

    /// Sets whether all callbacks are called on the caller's thread, one at a time. Off by default.
    /// Language runtimes that lock their interpreter need this.
    ///
    /// Other threads then leave what happens in a queue of at most 256 KiB, and wait when it is
    /// full; the caller's thread takes it while it works and while it waits. What happened in one
    /// directory is reported in order, and a directory after what was in it. The totals of
    /// [`on_progress`](Remove::on_progress) and a stop are late by what is in the queue. With
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

    /// Sets the token that stops the removal early.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets how often, and for how long, a directory that gained entries is emptied again: 100
    /// times within a second by default. The window restarts when a pass finds at most half as many
    /// entries as the best pass so far.
    ///
    /// Shortages of descriptors, and on Windows entries that are in use, are waited for within the
    /// same window. A cancellation is not noticed while an entry in use is waited for.
    pub fn retries(mut self, count: u32, window: Duration) -> Self {
        self.retries = count;
        self.retry_window = window;
        self
    }

    /// Sets how many directories may be open at a time, for the command, which knows the process's
    /// limit already, and for tests.
    #[doc(hidden)]
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// Returns whether an operand is missing, and that is fine: by default also below a file, or if
    /// the system calls its name invalid.
    pub(super) fn forgives(&self, operation: Operation, cause: &Cause) -> bool {
        use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
        if self.directories == DirectoryOperands::Removable {
            let was_there = !matches!(operation, Operation::Remove | Operation::Stat);
            return (self.missing_is_fine || was_there) && cause.is_missing();
        }
        self.missing_is_fine
            && match cause.kind() {
                NotFound | NotADirectory => !matches!(cause, Cause::Kept(_)),
                InvalidInput => cause.system().is_some_and(|error| error.raw_os_error().is_some()),
                _ => false,
            }
    }

    /// Returns the set-up of the platform.
    pub(super) fn setup(&self, setup: &Setup) -> Setup {
        let busy_window = if self.retries > 0 { self.retry_window } else { Duration::ZERO };
        Setup { busy_window, ..setup.with(self.without) }
    }

    /// Does not use a feature of the system, as on a system that lacks it. For tests and for
    /// finding faults.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
