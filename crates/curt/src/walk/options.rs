use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::control::{Answer, Cancel, Exclude, Operands, SameFileSystem, Threads, Unvisited};
use crate::fields::{Fields, Follow, Plan};
use crate::filters::IgnoreRules;
use crate::name::Unit;
use crate::sys::{Feature, Features};
use crate::tree::Limits;

/// A walk with its options.
///
/// By default, as with `find`, no symlink is followed and all entries are yielded, including the
/// operands. But all entries of a directory come before those of its subdirectories. A directory
/// costs 4 system calls. An entry costs none, unless more than its name, kind and file number is
/// requested.
///
/// ```
/// use curt::{Fields, Walk};
/// # let scratch = std::env::temp_dir().join(format!("curt-walk-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a/b"))?;
/// # std::fs::write(scratch.join("a/file"), "1234")?;
/// // `scratch` is a directory with a/b/ and a/file (4 bytes).
/// let mut walking = Walk::new(&scratch).max_depth(3).start();
/// let mut bytes = 0;
/// while let Some(entry) = walking.next() {
///     let mut entry = entry?;
///     // Fetch the size of files only. `Walk::fields` would query every entry.
///     if entry.kind().is_file() {
///         bytes += entry.fetch(Fields::SIZE).size().known().unwrap_or(0);
///     }
/// }
/// assert_eq!(bytes, 4);
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a walk does nothing until it is begun"]
pub struct Walk<'a> {
    pub(super) operands: Vec<PathBuf>,
    pub(super) settings: Settings,
    pub(super) exclude: Option<Exclude<'a>>,
    pub(super) threads: Threads,
    pub(super) cancel: Option<&'a Cancel>,
    pub(super) max_descriptors: Option<usize>,
    pub(super) without: Features,
}

impl fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Walk");
        let Settings { max_depth, same_file_system, .. } = &self.settings;
        shown.field("max_depth", max_depth).field("same_file_system", same_file_system);
        shown.finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) plan: Plan,
    pub(super) max_depth: usize,
    pub(super) same_file_system: SameFileSystem,
    pub(super) is_sorted: bool,
    pub(super) contents_first: bool,
    pub(super) broken_operands_fail: bool,
    pub(super) ignore: Option<Arc<IgnoreRules>>,
    pub(super) dry_run: bool,
}

impl Settings {
    pub(super) fn stores(&self) -> bool {
        self.is_sorted || self.reads_rules() || self.dry_run
    }

    pub(super) fn reads_rules(&self) -> bool {
        self.ignore.as_ref().is_some_and(|ignore| ignore.reads_rules())
    }

    pub(super) fn hides<U: Unit>(&self, name: &[U]) -> bool {
        name.first() == Some(&U::ascii(b'.'))
            && self.ignore.as_ref().is_some_and(|ignore| ignore.skip_hidden)
    }

    pub(super) fn follows_all(&self) -> bool {
        self.plan.follow == Follow::Links
    }

    pub(super) fn follows_operands(&self) -> bool {
        self.plan.follow != Follow::Never
    }

    pub(super) fn limits(&self) -> Limits {
        Limits::new(self.same_file_system, self.follows_all())
    }
}

/// Adds the device to a request for the file number. At a mount point, a listing on Unix has the
/// number of the hidden directory under the mount. Requesting the device forces a query, which
/// returns the number of the mounted directory.
pub(super) fn with_device(fields: Fields) -> Fields {
    if fields.contains(Fields::ID) { fields | Fields::DEVICE } else { fields }
}

