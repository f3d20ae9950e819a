//! Listing one directory, and asking about paths.
//!
//! # Promises
//!
//! - Only what the [`Plan`] names is asked for, and nothing twice. What the listing carries is
//!   taken from it, unless the plan wants it exact. Each value says where it comes from; nothing is
//!   invented.
//! - Names are the exact bytes (or UTF-16 units) of the system. `.` and `..` are left out.
//! - Entries come in the order of the system, one at a time, from one buffer: a directory of a
//!   million entries takes no more memory than one of ten.
//! - A directory may also be read as a whole ([`List::gather`]): then several threads ask, where
//!   there is much to ask, and the entries keep their order.
//! - A failure to ask about one entry is that entry's ([`Value::Failed`](crate::Value)); the
//!   listing goes on.
//!
//! # Call budget
//!
//! | | Linux | portable (POSIX) | Windows |
//! |---|---|---|---|
//! | open, list and close a directory | 4 (`openat`, 2 `getdents64`, `close`) | 5 | 5: one asks for the volume |
//! | each further buffer | 1 for 64 KiB, from the fifth on 1 MiB | the C library's | 1 for 64 KiB |
//! | name, kind, number | 0 | 0 | 0 |
//! | sizes, times, attributes | 1 (`statx` with the mask of what is wanted) | 1 | 0 |
//! | links, mode, owner | the same call | the same call | 1 (3 where the system cannot ask by name), owner 3 |
//! | target of a link | 1 for each link | 1 | 3 for each link |
//! | a link of Cygwin ([`Plan::cygwin_links`]) | – | – | 3 for each likely one, none for another |
//! | access rules, capability, label | 1, a label 1 more | – | 3 |
//! | beyond paths of 2,048 units ([`Descent`]) | 2 for each 2,048 | the same | the same |
//! | below a listed directory ([`Descent::open_below`]) | 1; 1 more at a mount | 3 for each name | 2 |
//! | a directory as a whole, of 2,048 entries and more to ask about | 1 more: the processors | the same | the same |
//! | asking about a path | 1 | 1 | 1 (3 to follow a link, or where the system cannot ask by name) |
//!
//! # Races
//!
//! A listing is no snapshot: what is added or removed meanwhile may be told of or not. An entry
//! that vanished between the listing and the question about it has failed fields, with the system's
//! error. Everything about an entry is asked relative to the open directory, so a directory that is
//! moved or replaced meanwhile changes nothing. A tree is listed from its top down without leaving
//! it by [`Descent::open_below`].
//!
//! # Fallbacks
//!
//! Without `statx`: the older call, without times of creation and attributes. Where a listing has
//! no kinds (some file systems): the kind is asked for, if it is wanted. See `sys/windows` for its
//! ladders.

mod descent;
mod gather;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use descent::Descent;

use crate::ask::{Asker, Subject};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Follow, Kind, Metadata, Plan};
use crate::file_name::FileName;
use crate::name::Name;
use crate::sys::{
    self, Ask, Batch, Feature, Features, Listing, Opened, Os, Setup, Sys, SystemUnit,
};

type Unit = <Os as Sys>::Unit;

/// Lists a directory. Of each entry the name and the kind are known, which costs no call where the
/// listing tells them; [`List::fields`] asks for more. The errors are those of opening the
/// directory.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-list-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// # std::fs::write(scratch.join("a"), "four")?;
/// for entry in curt::list(&scratch)?.fields(curt::Fields::SIZE) {
///     let entry = entry?;
///     assert_eq!(entry.name(), "a");
///     assert!(entry.metadata.is_file());
///     assert_eq!(entry.metadata.size().known(), Some(4));
/// }
/// # std::fs::remove_file(scratch.join("a"))?;
/// # std::fs::remove_dir(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn list(path: impl AsRef<Path>) -> Result<List, Error> {
    Ok(Directory::open(path)?.list(Fields::KIND))
}

