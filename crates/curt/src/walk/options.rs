//! What a caller of [`Walk`] can choose.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::order::Order;
use crate::control::{Cancel, Exclude, Operands, Rulebook, Threads, Unvisited};
use crate::fields::{Fields, Follow, Plan};
use crate::sys::{Feature, Features};

/// Where a walk stops for the sake of one file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OneFileSystem {
    /// Nowhere.
    #[default]
    No,
    /// At every mount point, also of a bind mount of the same file system; subvolumes of one file system
    /// are walked. No call of its own on Linux 5.6 and newer. Where links are followed, devices are
    /// compared instead.
    Mount,
    /// Where the number of the device changes, as `find -xdev` has it. One call for each directory.
    Device,
}

/// How to walk: every choice with what `find` does as default.
///
/// What a walk promises and costs is in the head of `walk/mod.rs`. In short: everything is told of, the
/// operands included; links are not followed; what cannot be read is an error in the stream, and the
/// walk goes on.
///
/// ```
/// use curt::{Fields, Walk};
/// # let scratch = std::env::temp_dir().join(format!("curt-walk-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a/b"))?;
/// # std::fs::write(scratch.join("a/file"), "1234")?;
/// let mut bytes = 0;
/// for entry in Walk::new(&scratch).fields(Fields::SIZE) {
///     let entry = entry?;
///     if entry.metadata.is_file() {
///         bytes += entry.metadata.size().known().unwrap_or(0);
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
    pub(super) threads: Threads,
    pub(super) cancel: Option<&'a Cancel>,
    pub(super) most_descriptors: Option<usize>,
    pub(super) without: Features,
}

impl fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Walk");
        let Settings { min_depth, max_depth, one_file_system, order, .. } = &self.settings;
        shown.field("min_depth", min_depth).field("max_depth", max_depth);
        shown.field("one_file_system", one_file_system).field("order", order);
        shown.finish_non_exhaustive()
    }
}

/// What each worker has to know.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) plan: Plan,
    pub(super) min_depth: usize,
    pub(super) max_depth: usize,
    pub(super) one_file_system: OneFileSystem,
    pub(super) order: Option<Order>,
    pub(super) contents_first: bool,
    /// How many directories one worker may have open.
    pub(super) descriptors: usize,
    pub(super) buffer: Option<usize>,
    /// Whether the consumer tells what it knows directories by.
    pub(super) tags: bool,
    /// Whether an operand that is followed and leads nowhere is a failure, and not the link that it is.
    pub(super) broken_operands_fail: bool,
    pub(super) exclude: Option<Exclude<'static>>,
    pub(super) rulebook: Option<Arc<dyn Rulebook>>,
}

impl Settings {
    /// Whether all entries of a directory must be known before the first is told of.
    pub(super) fn stores(&self) -> bool {
        self.order.is_some() || self.reads_rules()
    }
}

