//! Walking trees.
//!
//! # Promises
//!
//! - Every entry below an operand is yielded once: the operand first, a directory before its
//!   contents (or after them, if asked for). What cannot be opened, read or asked about is an error
//!   in the stream, and the walk goes on; it never ends early without an error.
//! - Only what the plan names is asked for, and nothing twice.
//! - No link is followed unless asked for. Where links are followed, a link back to an ancestor is
//!   an error, found by one look into a set at any depth. So is a directory that is mounted below
//!   itself (Linux). A broken link yields its own metadata; a link that cannot be followed for
//!   another reason yields an error too, and a link loop yields only the error.
//! - Memory, descriptors and stack are bounded at any depth, and no path is ever too long.
//! - No thread is started on a small tree, and workers that do not speed the walk up are stopped.
//!
//! # Call ceiling
//!
//! | | Linux | portable (POSIX) | Windows |
//! |---|---|---|---|
//! | operand | 1 (`statx`) | 1 | 1 |
//! | directory | 4 (`openat2`, for the operand itself `openat`; 2 `getdents64`, `close`) | 5 | 4 |
//! | entry, for name, kind and number | 0 | 0 | 0 |
//! | entry, for more | as in [`Plan::cost`](crate::Plan::cost) | the same | the same |
//! | following links | 1 for each link, 1 for each directory | the same | the same |
//! | one file system, by mount | 0 | 1 for each directory | 0 |
//! | a mount point | 2, and 3 for each directory above it | – | – |
//! | one file system, by device | 1 for each directory | the same | the same |
//! | several threads | 1 for 256 entries (`getrusage`) | – | – |
//! | ignore rules | 0 where there are none; 5 for each file | 5 | 4 |
//! | ignore rules above an operand | 1, and 2 or 3 for each directory above it | the same | 2 or 3 for each |
//! | depth beyond the descriptor budget | about 4 for each directory opened again | the same | the same |
//!
//! # Races
//!
//! A walk is not a snapshot. A directory that becomes something else before it is opened is an
//! error; one that is swapped for a link is not followed (unless links are). Everything is relative
//! to open directories, so a directory that is moved while it is walked is walked to its end. When
//! descriptors run out, a directory is closed for a while and opened again by its names below the
//! operand, whose own directory stays open. If another directory is found there, none of its
//! entries is listed or removed, and the rest of the first one is reported as replaced. The parent
//! of an operand whose contents come first stays open too, so that the operand is removed from
//! where it was.
//!
//! # Fallbacks
//!
//! Without `openat2` a mount is recognised by comparing the open directory with its parent (1 call
//! more for each directory on Linux; elsewhere no directory can be mounted below itself), and deep
//! directories are opened again name by name. Where listings have no kinds, each entry costs one
//! question.

mod cursor;
mod directory;
mod entry;
mod in_order;
mod operand;
mod options;
mod order;
mod rules;
mod task;
#[cfg(test)]
mod tests;
mod visit;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::vec;

pub use in_order::InOrder;
pub use options::{OneFileSystem, Walk};
pub use order::{Order, SortBy};
pub use visit::{Summary, Visitor};

use self::cursor::{Cursor, Found, Step};
use self::options::Settings;
use crate::calls::Calls;
use crate::control::{Cancel, Operands};
use crate::error::Error;
use crate::fields::FileName;
use crate::fields::{Fields, Kind, Metadata};
use crate::sys::{Os, Setup, Sys};
use crate::tree;

/// Walks these operands, one path or several: a shorthand for [`Walk::new`].
///
/// ```
/// for entry in curt::walk("src") {
///     println!("{}", entry?.path.display());
/// }
/// # Ok::<(), curt::Error>(())
/// ```
pub fn walk(operands: impl Operands) -> Walk<'static> {
    Walk::new(operands)
}

impl<'a> Walk<'a> {
    /// Starts the walk on this thread. The entries borrow from it, so that nothing is allocated for
    /// an entry; a loop over the walk itself (`for entry in walk`) yields owned entries.
    ///
    /// ```
    /// let walk = curt::Walk::new("src");
    /// let mut walking = walk.start();
    /// while let Some(entry) = walking.next() {
    ///     println!("{}", entry?.path().display());
    /// }
    /// # Ok::<(), curt::Error>(())
    /// ```
    pub fn start(&self) -> Walking<'a> {
        let sys = Os::start(&self.setup(&Setup::default()));
        let descriptors = self.descriptor_budget(&sys);
        Walking {
            cursor: Cursor::new(sys, Settings { descriptors, ..self.settings.clone() }),
            operands: self.operands.clone().into_iter(),
            cancel: self.cancel,
        }
    }

    /// Walks on this thread, and iterates over owned entries.
    pub fn iter(&self) -> Entries<'a> {
        Entries(self.start())
    }

    fn setup(&self, setup: &Setup) -> Setup {
        setup.for_reading(self.without)
    }

    /// How many directories may be open at a time.
    fn descriptor_budget<S: Sys>(&self, sys: &S) -> usize {
        let limit = self.most_descriptors.unwrap_or_else(|| sys.descriptor_limit() / 2);
        tree::budget(limit)
    }
}

