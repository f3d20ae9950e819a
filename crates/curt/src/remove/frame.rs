//! The state of one directory between the operand and the current entry, and the tasks handed off
//! from it.
//!
//! A directory remains if any of its entries does. The names of remaining entries are stored,
//! because a relisting would meet them again and report the same failure twice. A worker that takes
//! over part of a directory collects the names that remain in it. The directory's own worker waits
//! for all parts, adds their names, and only then decides about the directory.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::rounds::Rounds;
use crate::fields::Kind;
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::{Identity, Sys};
use crate::tree::{self, Join, Stack, TreePath};

pub(super) type FrameStack<S> = Stack<S, Frame<<S as Sys>::Unit>>;
pub(super) type Level<S> = tree::Level<S, Frame<<S as Sys>::Unit>>;

/// A directory operand, with the identity that it had when opened.
pub(super) struct OperandEntry<S: Sys> {
    pub(super) parent: Arc<S::Dir>,
    pub(super) name: NameBuf<S::Unit>,
    pub(super) identity: Identity,
}

pub(super) struct Frame<U> {
    pub(super) role: Role,
    pub(super) is_protected: bool,
    asks_first: bool,
    pub(super) device: Option<u64>,
    pub(super) is_reported: bool,
    remains: Remains<U>,
    handed_off: Option<Arc<HandedOffParts<U>>>,
    pub(super) rounds: Rounds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Entries that another worker listed. That worker will remove the directory.
    Part,
    Operand,
    /// A subdirectory, with the index of its name in the stack.
    Child(usize),
}

/// The names of remaining entries, or `None` if no entries remain. If the caller chooses which
/// entries to skip, the set is empty, because the directory is not relisted then.
#[derive(Debug)]
pub(super) struct Remains<U>(Option<BTreeSet<Vec<U>>>);

impl<U: Unit> Remains<U> {
    pub(super) fn none() -> Self {
        Remains(None)
    }

    fn add(&mut self, other: Remains<U>) {
        if let Some(mut names) = other.0 {
            self.0.get_or_insert_default().append(&mut names);
        }
    }
}

pub(super) struct HandedOffParts<U> {
    pub(super) join: Join,
    remains: Mutex<Remains<U>>,
}

impl<U: Unit> HandedOffParts<U> {
    pub(super) fn add(&self, remains: Remains<U>) {
        self.remains.lock().unwrap_or_else(PoisonError::into_inner).add(remains);
    }
}

pub(super) struct Task<S: Sys> {
    pub(super) dir: Arc<S::Dir>,
    pub(super) path: TreePath<S::Unit>,
    pub(super) names: Names<S::Unit>,
    /// The kind of all `names`: directories, files of any kind, or unknown.
    pub(super) kind: Kind,
    pub(super) parts: Arc<HandedOffParts<S::Unit>>,
}

impl<U: Unit> Frame<U> {
    pub(super) fn new(role: Role, is_protected: bool, asks_first: bool) -> Self {
        Frame {
            role,
            is_protected,
            asks_first,
            device: None,
            is_reported: false,
            remains: Remains::none(),
            handed_off: None,
            rounds: Rounds::new(),
        }
    }

    pub(super) fn part() -> Self {
        Frame { rounds: Rounds::of_part(), ..Frame::new(Role::Part, false, false) }
    }

    pub(super) fn take_question(&mut self) -> bool {
        std::mem::take(&mut self.asks_first)
    }

    pub(super) fn is_remaining(&self) -> bool {
        self.remains.0.is_some()
    }

    pub(super) fn mark_remaining(&mut self) {
        self.remains.0.get_or_insert_default();
    }

    pub(super) fn forget_remains(&mut self) {
        self.remains = Remains::none();
    }

    pub(super) fn add_remaining(&mut self, name: Name<'_, U>, may_list_again: bool) {
        let names = self.remains.0.get_or_insert_default();
        if may_list_again {
            names.insert(name.units().to_vec());
        }
    }

    pub(super) fn has_remaining(&self, name: Name<'_, U>) -> bool {
        self.remains.0.as_ref().is_some_and(|names| names.contains(name.units()))
    }

    pub(super) fn into_remains(self) -> Remains<U> {
        self.remains
    }

    pub(super) fn add_part(&mut self) -> Arc<HandedOffParts<U>> {
        let parts = self.handed_off.get_or_insert_with(|| {
            let remains = Mutex::new(Remains::none());
            Arc::new(HandedOffParts { join: Join::default(), remains })
        });
        parts.join.add();
        Arc::clone(parts)
    }

    pub(super) fn handed_off(&self) -> Option<Arc<HandedOffParts<U>>> {
        self.handed_off.clone()
    }

    pub(super) fn join(&mut self) {
        let Some(parts) = self.handed_off.take() else { return };
        // If a worker has panicked, entries of its part may still exist.
        if !parts.join.is_done() {
            self.mark_remaining();
        }
        let mut remains = parts.remains.lock().unwrap_or_else(PoisonError::into_inner);
        self.remains.add(std::mem::replace(&mut remains, Remains::none()));
    }
}

impl<S: Sys> Level<S> {
    /// Lets the directory remain, with all entries not yet listed or entered.
    pub(super) fn give_up(&mut self) {
        self.mark_remaining();
        self.rounds.stop();
        self.drop_waiting();
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Role};
    use crate::name::Name;
    use crate::tree::TaskQueue;

    #[test]
    fn remains_of_finished_parts_are_taken_back() {
        let (queue, name) = (TaskQueue::<()>::new(), Name::from_c(c"name"));
        let mut frame = Frame::new(Role::Child(0), false, false);
        for stays in [false, true] {
            let parts = frame.add_part();
            let mut part = Frame::part();
            if stays {
                part.add_remaining(name, true);
            }
            parts.add(part.into_remains());
            queue.finish(&parts.join);
            frame.join();
            assert!(frame.handed_off().is_none());
            assert_eq!((frame.is_remaining(), frame.has_remaining(name)), (stays, stays));
        }
    }

    #[test]
    fn part_of_a_panicked_worker_keeps_the_directory() {
        let mut frame = Frame::<u8>::new(Role::Child(0), false, false);
        frame.add_part();
        frame.join();
        assert!(frame.is_remaining());
    }
}
