//! Lists one directory, and queries the metadata of paths.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-list-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("sub"))?;
//! # std::fs::write(scratch.join("file"), "four")?;
//! use curt::Fields;
//!
//! // `scratch` is a directory with sub/ and file (4 bytes).
//! let mut list = curt::list(&scratch)?;
//! while let Some(entry) = list.next() {
//!     let mut entry = entry?;
//!     if entry.kind().is_file() {
//!         assert_eq!(entry.name(), "file");
//!         assert_eq!(entry.fetch(Fields::SIZE).size().known(), Some(4));
//!     }
//! }
//! let metadata = curt::stat(scratch.join("file"), Fields::SIZE | Fields::MODIFIED)?;
//! assert_eq!(metadata.size().known(), Some(4));
//! # drop(list);
//! # std::fs::remove_dir_all(scratch)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! - Each field of the [`Plan`] is queried at most once, and other fields never are. Values in the
//!   listing are used unless the plan wants them exact.
//! - Names are the system's own bytes or UTF-16 units. `.` and `..` are skipped.
//! - Entries come in the system's order, one at a time from one buffer, so memory does not grow
//!   with the number of entries.
//! - [`List::gather`] reads a whole directory in the same order, and queries metadata from several
//!   threads if that is faster.
//! - A failed query is stored in its entry ([`Value::Failed`](crate::fields::Value)), and the
//!   listing continues.
//!
//! # Call ceiling
//!
//! | | Linux | portable (POSIX) | Windows |
//! |---|---|---|---|
//! | open, list and close a directory | 4 (`openat`, 2 `getdents64`, `close`) | 5 | 5, one of them for the volume |
//! | each further buffer | 1 for 64 KiB, from the fifth on 1 MiB | the C library's | 1 for 64 KiB |
//! | name, kind, number | 0 | 0 | 0 |
//! | sizes, times, attributes | 1 (`statx` with a mask of the wanted fields) | 1 | 0 |
//! | links, mode, owner | the same call | the same call | 1 (3 if the system cannot query by name), owner 3 |
//! | target of a symlink | 1 | 1 | 3 |
//! | access rules, capability, label | 1, and 1 more for a label | – | 3 |
//! | a subdirectory ([`DirectoryWalk`]) | as for a directory | 1 more | as for a directory |
//! | a subdirectory, when following symlinks or staying on one filesystem | 1 more | 1 more | 1 more |
//! | a mount point in a listed directory | 2, and 3 for each ancestor | – | – |
//! | depth beyond 64 directories with siblings | about 4 per reopened directory | about 4 | about 4 |
//! | a directory from a descriptor or handle | 0 | 2 | 2 |
//! | gathering 2,048 or more entries that need queries | 1 more, for the number of processors | 1 more | 1 more |
//! | querying a path | 1 | 1 | 1 (3 to follow a symlink, or if the system cannot query by name; 2 if it is missing) |
//!
//! # Races
//!
//! A listing is not a snapshot: an entry added or removed meanwhile may be listed or not. Queries
//! of an entry that has vanished fail. Queries are relative to the open directory, so moving or
//! replacing the directory does not redirect them.
//!
//! # Fallbacks
//!
//! Without `statx`, `fstatat` is used, which lacks creation times and attributes. On filesystems
//! whose listings carry no kinds, a wanted kind is queried. On Windows, an information class that a
//! volume refuses is replaced with an older one.

mod directory_walk;
mod gather;
mod stat;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use crate::name::NameBlock;
pub use directory_walk::DirectoryWalk;
pub use stat::{Stat, stat};

use crate::calls::Calls;
use crate::control::Next;
use crate::error::{Cause, Error, Operation};
use crate::fields::FileName;
use crate::fields::{Fields, Follow, Kind, Metadata, Plan};
use crate::name::{Name, NameBuf};
use crate::querier::{Querier, Subject};
use crate::sys::{self, Feature, Features, Listing, Opened, Os, Setup, Sys, SystemUnit};
use crate::tree::Reader;

