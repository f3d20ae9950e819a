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
    pub(super) columns: Columns,
    /// All that was found out about it, where the columns are not all that is shown.
    pub(super) metadata: Option<Box<Metadata>>,
    /// What a link leads to, where that matters.
    pub(super) target: Option<(Kind, Option<u32>)>,
    /// An operand whose content is to be listed.
    pub(super) is_opened: bool,
}

/// What the long form shows in columns, and what is sorted by. It lies in the entry: what is allocated by
/// itself, for each entry, costs more than all else that is done about it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) mode: Option<u32>,
    pub(super) user_id: Option<u32>,
    pub(super) group_id: Option<u32>,
    pub(super) links: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) allocated: Option<u64>,
    pub(super) device_number: Option<u64>,
    pub(super) time: Option<Time>,
}

impl Columns {
    /// Those of an entry, with the time by this clock.
    pub(super) fn new(metadata: &Metadata, clock: Clock) -> Columns {
        let time = match clock {
            Clock::Accessed => metadata.accessed(),
            Clock::Changed => metadata.changed(),
            Clock::Modified => metadata.modified(),
            Clock::Created => metadata.created(),
        };
        Columns {
            mode: metadata.mode().known(),
            user_id: metadata.user_id().known(),
            group_id: metadata.group_id().known(),
            links: metadata.links().known(),
            size: metadata.size().known(),
            allocated: metadata.allocated().known(),
            device_number: metadata.device_number().known(),
            time: time.known(),
        }
    }
}

impl Item {
    /// An entry of this name, with all that is known of it.
    pub(super) fn new(name: OsString, metadata: Metadata, clock: Clock) -> Item {
        let mut item = Item::unknown(name, metadata.kind().known().unwrap_or_default());
        item.columns = Columns::new(&metadata, clock);
        item.metadata = Some(Box::new(metadata));
        item
    }

    /// One of which nothing but the kind is known.
    pub(super) fn unknown(name: OsString, kind: Kind) -> Item {
        let columns = Columns::default();
        Item { name, kind, columns, metadata: None, target: None, is_opened: false }
    }

    /// A value that is in no column, where it is known.
    pub(super) fn get<'a, T>(
        &'a self,
        value: impl FnOnce(&'a Metadata) -> Value<'a, T>,
    ) -> Option<T> {
        value(self.metadata.as_deref()?).known()
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
            Sort::Size => Reverse(one.columns.size.unwrap_or(0))
                .cmp(&Reverse(other.columns.size.unwrap_or(0))),
            Sort::Time => Reverse(one.columns.time.unwrap_or_default())
                .cmp(&Reverse(other.columns.time.unwrap_or_default())),
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
    use curt::Kind;

    #[test]
    fn extensions_begin_with_the_last_dot() {
        for (name, expected) in [("a.tar.gz", ".gz"), ("a", ""), (".b", ".b"), ("a.", ".")] {
            let item = Item::unknown(name.into(), Kind::File);
            assert_eq!(extension(&item), expected.as_bytes());
        }
    }
}
