use std::fmt;
use std::ops::BitOr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::report::Totals;
use crate::control::{Answer, Cancel, Next, Poll, SameFileSystem, Threads, Unvisited};
use crate::error::Error;
use crate::fields::Follow;
use crate::notifier::Callbacks;
use crate::sys::copying::Kept;
use crate::sys::{Feature, Features, Setup};
use crate::tree::Limits;

/// A way to copy the content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Another name for the same file, which shares content and metadata for ever.
    ///
    /// Applies to all non-directories. Costs 1 call.
    HardLink,
    /// A file of its own that shares its blocks until one of the two is written.
    ///
    /// Btrfs, XFS, bcachefs and `ReFS` have them. Saves space, and time only for large files.
    Reflink,
    /// A copy of the content, with the holes of a sparse file.
    Data,
}

/// What to do with a destination that exists already.
///
/// Only [`Existing::Fail`] refuses an existing directory; all others merge into it. What appears
/// in a directory that the copy of this source has created is always an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Existing {
    /// An error, also for a directory.
    #[default]
    Fail,
    /// An error for a non-directory.
    Merge,
    /// An existing non-directory is kept, and counts as skipped.
    Keep,
    /// An existing non-directory is replaced.
    Replace,
    /// An existing non-directory is replaced if it is older than the source.
    ReplaceOlder,
    /// An existing non-directory is replaced if its size or its time of modification differs from
    /// the source's.
    ///
    /// With [`Preserve::TIMES`], this completes a copy that was interrupted.
    ReplaceChanged,
}

/// What to preserve besides names, content and symlinks: a set of the constants.
///
/// ```
/// use curt::copy::Preserve;
/// let kept = Preserve::MODE | Preserve::TIMES;
/// assert!(Preserve::ALL.contains(kept) && !kept.contains(Preserve::OWNER));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preserve(u8);

impl Preserve {
    /// Nothing: permissions follow the umask, without the set-id bits, as with `cp`. On Windows,
    /// attributes and times are always preserved, as with `CopyFile2`.
    pub const NONE: Preserve = Preserve(0);
    /// The permission bits and access rules (ACLs); on Windows the attributes.
    pub const MODE: Preserve = Preserve(1);
    /// The owner and the group, except on Windows. Without the right to give files away, only what
    /// is permitted, and without the set-id bits.
    pub const OWNER: Preserve = Preserve(2);
    /// The times of the last access and the last modification.
    pub const TIMES: Preserve = Preserve(4);
    /// The extended attributes, such as capabilities and labels. Named streams on Windows count as
    /// content.
    pub const ATTRIBUTES: Preserve = Preserve(8);
    /// Hard links among the copied files: names of one file become names of one copy.
    pub const LINKS: Preserve = Preserve(16);
    /// Everything.
    pub const ALL: Preserve = Preserve(31);

    /// Returns whether this set has all members of another one.
    pub const fn contains(self, others: Preserve) -> bool {
        self.0 & others.0 == others.0
    }
}

impl BitOr for Preserve {
    type Output = Preserve;

    fn bitor(self, others: Preserve) -> Preserve {
        Preserve(self.0 | others.0)
    }
}

type Confirm<'a> = Arc<dyn Fn(&Path, &Path) -> Answer + Send + Sync + 'a>;

/// A copy with its options.
///
/// # Callbacks
///
/// A callback returns a [`Next`], or `()` to continue. After a stop, the file being copied is
/// removed, and calls and callbacks already running on other threads still finish.
///
/// Callbacks run on the thread that does the work, possibly on several threads at once, unless
/// [`Copy::callbacks_on_caller_thread`] is set. A panic in a callback ends the copy and reaches the
/// caller.
///
/// ```
/// use curt::Copy;
/// use curt::copy::{Existing, Preserve};
///
/// # let scratch = std::env::temp_dir().join(format!("curt-copy-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("site/drafts"))?;
/// # std::fs::write(scratch.join("site/index"), "four")?;
/// // `scratch` is a directory with site/index (4 bytes) and site/drafts/.
/// let copy = Copy::new().preserve(Preserve::TIMES).existing(Existing::ReplaceChanged);
/// let copy = copy.exclude(|entry| entry.name() == "drafts");
/// let report = copy.run(scratch.join("site"), scratch.join("public"));
/// assert!(report.is_complete());
/// assert_eq!((report.files, report.bytes, report.skipped), (1, 4, 1));
/// // Everything is there already.
/// assert_eq!(copy.run(scratch.join("site"), scratch.join("public")).files, 0);
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a copy does nothing until it is run"]
pub struct Copy<'a> {
    pub(super) threads: Threads,
    pub(super) methods: Vec<Method>,
    pub(super) existing: Existing,
    pub(super) replace_read_only: bool,
    pub(super) preserve: Preserve,
    pub(super) directories_by_umask: bool,
    pub(super) follow: Follow,
    pub(super) recursive: bool,
    pub(super) special_files: bool,
    pub(super) absolute_links: bool,
    pub(super) links_replace: bool,
    pub(super) update_directories: bool,
    pub(super) same_file_system: SameFileSystem,
    pub(super) dry_run: bool,
    pub(super) confirm: Option<Confirm<'a>>,
    pub(super) callbacks: Callbacks<'a, (PathBuf, PathBuf), Totals>,
    pub(super) cancel: Option<&'a Cancel>,
    pub(super) descriptors: Option<usize>,
    without: Features,
}

