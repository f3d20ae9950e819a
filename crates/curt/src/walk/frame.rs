//! What a walk keeps for one directory.

use std::collections::VecDeque;
use std::sync::Arc;

use super::entries::StoredEntries;
use super::rule_stack::RuleStack;
use crate::fields::Metadata;
use crate::sys::Sys;
use crate::tree::{Level, Own};

/// What a walk keeps for one directory: an ancestor of the current entry.
#[derive(Default)]
pub(super) struct Frame {
    /// Whether all its entries were read, or are left to others.
    pub(super) is_listed: bool,
    /// Its entries that were read and not yielded yet, in a walk that reads all of them first.
    pub(super) entries: StoredEntries,
    /// In a dry run, how many of its entries would remain.
    pub(super) remaining: usize,
    /// The ignore rules for its entries.
    pub(super) rules: Option<Arc<RuleStack>>,
    /// Where contents come first: the metadata of this directory, and of those subdirectories that
    /// have not been entered yet.
    pub(super) own: Option<Metadata>,
    pub(super) later: VecDeque<Metadata>,
}

impl<S: Sys> Level<S, Frame> {
    /// Whether any of its entries has not been yielded or entered yet.
    pub(super) fn is_needed(&self) -> bool {
        self.has_waiting() || self.entries.left() > 0
    }
}

impl Own for Frame {
    fn give_up(&mut self) {
        self.entries.clear();
        self.later.clear();
    }
}
