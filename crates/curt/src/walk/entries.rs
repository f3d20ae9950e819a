use crate::error::{Error, Operation};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::name::{Names, Unit};
use crate::querier::{Querier, Subject};
use crate::sys::{self, Sys, SystemUnit};
use crate::tree::Branch;

/// The maximum capacity of a spare buffer, which takes 128 KiB in each worker.
const MAX_SPARE: usize = 4096;

#[derive(Default)]
pub(super) struct StoredEntries {
    entries: Vec<StoredEntry>,
    next: usize,
    /// The numbers of the tasks handed off. Each took the end of `entries`, so the last is the next
    /// in order.
    handed_off: Vec<u64>,
}

pub(super) struct StoredEntry {
    pub(super) name: usize,
    pub(super) kind: Kind,
    id: u64,
    known: Option<Box<Known>>,
}

enum Known {
    Listed(Facts),
    Queried(Metadata),
}

/// The buffer that a finished directory leaves for the next one.
#[derive(Default)]
pub(super) struct Spare(Vec<StoredEntry>);

impl Spare {
    fn keep(&mut self, mut entries: Vec<StoredEntry>) {
        if entries.capacity() <= MAX_SPARE {
            entries.clear();
            self.0 = entries;
        }
    }

    pub(super) fn take(&mut self) -> StoredEntries {
        StoredEntries { entries: std::mem::take(&mut self.0), ..StoredEntries::default() }
    }
}

impl StoredEntries {
    pub(super) fn push<U>(
        &mut self,
        name: usize,
        entry: &sys::Entry<'_, U>,
        listed: Option<Facts>,
    ) {
        let known = listed.map(|facts| Box::new(Known::Listed(facts)));
        self.entries.push(StoredEntry { name, kind: entry.kind, id: entry.id, known });
    }

    /// Returns all entries. Must be called before the first entry is taken.
    pub(super) fn all(&self) -> &[StoredEntry] {
        &self.entries
    }

    pub(super) fn retain(&mut self, keeps: impl FnMut(&mut StoredEntry) -> bool) {
        self.entries.retain_mut(keeps);
    }

    pub(super) fn left(&self) -> usize {
        self.entries.len() - self.next
    }

    pub(super) fn next(&mut self, spare: &mut Spare) -> Option<StoredEntry> {
        let entry = self.entries.get_mut(self.next)?;
        let entry = StoredEntry { known: entry.known.take(), ..*entry };
        self.next += 1;
        self.spare_if_none_is_left(spare);
        Some(entry)
    }

    pub(super) fn spare_if_none_is_left(&mut self, spare: &mut Spare) {
        if self.left() == 0 {
            spare.keep(std::mem::take(&mut self.entries));
            self.next = 0;
        }
    }

    pub(super) fn next_handed_off(&mut self) -> Option<u64> {
        self.handed_off.pop()
    }

    pub(super) fn clear(&mut self) {
        (self.entries, self.next) = (Vec::new(), 0);
    }

    /// Splits off all remaining entries but the first `ours`, for task `number`. Copies their
    /// names.
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

    pub(super) fn sort<U: SystemUnit>(&mut self, names: &Names<U>) {
        self.entries.sort_unstable_by(|a, b| names.compare(a.name, b.name));
    }
}

impl StoredEntry {
    /// Queries the entry, which must be at the current path, in the topmost directory.
    pub(super) fn query<S: Sys, T>(
        &self,
        querier: &Querier<S>,
        branch: &Branch<S, T>,
        follow: bool,
        metadata: &mut Metadata,
    ) {
        let path = || branch.to_path();
        querier.reset(metadata);
        match branch.parent_and_name() {
            Ok((dir, name)) => {
                self.add_to(&mut metadata.facts);
                querier.complete(&Subject { dir, name, path: &path, follow }, metadata);
            }
            Err(cause) => metadata.fail(Fields::KIND, Error::new(Operation::Stat, path(), cause)),
        }
    }

    pub(super) fn add_to(&self, facts: &mut Facts) {
        match self.known.as_deref() {
            Some(Known::Listed(listed)) => *facts = *listed,
            _ => facts.add_listed(self.kind, self.id.into()),
        }
    }

    pub(super) fn keep(&mut self, metadata: Metadata) {
        self.known = Some(Box::new(Known::Queried(metadata)));
    }

    pub(super) fn take_queried(&mut self) -> Option<Metadata> {
        match *self.known.take_if(|known| matches!(**known, Known::Queried(_)))? {
            Known::Queried(metadata) => Some(metadata),
            Known::Listed(_) => None,
        }
    }
}
