use std::fmt;
use std::sync::Arc;

use crate::control::{Answer, Cancel, Exclude, Next, Threads, Unvisited};
use crate::error::Error;
use crate::fields::{Fields, Follow};
use crate::sys::{Feature, Features};
use crate::tree::Stop;
use crate::walk::Walk;

const TIMES: Fields =
    Fields::MODIFIED.union(Fields::ACCESSED).union(Fields::CHANGED).union(Fields::CREATED);

type OnError<'a> = Arc<dyn Fn(&Error) -> Next + Send + Sync + 'a>;
pub(super) type OnProgress<'a> = Arc<dyn Fn(u64) -> Next + Send + Sync + 'a>;

/// A measurement with its options. The defaults are those of `du`.
///
/// [Apparent sizes](super::Sizes::apparent) count directories as 0, as GNU du does since
/// 9.2, unlike older versions.
///
/// ```
/// use curt::Usage;
/// # let scratch = std::env::temp_dir().join(format!("curt-usage-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join("a/b"))?;
/// # std::fs::write(scratch.join("a/b/file"), "1234")?;
/// // `scratch` is a directory with a/b/file (4 bytes).
/// let report = Usage::new().max_depth(1).measure(&scratch);
/// for record in &report.records {
///     println!("{} {}", record.sizes.allocated, record.path.display());
/// }
/// assert_eq!(report.total().apparent, 4);
/// assert_eq!(report.total().entries, 4);
/// assert_eq!(report.records[0].path, scratch.join("a"));
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a measurement does nothing until it is run"]
pub struct Usage<'a> {
    pub(super) max_depth: usize,
    pub(super) files: bool,
    pub(super) same_file_system: bool,
    pub(super) follow: Follow,
    pub(super) newest: Fields,
    pub(super) count_links: bool,
    on_error: Option<OnError<'a>>,
    pub(super) cancel: Option<&'a Cancel>,
    pub(super) on_progress: Option<OnProgress<'a>>,
    pub(super) descriptors: Option<usize>,
    exclude: Option<Exclude<'a>>,
    threads: Threads,
    pub(super) without: Features,
}

impl fmt::Debug for Usage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Usage");
        shown.field("max_depth", &self.max_depth).field("files", &self.files);
        shown.field("same_file_system", &self.same_file_system).field("threads", &self.threads);
        shown.finish_non_exhaustive()
    }
}

