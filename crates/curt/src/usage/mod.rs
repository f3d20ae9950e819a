//! Measures the space that trees take.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-usage-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("a"))?;
//! # std::fs::write(scratch.join("a/file"), "four")?;
//! // `scratch` is a directory with a/file (4 bytes).
//! let report = curt::Usage::new().measure(&scratch);
//! for error in &report.errors {
//!     eprintln!("{error}");
//! }
//! println!("{} bytes on disk", report.total().allocated);
//! assert_eq!((report.total().apparent, report.total().entries), (4, 3));
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! - Every entry inside an operand is counted once, including the operand and directories. An entry
//!   that cannot be opened, read or queried is an error with its path.
//! - A file with several names (hard links) is counted once in a whole measurement. It is charged
//!   to the first operand that contains one of the names, and there to the directory with the
//!   smallest path, compared component by component, by bytes. The result is the same in every run,
//!   with any number of threads.
//! - An operand equal to or inside another operand is counted only in the first of them, as in GNU
//!   du.
//! - Symlinks are followed only if requested: operands only, or all ([`Usage::follow`]).
//! - Memory is bounded by the records (one for each directory down to the chosen depth, and for
//!   each file if requested) and by the file number of each file with several names (of every
//!   entry, if all symlinks are followed). If there are records inside the operand, the names in
//!   the directories on the current path are added. [`Usage::measure_each`] stores no records.
//!
//! # Call ceiling
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | entry, directory or not | 1 (`statx`) | 1 |
//! | directory | 4 (`openat2`, 2 `getdents64`, `close`) | 5 |
//! | one filesystem | 0, because the query of the entry includes its device | 0 |
//! | each directory operand, if there are several operands | 1 (its identity) | 1 |
//! | once | 1 (the descriptor limit) | the same |
//! | several threads | 1 for every 256 entries (`getrusage`), 20 for each thread | 20 for each thread |
//!
//! # Races
//!
//! An entry added or removed meanwhile may be counted or not. An entry that vanishes before its
//! query is an error. An entry moved within the tree can be counted twice or never. All other races
//! are those of a [walk](mod@crate::walk#races).
//!
//! # Fallbacks
//!
//! The fallbacks are those of a walk. In addition, an entry without a size is counted in
//! [`UsageReport::unknown`], and without file numbers a file is counted once for each of its names.

// - `Run::learn_operands` first queries the operands if there are several (`operands.rs`).
// - `Run::directory` walks one operand with `Walk::visit_in_chunks`, which makes the calls.
// - `Notes::take` and `Sum::take` (`sum.rs`) add up the entries.

mod operands;
mod options;
mod report;
mod sum;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

pub use options::Usage;
pub use report::{Sizes, UsageRecord, UsageReport};

use self::operands::{Known, OperandSet};
use self::report::{Entry, Part, Records};
use self::sum::{Chunk, Notes, Sum};
use crate::control::{self, Next, Poll};
use crate::error::Error;
use crate::fields::{Facts, Follow};
use crate::sys::{Identity, Os, Setup, Sys};
use crate::tree::{Stop, descriptor_budget};
use crate::walk::{Visited, Walk};

impl Usage<'_> {
    /// Measures the operands one by one, each with as many threads as help.
    pub fn measure(&self, operands: impl control::Operands) -> UsageReport {
        self.run::<Os>(&Setup::default(), &operands.into_paths(), Records::default())
    }

    /// Measures the operands, and calls `report` with each record as soon as its sum is known.
    ///
    /// Records come in the order of [`UsageReport::records`]. The returned report has only the
    /// records of operands. `report` runs on one thread at a time. After [`Next::Stop`] the
    /// measurement ends as if cancelled. After a cancellation, the directories on the current path
    /// are reported with their sums so far.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-each-{}", std::process::id()));
    /// # std::fs::create_dir_all(scratch.join("a/b"))?;
    /// let mut paths = Vec::new();
    /// use curt::usage::{Usage, UsageRecord};
    /// let record = |record: &UsageRecord| paths.push(record.path.clone());
    /// let report = Usage::new().measure_each(&scratch, record);
    /// assert_eq!(paths, [scratch.join("a/b"), scratch.join("a"), scratch.clone()]);
    /// assert_eq!(report.total().entries, 3);
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn measure_each<N: Into<Next>>(
        &self,
        operands: impl control::Operands,
        mut report: impl FnMut(&UsageRecord) -> N + Send,
    ) -> UsageReport {
        let mut report = |record: &UsageRecord| report(record).into();
        let (setup, records) = (Setup::default(), Records::reported_to(&mut report));
        self.run::<Os>(&setup, &operands.into_paths(), records)
    }

    fn run<S: Sys>(
        &self,
        setup: &Setup,
        operands: &[PathBuf],
        records: Records<'_>,
    ) -> UsageReport {
        let done = AtomicU64::new(0);
        let poll = self.on_progress.as_ref().map(|callback| {
            let done = &done;
            Poll::new(move || callback(done.load(Ordering::Relaxed)))
        });
        let stop = Stop::new(self.cancel, poll.as_ref());
        let setup = &setup.with(self.without);
        let mut run = Run::<S>::new(self, setup, records, &stop, &done);
        run.learn_operands(operands);
        for (index, path) in operands.iter().enumerate() {
            if run.must_stop() {
                break;
            }
            match run.operands.take(index) {
                Known::Directory => run.directory(index, path),
                Known::File(facts) => run.file(index, path, &facts),
                Known::Done => {}
            }
        }
        run.report.stopped = stop.is_stopped();
        run.report.errors.sort_by(|a, b| a.path().cmp(b.path()));
        UsageReport { records: run.records.into_stored(), ..run.report }
    }
}