impl fmt::Debug for Copy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Copy");
        shown.field("methods", &self.methods).field("existing", &self.existing);
        shown.field("preserve", &self.preserve).field("dry_run", &self.dry_run);
        shown.finish_non_exhaustive()
    }
}

impl Default for Copy<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Copy<'a> {
    /// Creates a copy with the defaults.
    pub fn new() -> Self {
        Copy {
            threads: Threads::Automatic,
            methods: vec![Method::Reflink, Method::Data],
            existing: Existing::Fail,
            replace_read_only: false,
            preserve: Preserve::NONE,
            directories_by_umask: false,
            follow: Follow::Never,
            recursive: true,
            special_files: true,
            absolute_links: false,
            links_replace: true,
            update_directories: true,
            same_file_system: SameFileSystem::No,
            dry_run: false,
            confirm: None,
            callbacks: Callbacks::default(),
            cancel: None,
            descriptors: None,
            without: Features::default(),
        }
    }

    /// Sets the number of threads; [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the methods to try, in order; [`Method::Reflink`], then [`Method::Data`] by default.
    ///
    /// A method that two filesystems do not support is tried once for them, on each thread. One
    /// that fails for a single file, such as a hard link beyond the largest number of links, is
    /// followed by the next one. If the last method fails, that is an error. Symlinks and special
    /// files become hard links if [`Method::HardLink`] comes first, otherwise new entries. Without
    /// a method, no content can be copied.
    pub fn methods(mut self, methods: &[Method]) -> Self {
        self.methods = methods.to_vec();
        self
    }

    /// Sets what to do with an existing destination; [`Existing::Fail`] by default.
    ///
    /// A file is replaced by renaming its finished copy (`.curt-` and 16 digits), so the old file
    /// remains until the new one is complete. The copy keeps the old file's permissions and, if
    /// permitted, its owner, unless those of the source are preserved. A symlink is itself
    /// replaced. Devices, named pipes and sockets are refused, and symlinks to them.
    pub fn existing(mut self, existing: Existing) -> Self {
        self.existing = existing;
        self
    }

    /// Sets whether to replace a file that the process may not write; off by default.
    pub fn replace_read_only(mut self, yes: bool) -> Self {
        self.replace_read_only = yes;
        self
    }

    /// Sets a callback that confirms each replacement, given source and destination; none by
    /// default.
    ///
    /// The callback returns a `bool` or an [`Answer`]; `false` skips the entry. The copy then runs
    /// on the caller's thread only.
    pub fn confirm<A: Into<Answer>>(
        mut self,
        ask: impl Fn(&Path, &Path) -> A + Send + Sync + 'a,
    ) -> Self {
        self.confirm = Some(Arc::new(move |from, to| ask(from, to).into()));
        self
    }

    /// Sets what to preserve; [`Preserve::NONE`] by default.
    ///
    /// Costs up to 5 calls per entry, most of them for access rules.
    pub fn preserve(mut self, preserve: Preserve) -> Self {
        self.preserve = preserve;
        self
    }

    /// Sets whether the umask alone decides the permissions of new directories, as with Ruby's
    /// `cp_r`, unless they are preserved; off by default.
    pub fn directories_by_umask(mut self, yes: bool) -> Self {
        self.directories_by_umask = yes;
        self
    }

    /// Sets which symlinks are followed; [`Follow::Never`] by default.
    pub fn follow(mut self, follow: Follow) -> Self {
        self.follow = follow;
        self
    }

    /// Sets whether directories are copied; on by default.
    ///
    /// If not, they are [refused](super::CopyRefusal::IsADirectory), and the content of devices and
    /// named pipes is read, as with `cp` without `-r`. Otherwise the copy of a device is a device.
    pub fn recursive(mut self, yes: bool) -> Self {
        self.recursive = yes;
        self
    }

    /// Sets whether devices, named pipes and sockets are copied; on by default. If not, they are
    /// [refused](super::CopyRefusal::IsADevice), but hard links to them are made.
    pub fn special_files(mut self, yes: bool) -> Self {
        self.special_files = yes;
        self
    }

    /// Sets whether the targets of relative symlinks are made absolute from the place of the source,
    /// as Node's `fs.cp` does; off by default.
    ///
    /// Only the text of the paths counts. Costs one more call per symlink if the source's path is
    /// relative. On Windows such a symlink is an error (`Unsupported`) and not copied.
    pub fn absolute_links(mut self, yes: bool) -> Self {
        self.absolute_links = yes;
        self
    }

    /// Sets whether [`Copy::existing`] also applies to the destinations of symlinks; on by default.
    /// If not, an existing one is an error.
    ///
    /// Node's `fs.cp` has rules of its own for them.
    pub fn links_replace(mut self, yes: bool) -> Self {
        self.links_replace = yes;
        self
    }

    /// Sets whether existing directories get what is preserved, too, as with `cp -a`; on by default.
    pub fn update_directories(mut self, yes: bool) -> Self {
        self.update_directories = yes;
        self
    }

    /// Sets whether to leave other filesystems alone; [`SameFileSystem::No`] by default.
    ///
    /// Of a directory on another filesystem, only an empty directory is created, as with `cp -x`.
    pub fn same_file_system(mut self, same: impl Into<SameFileSystem>) -> Self {
        self.same_file_system = same.into();
        self
    }

    /// Sets whether to only report what a copy would do; off by default.
    ///
    /// Reports the entries, the bytes, and the failures predicted from existing destinations and
    /// from permissions. Costs up to 4 calls per entry.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.dry_run = yes;
        self
    }

    /// Skips the entries for which `exclude` returns `true`.
    ///
    /// `exclude` is called only for entries inside a source, with their path there. The callback
    /// returns a `bool` or an [`Answer`].
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
    pub fn on_error<N: Into<Next>>(
        mut self,
        callback: impl Fn(&Error) -> N + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.on_error = Some(Arc::new(move |error| callback(error).into()));
        self
    }

    /// Sets a callback for each entry that was copied or, in a dry run, would be copied, with
    /// source and destination. A directory comes before its contents.
    ///
    /// Builds two paths for each entry.
    pub fn on_copied<N: Into<Next>>(
        mut self,
        callback: impl Fn(&Path, &Path) -> N + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.on_done = Some(Arc::new(move |(from, to)| callback(from, to).into()));
        self
    }

    /// Sets a callback for the totals of all threads.
    ///
    /// Each thread calls it after every few hundred entries, after every 16 MiB of a file, and when
    /// it ends. With several threads, totals can repeat or get smaller, so a display should keep
    /// the largest.
    pub fn on_progress<N: Into<Next>>(
        mut self,
        callback: impl Fn(&Totals) -> N + Send + Sync + 'a,
    ) -> Self {
        self.callbacks.on_progress = Some(Arc::new(move |totals| callback(totals).into()));
        self
    }

    /// Sets a callback that the caller's thread calls every few milliseconds, as in
    /// [`Remove::poll`](crate::Remove::poll).
    pub fn poll<N: Into<Next>>(mut self, poll: impl Fn() -> N + Send + Sync + 'a) -> Self {
        self.callbacks.poll = Some(Poll::new(poll));
        self
    }

    /// Sets whether all callbacks run on the caller's thread, one at a time; off by default.
    ///
    /// As in [`Remove::callbacks_on_caller_thread`](crate::Remove::callbacks_on_caller_thread).
    pub fn callbacks_on_caller_thread(mut self, yes: bool) -> Self {
        self.callbacks.on_caller_thread = yes;
        self
    }

    /// Sets a token that stops the copy early, within a file after at most 16 MiB.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Limits the open directories, for tests, and for the command, which knows the descriptor
    /// limit.
    #[doc(hidden)]
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// Disables a feature of the system, for tests and troubleshooting.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }

    pub(super) fn setup(&self, setup: &Setup) -> Setup {
        setup.for_listing(self.without)
    }

    pub(super) fn limits(&self) -> Limits {
        let follow = self.follow == Follow::Links;
        Limits::new(self.same_file_system, follow)
    }

    pub(super) fn kept(&self, always: Kept) -> Kept {
        Kept {
            owner: self.preserve.contains(Preserve::OWNER),
            attributes: self.preserve.contains(Preserve::ATTRIBUTES),
            mode: always.mode || self.preserve.contains(Preserve::MODE),
            times: always.times || self.preserve.contains(Preserve::TIMES),
        }
    }
}
