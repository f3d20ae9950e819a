//! What a measurement found.

use std::ops::AddAssign;
use std::path::PathBuf;

use crate::calls::Calls;
use crate::error::Error;
use crate::fields::{Facts, Fields, Kind};

/// How much something takes. Sums that do not fit are the largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Sizes {
    /// Bytes that can be read: the sizes of files, and of what links hold. Those of directories,
    /// devices and pipes say nothing that could be compared between file systems, and count as 0.
    pub apparent: u64,
    /// Bytes that the file system has allocated, directories included; less than what can be read
    /// where a file has holes or is compressed. 512-byte blocks on Unix, in bytes.
    pub allocated: u64,
    /// How many entries, directories included; a file with several names is one.
    pub entries: u64,
}

impl Sizes {
    /// Those of one entry.
    pub(super) fn of(facts: &Facts) -> Sizes {
        let has_content = facts.kind == Kind::File || facts.kind.is_link();
        let apparent = if has_content { facts.size } else { 0 };
        Sizes { apparent, allocated: facts.allocated, entries: 1 }
    }

    /// Whether the system told both sizes.
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

/// A directory, a file or an operand, and what it takes with everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageRecord {
    /// The path: the operand as it was given, and the names below it.
    pub path: PathBuf,
    /// Which operand it belongs to, counted from 0.
    pub operand: usize,
    /// How deep below the operand; 0 for the operand.
    pub depth: usize,
    /// What it is.
    pub kind: Kind,
    /// What it takes, with everything that was counted in it, whether that has a record or not.
    pub sizes: Sizes,
}

/// What a measurement found, and everything that went wrong.
#[derive(Debug, Default)]
#[non_exhaustive]
#[must_use = "a measurement may have failed; the report says so"]
pub struct UsageReport {
    /// The records: operands in the order in which they were given, in each of them what a
    /// directory holds before the directory, and what lies in one directory by the bytes of its
    /// names.
    pub records: Vec<UsageRecord>,
    /// The failures, sorted by path; none where [`Usage::on_error`](crate::Usage::on_error) was
    /// told.
    pub errors: Vec<Error>,
    /// How many failures there were, kept or not.
    pub error_count: u64,
    /// Entries of which the system does not tell how large they are; their sizes are missing in the
    /// sums.
    pub unknown: u64,
    /// Whether it was stopped by its [`Cancel`](crate::Cancel) token: the sums are what was counted
    /// until then.
    pub cancelled: bool,
    /// The most threads that worked at a time, the caller's included.
    pub threads: usize,
    /// The calls made.
    pub calls: Calls,
}

impl UsageReport {
    /// What all operands take together.
    pub fn total(&self) -> Sizes {
        let mut total = Sizes::default();
        for record in self.records.iter().filter(|record| record.depth == 0) {
            total += record.sizes;
        }
        total
    }
}
