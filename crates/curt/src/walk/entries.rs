//! The stored entries of a directory, and their order.

use crate::ask::{Asker, Subject};
use crate::error::{Error, Operation};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::name::{Names, Unit};
use crate::sys::{self, Sys, SystemUnit};
use crate::tree::Branch;

/// The memory of more entries is freed: this is 128 KiB for each worker.
const MOST_SPARE: usize = 4096;

/// The entries of one directory that were listed and not yielded yet.
#[derive(Default)]
pub(super) struct StoredEntries {
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
    /// What was asked to learn its kind.
    Asked(Metadata),
}

/// The memory of a directory whose entries were all yielded, for the next one.
#[derive(Default)]
pub(super) struct Spare(Vec<StoredEntry>);

impl Spare {
    fn keep(&mut self, mut entries: Vec<StoredEntry>) {
        if entries.capacity() <= MOST_SPARE {
            entries.clear();
            self.0 = entries;
        }
    }

    pub(super) fn take(&mut self) -> StoredEntries {
        StoredEntries { entries: std::mem::take(&mut self.0), ..StoredEntries::default() }
    }
}

impl StoredEntries {
    /// Adds an entry, whose name the stack keeps at `name`.
    pub(super) fn push<U>(
        &mut self,
        name: usize,
        entry: &sys::Entry<'_, U>,
        listed: Option<Facts>,
    ) {
        let known = listed.map(|facts| Box::new(Known::Listed(facts)));
        self.entries.push(StoredEntry { name, kind: entry.kind, id: entry.id, known });
    }

    /// Returns all entries, before the first is taken.
    pub(super) fn all(&self) -> &[StoredEntry] {
        &self.entries
    }

    /// Keeps the entries that the predicate accepts.
    pub(super) fn retain(&mut self, keeps: impl FnMut(&mut StoredEntry) -> bool) {
        self.entries.retain_mut(keeps);
    }

    /// How many are still to be yielded.
    pub(super) fn left(&self) -> usize {
        self.entries.len() - self.next
    }

    /// Takes the next one.
    pub(super) fn next(&mut self, spare: &mut Spare) -> Option<StoredEntry> {
        let entry = self.entries.get_mut(self.next)?;
        let entry = StoredEntry { known: entry.known.take(), ..*entry };
        self.next += 1;
        self.spare_if_none_is_left(spare);
        Some(entry)
    }

    /// Leaves the memory to the next directory when all entries were taken.
    pub(super) fn spare_if_none_is_left(&mut self, spare: &mut Spare) {
        if self.left() == 0 {
            spare.keep(std::mem::take(&mut self.entries));
            self.next = 0;
        }
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
    ) -> (StoredEntries, Names<U>) {
        let mut theirs = Names::new();
        let mut entries = self.entries.split_off(self.next + ours);
        for entry in &mut entries {
            let name = names.get(entry.name);
            debug_assert!(name.is_some(), "the names of stored entries are kept");
            entry.name = name.map_or(0, |name| theirs.push(name));
        }
        self.handed_off.push(number);
        (StoredEntries { entries, ..StoredEntries::default() }, theirs)
    }

    /// Sorts the entries by name.
    pub(super) fn sort<U: SystemUnit>(&mut self, names: &Names<U>) {
        self.entries.sort_unstable_by(|a, b| names.compare(a.name, b.name));
    }
}

impl StoredEntry {
    /// Asks about the entry, which is in the topmost directory and at the current path.
    pub(super) fn ask<S: Sys, T>(
        &self,
        asker: &Asker<S>,
        branch: &Branch<S, T>,
        follow: bool,
        metadata: &mut Metadata,
    ) {
        let path = || branch.to_path();
        asker.reset(metadata);
        match branch.place() {
            Ok((dir, name)) => {
                self.add_to(&mut metadata.facts);
                asker.complete(&Subject { dir, name, path: &path, follow }, metadata);
            }
            Err(cause) => metadata.fail(Fields::KIND, Error::new(Operation::Stat, path(), cause)),
        }
    }

    /// Fills in what the listing said. The facts are still empty.
    pub(super) fn add_to(&self, facts: &mut Facts) {
        match self.known.as_deref() {
            Some(Known::Listed(listed)) => *facts = *listed,
            _ => facts.add_listed(self.kind, self.id.into()),
        }
    }

    /// Keeps what was asked to learn the kind.
    pub(super) fn keep(&mut self, metadata: Metadata) {
        self.known = Some(Box::new(Known::Asked(metadata)));
    }

    /// Takes what was asked to learn the kind.
    pub(super) fn take_asked(&mut self) -> Option<Metadata> {
        match *self.known.take_if(|known| matches!(**known, Known::Asked(_)))? {
            Known::Asked(metadata) => Some(metadata),
            Known::Listed(_) => None,
        }
    }
}
