//! Operands that lie in one another, or are the same: each is counted once, in the first operand
//! that holds it.
//!
//! If there are several, each is asked for its identity before the first is walked; for one that is
//! no directory, nothing more has to be asked. A walk that finds a later operand counts it and
//! marks it as done; a walk that finds an earlier one leaves it out. As operands are walked one
//! after the other, this does not depend on the threads of a walk. No entry is remembered; GNU du
//! remembers all of them where there are several operands.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::options::Usage;
use super::report::UsageReport;
use super::{Identity, Polling, identity};
use crate::control::Cancel;
use crate::error::Error;
use crate::fields::{Facts, Kind};
use crate::walk::Walk;

/// What is known of the operands before they are walked.
pub(super) struct OperandSet {
    known: Vec<Known>,
    done: Vec<AtomicBool>,
    /// The first operand with each identity.
    first: HashMap<Identity, usize>,
}

/// What is known of one operand.
#[derive(Clone, Copy)]
pub(super) enum Known {
    /// It is a directory, or nothing is known: it is walked.
    Directory,
    /// It is no directory, and this is known of it.
    File(Facts),
    /// It was counted, or could not be asked about.
    Done,
}

impl OperandSet {
    /// Operands of which nothing is known.
    pub(super) fn unknown(count: usize) -> OperandSet {
        let done = (0..count).map(|_| AtomicBool::new(false)).collect();
        OperandSet { known: vec![Known::Directory; count], done, first: HashMap::new() }
    }

    /// Asks about each of them.
    pub(super) fn ask(
        usage: &Usage<'_>,
        walk: &Walk<'_>,
        paths: &[PathBuf],
        report: &mut UsageReport,
        polling: Option<&Polling<'_>>,
        stop: &Cancel,
    ) -> OperandSet {
        let mut operands = OperandSet::unknown(paths.len());
        let mut walking = walk.clone().max_depth(0).operands(paths.to_vec()).start();
        for index in 0..paths.len() {
            polling.into_iter().for_each(Polling::look);
            if stop.is_cancelled() {
                break;
            }
            match walking.next() {
                Some(Ok(mut entry)) => {
                    let facts = entry.metadata().facts;
                    entry.take_failures(|error| fail(usage, error, report, stop));
                    operands.learn(index, &facts);
                }
                Some(Err(error)) => {
                    fail(usage, error, report, stop);
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

    /// Returns what is known of the operand whose turn it is.
    pub(super) fn take(&self, index: usize) -> Known {
        if self.done[index].load(Ordering::Relaxed) { Known::Done } else { self.known[index] }
    }

    /// Whether an entry below an operand is an earlier operand, which was counted already. If it is
    /// a later operand, it is counted here, and marked as done.
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

fn fail(usage: &Usage<'_>, error: Error, report: &mut UsageReport, stop: &Cancel) {
    report.error_count += 1;
    report.errors.extend(usage.report(error, stop));
}
