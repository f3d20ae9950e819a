use std::collections::VecDeque;
use std::sync::Arc;

use super::entries::StoredEntries;
use super::rule_stack::RuleStack;
use crate::fields::Metadata;
use crate::sys::Sys;
use crate::tree::{Level, Own};

/// The state of a walk for one ancestor of the current entry.
#[derive(Default)]
pub(super) struct Frame {
    /// Whether all entries of the directory were read, or belong to other workers.
    pub(super) is_listed: bool,
    pub(super) entries: StoredEntries,
    /// In a dry run, the number of entries of the directory that would remain.
    pub(super) remaining: usize,
    pub(super) rules: Option<Arc<RuleStack>>,
    /// The metadata of this directory, if contents come first. `later` has the metadata of
    /// subdirectories not yet entered.
    pub(super) own: Option<Metadata>,
    pub(super) later: VecDeque<Metadata>,
}

impl<S: Sys> Level<S, Frame> {
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