impl<'a> Walk<'a> {
    /// Walks the operands, one path or several.
    ///
    /// Each entry has its kind, which costs no call if the listing contains it. [`Walk::fields`]
    /// requests more fields.
    pub fn new(operands: impl Operands) -> Walk<'a> {
        Walk::of(operands.into_paths())
    }

    pub(crate) fn of(operands: Vec<PathBuf>) -> Walk<'a> {
        Walk {
            operands,
            settings: Settings {
                plan: Plan::new(Fields::KIND),
                max_depth: usize::MAX,
                same_file_system: SameFileSystem::No,
                is_sorted: false,
                contents_first: false,
                broken_operands_fail: false,
                ignore: None,
                dry_run: false,
            },
            exclude: None,
            threads: Threads::Automatic,
            cancel: None,
            max_descriptors: None,
            without: Features::default(),
        }
    }

    pub(crate) fn operands(self, operands: Vec<PathBuf>) -> Walk<'a> {
        Walk { operands, ..self }
    }

    /// Adds fields to query for each entry, in addition to its kind.
    ///
    /// If only some entries need a field, use [`Visited::fetch`](super::Visited::fetch) for these
    /// instead.
    pub fn fields(mut self, fields: Fields) -> Self {
        self.settings.plan.fields |= with_device(fields);
        self
    }

    /// Sets which symlinks to follow; [`Follow::Never`] by default.
    ///
    /// A symlink operand with a trailing separator is always followed.
    pub fn follow(mut self, follow: Follow) -> Self {
        self.settings.plan.follow = follow;
        self
    }

    /// Limits the depth of yielded entries; 0 yields only the operands.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.settings.max_depth = depth;
        self
    }

    /// Sets whether to remain on the filesystem of each operand; [`SameFileSystem::No`] by default.
    ///
    /// A mount is yielded but not entered. [`SameFileSystem::Device`] or `true`
    /// costs a call for each directory, [`SameFileSystem::Mount`] none on Linux 5.6 and later. If
    /// symlinks are followed, `Mount` also compares the devices of their targets.
    pub fn same_file_system(mut self, same: impl Into<SameFileSystem>) -> Self {
        self.settings.same_file_system = same.into();
        self
    }

    /// Sets whether to sort the entries of each directory by name; `false` by default.
    ///
    /// A subdirectory is then entered right after it was yielded. Names are compared by bytes (or
    /// UTF-16 units). Takes memory for the entries of all ancestors.
    pub fn sort_by_name(mut self, yes: bool) -> Self {
        self.settings.is_sorted = yes;
        self
    }

    /// Neither yields nor enters nor queries the entries that the predicate accepts.
    ///
    /// Operands are never skipped. The predicate returns a `bool` or an [`Answer`].
    ///
    /// ```
    /// use curt::Walk;
    /// let name = String::from("node_modules");
    /// let walk = Walk::new(".").exclude(|entry| entry.name() == name.as_str());
    /// # let _ = walk;
    /// ```
    pub fn exclude<A: Into<Answer>>(
        self,
        exclude: impl Fn(&Unvisited<'_>) -> A + Send + Sync + 'a,
    ) -> Self {
        self.exclude_by(Arc::new(move |entry| exclude(entry).into()))
    }

    pub(crate) fn exclude_by(mut self, exclude: Exclude<'a>) -> Self {
        self.exclude = Some(exclude);
        self
    }

    /// Skips entries matched by ignore rules, with everything inside, and names with a leading dot.
    ///
    /// Operands are never skipped. A directory without rule files costs no call.
    pub fn ignore(mut self, rules: IgnoreRules) -> Self {
        self.settings.ignore = rules.is_any().then(|| Arc::new(rules));
        self
    }

    /// Sets whether to yield each directory after its contents; `false` by default.
    ///
    /// The fields of a directory are queried before its contents, so its times are from before any
    /// removal.
    pub fn contents_first(mut self, yes: bool) -> Self {
        self.settings.contents_first = yes;
        self
    }

    /// Sets whether to predict removals instead of removing; `false` by default.
    ///
    /// [`Visited::remove`](super::Visited::remove) then reports the outcome, as
    /// [`Remove::dry_run`](crate::Remove::dry_run) does, and
    /// [`Summary::freed`](super::Summary::freed) has the bytes. If contents come first, a directory
    /// counts as empty if all its entries would be removed.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.settings.dry_run = yes;
        self
    }

    /// Sets the number of threads for the `visit` methods; [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets a token that stops the walk early.
    ///
    /// An iterator then just ends; [`Cancel::is_cancelled`] returns whether that is the reason.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// See [`Remove::descriptors`](crate::Remove::descriptors).
    #[doc(hidden)]
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.max_descriptors = Some(limit);
        self
    }

    /// Makes a broken symlink an error if it is an operand, as `du -D` does.
    pub(crate) fn broken_operands_fail(mut self) -> Self {
        self.settings.broken_operands_fail = true;
        self
    }

    /// Disables a feature of the system, for tests.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
