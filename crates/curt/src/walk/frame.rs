//! One directory of a walk that is under way.

use std::collections::VecDeque;
use std::sync::Arc;

use super::rules::InForce;
use crate::fields::{Facts, Kind, Metadata};
use crate::sys::{Batch, Identity};

/// One directory of the stack.
pub(super) struct Frame {
    pub(super) state: State,
    /// How deep its entries lie below the operand.
    pub(super) depth: usize,
    /// Where its last name begins in the path.
    pub(super) name: usize,
    /// What its listing said last.
    pub(super) listing: Batch,
    /// Where all entries are known before the first is told of: those, and which is next.
    pub(super) stored: Vec<Stored>,
    pub(super) next_stored: usize,
    /// The pieces that were taken from the end of those, the first last.
    pub(super) given: Vec<u64>,
    /// Where directories are told of after what they hold: what is known of itself, and of those that
    /// were not entered yet.
    pub(super) own: Option<Metadata>,
    pub(super) later: VecDeque<Metadata>,
    /// What the consumer knows it by, and those of its subdirectories that were not entered yet.
    pub(super) tag: u64,
    pub(super) tags: VecDeque<u64>,
    /// Those above it that what it holds is compared with, if it is a mount.
    pub(super) above: Vec<Identity>,
    /// The rules for what it holds.
    pub(super) rules: Option<Arc<InForce>>,
}

/// What a frame is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Its entries are told of as they are listed.
    Listing,
    /// All its entries are known and told of one by one, each with what lies below it.
    Telling,
    /// Its subdirectories are entered.
    Entering,
}

/// An entry that was listed and not told of yet.
pub(super) struct Stored {
    /// Where its name lies in the arena.
    pub(super) name: usize,
    pub(super) kind: Kind,
    pub(super) id: u64,
    /// What else the listing carried, or what was asked in order to sort.
    pub(super) known: Option<Box<Known>>,
}

/// What is known of a stored entry beyond its kind and number.
pub(super) enum Known {
    Listed(Facts),
    Asked(Metadata),
}

impl Frame {
    pub(super) fn new(state: State, depth: usize) -> Self {
        Frame {
            state,
            depth,
            name: 0,
            listing: Batch::More,
            stored: Vec::new(),
            next_stored: 0,
            given: Vec::new(),
            own: None,
            later: VecDeque::new(),
            tag: 0,
            tags: VecDeque::new(),
            above: Vec::new(),
            rules: None,
        }
    }

    /// Keeps what is known of a subdirectory until what it holds was told of.
    #[cold]
    pub(super) fn put_off(&mut self, metadata: &mut Metadata) {
        self.later.push_back(std::mem::take(metadata));
    }

    /// Whether entries wait to be told of.
    pub(super) fn has_stored(&self) -> bool {
        self.next_stored < self.stored.len()
    }
}

impl Stored {
    /// Adds what the listing told of it to facts of which nothing is known yet.
    pub(super) fn add_to(&self, facts: &mut Facts) {
        match self.known.as_deref() {
            Some(Known::Listed(listed)) => *facts = *listed,
            _ => facts.add_listed(self.kind, self.id.into()),
        }
    }
}