type Unit = <Os as Sys>::Unit;
type OsDir = <Os as Sys>::Dir;

/// Lists a directory.
///
/// Each entry has its name, and its kind, which costs no call if the listing carries it.
/// [`List::fields`] adds fields.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-list-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// # std::fs::write(scratch.join("a"), "four")?;
/// // `scratch` is a directory with a file `a` (4 bytes).
/// let mut list = curt::list(&scratch)?.fields(curt::Fields::SIZE);
/// while let Some(entry) = list.next() {
///     let entry = entry?;
///     assert_eq!(entry.name(), "a");
///     assert!(entry.kind().is_file());
///     assert_eq!(entry.metadata().size().known(), Some(4));
/// }
/// # drop(list);
/// # std::fs::remove_file(scratch.join("a"))?;
/// # std::fs::remove_dir(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn list(path: impl AsRef<Path>) -> Result<List, Error> {
    Ok(Directory::open(path)?.list(Fields::KIND))
}

/// A directory opened for listing.
///
/// It can be created from a descriptor open for reading (`Directory::try_from(fd)?`), on Windows
/// from a handle. Listing then begins at the descriptor's position, and the path of an entry is
/// only its name. The descriptor or handle can be borrowed (`AsFd`, `AsHandle`) and taken back.
#[must_use = "an open directory does nothing until it is listed"]
pub struct Directory {
    pub(crate) setup: Setup,
    calls: Calls,
    pub(crate) dir: OsDir,
    buf: <Os as Sys>::DirBuf,
    path: PathBuf,
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directory").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Directory {
    /// Opens a directory, following symlinks in the path. Makes 1 system call.
    pub fn open(path: impl AsRef<Path>) -> Result<Directory, Error> {
        Directory::open_without(path, &[])
    }

    /// Opens a directory, for tests, without using these kernel features.
    #[doc(hidden)]
    pub fn open_without(path: impl AsRef<Path>, without: &[Feature]) -> Result<Directory, Error> {
        let path = path.as_ref();
        let features = without.iter().fold(Features::default(), |all, &one| all.with(one));
        let setup = Setup::default().for_listing(features);
        let sys = Os::start(&setup);
        let located = sys.locate(path);
        let open = |(from, name): (_, NameBuf<_>)| sys.open_below(&from, name.as_name(), true);
        match located.map(open).and_then(Opened::into_result) {
            Ok(dir) => Ok(Directory::of(setup, &sys.calls(), dir, path.to_owned())),
            Err(error) => {
                Err(Error::new(Operation::OpenDirectory, path.to_owned(), Cause::Os(error)))
            }
        }
    }

    pub(crate) fn of(setup: Setup, calls: &Calls, dir: OsDir, path: PathBuf) -> Directory {
        Directory { setup, calls: *calls, dir, buf: <Os as Sys>::DirBuf::default(), path }
    }

    pub(crate) fn adopted(
        adopt: impl FnOnce(&Os) -> io::Result<OsDir>,
    ) -> Result<Directory, Error> {
        let setup = Setup::default().for_listing(Features::default());
        let sys = Os::start(&setup);
        match adopt(&sys) {
            Ok(dir) => Ok(Directory::of(setup, &sys.calls(), dir, PathBuf::new())),
            Err(error) => {
                Err(Error::new(Operation::OpenDirectory, PathBuf::new(), Cause::Os(error)))
            }
        }
    }

    /// Returns the path as given. A [`DirectoryWalk`] appends the names of subdirectories.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts listing the entries with these fields.
    pub fn list(self, plan: impl Into<Plan>) -> List {
        let Directory { setup, calls, dir, buf, path } = self;
        List {
            querier: Querier::new(Os::start(&setup), plan.into()),
            others: calls,
            dir,
            setup,
            reader: Reader::new(buf),
            path,
            metadata: Metadata::default(),
        }
    }
}

