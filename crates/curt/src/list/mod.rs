//! Listing one directory, and asking about paths.
//!
//! ```
//! # let scratch = std::env::temp_dir().join(format!("curt-list-mod-{}", std::process::id()));
//! # std::fs::create_dir_all(scratch.join("sub"))?;
//! # std::fs::write(scratch.join("file"), "four")?;
//! use curt::Fields;
//!
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
//! - Only what the [`Plan`] names is asked for, and nothing twice. What the listing carries is
//!   taken from it, unless the plan wants it exact. Nothing is invented.
//! - Names are the exact bytes (or UTF-16 units) of the system. `.` and `..` are left out.
//! - Entries come in the order of the system, one at a time, from one buffer: a directory of a
//!   million entries takes no more memory than one of ten.
//! - A directory can also be read as a whole ([`List::gather`]): then several threads ask, if there
//!   is much to ask, and the entries keep their order.
//! - A failure to ask about one entry belongs to that entry
//!   ([`Value::Failed`](crate::fields::Value)); the listing goes on.
//!
//! # Call ceiling
//!
//! | | Linux | portable (POSIX) | Windows |
//! |---|---|---|---|
//! | open, list and close a directory | 4 (`openat`, 2 `getdents64`, `close`) | 5 | 5: one asks for the volume |
//! | each further buffer | 1 for 64 KiB, from the fifth on 1 MiB | the C library's | 1 for 64 KiB |
//! | name, kind, number | 0 | 0 | 0 |
//! | sizes, times, attributes | 1 (`statx` with the mask of what is wanted) | 1 | 0 |
//! | links, mode, owner | the same call | the same call | 1 (3 if the system cannot ask by name), owner 3 |
//! | target of a link | 1 for each link | 1 | 3 for each link |
//! | access rules, capability, label | 1, a label 1 more | – | 3 |
//! | a directory below a listed one ([`DirectoryWalk`]) | as above | 1 more | as above |
//! | a directory below a listed one, links followed or on one file system only | 1 more | 1 more | 1 more |
//! | a mount point below a listed directory | 2, and 3 for each directory above it | – | – |
//! | depth beyond 64 directories with others beside them | about 4 for each directory opened again | the same | the same |
//! | a directory from a descriptor or handle | 0 | 2 | 2 |
//! | a directory as a whole, of 2,048 entries and more to ask about | 1 more: the processors | the same | the same |
//! | asking about a path | 1 | 1 | 1 (3 to follow a link, or if the system cannot ask by name; 2 if it is missing) |
//!
//! # Races
//!
//! A listing is no snapshot: an entry that is added or removed meanwhile may be listed or not. An
//! entry that vanished between the listing and the question has failed fields, with the system's
//! error. Everything about an entry is asked relative to the open directory, so a directory that is
//! moved or replaced meanwhile changes nothing. [`DirectoryWalk`] lists a tree from its top down
//! without leaving it.
//!
//! # Fallbacks
//!
//! Without `statx`: the older call, without creation times and attributes. Where a listing has no
//! kinds (some file systems), the kind is asked for if it is wanted. On Windows,
//! older forms of the listing and of the questions take the place of those that a volume refuses.

// One run, from the public function to the system call:
//
// - `list` calls `Directory::open`, which opens the path by `Sys::open_below` (on Linux `openat`);
//   `Directory::list` makes a `List` of it.
// - `List::next` takes an entry from the buffer; `List::read` fills that, by `Reader::read` and
//   `Sys::read_entries` (`getdents64`).
// - `ListBatch::entry` asks what the listing does not say, by `Asker::complete` and `Sys::query`
//   (`statx`), and returns an `Entry`.
// - `List::close` closes the directory.
//
// `stat.rs` asks about paths; `gather.rs` asks about the entries of a directory with several
// threads; `directory_walk.rs` opens the directories of a tree, for each to be listed.

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

use crate::ask::{Asker, Subject};
use crate::calls::Calls;
use crate::control::Next;
use crate::error::{Cause, Error, Operation};
use crate::fields::FileName;
use crate::fields::{Fields, Follow, Kind, Metadata, Plan};
use crate::name::{Name, NameBuf};
use crate::sys::{self, Feature, Features, Listing, Opened, Os, Setup, Sys, SystemUnit};
use crate::tree::Reader;

type Unit = <Os as Sys>::Unit;
type OsDir = <Os as Sys>::Dir;

/// Lists a directory. Each entry has its name and its kind, which costs no call where the listing
/// carries them; [`List::fields`] asks for more. The errors are those of opening the directory.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-list-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// # std::fs::write(scratch.join("a"), "four")?;
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

