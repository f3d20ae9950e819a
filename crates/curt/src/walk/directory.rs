//! Per-directory state of a walk.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use super::order::{Order, SortBy};
use super::rules::RuleStack;
use crate::fields::{Facts, Kind, Metadata};
use crate::name::{Names, Unit};
use crate::sys::Entry;
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

/// The entries of one directory that were listed and not yielded yet.
#[derive(Default)]
pub(super) struct Stored {
    entries: Vec<StoredEntry>,
    next: usize,
    /// The numbers of the parts that were handed off from the end, the last part first.
    handed_off: Vec<u64>,
}

/// An entry that was listed and not yielded yet.
pub(super) struct StoredEntry {
    /// Where its name lies among those that the stack keeps.
    pub(super) name: usize,
    pub(super) kind: Kind,
    id: u64,
    known: Option<Box<Known>>,
}

/// What is known of a stored entry beyond its kind and its number.
enum Known {
    /// What else the listing said.
    Listed(Facts),
    /// What was asked in order to sort.
    Asked(Metadata),
}

impl Stored {
    /// Adds an entry, whose name the stack keeps at `name`.
    pub(super) fn push<U>(&mut self, name: usize, entry: &Entry<'_, U>, listed: Option<Facts>) {
        let known = listed.map(|facts| Box::new(Known::Listed(facts)));
        self.entries.push(StoredEntry { name, kind: entry.kind, id: entry.id, known });
    }

    pub(super) fn entries(&self) -> &[StoredEntry] {
        &self.entries
    }

    pub(super) fn entries_mut(&mut self) -> &mut [StoredEntry] {
        &mut self.entries
    }

    /// How many are still to be yielded.
    pub(super) fn left(&self) -> usize {
        self.entries.len() - self.next
    }

    /// Takes the next one.
    pub(super) fn next(&mut self) -> Option<StoredEntry> {
        let entry = self.entries.get_mut(self.next)?;
        self.next += 1;
        Some(StoredEntry { known: entry.known.take(), ..*entry })
    }

    /// The number of the part that comes next, when all entries before it were yielded.
    pub(super) fn next_handed_off(&mut self) -> Option<u64> {
        self.handed_off.pop()
    }

    /// Drops the entries that are left, and frees their memory.
    pub(super) fn clear(&mut self) {
        (self.entries, self.next) = (Vec::new(), 0);
    }

    /// Takes all that are left but the first `ours`, as the part of this number. Beside them,
    /// copies of their names.
    pub(super) fn split<U: Unit>(
        &mut self,
        ours: usize,
        number: u64,
        names: &Names<U>,
    ) -> (Stored, Names<U>) {
        let mut theirs = Names::new();
        let mut entries = self.entries.split_off(self.next + ours);
        for entry in &mut entries {
            let name = names.get(entry.name);
            debug_assert!(name.is_some(), "the names of stored entries are kept");
            entry.name = name.map_or(0, |name| theirs.push(name));
        }
        self.handed_off.push(number);
        (Stored { entries, ..Stored::default() }, theirs)
    }

    /// Puts the entries in order. Equal ones come in the order of their names.
    pub(super) fn sort<U: Unit>(&mut self, order: Order, names: &Names<U>) {
        let by_name = |a: &StoredEntry, b: &StoredEntry| names.compare(a.name, b.name);
        let key = |entry: &StoredEntry| entry.asked().and_then(|metadata| order.key(metadata));
        if order.by == SortBy::Name {
            self.entries.sort_unstable_by(by_name);
        } else {
            self.entries.sort_by(|a, b| match key(b).cmp(&key(a)) {
                Ordering::Equal => by_name(a, b),
                unequal => unequal,
            });
        }
        if order.reverse {
            self.entries.reverse();
        }
    }
}

impl StoredEntry {
    /// Fills in what the listing said. The facts are still empty.
    pub(super) fn add_to(&self, facts: &mut Facts) {
        match self.known.as_deref() {
            Some(Known::Listed(listed)) => *facts = *listed,
            _ => facts.add_listed(self.kind, self.id.into()),
        }
    }

    /// Keeps what was asked in order to sort.
    pub(super) fn keep(&mut self, metadata: Metadata) {
        self.known = Some(Box::new(Known::Asked(metadata)));
    }

    fn asked(&self) -> Option<&Metadata> {
        match self.known.as_deref() {
            Some(Known::Asked(metadata)) => Some(metadata),
            _ => None,
        }
    }

    /// Takes what was asked in order to sort.
    pub(super) fn take_asked(&mut self) -> Option<Metadata> {
        match *self.known.take_if(|known| matches!(**known, Known::Asked(_)))? {
            Known::Asked(metadata) => Some(metadata),
            Known::Listed(_) => None,
        }
    }
}
