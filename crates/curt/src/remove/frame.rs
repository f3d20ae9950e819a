//! What a removal knows of one directory on the way from the operand to where it is.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::passes::Passes;
use crate::name::{Name, Unit};
use crate::sys::Sys;
use crate::tree;
use crate::tree::{SharedJoin, Stack};

/// One directory on the way.
pub(super) struct Frame<U> {
    role: Role,
    /// Where its name lies among those that the stack keeps.
    name: usize,
    /// The process may not write to it; only known where questions are asked.
    is_protected: bool,
    /// Something in it stays, so it stays.
    kept: bool,
    /// What stays, by name, so that another pass does not fail with it again. Empty where somebody
    /// chooses what stays: there, no directory is listed twice.
    stayed: BTreeSet<Vec<U>>,
    /// What other workers have of it.
    join: Option<SharedJoin>,
    /// What they could not remove; in a base, what this worker tells them.
    left: Option<Left<U>>,
    pub(super) passes: Passes,
}

/// The directories on the way, and what is known of each.
pub(super) type Directories<S> = Stack<S, Frame<<S as Sys>::Unit>>;
/// One of them.
pub(super) type Level<S> = tree::Level<S, Frame<<S as Sys>::Unit>>;

/// What a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The one that the operand lies in, or one of which another worker has handed over a part. It
    /// is not removed here.
    Base,
    /// The operand itself.
    Operand,
    /// Anything below.
    Child,
}

/// The names of entries that a worker could not remove from the directory of another one.
pub(super) type Left<U> = Arc<Mutex<BTreeSet<Vec<U>>>>;

impl<U: Unit> Frame<U> {
    /// A directory to be emptied and removed, whose name lies here.
    pub(super) fn new(role: Role, name: usize, is_protected: bool) -> Self {
        Frame {
            role,
            name,
            is_protected,
            kept: false,
            stayed: BTreeSet::new(),
            join: None,
            left: None,
            passes: Passes::new(),
        }
    }

    /// A directory of which parts are to be removed. What stays is told to the worker whose directory
    /// it is, if it is another one's.
    pub(super) fn base(left: Option<Left<U>>) -> Self {
        Frame { left, passes: Passes::none(), ..Frame::new(Role::Base, 0, false) }
    }

    pub(super) fn role(&self) -> Role {
        self.role
    }

    /// Where its name lies among those that the stack keeps.
    pub(super) fn name(&self) -> usize {
        self.name
    }

    pub(super) fn is_protected(&self) -> bool {
        self.is_protected
    }

    /// Whether another worker has handed it over.
    pub(super) fn is_of_another(&self) -> bool {
        self.role == Role::Base && self.left.is_some()
    }

    /// Whether something in it stays.
    pub(super) fn is_kept(&self) -> bool {
        self.kept
    }

    /// Something in it stays.
    pub(super) fn keep(&mut self) {
        self.kept = true;
    }

    /// An entry has failed, and stays.
    pub(super) fn keep_name(&mut self, name: Name<'_, U>) {
        self.kept = true;
        self.stayed.insert(name.units().to_vec());
    }

    /// Whether an entry has failed before.
    pub(super) fn has_kept(&self, name: Name<'_, U>) -> bool {
        self.stayed.contains(name.units())
    }

    /// Other workers get a part of it: where they meet, and where they leave names.
    pub(super) fn hand_over(&mut self) -> (SharedJoin, Left<U>) {
        let join = self.join.get_or_insert_with(Arc::default);
        let left = self.left.get_or_insert_with(Arc::default);
        (Arc::clone(join), Arc::clone(left))
    }

    /// Whether other workers have a part of it.
    pub(super) fn has_pieces(&self) -> bool {
        self.join.is_some()
    }

    /// Where those meet who have a part of it.
    pub(super) fn join(&self) -> Option<SharedJoin> {
        self.join.clone()
    }

    /// Other workers have nothing of it any more: what they left stays.
    pub(super) fn has_joined(&mut self) {
        self.kept |= self.join.take().is_some_and(|join| join.kept());
        if self.role == Role::Base {
            // They told the worker whose directory it is.
            return;
        }
        if let Some(left) = self.left.take() {
            self.stayed.append(&mut left.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Tells the worker whose directory it is what stays in it, if it is another one's.
    pub(super) fn hand_back(&mut self) {
        if let (Role::Base, Some(left)) = (self.role, &self.left) {
            left.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.stayed);
        }
    }
}

impl<S: Sys> Level<S> {
    /// Leaves it as it is: nothing more of it is listed or entered.
    pub(super) fn give_up(&mut self) {
        self.keep();
        self.passes.end();
        self.drop_waiting();
    }
}