struct Run<'r, 't, S> {
    usage: &'r Usage<'r>,
    setup: &'r Setup,
    walk: Walk<'r>,
    sys: S,
    operands: OperandSet,
    counted: HashSet<Identity>,
    seen: Mutex<HashSet<Identity>>,
    records: Records<'t>,
    report: UsageReport,
    stop: &'r Stop<'r>,
    done: &'r AtomicU64,
}

impl<'r, 't, S: Sys> Run<'r, 't, S> {
    fn new(
        usage: &'r Usage<'r>,
        setup: &'r Setup,
        records: Records<'t>,
        stop: &'r Stop<'r>,
        done: &'r AtomicU64,
    ) -> Self {
        Run {
            usage,
            setup,
            walk: usage.walk(),
            sys: S::start(setup),
            operands: OperandSet::default(),
            counted: HashSet::new(),
            seen: Mutex::default(),
            records,
            report: UsageReport::default(),
            stop,
            done,
        }
    }

    /// Queries the identities of the operands, unless overlaps do not matter.
    fn learn_operands(&mut self, paths: &[PathBuf]) {
        let Run { usage, setup, .. } = *self;
        let mut descriptors = usage.descriptors;
        if descriptors.is_none() && paths.len() > 1 {
            let sys = S::start(setup);
            descriptors = Some(descriptor_budget(&sys, None));
            self.report.calls.add(&sys.calls());
        }
        if let Some(descriptors) = descriptors {
            self.walk = self.walk.clone().descriptors(descriptors);
        }
        self.operands = OperandSet::unknown(paths.len());
        let counts_again = usage.follow == Follow::Links || usage.count_links;
        if paths.len() < 2 || counts_again || self.must_stop() {
            return;
        }
        let walk = self.walk.clone().operands(paths.to_vec());
        let calls = walk.query_operands::<S>(setup, |index, queried| {
            match queried {
                Ok(metadata) => {
                    metadata.failed.drain(..).for_each(|(_, error)| self.fail(error));
                    self.operands.learn(index, &metadata.facts);
                }
                Err(error) => {
                    self.fail(error);
                    self.operands.leave_out(index);
                }
            }
            if self.must_stop() { Next::Stop } else { Next::Continue }
        });
        self.report.calls.add(&calls);
    }

    fn fail(&mut self, error: Error) {
        self.report.error_count += 1;
        self.report.errors.extend(self.usage.report(error, self.stop));
    }

    fn must_stop(&self) -> bool {
        self.stop.poll(|| self.sys.now());
        self.stop.is_stopped()
    }

    fn directory(&mut self, index: usize, path: &Path) {
        let Run { usage, setup, operands, counted, seen, records, report, stop, done, .. } = self;
        let notes = Notes::new(usage, operands, index, seen, stop);
        let mut sum = Sum::new(path, index, counted, records, report, stop);
        let walk = self.walk.clone().operands(vec![path.to_owned()]);
        let note = |entry: Result<Visited<'_>, Error>, chunk: &mut Chunk| notes.take(entry, chunk);
        let take = |chunk: &mut Chunk| {
            done.fetch_add(sum.take(chunk), Ordering::Relaxed);
        };
        let needs_order = usage.max_depth > 0 || usage.remembers_all();
        let summary =
            walk.sort_by_name(needs_order).visit_in_chunks::<S, _>(setup, stop, note, take);
        sum.finish();
        report.threads = report.threads.max(summary.threads);
        report.calls.add(&summary.calls);
    }

    fn file(&mut self, index: usize, path: &Path, facts: &Facts) {
        self.report.threads = self.report.threads.max(1);
        self.report.unknown += u64::from(!Sizes::are_known(facts));
        let part = Part::of(facts, self.usage.newest);
        let entry = Entry { path: path.to_owned(), depth: 0, kind: facts.kind };
        let record = UsageRecord::new(entry, index, part, part);
        self.records.add(record, self.stop);
        self.done.fetch_add(part.sizes.entries, Ordering::Relaxed);
    }
}
