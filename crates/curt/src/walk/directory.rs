//! Per-directory state of a walk.

use std::collections::VecDeque;
use std::sync::Arc;

use super::rules::RuleStack;
use super::stored::Stored;
use crate::fields::Metadata;
use crate::sys::Sys;
use crate::tree;

/// A level of the stack.
pub(super) type Level<S> = tree::Level<S, WalkFrame>;

/// The state of one directory: an ancestor of the current entry.
#[derive(Default)]
pub(super) struct WalkFrame {
    pub(super) state: State,
    /// Its entries, where all must be known before the first is yielded.
    pub(super) stored: Stored,
    /// Where contents come first: what is known of this directory, and of those subdirectories
    /// that have not been entered yet.
    pub(super) own: Option<Metadata>,
    pub(super) later: VecDeque<Metadata>,
    /// The ignore rules for its entries.
    pub(super) rules: Option<Arc<RuleStack>>,
}

impl<S: Sys> Level<S> {
    /// Whether any of its entries has not been yielded or entered yet.
    pub(super) fn is_needed(&self) -> bool {
        self.has_waiting() || self.stored.left() > 0
    }

    /// Neither yields nor enters any more of its entries.
    pub(super) fn give_up(&mut self) {
        self.drop_waiting();
        self.stored.clear();
        self.later.clear();
        self.state = State::Entering;
    }
}

/// What is done next with a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Its entries are read, and yielded unless they have to be stored.
    #[default]
    Listing,
    /// Its stored entries are yielded.
    Yielding,
    /// The subdirectories that wait are entered. In a sorted walk that is one, and the stored
    /// entries behind it are yielded after it.
    Entering,
}
