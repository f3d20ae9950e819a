//! Entries that are about to be shown, and how they are read.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use curt::fields::{Time, Value};
use curt::list::Entry;
use curt::{Fields, Kind, Metadata, Threads};

use super::settings::{Form, Settings};
use crate::out::entry;

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

/// An entry of a tree.
pub(super) struct Row {
    pub(super) item: Item,
    /// Its directory; `None` for an operand.
    pub(super) dir: Option<Rc<OsStr>>,
    /// The branch before its name.
    pub(super) branch: String,
    /// The levels below the operand.
    pub(super) depth: usize,
}

/// The metadata that the long format shows in columns and that entries are sorted by, as far as it
/// is known. It lies in the entry: an allocation for each entry costs more than everything else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns {
    pub(super) mode: Option<u32>,
    pub(super) user_id: Option<u32>,
    pub(super) group_id: Option<u32>,
    /// The time that was chosen.
    pub(super) time: Option<Time>,
    pub(super) links: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) allocated: Option<u64>,
    pub(super) device_number: Option<u64>,
}

/// The IDs of user and group.
pub(super) type OwnerIds = (Option<u32>, Option<u32>);

impl Columns {
    /// Fills the columns in place. A copy of bytes just written in smaller parts would stall the
    /// processor.
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
    /// An entry with all of its metadata.
    pub(super) fn new(name: OsString, metadata: Metadata, time: Fields) -> Item {
        let mut item = Item::unknown(name, metadata.kind());
        item.columns.fill(&metadata, time);
        item.metadata = Some(Box::new(metadata));
        item
    }

    /// An entry of which only the kind is known.
    pub(super) fn unknown(name: OsString, kind: Kind) -> Item {
        let columns = Columns::default();
        Item { name, kind, columns, metadata: None, target: None, is_opened: false }
    }

    /// Returns its metadata, none if it is unknown.
    pub(super) fn all_metadata(&self) -> Cow<'_, Metadata> {
        self.metadata.as_deref().map(Cow::Borrowed).unwrap_or_default()
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
    /// The fields of files and of directories that are read besides the plan.
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
        let kept = fields | of_files;
        let is_plain = fields.without(Fields::NAME | Fields::KIND).is_empty();
        let detail = if settings.form != Form::Listing
            || kept.intersects(Fields::ID | Fields::ACL | Fields::CAPABILITY)
        {
            Detail::Metadata
        } else if is_plain && (of_files | of_directories).is_empty() {
            Detail::Kind
        } else {
            Detail::Columns
        };
        Collector { detail, of_files, of_directories, time: settings.time() }
    }

    /// Returns how many threads may read. If each entry needs allocations, the allocator costs more
    /// than further threads gain.
    pub(super) fn threads(&self, settings: &Settings<'_>) -> Threads {
        match settings.options.threads.unwrap_or_default() {
            Threads::Automatic if self.detail == Detail::Metadata => Threads::AtMost(1),
            threads => threads,
        }
    }

    /// Reads the metadata that is kept of an entry.
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

/// Returns the path of an entry as messages show it: in the working directory, only its name.
pub(super) fn display_path(dir: &OsStr, name: &OsStr) -> PathBuf {
    if dir == "." { PathBuf::from(name) } else { Path::new(dir).join(name) }
}
