//! The state of one directory between its operand and the current entry, and the tasks that are
//! handed off from it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::passes::Passes;
use crate::fields::Kind;
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::{Identity, Sys};
use crate::tree::{self, Join, Stack, TreePath};

/// The stack of a removal: the directories between an operand and the current entry.
pub(super) type FrameStack<S> = Stack<S, Frame<<S as Sys>::Unit>>;
/// One of these directories.
pub(super) type Level<S> = tree::Level<S, Frame<<S as Sys>::Unit>>;

/// Where an operand lies that is a directory, and its identity when it was opened.
pub(super) struct Place<S: Sys> {
    pub(super) parent: Arc<S::Dir>,
    pub(super) name: NameBuf<S::Unit>,
    pub(super) identity: Identity,
}

/// The state of one directory.
pub(super) struct Frame<U> {
    pub(super) role: Role,
    /// Whether the process may not write to it; only known if questions are asked.
    pub(super) is_protected: bool,
    /// Whether the caller has to be asked before its entries are removed.
    asks_first: bool,
    /// The device it lies on, once that was asked.
    pub(super) device: Option<u64>,
    /// Whether it was reported itself that it stays.
    pub(super) is_reported: bool,
    remains: Remains<U>,
    /// The parts of it that other workers have.
    handed_off: Option<Arc<HandedOffParts<U>>>,
    pub(super) passes: Passes,
}

/// What a directory is for the worker that has it on its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Entries of a directory that another worker has listed and will remove itself.
    Part,
    /// The operand.
    Operand,
    /// A directory below the operand, with the position of its name among those that the stack
    /// keeps.
    Child(usize),
}

/// The names of the entries of a directory that stay, so that another pass does not fail with them
/// again; `None` if nothing stays. Names are not kept if the caller chooses which entries stay:
/// then no directory is listed twice.
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

/// The parts of one directory that were handed off.
pub(super) struct HandedOffParts<U> {
    pub(super) join: Join,
    remains: Mutex<Remains<U>>,
}

impl<U: Unit> HandedOffParts<U> {
    /// Adds the entries of a part that stay.
    pub(super) fn add(&self, remains: Remains<U>) {
        self.remains.lock().unwrap_or_else(PoisonError::into_inner).add(remains);
    }
}

/// Entries of one directory for another worker to remove.
pub(super) struct Task<S: Sys> {
    pub(super) dir: Arc<S::Dir>,
    /// The path of the directory.
    pub(super) path: TreePath<S::Unit>,
    pub(super) names: Names<S::Unit>,
    /// The kind of all entries: directories, or files of any kind, or unknown.
    pub(super) kind: Kind,
    pub(super) parts: Arc<HandedOffParts<S::Unit>>,
}

impl<U: Unit> Frame<U> {
    /// Returns the state of a directory that is to be emptied and removed.
    pub(super) fn new(role: Role, is_protected: bool, asks_first: bool) -> Self {
        Frame {
            role,
            is_protected,
            asks_first,
            device: None,
            is_reported: false,
            remains: Remains::none(),
            handed_off: None,
            passes: Passes::new(),
        }
    }

    /// Returns the state of a part of a directory.
    pub(super) fn part() -> Self {
        Frame { passes: Passes::of_part(), ..Frame::new(Role::Part, false, false) }
    }

    /// Returns, once, whether the caller has to be asked before its entries are removed.
    pub(super) fn take_question(&mut self) -> bool {
        std::mem::take(&mut self.asks_first)
    }

    /// Returns whether it is known to stay, because an entry of it does or it cannot be removed.
    pub(super) fn is_kept(&self) -> bool {
        self.remains.0.is_some()
    }

    /// Notes that it stays, because an entry of it does or it cannot be removed.
    pub(super) fn mark_kept(&mut self) {
        self.remains.0.get_or_insert_default();
    }

    /// Notes that it is gone with all that was to stay in it.
    pub(super) fn forget_remains(&mut self) {
        self.remains = Remains::none();
    }

    /// Notes that an entry of it stays, with its name if the directory may be listed again.
    pub(super) fn keep_entry(&mut self, name: Name<'_, U>, may_list_again: bool) {
        let names = self.remains.0.get_or_insert_default();
        if may_list_again {
            names.insert(name.units().to_vec());
        }
    }

    /// Returns whether an entry of this name stays.
    pub(super) fn has_kept(&self, name: Name<'_, U>) -> bool {
        self.remains.0.as_ref().is_some_and(|names| names.contains(name.units()))
    }

    pub(super) fn into_remains(self) -> Remains<U> {
        self.remains
    }

    /// Counts a part that is about to be handed off.
    pub(super) fn add_part(&mut self) -> Arc<HandedOffParts<U>> {
        let parts = self.handed_off.get_or_insert_with(|| {
            let remains = Mutex::new(Remains::none());
            Arc::new(HandedOffParts { join: Join::default(), remains })
        });
        parts.join.add();
        Arc::clone(parts)
    }

    /// Returns the parts that other workers have.
    pub(super) fn handed_off(&self) -> Option<Arc<HandedOffParts<U>>> {
        self.handed_off.clone()
    }

    /// Takes back what is left of the parts, after they were waited for.
    pub(super) fn join(&mut self) {
        let Some(parts) = self.handed_off.take() else { return };
        // Not done if a worker panicked; then its part may still be there.
        if !parts.join.is_done() {
            self.mark_kept();
        }
        let mut remains = parts.remains.lock().unwrap_or_else(PoisonError::into_inner);
        self.remains.add(std::mem::replace(&mut remains, Remains::none()));
    }
}

impl<S: Sys> Level<S> {
    /// Leaves the directory as it is: nothing more of it is listed or entered.
    pub(super) fn give_up(&mut self) {
        self.mark_kept();
        self.passes.stop();
        self.drop_waiting();
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Role};
    use crate::name::Name;
    use crate::tree::Pool;

    #[test]
    fn remains_of_finished_parts_are_taken_back() {
        let (pool, name) = (Pool::<()>::new(), Name::from_c(c"name"));
        let mut frame = Frame::new(Role::Child(0), false, false);
        for stays in [false, true] {
            let parts = frame.add_part();
            let mut part = Frame::part();
            if stays {
                part.keep_entry(name, true);
            }
            parts.add(part.into_remains());
            pool.finish(&parts.join);
            frame.join();
            assert!(frame.handed_off().is_none());
            assert_eq!((frame.is_kept(), frame.has_kept(name)), (stays, stays));
        }
    }

    #[test]
    fn part_of_a_panicked_worker_keeps_the_directory() {
        let mut frame = Frame::<u8>::new(Role::Child(0), false, false);
        frame.add_part();
        frame.join();
        assert!(frame.is_kept());
    }
}
