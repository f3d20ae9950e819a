//! Entries that are about to be shown.

use std::ffi::OsString;

use curt::{Fields, Kind, Metadata, Time, Value};

use crate::args::Clock;

/// An entry.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: OsString,
    pub(super) kind: Kind,
    pub(super) columns: Columns,
    /// All that was found out about it, where the columns are not all that is shown.
    pub(super) metadata: Option<Box<Metadata>>,
    /// What a link leads to, where that matters: its kind and its mode.
    pub(super) target: Option<Box<(Kind, Option<u32>)>>,
    /// An operand whose content is to be listed.
    pub(super) is_opened: bool,
}

/// What the long form shows in columns, and what is sorted by. It lies in the entry, and takes
/// little: what is allocated by itself, for each entry, costs more than all else that is done about
/// it, and so do pages of memory that are touched for the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    /// Those that have a value; the time counts as that of modification.
    known: Fields,
    mode: u32,
    user_id: u32,
    group_id: u32,
    nanoseconds: u32,
    seconds: i64,
    links: u64,
    size: u64,
    allocated: u64,
    device_number: u64,
}

const TIME: Fields = Fields::MODIFIED;

impl Columns {
    /// Takes those of an entry, with the time by this clock. Where they lie: a copy of what was
    /// just written in smaller parts waits until the processor has put them together.
    pub(super) fn take(&mut self, metadata: &Metadata, clock: Clock) {
        let time = match clock {
            Clock::Accessed => metadata.accessed(),
            Clock::Changed => metadata.changed(),
            Clock::Modified => metadata.modified(),
            Clock::Created => metadata.created(),
        };
        let mut known = Fields::NONE;
        let time = note(time, TIME, &mut known);
        self.seconds = time.seconds;
        self.nanoseconds = time.nanoseconds;
        self.mode = note(metadata.mode(), Fields::MODE, &mut known);
        self.user_id = note(metadata.user_id(), Fields::USER_ID, &mut known);
        self.group_id = note(metadata.group_id(), Fields::GROUP_ID, &mut known);
        self.links = note(metadata.links(), Fields::LINKS, &mut known);
        self.size = note(metadata.size(), Fields::SIZE, &mut known);
        self.allocated = note(metadata.allocated(), Fields::ALLOCATED, &mut known);
        let number = metadata.device_number();
        self.device_number = note(number, Fields::DEVICE_NUMBER, &mut known);
        self.known = known;
    }

    /// Those of an entry of which only this is known.
    #[cfg(test)]
    pub(super) fn sample(size: u64, time: Time) -> Columns {
        let Time { seconds, nanoseconds } = time;
        Columns { known: Fields::SIZE | TIME, size, seconds, nanoseconds, ..Columns::default() }
    }

    pub(super) fn mode(&self) -> Option<u32> {
        self.get(Fields::MODE, self.mode)
    }

    fn user_id(&self) -> Option<u32> {
        self.get(Fields::USER_ID, self.user_id)
    }

    fn group_id(&self) -> Option<u32> {
        self.get(Fields::GROUP_ID, self.group_id)
    }

    /// The numbers of user and group.
    pub(super) fn owners(&self) -> (Option<u32>, Option<u32>) {
        (self.user_id(), self.group_id())
    }

    pub(super) fn time(&self) -> Option<Time> {
        self.get(TIME, Time { seconds: self.seconds, nanoseconds: self.nanoseconds })
    }

    pub(super) fn links(&self) -> Option<u64> {
        self.get(Fields::LINKS, self.links)
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.get(Fields::SIZE, self.size)
    }

    pub(super) fn allocated(&self) -> Option<u64> {
        self.get(Fields::ALLOCATED, self.allocated)
    }

    pub(super) fn device_number(&self) -> Option<u64> {
        self.get(Fields::DEVICE_NUMBER, self.device_number)
    }

    fn get<T>(&self, field: Fields, value: T) -> Option<T> {
        self.known.contains(field).then_some(value)
    }
}

/// A value, and that it is one.
fn note<T: Default>(value: Value<'_, T>, field: Fields, known: &mut Fields) -> T {
    match value.known() {
        Some(value) => {
            *known |= field;
            value
        }
        None => T::default(),
    }
}

impl Item {
    /// An entry of this name, with all that is known of it.
    pub(super) fn new(name: OsString, metadata: Metadata, clock: Clock) -> Item {
        let mut item = Item::unknown(name, metadata.kind().known().unwrap_or_default());
        item.columns.take(&metadata, clock);
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

    /// It is a directory, or a link to one.
    pub(super) fn leads_to_directory(&self) -> bool {
        let is_directory = |kind: Kind| kind == Kind::Directory;
        is_directory(self.kind) || self.target.as_ref().is_some_and(|target| is_directory(target.0))
    }
}
