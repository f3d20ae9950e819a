//! Measuring trees: how much space they take.
//!
//! # Promises
//!
//! - Every entry below an operand is counted once, the operand and the directories themselves too.
//!   What cannot be opened, read or asked about is an error with its path, and the rest is counted.
//! - A file with several names (hard links) is counted once in a whole measurement, and the answer
//!   is the same on every run, with any number of threads: the first operand that holds one of its
//!   names is charged, and in it the directory that holds the smallest of its paths. Paths are
//!   compared name by name, by the bytes of each.
//! - An operand that lies in another, or is another by a second name, is counted in the first of
//!   the two alone, as GNU du has it.
//! - No link is followed, but for operands where that is asked for.
//! - Memory is bounded by what is shown (one record for each directory down to the chosen depth,
//!   and for each file if files are wanted), and one path for each file with several names. Where
//!   records are told of one by one ([`Usage::measure_each`]), none is kept; what is bounds it then
//!   are the names in the directories on the way.
//!
//! # Call budget
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | entry, directory or not | 1 (`statx`) | 1 |
//! | directory | 4 (`openat2`, 2 `getdents64`, `close`) | 5 |
//! | one file system | 0: the answer for the entry names its device | 0 |
//! | each operand that is a directory, where there are several | 1 (which one it is) | 1 |
//! | beside | 1 (the limit of descriptors) | the same |
//! | several threads | 1 for 256 entries (`getrusage`), 20 for each thread | 20 for each thread |
//!
//! On Windows a listing carries sizes, but not how many names a file has: [`Usage::count_links`]
//! saves that question for each file.
//!
//! # Races
//!
//! A measurement is no snapshot: what is added or removed meanwhile may be counted or not, and an
//! entry that vanishes between the listing and the question is an error. What is moved within the
//! tree can be counted twice or never. The rest is as in `walk/mod.rs`: nothing outside the
//! operands is looked at.
//!
//! # Fallbacks
//!
//! Those of the walk. Where the system does not tell a size, the entry is counted as an entry and
//! in [`UsageReport::unknown`]; where it has no numbers for files, those with several names are
//! counted for each.

mod gather;
mod operands;
mod options;
mod order;
mod report;
mod stream;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub use options::Usage;
pub use report::{Sizes, UsageRecord, UsageReport};

use self::operands::{Known, Operands};
use self::stream::{Chunk, Notes, Stack};
use self::tally::{Shared, Tally};
use crate::control::{self, Cancel};
use crate::error::Error;
use crate::fields::{Facts, Fields, Kind};
use crate::sys::{Host, Os, Setup, Sys};
use crate::walk::{Order, Summary, Walk};

/// Which file it is: the numbers of the file system and of the file in it.
type Identity = (u64, u128);

/// Which file it is, where the system tells.
fn identity(facts: &Facts) -> Option<Identity> {
    let is_known = facts.known.contains(Fields::DEVICE | Fields::ID);
    is_known.then_some((facts.device, facts.id))
}

impl Usage<'_> {
    /// Measures the operands, one after the other, each with as many threads as pay.
    ///
    /// Everything is in the report: records, and all failures.
    pub fn measure(&self, operands: impl control::Operands) -> UsageReport {
        self.run(&operands.into_paths(), None)
    }

    /// Measures the operands, and tells of each record as soon as its sum is known, in the order of
    /// a report. The report itself has the records of the operands alone.
    ///
    /// So there is something to read before all is measured, and nothing is kept of what was told.
    /// The walk is sorted for that: it takes memory for the names in the directories on the way,
    /// and for what threads find before its turn has come. The calls are those of
    /// [`Usage::measure`]. `tell` is called by one thread at a time, not always by the same. After
    /// a cancellation the directories on the way are told of with what was counted until then.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-each-{}", std::process::id()));
    /// # std::fs::create_dir_all(scratch.join("a/b"))?;
    /// let mut told = Vec::new();
    /// let tell = |record: &curt::UsageRecord| told.push(record.path.clone());
    /// let report = curt::Usage::new().measure_each(&scratch, tell);
    /// assert_eq!(told, [scratch.join("a/b"), scratch.join("a"), scratch.clone()]);
    /// assert_eq!(report.total().entries, 3);
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn measure_each(
        &self,
        operands: impl control::Operands,
        mut tell: impl FnMut(&UsageRecord) + Send,
    ) -> UsageReport {
        self.run(&operands.into_paths(), Some(&mut tell))
    }

    fn run(&self, operands: &[PathBuf], tell: Listener<'_, '_>) -> UsageReport {
        let paths: Vec<&Path> = operands.iter().map(PathBuf::as_path).collect();
        let mut run = Run::new(self, &paths, tell);
        for (index, path) in paths.iter().enumerate() {
            if run.is_over() {
                run.report.cancelled = true;
                break;
            }
            match run.operands.take(index) {
                Known::Directory if run.streams() => run.stream(index, path),
                Known::Directory => run.directory(index, path),
                Known::File(facts) => run.file(index, path, &facts),
                Known::Done => {}
            }
        }
        run.report.errors.sort_by(|a, b| a.path().cmp(b.path()));
        run.report
    }

    /// Tells of a failure, or keeps it.
    fn failed(&self, error: Error, report: &mut UsageReport) {
        report.error_count += 1;
        match self.on_error {
            Some(tell) => tell(&error),
            None => report.errors.push(error),
        }
    }
}

