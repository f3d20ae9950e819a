//! One directory on the way from the operand to where a walk is.

use std::collections::VecDeque;
use std::sync::Arc;

use super::rules::InForce;
use super::stored::Stored;
use crate::fields::Metadata;
use crate::sys::{Batch, Identity, Sys};
use crate::tree;

/// One directory on the way.
pub(super) struct Frame {
    pub(super) state: State,
    /// How deep its entries lie below the operand.
    pub(super) depth: usize,
    /// Where its last name begins in the path.
    pub(super) name: usize,
    /// What its listing said last.
    pub(super) listing: Batch,
    /// Its entries, where all are known before the first is told of.
    pub(super) stored: Stored,
    /// Where directories are told of after what they hold: what is known of this one, and of those in
    /// it that were not entered yet.
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

/// One directory of the stack.
pub(super) type Level<S> = tree::Level<S, Frame>;

/// What is done with a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Its entries are told of as they are listed.
    Listing,
    /// All its entries are known and told of one by one, each with what lies below it.
    Telling,
    /// Its subdirectories are entered.
    Entering,
}

impl Frame {
    /// A directory whose entries lie so deep, to be listed.
    pub(super) fn new(depth: usize) -> Self {
        Frame {
            state: State::Listing,
            depth,
            name: 0,
            listing: Batch::More,
            stored: Stored::default(),
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

    /// The listing could not be read to its end.
    pub(super) fn end_listing(&mut self) {
        self.listing = Batch::End;
        self.state = State::Entering;
    }
}

impl<S: Sys> tree::Level<S, Frame> {
    /// Whether anything in it is still to be told of or to be entered.
    pub(super) fn is_needed(&self) -> bool {
        self.has_waiting() || self.stored.has_next()
    }

    /// Neither tells of anything more in it nor enters it.
    pub(super) fn give_up(&mut self) {
        self.drop_waiting();
        self.stored.skip_rest();
        self.later.clear();
        if self.state == State::Listing {
            self.state = State::Entering;
        }
    }
}
