//! The entries of a directory that are stored before the first is told of: to be put in order, or
//! because the directory may hold rules for what it holds.

use std::cmp::Ordering;

use super::order::{Order, SortBy};
use crate::fields::{Facts, Kind, Metadata};
use crate::name::{Names, Unit};
use crate::sys::Entry;

/// The entries of one directory, and which of them is told of next.
#[derive(Default)]
pub(super) struct Stored {
    entries: Vec<StoredEntry>,
    next: usize,
    /// The pieces that were taken from the end, the first last.
    given: Vec<u64>,
}

/// An entry that was listed and not told of yet.
pub(super) struct StoredEntry {
    /// Where its name lies among those that the stack keeps.
    pub(super) name: usize,
    pub(super) kind: Kind,
    id: u64,
    /// What else the listing said, or what was asked in order to sort.
    known: Option<Box<Known>>,
}

/// What is known of a stored entry beyond its kind and number.
enum Known {
    Listed(Facts),
    Asked(Metadata),
}

impl Stored {
    /// Adds an entry, whose name is kept here, and what else the listing said of it.
    pub(super) fn push<U>(&mut self, name: usize, entry: &Entry<'_, U>, listed: Option<Facts>) {
        let known = listed.map(|facts| Box::new(Known::Listed(facts)));
        self.entries.push(StoredEntry { name, kind: entry.kind, id: entry.id, known });
    }

    /// All of them.
    pub(super) fn entries(&self) -> &[StoredEntry] {
        &self.entries
    }

    /// All of them, to learn more about.
    pub(super) fn entries_mut(&mut self) -> &mut [StoredEntry] {
        &mut self.entries
    }

    /// How many are still to be told of.
    pub(super) fn left(&self) -> usize {
        self.entries.len() - self.next
    }

    pub(super) fn has_next(&self) -> bool {
        self.left() > 0
    }

    /// Tells of none of those that are left.
    pub(super) fn skip_rest(&mut self) {
        self.next = self.entries.len();
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        *self = Stored::default();
    }

    /// Takes the next one.
    pub(super) fn next(&mut self) -> Option<StoredEntry> {
        let entry = self.entries.get_mut(self.next)?;
        self.next += 1;
        Some(StoredEntry { known: entry.known.take(), ..*entry })
    }

    /// The piece that comes next, when all that are left here were told of.
    pub(super) fn next_piece(&mut self) -> Option<u64> {
        self.given.pop()
    }

    /// Takes all that are left but the first few, as the piece of this number. Their names are copied.
    pub(super) fn split<U: Unit>(
        &mut self,
        ours: usize,
        number: u64,
        names: &Names<U>,
    ) -> Option<(Stored, Names<U>)> {
        let mut theirs = Names::new();
        let mut entries = self.entries.split_off(self.next + ours);
        for entry in &mut entries {
            entry.name = theirs.push(names.get(entry.name)?);
        }
        self.given.push(number);
        Some((Stored { entries, ..Stored::default() }, theirs))
    }

    /// Puts them in order. Their names are those that the stack keeps.
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
    /// Adds what the listing said of it to facts of which nothing is known yet.
    pub(super) fn add_to(&self, facts: &mut Facts) {
        match self.known.as_deref() {
            Some(Known::Listed(listed)) => *facts = *listed,
            _ => facts.add_listed(self.kind, self.id.into()),
        }
    }

    /// Keeps what was asked about it in order to sort.
    pub(super) fn keep(&mut self, metadata: Metadata) {
        self.known = Some(Box::new(Known::Asked(metadata)));
    }

    fn asked(&self) -> Option<&Metadata> {
        match self.known.as_deref() {
            Some(Known::Asked(metadata)) => Some(metadata),
            _ => None,
        }
    }

    /// Takes what was asked about it in order to sort.
    pub(super) fn take_asked(&mut self) -> Option<Metadata> {
        match self.known.take().map(|known| *known) {
            Some(Known::Asked(metadata)) => Some(metadata),
            listed => {
                self.known = listed.map(Box::new);
                None
            }
        }
    }
}
