//! Entries that are about to be shown, and how they are read.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use curt::fields::{Time, Value};
use curt::list::Entry;
use curt::{Fields, Kind, Metadata, Threads};

use super::settings::{Form, Settings};
use crate::args::{Clock, Marks};

/// An entry.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: OsString,
    pub(super) kind: Kind,
    pub(super) columns: Columns,
    /// All of its metadata, if the columns are not all that is shown.
    pub(super) metadata: Option<Box<Metadata>>,
    /// The kind and the mode of the target of a link, if they matter.
    pub(super) target: Option<Box<(Kind, Option<u32>)>>,
    /// An operand whose contents are listed instead of itself.
    pub(super) is_opened: bool,
}

/// The metadata that the long format shows in columns and that entries are sorted by. It is small
/// and lies in the entry: an allocation for each entry, and memory that is touched for the first
/// time, cost more than everything else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    /// The fields that have a value; the time counts as that of modification.
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
    /// Fills the columns in place. Copying what was just written in smaller parts would stall the
    /// processor.
    fn fill(&mut self, metadata: &Metadata, clock: Clock) {
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

    /// Columns of which only these are known.
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

    /// Returns the IDs of user and group.
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

/// Returns a value and notes that it is known.
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
    /// An entry with all of its metadata.
    pub(super) fn new(name: OsString, metadata: Metadata, clock: Clock) -> Item {
        let mut item = Item::unknown(name, metadata.kind().known().unwrap_or_default());
        item.columns.fill(&metadata, clock);
        item.metadata = Some(Box::new(metadata));
        item
    }

    /// An entry of which only the kind is known.
    pub(super) fn unknown(name: OsString, kind: Kind) -> Item {
        let columns = Columns::default();
        Item { name, kind, columns, metadata: None, target: None, is_opened: false }
    }

    /// Returns a value that is in no column, if it is known.
    pub(super) fn get<'a, T>(
        &'a self,
        value: impl FnOnce(&'a Metadata) -> Value<'a, T>,
    ) -> Option<T> {
        value(self.metadata.as_deref()?).known()
    }

    /// Whether its metadata could not be read.
    pub(super) fn is_failed(&self) -> bool {
        let fails = |(fields, _): (Fields, _)| fields.intersects(Fields::MODE | Fields::SIZE);
        self.metadata.as_deref().is_some_and(|metadata| metadata.failures().any(fails))
    }

    /// Whether it is a directory or a link to one.
    pub(super) fn leads_to_directory(&self) -> bool {
        let is_directory = |kind: Kind| kind == Kind::Directory;
        is_directory(self.kind) || self.target.as_ref().is_some_and(|target| is_directory(target.0))
    }
}

/// How much is kept of an entry beside its name and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Kind,
    Columns,
    Metadata,
}

/// Reads the entries of a directory, on several threads at once.
pub(super) struct Collector {
    pub(super) detail: Detail,
    /// Files are marked by their mode.
    needs_mode: bool,
    clock: Clock,
}

impl Collector {
    pub(super) fn new(settings: &Settings<'_>) -> Collector {
        let fields = settings.plan().fields();
        let needs_mode = settings.marks == Marks::All;
        let is_plain = fields.without(Fields::NAME | Fields::KIND).is_empty();
        let detail =
            if settings.form != Form::Listing || fields.intersects(Fields::ID | Fields::ACL) {
                Detail::Metadata
            } else if is_plain && !needs_mode {
                Detail::Kind
            } else {
                Detail::Columns
            };
        Collector { detail, needs_mode, clock: settings.clock() }
    }

    /// Returns how many threads may read. If each entry needs allocations, the allocator costs more
    /// than further threads gain.
    pub(super) fn threads(&self, settings: &Settings<'_>) -> Threads {
        match settings.options.threads.unwrap_or_default() {
            Threads::Automatic if self.detail == Detail::Metadata => Threads::AtMost(1),
            threads => threads,
        }
    }

    /// Reads what is kept of an entry.
    pub(super) fn collect(&self, item: &mut Item, mut entry: Entry<'_>) {
        item.kind = entry.metadata().kind().known().unwrap_or_default();
        if self.needs_mode && item.kind == Kind::File {
            entry.fetch(Fields::MODE);
        }
        let metadata = entry.metadata();
        if self.detail != Detail::Kind {
            item.columns.fill(metadata, self.clock);
        }
        let has_more = metadata.target().known().is_some()
            || metadata.user().known().is_some()
            || metadata.group().known().is_some()
            || metadata.failures().next().is_some();
        if self.detail == Detail::Metadata || has_more {
            item.metadata = Some(Box::new(entry.into_metadata()));
        }
    }
}

/// Returns the path of an entry as messages show it: in the working directory, only its name.
pub(super) fn display_path(dir: &OsStr, name: &OsStr) -> PathBuf {
    if dir == "." { PathBuf::from(name) } else { Path::new(dir).join(name) }
}