/// Asks about a path. A path that is missing, or that cannot be reached, is an error whatever the
/// plan asks, a plan without any field included. A field that could not be had while others could
/// is a failure in the [`Metadata`].
///
/// Links are followed unless the plan says [`Follow::Never`]. A link that leads nowhere is told of
/// as the link that it is.
///
/// Cost: [`Plan::cost`] for one entry, as if nothing came from a listing; 1 call on Linux for
/// everything but targets, access, access rules and labels. A plan that asks only for those, or for
/// nothing, costs 1 more: whether the path is there.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-stat-{}", std::process::id()));
/// # std::fs::write(&scratch, "four")?;
/// use curt::{Fields, Kind, Plan};
/// let metadata = curt::stat(&scratch, Plan::new(Fields::KIND | Fields::SIZE))?;
/// assert_eq!(metadata.kind().known(), Some(Kind::File));
/// assert_eq!(metadata.size().known(), Some(4));
/// # std::fs::remove_file(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stat(path: impl AsRef<Path>, plan: impl Into<Plan>) -> Result<Metadata, Error> {
    Stat::new(plan).path(path)
}

/// Asks about many paths with one plan, and answers in their order, as [`stat`] does for each.
/// Owners are looked up once.
///
/// Cost: that of [`stat`] for each path, which is taken when its answer is.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-many-{}", std::process::id()));
/// # std::fs::create_dir_all(&scratch)?;
/// # let paths: Vec<_> = (0..10).map(|number| scratch.join(number.to_string())).collect();
/// # for path in &paths { std::fs::write(path, "four")?; }
/// use curt::{Fields, Plan};
/// for answer in curt::stat_many(&paths, Plan::new(Fields::SIZE)) {
///     assert_eq!(answer?.size().known(), Some(4));
/// }
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn stat_many<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    plan: impl Into<Plan>,
) -> impl Iterator<Item = Result<Metadata, Error>> {
    let mut stat = Stat::new(plan);
    paths.into_iter().map(move |path| stat.path(path))
}

/// A way of asking about paths that remembers what it learned: names of owners, and what file
/// systems do not have.
#[must_use = "it does nothing until it is asked about a path"]
pub struct Stat {
    asker: Asker<Os>,
}

impl fmt::Debug for Stat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stat").finish_non_exhaustive()
    }
}

impl Stat {
    /// Asks for what the plan says.
    pub fn new(plan: impl Into<Plan>) -> Stat {
        Stat::started(Os::start(&Setup::default()), plan.into())
    }

    fn started(sys: Os, plan: Plan) -> Stat {
        Stat { asker: Asker::new(sys, plan).looking_always() }
    }

    /// Asks about one path, as [`stat`] does.
    pub fn path(&mut self, path: impl AsRef<Path>) -> Result<Metadata, Error> {
        let path = path.as_ref();
        self.ask(path, |asker, follow, into| asker.tell_path(path, follow, into))
    }

    /// Asks about a path in this way: the asker, whether links are followed, and where the answer
    /// goes.
    fn ask(
        &mut self,
        path: &Path,
        tell: impl FnOnce(&Asker<Os>, bool, &mut Metadata) -> io::Result<()>,
    ) -> Result<Metadata, Error> {
        let fail = |error| Error::new(Operation::Stat, path.to_owned(), Cause::Os(error));
        let follow = self.asker.plan().follow != Follow::Never;
        let mut metadata = Metadata::default();
        tell(&self.asker, follow, &mut metadata).map_err(fail)?;
        metadata.whole()
    }

    /// The calls made so far.
    pub fn calls(&self) -> Calls {
        self.asker.sys.calls()
    }
}

/// A directory that is open for listing.
#[must_use = "an open directory does nothing until it is listed"]
pub struct Directory {
    /// What other threads are started with.
    setup: Setup,
    sys: Os,
    dir: <Os as Sys>::Dir,
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

    /// Does without features of the system, as it is tested.
    #[doc(hidden)]
    pub fn open_without(path: impl AsRef<Path>, without: &[Feature]) -> Result<Directory, Error> {
        let path = path.as_ref();
        let features = without.iter().fold(Features::default(), |all, &one| all.with(one));
        let setup = Setup::default().for_reading(features);
        let sys = Os::start(&setup);
        let opened = sys.at_path(path, |from, name| sys.open_below(from, name, true));
        Directory::opened(setup, sys, path, opened)
    }

    /// What the answer to opening it means.
    fn opened(
        setup: Setup,
        sys: Os,
        path: &Path,
        opened: io::Result<Opened<<Os as Sys>::Dir>>,
    ) -> Result<Directory, Error> {
        let opened = opened.and_then(Opened::into_result);
        let dir = opened.map_err(|error| {
            Error::new(Operation::OpenDirectory, path.to_owned(), Cause::Os(error))
        })?;
        Ok(Directory::of(setup, sys, dir, path.to_owned()))
    }

