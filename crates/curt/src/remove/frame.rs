//! One open directory of the traversal.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::path::{Above, LogicalPath};
use super::room::is_moved_name;
use crate::name::Name;
use crate::pool::SharedJoin;
use crate::sys::{Batch, Identity, Sys};

/// A directory on the way from the operand to where the traversal is.
pub(super) struct Frame<S: Sys> {
    pub(super) hold: Hold<S::Dir>,
    pub(super) role: Role,
    /// Where its name lies in the arena: among the children of the frame below.
    pub(super) name: usize,
    /// Where the names of its children begin, which is its next to be entered, and where they end.
    pub(super) children: usize,
    pub(super) next: usize,
    pub(super) end: usize,
    /// What the last read of the listing said.
    pub(super) listing: Batch,
    /// What reading the first entries said, which are in the buffer already.
    pub(super) prefetched: Option<Batch>,
    /// Something in it stays, so it stays.
    pub(super) kept: bool,
    /// What a listing of it is to pass over; most directories have nothing of that kind.
    passed: Option<Box<Passed<S::Unit>>>,
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
    /// The length of the logical path without it.
    pub(super) path_len: usize,
    /// What was handed over to other workers.
    pub(super) join: Option<SharedJoin>,
    /// What the other workers could not remove.
    pub(super) left: Option<Left<S::Unit>>,
    /// For a directory that was moved upwards: the path that it interrupts, and its number.
    pub(super) before: Option<Box<(LogicalPath<S::Unit>, u64)>>,
    /// What directories from too deep below are moved into.
    pub(super) shelf: Option<Box<Shelf<S::Dir>>>,
    /// Its path, shared by what was moved away from it.
    pub(super) shared: Option<Arc<Above<S::Unit>>>,
    /// Known once it was closed early, to know it again.
    pub(super) identity: Option<Identity>,
}

/// How a frame has its directory.
pub(super) enum Hold<D> {
    Own(D),
    /// Other workers use it too.
    Shared(Arc<D>),
    /// Closed early for want of descriptors; opened again when its turn comes.
    Released,
}

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
    /// A directory that was moved upwards, into the shelf of the frame below.
    Moved,
}

/// What a listing shows and is passed over.
struct Passed<U> {
    /// What stays, by name, so that a second listing does not fail with it again. Not filled where
    /// somebody chooses what stays: there, no directory is listed twice.
    stayed: BTreeSet<Vec<U>>,
    /// Directories that were moved into the shelf from deep below, and wait.
    moved_here: VecDeque<Moved<U>>,
}

/// What is remembered of the passes over a directory that did not want to become empty.
pub(super) struct Again {
    pub(super) passes: u32,
    pub(super) since: Duration,
    pub(super) found_before: u64,
    pub(super) wrote: bool,
    pub(super) pause: Duration,
}

/// The names of entries that a worker could not remove from another one's directory.
pub(super) type Left<U> = Arc<Mutex<BTreeSet<Vec<U>>>>;

/// A directory, in that of a frame, which nobody else may look into.
pub(super) struct Shelf<D> {
    pub(super) dir: D,
    /// The number in its name.
    pub(super) serial: u64,
}

/// A directory that was moved upwards.
pub(super) struct Moved<U> {
    /// The number in its present name.
    pub(super) serial: u64,
    /// Where it was found.
    pub(super) parent: Arc<Above<U>>,
    pub(super) name: Vec<U>,
}

impl<S: Sys> Frame<S> {
    pub(super) fn new(
        hold: Hold<S::Dir>,
        role: Role,
        name: usize,
        names: usize,
        path_len: usize,
    ) -> Self {
        Frame {
            hold,
            role,
            name,
            children: names,
            next: names,
            end: names,
            listing: Batch::More,
            prefetched: None,
            kept: false,
            passed: None,
            forgotten: 0,
            given_up: false,
            protected: false,
            found: 0,
            pending: 0,
            dealt: 0,
            bound: None,
            overrun: false,
            again: None,
            path_len,
            join: None,
            left: None,
            before: None,
            shelf: None,
            shared: None,
            identity: None,
        }
    }