/// Who is told of records at once.
type Listener<'r, 't> = Option<&'r mut (dyn FnMut(&UsageRecord) + Send + 't)>;

/// A measurement under way.
struct Run<'r, 't> {
    usage: &'r Usage<'r>,
    walk: Walk<'r>,
    operands: Operands,
    /// Files with several names that were counted.
    counted: HashSet<Identity>,
    report: UsageReport,
    tell: Listener<'r, 't>,
}

impl<'r, 't> Run<'r, 't> {
    fn new(usage: &'r Usage<'r>, paths: &[&Path], tell: Listener<'r, 't>) -> Run<'r, 't> {
        let mut report = UsageReport::default();
        let mut walk = usage.walk();
        let mut descriptors = usage.descriptors;
        if descriptors.is_none() && paths.len() > 1 {
            // Asked once, and not for each operand.
            let sys = Os::start(&Setup::default());
            descriptors = Some(sys.descriptor_limit() / 2);
            report.calls.add(&sys.calls());
        }
        if let Some(descriptors) = descriptors {
            walk = walk.descriptors(descriptors);
        }
        let operands = if paths.len() > 1 && !usage.count_links {
            Operands::ask(usage, &walk, paths, &mut report)
        } else {
            Operands::unknown(paths.len())
        };
        Run { usage, walk, operands, counted: HashSet::new(), report, tell }
    }

    fn is_over(&self) -> bool {
        self.report.cancelled || self.usage.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// Whether an operand is told of piece by piece. One record each can come when it is complete.
    fn streams(&self) -> bool {
        self.tell.is_some() && self.usage.max_depth > 0
    }

    /// Measures an operand that is, or may be, a directory.
    fn directory(&mut self, index: usize, path: &Path) {
        let shared = Shared::new(self.usage, &self.operands, index, path, &self.counted);
        let summary = self.walk_of(path).visit_with(|| Tally::new(&shared));
        let gathered = gather::gather(shared.into_parts());
        self.counted.extend(gathered.linked);
        self.report.errors.extend(gathered.errors);
        self.report.error_count += gathered.error_count;
        self.report.unknown += gathered.unknown;
        self.walked(&summary);
        gathered.records.into_iter().for_each(|record| self.record(record));
    }

    /// The same, telling of each record as soon as it is done.
    fn stream(&mut self, index: usize, path: &Path) {
        let walk = self.walk_of(path).sort(Order::default());
        let Some(tell) = &mut self.tell else { return };
        // What was counted is looked at in order here, and not by each thread.
        let nothing = HashSet::new();
        let shared = Shared::new(self.usage, &self.operands, index, path, &nothing);
        let report = &mut self.report;
        let (kind, sizes) = (Kind::Unknown, Sizes::default());
        let operand = UsageRecord { path: path.to_owned(), operand: index, depth: 0, kind, sizes };
        let mut stack = Stack::new(operand, &mut self.counted, &mut **tell);
        let consume = |mut chunk: Chunk| {
            stack.take(&mut chunk);
            report.errors.extend(chunk.errors);
            report.error_count += chunk.error_count;
            report.unknown += chunk.unknown;
        };
        let summary = walk.visit_in_order(&Notes(&shared), consume);
        report.records.extend(stack.finish());
        self.walked(&summary);
    }

    fn walk_of(&self, operand: &Path) -> Walk<'r> {
        self.walk.clone().operands(vec![operand.to_owned()])
    }

    fn walked(&mut self, summary: &Summary) {
        let report = &mut self.report;
        report.cancelled |= summary.stopped;
        report.threads = report.threads.max(summary.threads);
        report.calls.add(&summary.calls);
    }

    /// Keeps a record, or tells of it.
    fn record(&mut self, record: UsageRecord) {
        if let Some(tell) = &mut self.tell {
            tell(&record);
        }
        if self.tell.is_none() || record.depth == 0 {
            self.report.records.push(record);
        }
    }

    /// Counts an operand that is something else, and about which everything is known.
    fn file(&mut self, index: usize, path: &Path, facts: &Facts) {
        let found = identity(facts).filter(|_| facts.links > 1);
        if found.is_some_and(|found| !self.counted.insert(found)) {
            return;
        }
        self.report.threads = self.report.threads.max(1);
        self.report.unknown += u64::from(!Sizes::are_known(facts));
        self.record(UsageRecord {
            path: path.to_owned(),
            operand: index,
            depth: 0,
            kind: facts.kind,
            sizes: Sizes::of(facts),
        });
    }
}
