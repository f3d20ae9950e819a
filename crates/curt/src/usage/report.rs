use std::ops::AddAssign;
use std::path::PathBuf;

use crate::calls::Calls;
use crate::control::Next;
use crate::error::Error;
use crate::fields::{Facts, Fields, Kind, Time};
use crate::tree::Stop;

/// The space that entries take. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Sizes {
    /// Readable bytes: the sizes of files and of symlink targets.
    ///
    /// Directories, devices and pipes count as 0.
    pub apparent: u64,
    /// Bytes allocated by the filesystem, including directories.
    ///
    /// Less than `apparent` if a file has holes or is compressed. A multiple of 512 on Unix.
    pub allocated: u64,
    /// The number of entries, including directories. A file with several names counts as one.
    pub entries: u64,
}

impl Sizes {
    #[inline]
    pub(super) fn of(facts: &Facts) -> Sizes {
        let has_content = facts.kind == Kind::File || facts.kind.is_link();
        let apparent = if has_content { facts.size } else { 0 };
        Sizes { apparent, allocated: facts.allocated, entries: 1 }
    }

    pub(super) fn are_known(facts: &Facts) -> bool {
        facts.known.contains(Fields::SIZE | Fields::ALLOCATED)
    }

    /// Returns whether to count an entry. A failed query does not matter if the sizes are known.
    pub(super) fn count(facts: &Facts, has_failed: bool) -> bool {
        !has_failed || Sizes::are_known(facts)
    }
}

impl AddAssign for Sizes {
    fn add_assign(&mut self, other: Sizes) {
        self.apparent = self.apparent.saturating_add(other.apparent);
        self.allocated = self.allocated.saturating_add(other.allocated);
        self.entries = self.entries.saturating_add(other.entries);
    }
}

#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    pub(super) sizes: Sizes,
    pub(super) newest: Option<Time>,
}

impl Part {
    #[inline]
    pub(super) fn of(facts: &Facts, times: Fields) -> Part {
        let newest = if times == Fields::NONE { None } else { newest(facts, times) };
        Part { sizes: Sizes::of(facts), newest }
    }
}

impl AddAssign for Part {
    #[inline]
    fn add_assign(&mut self, other: Part) {
        self.sizes += other.sizes;
        if other.newest.is_some() {
            self.newest = self.newest.max(other.newest);
        }
    }
}

fn newest(facts: &Facts, times: Fields) -> Option<Time> {
    let known = [
        (Fields::MODIFIED, facts.modified),
        (Fields::ACCESSED, facts.accessed),
        (Fields::CHANGED, facts.changed),
        (Fields::CREATED, facts.created),
    ];
    let is_wanted = |field| times.contains(field) && facts.known.contains(field);
    known.into_iter().filter(|&(field, _)| is_wanted(field)).map(|(_, time)| time).max()
}

/// The space of an operand, directory or file, with everything inside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageRecord {
    /// The path: the operand as given, then the names inside it.
    pub path: PathBuf,
    /// The index of the operand, from 0.
    pub operand: usize,
    /// The depth below the operand; 0 for the operand.
    pub depth: usize,
    /// The kind of the entry.
    pub kind: Kind,
    /// The space of everything counted inside, with or without records.
    pub sizes: Sizes,
    /// The space of the directory itself, and of its non-directory entries.
    ///
    /// Equal to `sizes` for a non-directory.
    pub own: Sizes,
    /// The newest of the times [chosen](crate::Usage::newest) among the entries counted in `sizes`.
    ///
    /// `None` if no time is known.
    pub newest: Option<Time>,
    /// The newest of these times among the entries counted in `own`.
    pub own_newest: Option<Time>,
}

impl UsageRecord {
    pub(super) fn new(entry: Entry, operand: usize, sum: Part, own: Part) -> UsageRecord {
        let Entry { path, depth, kind } = entry;
        let (Part { sizes, newest }, Part { sizes: own, newest: own_newest }) = (sum, own);
        UsageRecord { path, operand, depth, kind, sizes, own, newest, own_newest }
    }
}

pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) depth: usize,
    pub(super) kind: Kind,
}

/// The result of a measurement, with all failures.
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use = "a measurement may have failed; the report says so"]
pub struct UsageReport {
    /// The records, operand by operand in the given order.
    ///
    /// A directory comes after its contents. Entries of one directory are sorted by the bytes of
    /// their names.
    pub records: Vec<UsageRecord>,
    /// The failures, sorted by path; empty with [`Usage::on_error`](crate::Usage::on_error).
    pub errors: Vec<Error>,
    /// The number of failures.
    pub error_count: u64,
    /// The number of entries of unknown size. The sums lack their sizes.
    pub unknown: u64,
    /// Whether a token or a callback stopped the measurement, so the sums may be incomplete.
    pub stopped: bool,
    /// The maximum number of threads at the same time, including the caller's.
    pub threads: usize,
    /// The system calls made.
    pub calls: Calls,
}

#[derive(Default)]
pub(super) struct Records<'t> {
    stored: Vec<UsageRecord>,
    report: Option<Report<'t>>,
    is_stopped: bool,
}

type Report<'t> = &'t mut (dyn FnMut(&UsageRecord) -> Next + Send);

impl<'t> Records<'t> {
    pub(super) fn reported_to(report: Report<'t>) -> Self {
        Records { report: Some(report), ..Records::default() }
    }

    pub(super) fn add(&mut self, record: UsageRecord, stop: &Stop<'_>) {
        if let Some(report) = self.report.as_mut().filter(|_| !self.is_stopped) {
            if report(&record) == Next::Stop {
                self.is_stopped = true;
                stop.stop();
            }
        }
        if self.report.is_none() || record.depth == 0 {
            self.stored.push(record);
        }
    }

    pub(super) fn into_stored(self) -> Vec<UsageRecord> {
        self.stored
    }
}

impl UsageReport {
    /// Returns the space of all operands together.
    pub fn total(&self) -> Sizes {
        let mut total = Sizes::default();
        for record in self.records.iter().filter(|record| record.depth == 0) {
            total += record.sizes;
        }
        total
    }

    /// Returns the newest time in all operands.
    pub fn newest(&self) -> Option<Time> {
        let operands = self.records.iter().filter(|record| record.depth == 0);
        operands.filter_map(|record| record.newest).max()
    }
}
