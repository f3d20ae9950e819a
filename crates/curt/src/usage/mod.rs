//! Measuring trees: how much space they take.
//!
//! # Promises
//!
//! - Every entry below an operand is counted once, the operand and the directories themselves too. What
//!   cannot be opened, read or asked about is an error with its path, and the rest is counted.
//! - A file with several names (hard links) is counted once in a whole measurement, and the answer is
//!   the same on every run, with any number of threads: the first operand that holds one of its names is
//!   charged, and in it the directory with the smallest path of those that hold one. Paths are compared
//!   by the bytes of their names, a directory before what lies in it.
//! - An operand that lies in another, or is another by a second name, is counted in the first of the two
//!   alone, as GNU du has it.
//! - No link is followed, but for operands where that is asked for.
//! - Memory is bounded by what is shown (one record for each directory down to the chosen depth, and for
//!   each file if files are wanted), and one entry for each file with several names.
//!
//! # Call budget
//!
//! | | Linux | portable (POSIX) |
//! |---|---|---|
//! | entry, directory or not | 1 (`statx`) | 1 |
//! | directory | 4 (`openat`, 2 `getdents64`, `close`) | 5 |
//! | one file system | 0: the answer for the entry names its device | 0 |
//! | each operand that is a directory, where there are several | 1 (which one it is) | 1 |
//! | beside | 1 (the limit of descriptors) | the same |
//! | several threads | 1 for 1,024 entries (processor time), 20 for each thread | the same |
//!
//! On Windows a listing carries sizes, but not how many names a file has: [`Usage::count_links`] saves
//! that question for each file.
//!
//! # Races
//!
//! A measurement is no snapshot: what is added or removed meanwhile may be counted or not, and an entry
//! that vanishes between the listing and the question is an error. What is moved within the tree can be
//! counted twice or never. The rest is as in `walk/mod.rs`: nothing outside the operands is looked at.
//!
//! # Fallbacks
//!
//! Those of the walk. Where the system does not tell a size, the entry is counted as an entry and in
//! [`UsageReport::unknown`]; where it has no numbers for files, those with several names are counted
//! for each.

mod gather;
mod operands;
mod options;
mod order;
mod report;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;

pub use options::Usage;
pub use report::{Sizes, UsageRecord, UsageReport};

use self::gather::Gathered;
use self::operands::{Known, Operands};
use self::tally::{Shared, Tally};
use crate::control::Cancel;
use crate::fields::{Facts, Fields};
use crate::sys::{Os, Setup, Sys};
use crate::walk::{Visitor, Walk};

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
    pub fn measure<P: AsRef<Path>>(&self, operands: impl IntoIterator<Item = P>) -> UsageReport {
        let operands: Vec<P> = operands.into_iter().collect();
        let paths: Vec<&Path> = operands.iter().map(AsRef::as_ref).collect();
        let mut report = UsageReport::default();
        let walk = self.walk(&paths, &mut report);
        let known = if paths.len() > 1 && !self.count_links {
            Operands::ask(self, &walk, &paths, &mut report)
        } else {
            Operands::unknown(paths.len())
        };
        let mut counted = HashSet::new();
        for (index, path) in paths.iter().enumerate() {
            if report.cancelled || self.cancel.is_some_and(Cancel::is_cancelled) {
                report.cancelled = true;
                break;
            }
            match known.take(index) {
                Known::Directory => {
                    self.directory(&walk, &known, index, path, &mut counted, &mut report)
                }
                Known::File(facts) => file(index, path, &facts, &mut counted, &mut report),
                Known::Done => {}
            }
        }
        report.errors.sort_by(|a, b| a.path().cmp(b.path()));
        report
    }

    /// Measures what was not found to be something other than a directory.
    fn directory(
        &self,
        walk: &Walk<'_>,
        known: &Operands,
        index: usize,
        path: &Path,
        counted: &mut HashSet<Identity>,
        report: &mut UsageReport,
    ) {
        let shared = Shared::new(self, known, index, path, counted);
        let make = || Box::new(Tally::new(&shared)) as Box<dyn Visitor>;
        let summary = walk.visit(&[path], &make);
        report.calls.add(&summary.calls);
        report.threads = report.threads.max(summary.threads);
        report.cancelled |= summary.stopped;
        let Gathered { records, mut errors, error_count, unknown, linked } =
            gather::gather(shared.into_parts(), index);
        report.records.extend(records);
        report.errors.append(&mut errors);
        report.error_count += error_count;
        report.unknown += unknown;
        counted.extend(linked);
    }

    /// The walk that all operands have.
    fn walk(&self, operands: &[&Path], report: &mut UsageReport) -> Walk<'_> {
        let mut walk = self.plain_walk();
        let mut descriptors = self.descriptors;
        if descriptors.is_none() && operands.len() > 1 {
            // Asked once, and not for each operand.
            let sys = Os::start(&Setup::default());
            descriptors = Some(sys.descriptor_limit() / 2);
            report.calls.add(&sys.calls());
        }
        if let Some(descriptors) = descriptors {
            walk = walk.descriptors(descriptors);
        }
        walk
    }
}

/// Counts an operand that is not a directory, and about which everything is known.
fn file(
    index: usize,
    path: &Path,
    facts: &Facts,
    counted: &mut HashSet<Identity>,
    report: &mut UsageReport,
) {
    let has_names = facts.links > 1;
    if identity(facts).is_some_and(|identity| has_names && !counted.insert(identity)) {
        return;
    }
    report.threads = report.threads.max(1);
    report.unknown += u64::from(!Sizes::are_known(facts));
    report.records.push(UsageRecord {
        path: path.to_owned(),
        operand: index,
        depth: 0,
        kind: facts.kind,
        sizes: Sizes::of(facts),
    });
}