/// A directory that is open for listing.
///
/// On Unix it can be made from a descriptor (`Directory::try_from(fd)?`), which must be open for
/// reading; on Windows from a handle. Its entries are then listed from the position of the
/// descriptor, and their paths are their names. It lends its descriptor or handle (`AsFd`,
/// `AsHandle`), and can be turned into it again.
#[must_use = "an open directory does nothing until it is listed"]
pub struct Directory {
    /// What each platform that asks here is started with.
    pub(crate) setup: Setup,
    /// The calls made so far.
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
    /// Opens a directory, following links as the path is typed. 1 call.
    pub fn open(path: impl AsRef<Path>) -> Result<Directory, Error> {
        Directory::open_without(path, &[])
    }

    /// Opens a directory without features of the system, for tests.
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

    /// A directory that was opened elsewhere for listing, by a platform that was started with this
    /// setup and has made these calls.
    pub(crate) fn of(setup: Setup, calls: &Calls, dir: OsDir, path: PathBuf) -> Directory {
        Directory { setup, calls: *calls, dir, buf: <Os as Sys>::DirBuf::default(), path }
    }

    /// A directory that the caller has opened: `adopt` makes it from the caller's descriptor.
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

    /// Returns the path: as it was given, and below a [`DirectoryWalk`] the names to it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lists the entries.
    pub fn list(self, plan: impl Into<Plan>) -> List {
        let Directory { setup, calls, dir, buf, path } = self;
        List {
            asker: Asker::new(Os::start(&setup), plan.into()),
            others: calls,
            dir,
            setup,
            reader: Reader::new(buf),
            path,
            metadata: Metadata::default(),
        }
    }
}

/// The entries of a directory, one at a time.
#[must_use = "a listing does nothing until it is asked for entries"]
pub struct List {
    asker: Asker<Os>,
    /// The calls that were made before, and by other threads.
    others: Calls,
    pub(crate) dir: OsDir,
    /// What each platform that asks here is started with.
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
    /// Asks for these fields of each entry from now on, beside those asked for before.
    pub fn fields(self, fields: Fields) -> List {
        let plan = self.asker.plan();
        self.asker.set_plan(Plan { fields: plan.fields | fields, ..plan });
        self
    }

    /// Returns the next entry. It borrows from the listing, which goes on when the entry is
    /// dropped. An error of the listing as a whole ends it.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<Entry<'_>, Error>> {
        match self.fill() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(error)),
        }
        let List { asker, dir, reader, path, metadata, .. } = self;
        let batch = ListBatch { dir, path, buf: reader.buffer() };
        let (entry, at) = reader.next()?;
        Some(Ok(batch.listed(asker, entry, at, metadata)))
    }

    /// Calls `visit` with the entries that were read together and are left, until it returns
    /// [`Next::Stop`]. If none is left, the next are read first. Their names lie beside each other
    /// until the listing reads again, and are lent for that long: a batch of names is no copy.
    ///
    /// Returns whether there were any: `false` at the end of the directory. An error of the listing
    /// as a whole ends it. The cost in calls is that of [`List::next`].
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
        let List { asker, dir, reader, path, metadata, .. } = self;
        let batch = ListBatch { dir, path, buf: reader.buffer() };
        while let Some((entry, at)) = reader.next() {
            let name = EntryName(entry.name);
            if visit(name, batch.listed(asker, entry, at, metadata)) == Next::Stop {
                break;
            }
        }
        Ok(true)
    }

    /// Reads the next batch if no entry is left of the last one. Returns whether there is one.
    fn fill(&mut self) -> Result<bool, Error> {
        while !self.reader.has_next() {
            if self.reader.is_at_end() {
                return Ok(false);
            }
            self.read()?;
        }
        Ok(true)
    }

    /// Reads the next batch of entries.
    fn read(&mut self) -> Result<(), Error> {
        self.reader
            .read(&self.dir, &self.asker.sys)
            .map(drop)
            .map_err(|error| self.failed(Operation::ReadDirectory, error))
    }

    /// Starts again from the first entry, without opening the directory again.
    pub fn reset(&mut self) -> Result<(), Error> {
        if self.reader.has_begun() {
            let rewound = self.asker.sys.rewind(&self.dir);
            rewound.map_err(|error| self.failed(Operation::ReadDirectory, error))?;
        }
        self.reader.reset();
        Ok(())
    }

    /// Asks about a path relative to this directory, as [`Stat::path`] does; links are followed as
    /// the plan of `stat` says. However long the path of the directory is, this one must not be
    /// longer than the system takes.
    pub fn stat(&self, stat: &mut Stat, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        let whole = || self.path.join(path);
        let name = NameBuf::new(SystemUnit::units(path));
        let name = name.map_err(|error| Error::new(Operation::Stat, whole(), Cause::Os(error)))?;
        let (name, follow) = (name.as_name(), stat.follows());
        let mut metadata = Metadata::default();
        stat.asker.reset(&mut metadata);
        let subject = Subject { dir: &self.dir, name, path: &whole, follow };
        stat.asker.complete(&subject, &mut metadata);
        metadata.whole()
    }

    fn failed(&self, operation: Operation, error: io::Error) -> Error {
        Error::new(operation, self.path.clone(), Cause::Os(error))
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        let mut calls = self.asker.sys.calls();
        calls.add(&self.others);
        calls
    }

    /// Closes the directory, and returns all calls that were made, this one included.
    pub fn close(self) -> Calls {
        let List { asker, others: mut calls, dir, .. } = self;
        asker.sys.close(dir);
        calls.add(&asker.sys.calls());
        calls
    }
}

