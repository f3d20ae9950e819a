//! Operands that lie in one another, or are the same: each is counted once, in the first operand
//! that holds it.
//!
//! If there are several, each is asked for its identity before the first is walked; for one that is
//! no directory, nothing more has to be asked. A walk that finds a later operand counts it and
//! marks it as done; a walk that finds an earlier one leaves it out. As operands are walked one
//! after the other, this does not depend on the threads of a walk. No entry is remembered; GNU du
//! remembers all of them where there are several operands.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fields::{Facts, Kind};
use crate::sys::Identity;

/// What is known of the operands before they are walked.
#[derive(Default)]
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

    /// Notes what was asked about an operand.
    pub(super) fn learn(&mut self, index: usize, facts: &Facts) {
        let is_same = Identity::known(facts)
            .is_some_and(|identity| *self.first.entry(identity).or_insert(index) != index);
        self.known[index] = match facts.kind {
            _ if is_same => Known::Done,
            Kind::Directory => Known::Directory,
            _ => Known::File(*facts),
        };
    }

    /// Notes that an operand could not be asked about.
    pub(super) fn leave_out(&mut self, index: usize) {
        self.known[index] = Known::Done;
    }

    /// Returns what is known of the operand whose turn it is.
    pub(super) fn take(&self, index: usize) -> Known {
        if self.done[index].load(Ordering::Relaxed) { Known::Done } else { self.known[index] }
    }

    /// Claims an entry below an operand: a later operand is counted here, and done. Returns `false`
    /// if it is an earlier operand, which was counted already.
    #[inline]
    pub(super) fn claim(&self, found: &Facts, below: usize) -> bool {
        self.first.is_empty() || self.claim_operand(found, below)
    }

    fn claim_operand(&self, found: &Facts, below: usize) -> bool {
        match Identity::known(found).and_then(|found| self.first.get(&found)) {
            None => true,
            Some(&later) if later > below => {
                self.done[later].store(true, Ordering::Relaxed);
                true
            }
            Some(_) => false,
        }
    }
}