/// The entries of a directory, read one at a time.
#[must_use = "a listing does nothing until it is asked for entries"]
pub struct List {
    querier: Querier<Os>,
    others: Calls,
    pub(crate) dir: OsDir,
    setup: Setup,
    reader: Reader<Os>,
    path: PathBuf,
    metadata: Metadata,
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").field("path", &self.path).finish_non_exhaustive()
    }
}

impl List {
    /// Adds fields to the plan for entries not yet returned.
    pub fn fields(self, fields: Fields) -> List {
        let plan = self.querier.plan();
        self.querier.set_plan(Plan { fields: plan.fields | fields, ..plan });
        self
    }

    /// Returns the next entry, borrowed from the listing. A failure to read the directory ends the
    /// listing.
    ///
    /// A listing is not an `Iterator`, because entries borrow from it. Loop with
    /// `while let Some(entry) = list.next()`.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<Entry<'_>, Error>> {
        match self.fill() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(error)),
        }
        let List { querier, dir, reader, path, metadata, .. } = self;
        let batch = ListBatch { dir, path, buf: reader.buffer() };
        let (entry, at) = reader.next()?;
        Some(Ok(batch.listed(querier, entry, at, metadata)))
    }

    /// Calls `visit` for the remaining entries of the current batch, which one call has read.
    ///
    /// If none remain, reads a new batch first. Names are borrowed from the buffer until the
    /// listing reads again, so they can be collected without copying.
    ///
    /// Returns `false` at the end of the directory. A failure to read the directory ends the
    /// listing. Costs as many calls as [`List::next`].
    ///
    /// ```
    /// use curt::Next;
    /// let mut list = curt::list("src")?;
    /// loop {
    ///     let mut names = Vec::new();
    ///     let more = list.visit_batch(|name, entry| {
    ///         if entry.kind().is_file() {
    ///             names.push(name);
    ///         }
    ///         Next::Continue
    ///     })?;
    ///     if !more {
    ///         break;
    ///     }
    ///     assert!(names.iter().any(|name| name.get() == "lib.rs"));
    /// }
    /// # Ok::<(), curt::Error>(())
    /// ```
    pub fn visit_batch<'a>(
        &'a mut self,
        mut visit: impl FnMut(EntryName<'a>, Entry<'_>) -> Next,
    ) -> Result<bool, Error> {
        if !self.fill()? {
            return Ok(false);
        }
        let List { querier, dir, reader, path, metadata, .. } = self;
        let batch = ListBatch { dir, path, buf: reader.buffer() };
        while let Some((entry, at)) = reader.next() {
            let name = EntryName(entry.name);
            if visit(name, batch.listed(querier, entry, at, metadata)) == Next::Stop {
                break;
            }
        }
        Ok(true)
    }

    fn fill(&mut self) -> Result<bool, Error> {
        while !self.reader.has_next() {
            if self.reader.is_at_end() {
                return Ok(false);
            }
            self.read()?;
        }
        Ok(true)
    }

    fn read(&mut self) -> Result<(), Error> {
        self.reader
            .read(&self.dir, &self.querier.sys)
            .map(drop)
            .map_err(|error| self.failed(Operation::ReadDirectory, error))
    }

    /// Restarts the listing at the first entry without reopening the directory.
    pub fn reset(&mut self) -> Result<(), Error> {
        if self.reader.has_begun() {
            let rewound = self.querier.sys.rewind(&self.dir);
            rewound.map_err(|error| self.failed(Operation::ReadDirectory, error))?;
        }
        self.reader.reset();
        Ok(())
    }

    /// Queries a path relative to this directory, as [`Stat::path`] does.
    ///
    /// `path` must fit the system's path limit, but the directory's own path may be longer.
    pub fn stat(&self, stat: &mut Stat, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        let whole = || self.path.join(path);
        let name = NameBuf::new(SystemUnit::units(path));
        let name = name.map_err(|error| Error::new(Operation::Stat, whole(), Cause::Os(error)))?;
        let (name, follow) = (name.as_name(), stat.follows());
        let mut metadata = Metadata::default();
        stat.querier.reset(&mut metadata);
        let subject = Subject { dir: &self.dir, name, path: &whole, follow };
        stat.querier.complete(&subject, &mut metadata);
        metadata.whole()
    }

    fn failed(&self, operation: Operation, error: io::Error) -> Error {
        Error::new(operation, self.path.clone(), Cause::Os(error))
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        let mut calls = self.querier.sys.calls();
        calls.add(&self.others);
        calls
    }

    /// Closes the directory. Returns all calls made, including this one.
    pub fn close(self) -> Calls {
        let List { querier, others: mut calls, dir, .. } = self;
        querier.sys.close(dir);
        calls.add(&querier.sys.calls());
        calls
    }
}