/// A walk under way on this thread.
#[must_use = "a walk does nothing until it is asked for entries"]
pub struct Walking<'a> {
    cursor: Cursor<Os>,
    operands: vec::IntoIter<PathBuf>,
    cancel: Option<&'a Cancel>,
}

impl fmt::Debug for Walking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walking").field("operands", &self.operands).finish_non_exhaustive()
    }
}

impl Walking<'_> {
    /// Returns the next entry or failure; `None` at the end, or when the walk was cancelled. The
    /// entry borrows from the walk, which goes on when the entry is dropped.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<Visited<'_>, Error>> {
        loop {
            match self.next_step()? {
                Step::Entry(found) => {
                    return Some(Ok(Visited { cursor: &mut self.cursor, found }));
                }
                Step::Error(error) => return Some(Err(error)),
                // No other worker could have taken a part.
                Step::Join(_) => {}
            }
        }
    }

    fn next_step(&mut self) -> Option<Step> {
        let cancel = self.cancel;
        let is_over = || cancel.is_some_and(Cancel::is_cancelled);
        let mut step = None;
        while step.is_none() && !is_over() {
            step = self.cursor.next(is_over);
            if step.is_none() && !is_over() {
                let operand = self.operands.next()?;
                step = self.cursor.begin(&operand);
            }
        }
        step
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        self.cursor.asker.sys.calls()
    }
}

/// Iterates over owned entries.
impl<'a> IntoIterator for Walking<'a> {
    type Item = Result<WalkEntry, Error>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        Entries(self)
    }
}

/// Walks on this thread, and iterates over owned entries.
impl<'a> IntoIterator for Walk<'a> {
    type Item = Result<WalkEntry, Error>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// Walks on this thread, and iterates over owned entries.
impl<'a> IntoIterator for &Walk<'a> {
    type Item = Result<WalkEntry, Error>;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// Iterates over the owned entries of a walk.
#[derive(Debug)]
#[must_use = "iterators do nothing until they are used"]
pub struct Entries<'a>(Walking<'a>);

impl Iterator for Entries<'_> {
    type Item = Result<WalkEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|entry| entry.map(Visited::into_entry))
    }
}

/// An owned walk entry.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WalkEntry {
    /// The path: the operand as it was given, and the names below it.
    pub path: PathBuf,
    /// The depth below the operand; 0 for the operand.
    pub depth: usize,
    /// The metadata, with the fields that the plan names.
    pub metadata: Metadata,
}

impl WalkEntry {
    /// Returns the last part of the path; the whole path if that has no name (`/`, `..`).
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or(self.path.as_os_str())
    }

    /// Returns the kind of the entry.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }
}

/// The entry that a walk is at; it borrows from the walk.
pub struct Visited<'w> {
    cursor: &'w mut Cursor<Os>,
    found: Found,
}

impl fmt::Debug for Visited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visited").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl Visited<'_> {
    /// Returns the path: the operand as it was given, and the names below it. Borrowed on Unix.
    pub fn path(&self) -> Cow<'_, Path> {
        match self.cursor.text() {
            Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
            Cow::Owned(text) => Cow::Owned(text.into()),
        }
    }

    /// Returns the last part of the path; the whole operand for an operand.
    pub fn name(&self) -> FileName<'_> {
        FileName(self.cursor.name())
    }

    /// Returns the depth below the operand; 0 for the operand.
    pub fn depth(&self) -> usize {
        self.cursor.branch.depth()
    }

    /// Returns the kind of the entry.
    pub fn kind(&self) -> Kind {
        self.cursor.metadata.facts.kind
    }

    /// Returns what is known of the entry: the fields that the plan names, and those fetched since.
    pub fn metadata(&self) -> &Metadata {
        &self.cursor.metadata
    }

    /// Asks for more fields of this entry. Costs what the plan of these fields costs, without what
    /// is known already.
    pub fn fetch(&mut self, more: Fields) -> &Metadata {
        self.cursor.fetch(more);
        &self.cursor.metadata
    }

    /// Keeps the walk from entering the entry, if it is a directory.
    pub fn skip(&mut self) {
        self.cursor.skip(self.found);
    }

    /// Removes the entry: a directory only if it is empty, which it can be where it is yielded
    /// after its contents ([`Walk::contents_first`]). 1 call, relative to the directory that the
    /// entry was found in, so no path is resolved again. An entry that vanished meanwhile is no
    /// error.
    pub fn remove(&mut self) -> Result<(), Error> {
        self.cursor.remove()
    }

    /// Whether the current entry is a mount of one of its ancestors. Makes calls only for mounts.
    #[inline]
    pub(crate) fn is_mounted_ancestor(&mut self) -> bool {
        self.cursor.is_mounted_ancestor()
    }

    /// Takes the failures out of the metadata. Returns whether there were any.
    #[inline]
    pub(crate) fn take_failures(&mut self, take: impl FnMut(Error)) -> bool {
        let failed = &mut self.cursor.metadata.failed;
        if failed.is_empty() {
            return false;
        }
        failed.drain(..).map(|(_, error)| error).for_each(take);
        true
    }

    /// Returns an owned copy of the entry, with the metadata moved into it.
    pub fn into_entry(self) -> WalkEntry {
        let path = self.path().into_owned();
        let depth = self.depth();
        WalkEntry { path, depth, metadata: std::mem::take(&mut self.cursor.metadata) }
    }
}
