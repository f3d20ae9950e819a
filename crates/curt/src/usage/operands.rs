//! Counts overlapping operands once, in the first operand that contains the overlap.
//!
//! GNU du remembers every entry for this if there are several operands. Here only the operands are
//! remembered, and their identities are queried before the first walk. A walk that finds a later
//! operand counts it and marks it as done. A walk that finds an earlier operand skips it. Operands
//! are walked one by one, so the result does not depend on threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fields::{Facts, Kind};
use crate::sys::Identity;

#[derive(Default)]
pub(super) struct OperandSet {
    known: Vec<Known>,
    done: Vec<AtomicBool>,
    first: HashMap<Identity, usize>,
}

#[derive(Clone, Copy)]
pub(super) enum Known {
    /// A directory to walk, or an operand of unknown kind.
    Directory,
    File(Facts),
    Done,
}

impl OperandSet {
    pub(super) fn unknown(count: usize) -> OperandSet {
        let done = (0..count).map(|_| AtomicBool::new(false)).collect();
        OperandSet { known: vec![Known::Directory; count], done, first: HashMap::new() }
    }

    pub(super) fn learn(&mut self, index: usize, facts: &Facts) {
        let is_same = Identity::known(facts)
            .is_some_and(|identity| *self.first.entry(identity).or_insert(index) != index);
        self.known[index] = match facts.kind {
            _ if is_same => Known::Done,
            Kind::Directory => Known::Directory,
            _ => Known::File(*facts),
        };
    }

    pub(super) fn leave_out(&mut self, index: usize) {
        self.known[index] = Known::Done;
    }

    pub(super) fn take(&self, index: usize) -> Known {
        if self.done[index].load(Ordering::Relaxed) { Known::Done } else { self.known[index] }
    }

    /// Returns whether to count an entry found inside the operand with the index `below`.
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