#[derive(Clone, Copy)]
struct ListBatch<'a> {
    dir: &'a OsDir,
    path: &'a Path,
    buf: &'a <Os as Sys>::DirBuf,
}

impl<'a> ListBatch<'a> {
    #[inline]
    fn listed(
        self,
        querier: &'a Querier<Os>,
        entry: sys::Entry<'a, Unit>,
        at: usize,
        metadata: &'a mut Metadata,
    ) -> Entry<'a> {
        querier.reset(metadata);
        self.buf.facts(at, &entry, &mut metadata.facts);
        let ListBatch { dir, path, .. } = self;
        let mut entry = Entry { querier, dir, path, name: entry.name, metadata };
        entry.with_subject(|subject, metadata| querier.complete(subject, metadata));
        entry
    }
}

/// The name of an entry in the listing's buffer, where a NUL follows it.
#[derive(Clone, Copy)]
pub struct EntryName<'a>(pub(crate) Name<'a, Unit>);

impl<'a> EntryName<'a> {
    /// Returns the name, borrowed on Unix, converted from UTF-16 on Windows.
    ///
    /// The `Units` traits in [`os`](crate::os) give access to the bytes or UTF-16 units.
    pub fn get(self) -> FileName<'a> {
        FileName(SystemUnit::text(self.0.units()))
    }
}

impl fmt::Debug for EntryName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The current entry of a listing, borrowed from it.
pub struct Entry<'a> {
    querier: &'a Querier<Os>,
    dir: &'a OsDir,
    path: &'a Path,
    pub(crate) name: Name<'a, Unit>,
    metadata: &'a mut Metadata,
}

impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Entry");
        shown.field("path", &self.path()).field("metadata", self.metadata()).finish()
    }
}

impl<'a> Entry<'a> {
    /// Returns the name, as [`EntryName::get`] does.
    pub fn name(&self) -> FileName<'a> {
        EntryName(self.name).get()
    }

    /// Returns the directory's path as given, joined with the name of the entry.
    pub fn path(&self) -> PathBuf {
        self.path.join(self.name())
    }

    /// Returns the kind, if the listing carries it or the plan includes it.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }

    /// Returns the metadata: the fields of the plan and those fetched since.
    pub fn metadata(&self) -> &Metadata {
        self.metadata
    }

    /// Returns the metadata by value.
    pub fn into_metadata(self) -> Metadata {
        std::mem::take(self.metadata)
    }

    /// Returns an owned copy of the name.
    pub fn to_name(&self) -> OsString {
        self.name().into_owned()
    }

    /// Queries more fields of this entry.
    ///
    /// Fields already known cost nothing, the others as much as if the plan had included them.
    pub fn fetch(&mut self, more: Fields) -> &Metadata {
        let querier = self.querier;
        self.with_subject(|subject, metadata| querier.fetch(subject, more, metadata));
        self.metadata
    }

    fn with_subject(&mut self, act: impl FnOnce(&Subject<'_, Os>, &mut Metadata)) {
        let path = || self.path.join(SystemUnit::path(self.name.units().to_vec()));
        let follow = self.querier.plan().follow == Follow::Links;
        let subject = Subject { dir: self.dir, name: self.name, path: &path, follow };
        act(&subject, self.metadata);
    }
}
