//! The options of a [`Walk`].

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::control::{Answer, Cancel, Exclude, Operands, SameFileSystem, Threads, Unvisited};
use crate::fields::{Fields, Follow, Plan};
use crate::filters::IgnoreRules;
use crate::name::Unit;
use crate::sys::{Feature, Features};
use crate::tree::Limits;

/// Builds a walk. The defaults are those of `find`.
///
/// Everything is yielded, including the operands; links are not followed; what cannot be read is an
/// error in the stream, and the walk goes on. A directory costs 4 calls, an entry none, unless more
/// than its name, kind and number is asked for. The promises and the cost in full are in
/// [`mod@crate::walk`].
///
/// ```
/// use curt::{Fields, Walk};
/// # let scratch = std::env::temp_dir().join(format!("curt-walk-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a/b"))?;
/// # std::fs::write(scratch.join("a/file"), "1234")?;
/// let mut walking = Walk::new(&scratch).max_depth(3).start();
/// let mut bytes = 0;
/// while let Some(entry) = walking.next() {
///     let mut entry = entry?;
///     // Only files cost a call. With `Walk::fields`, every entry would.
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
    pub(super) most_descriptors: Option<usize>,
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

/// The options that each worker needs.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) plan: Plan,
    pub(super) max_depth: usize,
    pub(super) same_file_system: SameFileSystem,
    pub(super) is_sorted: bool,
    pub(super) contents_first: bool,
    /// Whether an operand that is a broken link is a failure, if it is to be followed.
    pub(super) broken_operands_fail: bool,
    pub(super) ignore: Option<Arc<IgnoreRules>>,
    /// Whether nothing is removed.
    pub(super) dry_run: bool,
}

impl Settings {
    /// Whether all entries of a directory must be known before the first is yielded.
    pub(super) fn stores(&self) -> bool {
        self.is_sorted || self.reads_rules() || self.dry_run
    }

    /// Whether ignore rules are read from files.
    pub(super) fn reads_rules(&self) -> bool {
        self.ignore.as_ref().is_some_and(|ignore| ignore.reads_rules())
    }

    /// Whether a name is left out because it begins with a dot, where no rule takes it back.
    pub(super) fn hides<U: Unit>(&self, name: &[U]) -> bool {
        name.first() == Some(&U::ascii(b'.'))
            && self.ignore.as_ref().is_some_and(|ignore| ignore.leave_out_dot_names)
    }

    /// Whether all symbolic links are followed.
    pub(super) fn follows_all(&self) -> bool {
        self.plan.follow == Follow::Links
    }

    /// Whether operands that are symbolic links are followed.
    pub(super) fn follows_operands(&self) -> bool {
        self.plan.follow != Follow::Never
    }

    /// Which directories are entered.
    pub(super) fn limits(&self) -> Limits {
        let follow = self.follows_all();
        let by_mount = self.same_file_system == SameFileSystem::Mount;
        Limits {
            follow,
            refuse_mounts: by_mount,
            // Following a link reports no mounts, so the device of its target is compared.
            one_device: self.same_file_system == SameFileSystem::Device || by_mount && follow,
        }
    }
}

/// The fields to ask for instead of these. A listing on Unix has the number of the directory below
/// a mount; an answer that has the device has the number of the mount.
pub(super) fn with_device(fields: Fields) -> Fields {
    if fields.contains(Fields::ID) { fields | Fields::DEVICE } else { fields }
}

impl<'a> Walk<'a> {
    /// Walks these operands: one path or several. Each entry has its kind, which costs no call
    /// where listings carry it; [`Walk::fields`] asks for more.
    pub fn new(operands: impl Operands) -> Walk<'a> {
        Walk::of(operands.into_paths())
    }

    /// Builds a walk of these operands, for an operation that may replace them.
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
            most_descriptors: None,
            without: Features::default(),
        }
    }

    /// Replaces the operands.
    pub(crate) fn operands(self, operands: Vec<PathBuf>) -> Walk<'a> {
        Walk { operands, ..self }
    }

    /// Asks for these fields of each entry, beside its kind. For some entries only, such as files,
    /// [`Visited::fetch`](super::Visited::fetch) saves the calls for the others.
    pub fn fields(mut self, fields: Fields) -> Self {
        self.settings.plan.fields |= with_device(fields);
        self
    }

    /// Chooses which symbolic links are followed; [`Follow::Never`] by default. An operand with
    /// a separator at its end is followed in any case.
    pub fn follow(mut self, follow: Follow) -> Self {
        self.settings.plan.follow = follow;
        self
    }

    /// Does not yield entries that are deeper than `depth`; 0 yields only the operands.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.settings.max_depth = depth;
        self
    }

    /// Chooses whether to stay on the file system of an operand; [`SameFileSystem::No`] by default.
    /// A directory that is not entered is yielded all the same. [`SameFileSystem::Device`], or
    /// `true`, costs a call for each directory, [`SameFileSystem::Mount`] none on Linux 5.6 and
    /// newer; where links are followed, it also compares the devices of what they lead to.
    pub fn same_file_system(mut self, same: impl Into<SameFileSystem>) -> Self {
        self.settings.same_file_system = same.into();
        self
    }

    /// Sorts the entries of each directory by name, compared by bytes (or UTF-16 units), and enters
    /// each subdirectory right after it was yielded. Takes memory for the entries of the ancestors.
    /// By default entries come in the order of the system, all entries of a directory before those
    /// of its subdirectories.
    pub fn sort_by_name(mut self, yes: bool) -> Self {
        self.settings.is_sorted = yes;
        self
    }

    /// Leaves out the entries that the predicate accepts, with everything below them, and asks
    /// nothing about them. Operands are never left out. An answer is a `bool`, an [`Answer`] or a
    /// `ControlFlow<(), bool>`.
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

    /// Leaves out the entries that ignore rules in the directories name, with everything below
    /// them, and names that begin with a dot. Operands are never left out. A directory without
    /// rules costs nothing; the rest of the cost is in [`mod@crate::walk`].
    pub fn ignore(mut self, rules: IgnoreRules) -> Self {
        self.settings.ignore = rules.is_any().then(|| Arc::new(rules));
        self
    }

    /// Yields each directory after its contents. What the plan asks of it is read before them, so
    /// that its times are those from before a removal.
    pub fn contents_first(mut self, yes: bool) -> Self {
        self.settings.contents_first = yes;
        self
    }

    /// Removes nothing: [`Visited::remove`](super::Visited::remove) finds out instead what a removal
    /// would meet, as [`Remove::dry_run`](crate::Remove::dry_run) does, and
    /// [`Summary::freed`](super::Summary::freed) adds up the bytes. Where contents come first, a
    /// directory counts as empty if all its entries would have been removed.
    pub fn dry_run(mut self, yes: bool) -> Self {
        self.settings.dry_run = yes;
        self
    }

    /// Chooses how many threads may work in the `visit` methods;
    /// [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Stops the walk early when this is cancelled.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Limits how many directories may be open at a time: see
    /// [`Remove::descriptors`](crate::Remove::descriptors).
    #[doc(hidden)]
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.most_descriptors = Some(limit);
        self
    }

    /// Reports an operand that is a broken link as an error if it is to be followed, as `du -D`
    /// does.
    pub(crate) fn broken_operands_fail(mut self) -> Self {
        self.settings.broken_operands_fail = true;
        self
    }

    /// Walks without a feature of the system, as on a system that lacks it. For tests.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