    /// A directory that was opened elsewhere for listing, and what it is asked through, which was
    /// begun with this setup.
    pub(crate) fn of(setup: Setup, sys: Os, dir: <Os as Sys>::Dir, path: PathBuf) -> Directory {
        Directory { setup, sys, dir, buf: <Os as Sys>::DirBuf::default(), path }
    }

    /// The least buffer that is accepted, in bytes: one that holds the longest name there is.
    pub const LEAST_BUFFER: usize = <<Os as Sys>::DirBuf as Listing>::LEAST_CAPACITY;

    /// Lists through a buffer of about this many bytes, instead of one that grows from 64 KiB.
    ///
    /// A smaller one than [`Directory::LEAST_BUFFER`] is refused: with that, a long name would end
    /// the listing with an error.
    pub fn buffer(self, bytes: usize) -> Result<Directory, Error> {
        if bytes < Directory::LEAST_BUFFER {
            return Err(Error::new(Operation::ReadDirectory, self.path, Cause::BufferTooSmall));
        }
        Ok(Directory { buf: Listing::with_capacity(bytes), ..self })
    }

    /// Lists the entries.
    pub fn list(self, plan: impl Into<Plan>) -> List {
        let Directory { setup, sys, dir, buf, path } = self;
        List {
            setup,
            asker: Asker::new(sys, plan.into()),
            helped: Calls::default(),
            dir: Some(dir),
            buf,
            path,
            metadata: Metadata::default(),
            position: 0,
            listing: Batch::More,
            is_fresh: true,
        }
    }
}

/// The entries of a directory, one at a time.
#[must_use = "a listing does nothing until it is asked for entries"]
pub struct List {
    setup: Setup,
    asker: Asker<Os>,
    /// The calls that other threads made.
    helped: Calls,
    /// Only dropping takes it.
    dir: Option<<Os as Sys>::Dir>,
    buf: <Os as Sys>::DirBuf,
    path: PathBuf,
    metadata: Metadata,
    position: usize,
    listing: Batch,
    /// Nothing was read yet.
    is_fresh: bool,
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("List").field("path", &self.path).finish_non_exhaustive()
    }
}

impl List {
    /// What has to be known of each entry from now on, beside what was asked for before.
    pub fn fields(self, fields: Fields) -> List {
        let plan = self.asker.plan();
        self.asker.set_plan(Plan { fields: plan.fields | fields, ..plan });
        self
    }

    /// What has to be known of each entry from now on, in place of what was asked for before.
    pub fn plan(self, plan: impl Into<Plan>) -> List {
        self.asker.set_plan(plan.into());
        self
    }

    /// The next entry; it borrows from the listing, which therefore goes on only when it is
    /// dropped. After an error of the listing as a whole there is no more.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<Entry<'_>, Error>> {
        while self.here().is_none() {
            if self.listing == Batch::End {
                return None;
            }
            if let Err(error) = self.read() {
                return Some(Err(error));
            }
        }
        let dir = self.dir.as_ref()?;
        let (entry, next) = self.buf.entry(self.position)?;
        let at = std::mem::replace(&mut self.position, next);
        let place = Place { dir, path: &self.path, buf: &self.buf };
        Some(Ok(place.tell(&self.asker, at, entry, &mut self.metadata)))
    }

    /// The next entry, if it was read already, and where the one after it lies.
    fn here(&self) -> Option<(sys::Entry<'_, Unit>, usize)> {
        self.buf.entry(self.position).filter(|_| !self.is_fresh)
    }

    /// Reads the next entries. After an error there are no more.
    fn read(&mut self) -> Result<(), Error> {
        let Some(dir) = &self.dir else { return Ok(()) };
        self.position = 0;
        self.is_fresh = false;
        let read = self.asker.sys.read(dir, &mut self.buf);
        // A short listing is not the end of it: a signal may have cut it short.
        self.listing = *read.as_ref().unwrap_or(&Batch::End);
        read.map(|_| ()).map_err(|error| {
            Error::new(Operation::ReadDirectory, self.path.clone(), Cause::Os(error))
        })
    }

    /// Begins again, without opening the directory again. What was not read yet is not rewound.
    pub fn reset(&mut self) -> Result<(), Error> {
        if let Some(dir) = self.dir.as_ref().filter(|_| !self.is_fresh) {
            self.asker.sys.rewind(dir).map_err(|error| {
                Error::new(Operation::ReadDirectory, self.path.clone(), Cause::Os(error))
            })?;
        }
        self.is_fresh = true;
        self.listing = Batch::More;
        self.position = 0;
        Ok(())
    }

    /// What is known of the directory itself, by 1 call.
    pub fn directory(&mut self, fields: Fields) -> Result<Metadata, Error> {
        let fail = |error| Error::new(Operation::Stat, self.path.clone(), Cause::Os(error));
        let mut metadata = Metadata::default();
        if let Some(dir) = &self.dir {
            let ask = Ask { fields, follow: true, cached: false };
            metadata.begin(fields);
            metadata.facts = self.asker.sys.query_dir(dir, ask).map_err(fail)?;
        }
        Ok(metadata)
    }

    /// The calls made so far.
    pub fn calls(&self) -> Calls {
        let mut calls = self.asker.sys.calls();
        calls.add(&self.helped);
        calls
    }

    /// Closes the directory and returns all calls that were made, this one included.
    pub fn close(mut self) -> Calls {
        self.close_dir();
        self.calls()
    }

    fn close_dir(&mut self) {
        if let Some(dir) = self.dir.take() {
            self.asker.sys.close(dir);
        }
    }
}

