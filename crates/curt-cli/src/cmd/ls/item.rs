//! Entries that are about to be shown, and their order.

use std::cmp::{Ordering, Reverse};
use std::ffi::OsString;

use curt::{Fields, Kind, Metadata, Time, Value};

use super::settings::Settings;
use crate::args::{Clock, Sort};

/// An entry.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: OsString,
    pub(super) kind: Kind,
    /// What was asked about it; nothing where the name and the kind were enough.
    pub(super) metadata: Option<Box<Metadata>>,
    /// What a link leads to, where that matters.
    pub(super) target: Option<(Kind, Option<u32>)>,
    /// An operand whose content is to be listed.
    pub(super) is_opened: bool,
}

impl Item {
    /// An entry of this name.
    pub(super) fn new(name: OsString, metadata: Metadata) -> Item {
        let kind = metadata.kind().known().unwrap_or_default();
        Item { name, kind, metadata: Some(Box::new(metadata)), target: None, is_opened: false }
    }

    /// One of which nothing but the kind is known.
    pub(super) fn unknown(name: OsString, kind: Kind) -> Item {
        Item { name, kind, metadata: None, target: None, is_opened: false }
    }

    /// A value, where it is known.
    pub(super) fn get<'a, T>(
        &'a self,
        value: impl FnOnce(&'a Metadata) -> Value<'a, T>,
    ) -> Option<T> {
        value(self.metadata.as_deref()?).known()
    }

    pub(super) fn mode(&self) -> Option<u32> {
        self.get(Metadata::mode)
    }

    pub(super) fn allocated(&self) -> Option<u64> {
        self.get(Metadata::allocated)
    }

    pub(super) fn time(&self, clock: Clock) -> Option<Time> {
        match clock {
            Clock::Accessed => self.get(Metadata::accessed),
            Clock::Changed => self.get(Metadata::changed),
            Clock::Modified => self.get(Metadata::modified),
            Clock::Created => self.get(Metadata::created),
        }
    }

    /// Asking about it failed.
    pub(super) fn is_failed(&self) -> bool {
        let fails = |(fields, _): (Fields, _)| fields.intersects(Fields::MODE | Fields::SIZE);
        self.metadata.as_deref().is_some_and(|metadata| metadata.failures().any(fails))
    }

    fn leads_to_directory(&self) -> bool {
        let is_directory = |kind: Kind| kind == Kind::Directory;
        is_directory(self.kind) || self.target.is_some_and(|(kind, _)| is_directory(kind))
    }
}

/// Puts entries in order: as GNU ls does, reversing turns names around too where all else is equal.
pub(super) fn sort(items: &mut [Item], settings: &Settings) {
    if settings.sort == Sort::None {
        return;
    }
    let by_name =
        |one: &Item, other: &Item| one.name.as_encoded_bytes().cmp(other.name.as_encoded_bytes());
    let compare = |one: &Item, other: &Item| -> Ordering {
        let first = match settings.sort {
            Sort::Size => Reverse(one.get(Metadata::size).unwrap_or(0))
                .cmp(&Reverse(other.get(Metadata::size).unwrap_or(0))),
            Sort::Time => Reverse(one.time(settings.clock).unwrap_or_default())
                .cmp(&Reverse(other.time(settings.clock).unwrap_or_default())),
            Sort::Extension => extension(one).cmp(extension(other)),
            Sort::Name | Sort::None => Ordering::Equal,
        };
        first.then_with(|| by_name(one, other))
    };
    items.sort_by(|one, other| {
        let directories = if settings.directories_first {
            other.leads_to_directory().cmp(&one.leads_to_directory())
        } else {
            Ordering::Equal
        };
        let (one, other) = if settings.reverse { (other, one) } else { (one, other) };
        directories.then_with(|| compare(one, other))
    });
}

/// The last dot and what follows it.
fn extension(item: &Item) -> &[u8] {
    let name = item.name.as_encoded_bytes();
    name.iter().rposition(|&byte| byte == b'.').map_or(&[], |dot| &name[dot..])
}

#[cfg(test)]
mod tests {
    use super::{Item, extension};
    use curt::Metadata;

    #[test]
    fn extensions_begin_with_the_last_dot() {
        for (name, expected) in [("a.tar.gz", ".gz"), ("a", ""), (".b", ".b"), ("a.", ".")] {
            let item = Item::new(name.into(), Metadata::default());
            assert_eq!(extension(&item), expected.as_bytes());
        }
    }
}