impl<'a> Walk<'a> {
    /// Walks these operands: one path or several. Of each entry the kind is known, which costs no
    /// call where listings tell it; [`Walk::fields`] asks for more.
    pub fn new(operands: impl Operands) -> Walk<'a> {
        Walk::of(operands.into_paths())
    }

    /// Walks no operand; the walk of an operation that has operands of its own.
    pub(crate) fn of(operands: Vec<PathBuf>) -> Walk<'a> {
        Walk {
            operands,
            settings: Settings {
                plan: Plan::new(Fields::KIND),
                min_depth: 0,
                max_depth: usize::MAX,
                one_file_system: OneFileSystem::No,
                order: None,
                contents_first: false,
                descriptors: 0,
                buffer: None,
                tags: false,
                broken_operands_fail: false,
                exclude: None,
                rulebook: None,
            },
            threads: Threads::Automatic,
            cancel: None,
            most_descriptors: None,
            without: Features::default(),
        }
    }

    /// Walks these operands in place of those before.
    pub(crate) fn operands(self, operands: Vec<PathBuf>) -> Walk<'a> {
        Walk { operands, ..self }
    }

    /// What has to be known of each entry, beside its kind.
    pub fn fields(mut self, fields: Fields) -> Self {
        self.settings.plan.fields |= fields;
        self
    }

    /// Which symbolic links are followed; [`Follow::Never`] by default.
    pub fn follow(mut self, follow: Follow) -> Self {
        self.settings.plan.follow = follow;
        self
    }

    /// What has to be known of each entry, how fresh it must be, and which links are followed, in
    /// place of what was said of that before. The kind is known whether the plan names it or not.
    pub fn plan(mut self, plan: impl Into<Plan>) -> Self {
        let plan = plan.into();
        self.settings.plan = Plan { fields: plan.fields | Fields::KIND, ..plan };
        self
    }

    /// Tells of nothing above this depth; an operand has depth 0.
    pub fn min_depth(mut self, depth: usize) -> Self {
        self.settings.min_depth = depth;
        self
    }

    /// Goes no deeper than this; with 0 only the operands are told of.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.settings.max_depth = depth;
        self
    }

    /// Where to stop for the sake of one file system; [`OneFileSystem::No`] by default.
    pub fn one_file_system(mut self, choice: OneFileSystem) -> Self {
        self.settings.one_file_system = choice;
        self
    }

    /// Sorts the entries of each directory, and enters each directory as soon as it was told of. Takes
    /// memory for the entries of the directories on the way. By default entries come in the order of
    /// the system, all those of a directory before what lies below them.
    pub fn sort(mut self, order: Order) -> Self {
        self.settings.order = Some(order);
        self.settings.plan.fields |= order.field();
        self
    }

    /// Leaves out the entries that the predicate names, with all that lies below them; nothing is asked
    /// about them. Operands are never left out.
    ///
    /// ```
    /// use curt::Walk;
    /// let walk = Walk::new(".").exclude(|entry| entry.name() == "node_modules");
    /// # let _ = walk;
    /// ```
    pub fn exclude(self, exclude: impl Fn(&Unvisited<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.exclude_by(Arc::new(exclude))
    }

    pub(crate) fn exclude_by(mut self, exclude: Exclude<'static>) -> Self {
        self.settings.exclude = Some(exclude);
        self
    }

    /// Leaves out what rules in the directories themselves name, with all that lies below it, and names
    /// that begin with a dot. Operands are never left out. What it costs is in the head of
    /// `walk/mod.rs`: nothing where a directory holds no rules.
    #[cfg(feature = "filters")]
    pub fn ignore(mut self, rules: crate::IgnoreRules) -> Self {
        self.settings.rulebook = rules.is_any().then(|| Arc::new(rules) as Arc<dyn Rulebook>);
        self
    }

    /// Tells of each directory after what it holds.
    pub fn contents_first(mut self, yes: bool) -> Self {
        self.settings.contents_first = yes;
        self
    }

    /// How many threads may work in [`Walk::visit`] and [`Walk::visit_in_order`];
    /// [`Threads::Automatic`] by default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// What stops the walk early.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// How many directories may be open at a time; by default half of the process's limit, and never
    /// more than 1,024. The least is 8, whatever is given.
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.most_descriptors = Some(limit);
        self
    }

    /// Lets the consumer say what it knows a directory by ([`Visited::tag`](super::Visited::tag)).
    pub(crate) fn tags(mut self) -> Self {
        self.settings.tags = true;
        self
    }

    /// Reports an operand that is a broken link and is to be followed as an error, as `du -D` does.
    pub(crate) fn broken_operands_fail(mut self) -> Self {
        self.settings.broken_operands_fail = true;
        self
    }

    /// Lists through a buffer of about this many bytes, at least as large as the longest name takes.
    #[doc(hidden)]
    pub fn buffer(mut self, bytes: usize) -> Self {
        self.settings.buffer = Some(bytes);
        self
    }

    /// Does without a feature of the system, as on a system that lacks it. For tests and for finding
    /// faults.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }
}