impl Default for Usage<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Usage<'a> {
    /// Creates a measurement with a record for every directory.
    pub fn new() -> Usage<'a> {
        Usage {
            max_depth: usize::MAX,
            files: false,
            same_file_system: false,
            follow: Follow::Never,
            newest: Fields::NONE,
            count_links: false,
            on_error: None,
            cancel: None,
            on_progress: None,
            descriptors: None,
            exclude: None,
            threads: Threads::Automatic,
            without: Features::default(),
        }
    }

    /// Limits the depth of records. Deeper entries count in the nearest directory that has a
    /// record.
    ///
    /// The whole tree is walked at any depth. With 0, only the operands have records.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets whether non-directories have records, too.
    ///
    /// A file with several names has its record in the directory to which it is charged.
    pub fn files(mut self, yes: bool) -> Self {
        self.files = yes;
        self
    }

    /// Sets whether to skip entries on a different filesystem from their operand, by device number.
    ///
    /// Costs no extra call. Bind mounts and subvolumes of the same device are counted, as in `du
    /// -x`.
    pub fn same_file_system(mut self, yes: bool) -> Self {
        self.same_file_system = yes;
        self
    }

    /// Sets which symlinks to follow; none by default.
    ///
    /// A followed symlink is measured as its target. A symlink that cannot be followed is an error.
    ///
    /// With [`Follow::Links`], a file or directory is counted at the first path to it, in the order
    /// of records. That requires the identity of every entry in memory, a sorted walk and a single
    /// thread. [`Usage::count_links`] avoids these costs: an entry then counts on each path to it,
    /// and only symlinks to an ancestor are skipped.
    pub fn follow(mut self, follow: Follow) -> Self {
        self.follow = follow;
        self
    }

    /// Also determines the newest of the given times for each record ([`UsageRecord::newest`]).
    ///
    /// `times` may contain [`Fields::MODIFIED`], [`Fields::ACCESSED`], [`Fields::CHANGED`] and
    /// [`Fields::CREATED`]. Costs no extra call.
    ///
    /// [`UsageRecord::newest`]: super::UsageRecord::newest
    pub fn newest(mut self, times: Fields) -> Self {
        self.newest = times.intersection(TIMES);
        self
    }

    /// Sets whether to count a file once for each of its names, and whether an operand inside
    /// another operand counts in both.
    ///
    /// On Windows, where listings include sizes, an entry then needs no call.
    pub fn count_links(mut self, yes: bool) -> Self {
        self.count_links = yes;
        self
    }

    /// Skips the entries that the predicate accepts, with everything inside, without querying them.
    ///
    /// Operands are never skipped. The predicate returns a `bool` or an [`Answer`].
    ///
    /// ```
    /// let names = vec![String::from("target"), String::from("node_modules")];
    /// let usage = curt::Usage::new()
    ///     .exclude(|entry| names.iter().any(|name| entry.name() == name.as_str()));
    /// # let _ = usage;
    /// ```
    pub fn exclude<A: Into<Answer>>(
        mut self,
        exclude: impl Fn(&Unvisited<'_>) -> A + Send + Sync + 'a,
    ) -> Self {
        self.exclude = Some(Arc::new(move |entry| exclude(entry).into()));
        self
    }

    /// Sets the number of threads, which does not affect the result; [`Threads::Automatic`] by
    /// default.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Sets a callback for the number of entries counted so far, called every few milliseconds.
    ///
    /// The callback runs on the caller's thread, first at the beginning, and can stop the
    /// measurement. Language runtimes use it to check for signals.
    ///
    /// ```
    /// use curt::{Next, Usage};
    ///
    /// let is_interrupted = || true;
    /// let report = Usage::new()
    ///     .on_progress(|_| if is_interrupted() { Next::Stop } else { Next::Continue })
    ///     .measure("src");
    /// assert!(report.stopped);
    /// ```
    pub fn on_progress<N: Into<Next>>(
        mut self,
        callback: impl Fn(u64) -> N + Send + Sync + 'a,
    ) -> Self {
        self.on_progress = Some(Arc::new(move |entries| callback(entries).into()));
        self
    }

    /// Sets a token that stops the measurement early. The report has the sums so far.
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets a callback for failures, which runs on the thread that found the failure.
    ///
    /// The callback can stop the measurement. The returned report has only the number of failures.
    pub fn on_error<N: Into<Next>>(
        mut self,
        report: impl Fn(&Error) -> N + Send + Sync + 'a,
    ) -> Self {
        self.on_error = Some(Arc::new(move |error| report(error).into()));
        self
    }

    /// See [`Remove::descriptors`](crate::Remove::descriptors).
    #[doc(hidden)]
    pub fn descriptors(mut self, limit: usize) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// Disables a feature of the system, for tests.
    #[doc(hidden)]
    pub fn without(mut self, feature: Feature) -> Self {
        self.without = self.without.with(feature);
        self
    }

    /// Passes the failure to the callback. Returns the failure if no callback runs.
    pub(super) fn report(&self, error: Error, stop: &Stop<'_>) -> Option<Error> {
        let answer = self.on_error.as_ref().and_then(|report| stop.call(|| report(&error)));
        answer.is_none().then_some(error)
    }

    pub(super) fn remembers_all(&self) -> bool {
        self.follow == Follow::Links && !self.count_links
    }

    fn fields(&self) -> Fields {
        let mut fields = Fields::SIZE | Fields::ALLOCATED | self.newest;
        if !self.count_links {
            fields |= Fields::LINKS | Fields::ID | Fields::DEVICE;
        }
        if self.same_file_system {
            fields |= Fields::DEVICE;
        }
        fields
    }

    pub(super) fn walk(&self) -> Walk<'_> {
        let threads = if self.remembers_all() { Threads::AtMost(1) } else { self.threads };
        let mut walk = Walk::of(Vec::new())
            .fields(self.fields())
            .follow(self.follow)
            .broken_operands_fail()
            .threads(threads);
        if let Some(exclude) = &self.exclude {
            walk = walk.exclude_by(Arc::clone(exclude));
        }
        walk
    }
}