impl Drop for List {
    fn drop(&mut self) {
        self.close_dir();
    }
}

/// Iterates over owned entries.
impl IntoIterator for List {
    type Item = Result<ListEntry, Error>;
    type IntoIter = ListEntries;

    fn into_iter(self) -> ListEntries {
        ListEntries(self)
    }
}

/// Iterates over the owned entries of a directory.
#[derive(Debug)]
#[must_use = "iterators do nothing until they are used"]
pub struct ListEntries(List);

impl Iterator for ListEntries {
    type Item = Result<ListEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| entry.map(Entry::into_owned))
    }
}

/// An owned entry of a listing.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListEntry {
    /// The path: that of the directory as it was given, and the name.
    pub path: PathBuf,
    /// What was found out.
    pub metadata: Metadata,
}

impl ListEntry {
    /// The name.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or(self.path.as_os_str())
    }

    /// What it is, where that was asked for.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }
}

/// Where the entries of a listing are.
struct Place<'a> {
    dir: &'a <Os as Sys>::Dir,
    path: &'a Path,
    buf: &'a <Os as Sys>::DirBuf,
}

impl<'a> Place<'a> {
    /// Finds out what the plan wants of the entry that lies at `at`.
    fn tell<'e>(
        &self,
        asker: &'e Asker<Os>,
        at: usize,
        entry: sys::Entry<'e, Unit>,
        metadata: &'e mut Metadata,
    ) -> Entry<'e>
    where
        'a: 'e,
    {
        asker.begin(metadata);
        self.buf.facts(at, &entry, &mut metadata.facts);
        let Place { dir, path, .. } = *self;
        let mut entry = Entry { asker, dir, path, name: entry.name, metadata };
        entry.ask(|subject, metadata| asker.tell(subject, metadata));
        entry
    }
}

/// One entry of a listing.
pub struct Entry<'a> {
    asker: &'a Asker<Os>,
    dir: &'a <Os as Sys>::Dir,
    /// The directory's.
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
    /// The name. Borrowed on Unix; put together from UTF-16 on Windows, where
    /// `os::windows::Units` has the units.
    pub fn name(&self) -> FileName<'a> {
        FileName(SystemUnit::text(self.name.units()))
    }

    /// The path: that of the directory as it was given, and the name.
    pub fn path(&self) -> PathBuf {
        self.path.join(self.name())
    }

    /// What was found out.
    pub fn metadata(&self) -> &Metadata {
        self.metadata
    }

    /// Makes it an owned entry.
    pub fn into_owned(self) -> ListEntry {
        ListEntry { path: self.path(), metadata: std::mem::take(self.metadata) }
    }

    /// Takes what was found out.
    pub fn into_metadata(self) -> Metadata {
        std::mem::take(self.metadata)
    }

    /// The name, owned.
    pub fn to_name(&self) -> OsString {
        self.name().into_owned()
    }

    /// Asks for more fields of this entry: what they cost beyond what is known.
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