    /// The open directory, unless it was released.
    pub(super) fn dir(&self) -> Option<&S::Dir> {
        match &self.hold {
            Hold::Own(dir) => Some(dir),
            Hold::Shared(dir) => Some(dir),
            Hold::Released => None,
        }
    }

    /// The open directory, to be used by other workers too.
    pub(super) fn share(&mut self) -> Option<Arc<S::Dir>> {
        match std::mem::replace(&mut self.hold, Hold::Released) {
            Hold::Own(dir) => self.hold = Hold::Shared(Arc::new(dir)),
            other => self.hold = other,
        }
        match &self.hold {
            Hold::Shared(dir) => Some(Arc::clone(dir)),
            _ => None,
        }
    }

    /// Takes the directory out. `None` if it was released, or somebody still uses it.
    pub(super) fn take(&mut self) -> Option<S::Dir> {
        match std::mem::replace(&mut self.hold, Hold::Released) {
            Hold::Own(dir) => Some(dir),
            Hold::Shared(dir) => Arc::into_inner(dir),
            Hold::Released => None,
        }
    }

    /// An entry failed, and stays.
    pub(super) fn stays(&mut self, name: Name<'_, S::Unit>) {
        self.kept = true;
        self.passed().stayed.insert(name.units().to_vec());
    }

    /// Ends the listing for good; what is left was reported, or is not to be looked at.
    pub(super) fn give_up(&mut self) {
        self.kept = true;
        self.given_up = true;
        // Neither what was forgotten nor what is new is listed again.
        (self.forgotten, self.overrun) = (0, false);
        self.next = self.end;
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
            self.passed().stayed.append(&mut left);
        }
    }

    /// Tells the worker whose directory it is what stays in it, if it is another one's.
    pub(super) fn hand_back(&mut self) {
        let (Role::Base, Some(left), Some(passed)) = (self.role, &self.left, &mut self.passed)
        else {
            return;
        };
        left.lock().unwrap_or_else(PoisonError::into_inner).append(&mut passed.stayed);
    }

    /// Takes out the directory that was moved here and whose turn it is.
    pub(super) fn next_moved(&mut self) -> Option<Moved<S::Unit>> {
        self.passed.as_mut()?.moved_here.pop_front()
    }

    /// The directories that were moved here, the one whose turn is next in front.
    pub(super) fn moved_here(&mut self) -> &mut VecDeque<Moved<S::Unit>> {
        &mut self.passed().moved_here
    }

    /// How many directories that were moved here wait.
    pub(super) fn waiting(&self) -> usize {
        self.passed.as_ref().map_or(0, |passed| passed.moved_here.len())
    }

    fn passed(&mut self) -> &mut Passed<S::Unit> {
        self.passed.get_or_insert_with(|| {
            Box::new(Passed { stayed: BTreeSet::new(), moved_here: VecDeque::new() })
        })
    }

    /// The directory that a child of this role is an entry of.
    pub(super) fn dir_with(&self, role: Role) -> Option<&S::Dir> {
        match role {
            Role::Moved => self.shelf.as_ref().map(|shelf| &shelf.dir),
            _ => self.dir(),
        }
    }

    /// Whether a listing that shows this entry is to pass over it: it has failed before, or it is
    /// what directories were moved into, which have their own turn and their own paths.
    pub(super) fn passes_over(&self, name: Name<'_, S::Unit>) -> bool {
        self.passed.as_ref().is_some_and(|passed| passed.stayed.contains(name.units()))
            || self.shelf.as_ref().is_some_and(|shelf| is_moved_name(name, shelf.serial))
    }

    /// Whether names of children are waiting.
    pub(super) fn has_children(&self) -> bool {
        self.next < self.end
    }
}

impl<U: crate::name::Unit> Moved<U> {
    /// The logical path of the directory.
    pub(super) fn path(&self) -> LogicalPath<U> {
        let mut path = LogicalPath::from_shared(&self.parent);
        if let Some(name) = Name::until_nul(&self.name) {
            path.push(name);
        }
        path
    }
}
