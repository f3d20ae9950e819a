//! Operands that lie in one another, or are the same: each is counted once, in the first that has
//! it.
//!
//! Where there are several, each is asked which file it is before the first is walked; that is all
//! that need be known of one that is no directory. A walk that comes upon a later operand counts
//! it, and marks it as done; one that comes upon an earlier operand leaves it alone. Because
//! operands are walked one after the other, that does not depend on the threads of a walk.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::options::Usage;
use super::report::UsageReport;
use super::{Identity, identity};
use crate::fields::{Facts, Kind};
use crate::walk::Walk;

/// What is known of operands before they are walked.
pub(super) struct Operands {
    known: Vec<Known>,
    done: Vec<AtomicBool>,
    /// The first operand of each identity.
    first: HashMap<Identity, usize>,
}

/// What is known of one.
#[derive(Clone, Copy)]
pub(super) enum Known {
    /// Nothing, or that it is a directory: a walk tells the rest.
    Directory,
    /// It is something else, and this is known of it.
    File(Facts),
    /// It is counted, or could not be asked about.
    Done,
}

impl Operands {
    /// Nothing is known.
    pub(super) fn unknown(count: usize) -> Operands {
        let done = (0..count).map(|_| AtomicBool::new(false)).collect();
        Operands { known: vec![Known::Directory; count], done, first: HashMap::new() }
    }

    /// Asks about each of them.
    pub(super) fn ask(
        usage: &Usage<'_>,
        walk: &Walk<'_>,
        paths: &[&Path],
        report: &mut UsageReport,
    ) -> Operands {
        let mut operands = Operands::unknown(paths.len());
        let mut walking = walk
            .clone()
            .max_depth(0)
            .operands(paths.iter().map(|&path| path.to_owned()).collect())
            .start();
        for index in 0..paths.len() {
            match walking.next() {
                Some(Ok(mut entry)) => {
                    let facts = entry.metadata().facts;
                    entry.take_failures(|error| usage.failed(error, report));
                    operands.learn(index, &facts);
                }
                Some(Err(error)) => {
                    usage.failed(error, report);
                    operands.known[index] = Known::Done;
                }
                None => break,
            }
        }
        report.calls.add(&walking.calls());
        operands
    }

    fn learn(&mut self, index: usize, facts: &Facts) {
        let is_same = identity(facts)
            .is_some_and(|identity| *self.first.entry(identity).or_insert(index) != index);
        self.known[index] = match facts.kind {
            _ if is_same => Known::Done,
            Kind::Directory => Known::Directory,
            _ => Known::File(*facts),
        };
    }

    /// What is known of an operand whose turn it is.
    pub(super) fn take(&self, index: usize) -> Known {
        if self.done[index].load(Ordering::Relaxed) { Known::Done } else { self.known[index] }
    }

    /// Whether what was found below an operand is another operand that was counted before. If its
    /// turn would come later, it is counted here.
    #[inline]
    pub(super) fn is_counted(&self, found: &Facts, below: usize) -> bool {
        !self.first.is_empty() && self.is_counted_operand(found, below)
    }

    fn is_counted_operand(&self, found: &Facts, below: usize) -> bool {
        match identity(found).and_then(|found| self.first.get(&found)) {
            None => false,
            Some(&later) if later > below => {
                self.done[later].store(true, Ordering::Relaxed);
                false
            }
            Some(_) => true,
        }
    }
}
