//! The result of a measurement.

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
    /// The bytes that can be read: the sizes of files and of the targets of links. The sizes of
    /// directories, devices and pipes cannot be compared between file systems, and count as 0.
    pub apparent: u64,
    /// The bytes that the file system has allocated, including directories. Less than `apparent` if
    /// a file has holes or is compressed. On Unix a multiple of 512.
    pub allocated: u64,
    /// The number of entries, including directories. A file with several names is one.
    pub entries: u64,
}

impl Sizes {
    /// Returns the sizes of one entry.
    #[inline]
    pub(super) fn of(facts: &Facts) -> Sizes {
        let has_content = facts.kind == Kind::File || facts.kind.is_link();
        let apparent = if has_content { facts.size } else { 0 };
        Sizes { apparent, allocated: facts.allocated, entries: 1 }
    }

    /// Whether both sizes are known.
    pub(super) fn are_known(facts: &Facts) -> bool {
        facts.known.contains(Fields::SIZE | Fields::ALLOCATED)
    }

    /// Whether an entry is counted: what is known is, whatever else could not be asked.
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

/// What is added up: the sizes of entries, and the newest of their times if it is wanted.
#[derive(Clone, Copy, Default)]
pub(super) struct Part {
    pub(super) sizes: Sizes,
    pub(super) newest: Option<Time>,
}

impl Part {
    /// Returns the sizes of one entry, and the newest of these times.
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
        // Mostly nobody wants times, and nothing is compared.
        if other.newest.is_some() {
            self.newest = self.newest.max(other.newest);
        }
    }
}

/// Returns the newest of these times that is known.
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

/// A directory, a file or an operand, and the space that it takes with everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageRecord {
    /// The path: the operand as it was given, and the names below it.
    pub path: PathBuf,
    /// The index of the operand that it belongs to, from 0.
    pub operand: usize,
    /// The depth below the operand; 0 for the operand.
    pub depth: usize,
    /// The kind.
    pub kind: Kind,
    /// The space that it takes with everything that was counted in it, with a record or without.
    pub sizes: Sizes,
    /// The same without its subdirectories: the directory itself, and what lies directly in it and
    /// is no directory. For anything else the same as `sizes`.
    pub own: Sizes,
    /// The newest time in `sizes`, of the times that [`Usage::newest`](crate::Usage::newest) names;
    /// `None` without that, and if the system has no such time.
    pub newest: Option<Time>,
    /// The newest time in `own`.
    pub own_newest: Option<Time>,
}

impl UsageRecord {
    /// Returns the record of an entry with this sum, of which this is its own.
    pub(super) fn new(entry: Entry, operand: usize, sum: Part, own: Part) -> UsageRecord {
        let Entry { path, depth, kind } = entry;
        let (Part { sizes, newest }, Part { sizes: own, newest: own_newest }) = (sum, own);
        UsageRecord { path, operand, depth, kind, sizes, own, newest, own_newest }
    }
}

/// An entry that has a record.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) depth: usize,
    pub(super) kind: Kind,
}

/// The result of a measurement, with every failure.
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use = "a measurement may have failed; the report says so"]
pub struct UsageReport {
    /// The records: operand by operand in the given order, within them a directory after its
    /// contents, and the entries of one directory by the bytes of their names.
    pub records: Vec<UsageRecord>,
    /// The failures, sorted by path; empty if [`Usage::on_error`](crate::Usage::on_error) takes
    /// them.
    pub errors: Vec<Error>,
    /// The number of failures.
    pub error_count: u64,
    /// The number of entries whose sizes the system does not have; they are missing in the sums.
    pub unknown: u64,
    /// Whether the measurement was cancelled, or stopped by a callback. The sums then have what was
    /// counted by then.
    pub stopped: bool,
    /// The most threads that worked at a time, including the caller's.
    pub threads: usize,
    /// The calls made.
    pub calls: Calls,
}

/// Where complete records go.
#[derive(Default)]
pub(super) struct Records<'t> {
    kept: Vec<UsageRecord>,
    report: Option<Report<'t>>,
    is_stopped: bool,
}

type Report<'t> = &'t mut (dyn FnMut(&UsageRecord) -> Next + Send);

impl<'t> Records<'t> {
    /// Records that are reported at once; only those of operands are kept.
    pub(super) fn reported_to(report: Report<'t>) -> Self {
        Records { report: Some(report), ..Records::default() }
    }

    /// Reports a record or keeps it.
    pub(super) fn add(&mut self, record: UsageRecord, stop: &Stop<'_>) {
        if let Some(report) = self.report.as_mut().filter(|_| !self.is_stopped) {
            if report(&record) == Next::Stop {
                self.is_stopped = true;
                stop.stop();
            }
        }
        if self.report.is_none() || record.depth == 0 {
            self.kept.push(record);
        }
    }

    pub(super) fn into_kept(self) -> Vec<UsageRecord> {
        self.kept
    }
}

impl UsageReport {
    /// Returns the space that all operands take together.
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