/// The entries of a listing that were read together.
#[derive(Clone, Copy)]
struct ListBatch<'a> {
    /// The directory by which this thread asks.
    dir: &'a OsDir,
    path: &'a Path,
    buf: &'a <Os as Sys>::DirBuf,
}

impl<'a> ListBatch<'a> {
    /// Returns this entry, which lies at `at`, with everything that the plan wants.
    #[inline]
    fn listed(
        self,
        asker: &'a Asker<Os>,
        entry: sys::Entry<'a, Unit>,
        at: usize,
        metadata: &'a mut Metadata,
    ) -> Entry<'a> {
        asker.reset(metadata);
        self.buf.facts(at, &entry, &mut metadata.facts);
        let ListBatch { dir, path, .. } = self;
        let mut entry = Entry { asker, dir, path, name: entry.name, metadata };
        entry.ask(|subject, metadata| asker.complete(subject, metadata));
        entry
    }
}

/// The name of an entry where the system wrote it, in the buffer of the listing: it can be kept, at
/// no cost, until the listing reads again. A NUL follows it there.
#[derive(Clone, Copy)]
pub struct EntryName<'a>(pub(crate) Name<'a, Unit>);

impl<'a> EntryName<'a> {
    /// Returns the name. Borrowed on Unix; converted from UTF-16 on Windows. The traits `Units` in
    /// [`os`](crate::os) have its bytes or units.
    pub fn get(self) -> FileName<'a> {
        FileName(SystemUnit::text(self.0.units()))
    }
}

impl fmt::Debug for EntryName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// The entry that a listing is at; it borrows from the listing.
pub struct Entry<'a> {
    asker: &'a Asker<Os>,
    dir: &'a OsDir,
    /// The path of the directory.
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
    /// Returns the name. Borrowed on Unix; converted from UTF-16 on Windows, where
    /// `os::windows::Units` has the units.
    pub fn name(&self) -> FileName<'a> {
        EntryName(self.name).get()
    }

    /// Returns the path: that of the directory as it was given, and the name.
    pub fn path(&self) -> PathBuf {
        self.path.join(self.name())
    }

    /// Returns the kind, if the listing has it or the plan names it.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }

    /// Returns what is known of the entry: the fields that the plan names, and those fetched since.
    pub fn metadata(&self) -> &Metadata {
        self.metadata
    }

    /// Returns the metadata.
    pub fn into_metadata(self) -> Metadata {
        std::mem::take(self.metadata)
    }

    /// Returns an owned copy of the name.
    pub fn to_name(&self) -> OsString {
        self.name().into_owned()
    }

    /// Asks for more fields of this entry. Costs what the plan of these fields costs, without what
    /// is known already.
    pub fn fetch(&mut self, more: Fields) -> &Metadata {
        let asker = self.asker;
        self.ask(|subject, metadata| asker.fetch(subject, more, metadata));
        self.metadata
    }

    fn ask(&mut self, ask: impl FnOnce(&Subject<'_, Os>, &mut Metadata)) {
        let path = || self.path.join(SystemUnit::path(self.name.units().to_vec()));
        let follow = self.asker.plan().follow == Follow::Links;
        let subject = Subject { dir: self.dir, name: self.name, path: &path, follow };
        ask(&subject, self.metadata);
    }
}
