//! One open directory of the traversal.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::name::{Name, Unit};
use crate::pause::Pause;
use crate::sys::{Batch, Sys};
use crate::tree;
use crate::tree::SharedJoin;

/// A directory on the way from the operand to where the traversal is.
pub(super) struct Frame<U> {
    pub(super) role: Role,
    /// Where its name lies in the arena: among the children of the frame below.
    pub(super) name: usize,
    /// What the last read of the listing said.
    pub(super) listing: Batch,
    /// What reading the first entries said, which are in the buffer already.
    pub(super) prefetched: Option<Batch>,
    /// Something in it stays, so it stays.
    pub(super) kept: bool,
    /// What stays, by name, so that a second listing does not fail with it again. Not filled where
    /// somebody chooses what stays: there, no directory is listed twice.
    stayed: BTreeSet<Vec<U>>,
    /// How many names were forgotten in this pass for want of room; they are listed again.
    pub(super) forgotten: u64,
    /// It is not listed again, whatever may still be in it: that was reported.
    pub(super) given_up: bool,
    /// The process may not write to it; only known where questions are asked.
    pub(super) protected: bool,
    /// Entries found in this pass over the listing, without those that are passed over.
    pub(super) found: u64,
    /// Of these, how many go when somebody else closes them.
    pub(super) pending: u64,
    /// Entries dealt with in all passes since they were last counted.
    pub(super) dealt: u64,
    /// How many of them there can be unless somebody adds some. Only known of large directories.
    pub(super) bound: Option<u64>,
    /// The pass was ended because there were more.
    pub(super) overrun: bool,
    /// Passes beyond the first.
    pub(super) again: Option<Box<Again>>,
    /// What was handed over to other workers.
    pub(super) join: Option<SharedJoin>,
    /// What the other workers could not remove.
    pub(super) left: Option<Left<U>>,
}

/// A level of the stack of directories.
pub(super) type Level<S> = tree::Level<S, Frame<<S as Sys>::Unit>>;

/// What a frame is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The directory that an operand, or a piece of another worker's directory, lies in. Not ours
    /// to remove.
    Base,
    /// The operand itself.
    Root,
    /// Anything below.
    Child,
}

/// What is remembered of the passes over a directory that did not want to become empty.
pub(super) struct Again {
    pub(super) passes: u32,
    pub(super) since: Duration,
    pub(super) found_before: u64,
    pub(super) wrote: bool,
    pub(super) pause: Pause,
}

/// The names of entries that a worker could not remove from another one's directory.
pub(super) type Left<U> = Arc<Mutex<BTreeSet<Vec<U>>>>;

impl<U: Unit> Frame<U> {
    pub(super) fn new(role: Role, name: usize) -> Self {
        Frame {
            role,
            name,
            listing: Batch::More,
            prefetched: None,
            kept: false,
            stayed: BTreeSet::new(),
            forgotten: 0,
            given_up: false,
            protected: false,
            found: 0,
            pending: 0,
            dealt: 0,
            bound: None,
            overrun: false,
            again: None,
            join: None,
            left: None,
        }
    }

    /// An entry failed, and stays.
    pub(super) fn stays(&mut self, name: Name<'_, U>) {
        self.kept = true;
        self.stayed.insert(name.units().to_vec());
    }

    /// Ends the listing for good; what is left was reported, or is not to be looked at.
    fn end_listing(&mut self) {
        self.kept = true;
        self.given_up = true;
        // Neither what was forgotten nor what is new is listed again.
        (self.forgotten, self.overrun) = (0, false);
        self.listing = Batch::End;
        self.prefetched = None;
    }

    /// All that other workers had is done: what they left stays.
    pub(super) fn joined(&mut self) {
        self.kept |= self.join.take().is_some_and(|join| join.kept());
        if self.role == Role::Base {
            // They told the worker whose directory it is.
            return;
        }
        let Some(left) = self.left.take() else { return };
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        if !left.is_empty() {
            self.stayed.append(&mut left);
        }
    }

    /// Tells the worker whose directory it is what stays in it, if it is another one's.
    pub(super) fn hand_back(&mut self) {
        if let (Role::Base, Some(left)) = (self.role, &self.left) {
            left.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.stayed);
        }
    }

    /// Whether a listing that shows this entry is to pass over it: it has failed before.
    pub(super) fn passes_over(&self, name: Name<'_, U>) -> bool {
        self.stayed.contains(name.units())
    }
}

impl<S: Sys> Level<S> {
    /// Ends the listing for good, and enters nothing more.
    pub(super) fn give_up(&mut self) {
        self.end_listing();
        self.drop_waiting();
    }
}
