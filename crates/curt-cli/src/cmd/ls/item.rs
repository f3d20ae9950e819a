use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use curt::fields::{Time, Value};
use curt::list::Entry;
use curt::{Fields, Kind, Metadata, Threads};

use super::settings::{Form, Settings};
use crate::out::entry;

#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: OsString,
    pub(super) kind: Kind,
    pub(super) columns: Columns,
    /// The full metadata, if `columns` is not enough.
    pub(super) metadata: Option<Box<Metadata>>,
    /// Kind and mode of a symlink's target, if needed.
    pub(super) target: Option<Box<(Kind, Option<u32>)>>,
    /// Whether this is an operand whose contents are listed instead of itself.
    pub(super) is_opened: bool,
}

pub(super) struct Row {
    pub(super) item: Item,
    pub(super) dir: Option<Rc<OsStr>>,
    pub(super) branch: String,
    pub(super) depth: usize,
}

/// Values of the long format and of sorting, stored inline because an allocation per entry would
/// cost more than all other work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) mode: Option<u32>,
    pub(super) user_id: Option<u32>,
    pub(super) group_id: Option<u32>,
    pub(super) time: Option<Time>,
    pub(super) links: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) allocated: Option<u64>,
    pub(super) device_number: Option<u64>,
}

pub(super) type OwnerIds = (Option<u32>, Option<u32>);

impl Columns {
    /// Assigns each field in place, because copying a struct that was just written in small parts
    /// defeats store forwarding.
    fn fill(&mut self, metadata: &Metadata, time: Fields) {
        self.mode = metadata.mode().known();
        self.user_id = metadata.user_id().known();
        self.group_id = metadata.group_id().known();
        self.time = entry::time(time, metadata).known();
        self.links = metadata.links().known();
        self.size = metadata.size().known();
        self.allocated = metadata.allocated().known();
        self.device_number = metadata.device_number().known();
    }

    pub(super) fn owners(&self) -> OwnerIds {
        (self.user_id, self.group_id)
    }
}

impl Item {
    pub(super) fn new(name: OsString, metadata: Metadata, time: Fields) -> Item {
        let mut item = Item::unknown(name, metadata.kind());
        item.columns.fill(&metadata, time);
        item.metadata = Some(Box::new(metadata));
        item
    }

    pub(super) fn unknown(name: OsString, kind: Kind) -> Item {
        let columns = Columns::default();
        Item { name, kind, columns, metadata: None, target: None, is_opened: false }
    }

    pub(super) fn all_metadata(&self) -> Cow<'_, Metadata> {
        self.metadata.as_deref().map(Cow::Borrowed).unwrap_or_default()
    }

    pub(super) fn get<'a, T>(
        &'a self,
        value: impl FnOnce(&'a Metadata) -> Value<'a, T>,
    ) -> Option<T> {
        value(self.metadata.as_deref()?).known()
    }

    pub(super) fn is_failed(&self) -> bool {
        let fails = |(fields, _): (Fields, _)| fields.intersects(Fields::MODE | Fields::SIZE);
        self.metadata.as_deref().is_some_and(|metadata| metadata.failures().any(fails))
    }

    pub(super) fn leads_to_directory(&self) -> bool {
        let is_directory = |kind: Kind| kind == Kind::Directory;
        is_directory(self.kind) || self.target.as_ref().is_some_and(|target| is_directory(target.0))
    }
}

/// How much metadata an entry stores besides name and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Kind,
    Columns,
    Metadata,
}

pub(super) struct Collector {
    pub(super) detail: Detail,
    /// Fields to read beyond the plan's, for files and for directories.
    of_files: Fields,
    of_directories: Fields,
    time: Fields,
}

impl Collector {
    pub(super) fn new(settings: &Settings<'_>) -> Collector {
        let fields = settings.plan().fields();
        let (of_files, of_directories) = settings.needs();
        let of_files = of_files.without(fields);
        let of_directories = of_directories.without(fields);
        let stored = fields | of_files;
        let is_plain = fields.without(Fields::NAME | Fields::KIND).is_empty();
        let detail = if settings.form != Form::Listing
            || stored.intersects(Fields::ID | Fields::ACL | Fields::CAPABILITY)
        {
            Detail::Metadata
        } else if is_plain && (of_files | of_directories).is_empty() {
            Detail::Kind
        } else {
            Detail::Columns
        };
        Collector { detail, of_files, of_directories, time: settings.time() }
    }

    /// Returns the maximum number of threads: 1 if each entry needs allocations, which cost more
    /// than other threads gain.
    pub(super) fn threads(&self, settings: &Settings<'_>) -> Threads {
        match settings.options.threads.unwrap_or_default() {
            Threads::Automatic if self.detail == Detail::Metadata => Threads::AtMost(1),
            threads => threads,
        }
    }

    pub(super) fn collect(&self, item: &mut Item, mut entry: Entry<'_>) {
        item.kind = entry.metadata().kind();
        let more = match item.kind {
            Kind::File => self.of_files,
            Kind::Directory => self.of_directories,
            _ => Fields::NONE,
        };
        if !more.is_empty() {
            entry.fetch(more);
        }
        let metadata = entry.metadata();
        if self.detail != Detail::Kind {
            item.columns.fill(metadata, self.time);
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

/// Returns the path for messages; in the working directory, only the name.
pub(super) fn display_path(dir: &OsStr, name: &OsStr) -> PathBuf {
    if dir == "." { PathBuf::from(name) } else { Path::new(dir).join(name) }
}
