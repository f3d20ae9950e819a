//! Walking trees.
//!
//! # Promises
//!
//! - Every entry below an operand is told of once, the operand first, a directory before what it holds
//!   (or after it, where that is asked for). What cannot be opened, read or asked about is an error in
//!   the stream, and the walk goes on: it never ends early without saying so.
//! - Only what the plan names is asked for, and nothing twice.
//! - No link is followed unless asked for. Where links are followed, a link back to a directory on the
//!   way is an error, found by one look into a set, however deep the tree is. So is a directory that is
//!   mounted below itself (Linux). A link that leads nowhere is
//!   told of as itself; one that cannot be followed for another reason is an error too, and one in a
//!   circle of links nothing else.
//! - Memory, descriptors and stack are bounded at any depth; no path is ever too long.
//! - No thread is started on a small tree, and where helpers do not pay they stop.
//!
//! # Call budget
//!
//! | | Linux | portable (POSIX) | Windows |
//! |---|---|---|---|
//! | operand | 1 (`statx`) | 1 | 1 |
//! | directory | 4 (`openat2`, 2 `getdents64`, `close`) | 5 | 4 |
//! | entry, for name, kind and number | 0 | 0 | 0 |
//! | entry, for more | as in [`Plan::cost`](crate::Plan::cost) | the same | the same |
//! | following links | 1 for each link, 1 for each directory | the same | the same |
//! | one file system, by mount | 0 | 1 for each directory | 0 |
//! | a mount point | 2, and 3 for each directory above it | – | – |
//! | one file system, by device | 1 for each directory | the same | the same |
//! | several threads | 1 for 256 entries (`getrusage`) | – | – |
//! | rules in files | 0 where none are; 4 for each file | 4 | 4 |
//! | rules above an operand | 1, and 2 or 3 for each directory above it | the same | 2 or 3 for each |
//! | depth beyond the descriptors | about 4 for each directory opened again | the same | the same |
//!
//! # Races
//!
//! A walk is no snapshot. A directory that becomes something else before it is opened is an error; one
//! that is swapped for a link is not followed (unless links are). Everything is relative to open
//! directories, so a directory that is moved while it is walked is walked to its end. Where descriptors
//! ran out, a directory is closed for a while and opened again by its names below the operand, whose own
//! directory stays open. If that is another one by then, nothing of it is listed or removed, and what is
//! left of the first is reported as replaced. The parent of an operand whose contents come first stays
//! open, too, so that the operand is removed from where it was.
//!
//! # Fallbacks
//!
//! Without `openat2` mounts are seen by comparing what was opened with its parent (1 call more for each
//! directory on Linux; elsewhere no directory can be mounted below itself), and deep directories
//! are opened again name by name. Listings without kinds cost one question for each entry.

mod cursor;
mod entry;
mod frame;
mod in_order;
mod loops;
mod operand;
mod options;
mod order;
mod reader;
mod rules;
mod share;
mod stored;
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

use self::cursor::{Cursor, Step};
use crate::calls::Calls;
use crate::control::{Cancel, Operands};
use crate::error::Error;
use crate::fields::{Fields, Kind, Metadata};
use crate::file_name::FileName;
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
    /// Begins the walk on this thread, with entries that borrow from it: nothing is allocated for an
    /// entry. A loop over the walk itself (`for entry in walk`) has owned entries.
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
        let budget = self.budget(&sys);
        let mut settings = self.settings.clone();
        settings.descriptors = budget;
        Walking {
            cursor: Cursor::new(sys, settings),
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

    /// How many directories may be open.
    fn budget<S: Sys>(&self, sys: &S) -> usize {
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
    /// The next entry, or failure; `None` at the end, or when the walk was cancelled. The entry borrows
    /// from the walk, which goes on when it is dropped.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<Visited<'_>, Error>> {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            return None;
        }
        loop {
            let step = match self.cursor.next() {
                Some(step) => step,
                None => self.next_operand()?,
            };
            match step {
                Step::Entry => break,
                Step::Error(error) => return Some(Err(error)),
                // There is nobody who could have taken a piece.
                Step::Join(_) => {}
            }
        }
        Some(Ok(Visited { cursor: &mut self.cursor }))
    }

    fn next_operand(&mut self) -> Option<Step> {
        loop {
            let operand = self.operands.next()?;
            if let Some(step) = self.cursor.begin(&operand).or_else(|| self.cursor.next()) {
                return Some(step);
            }
        }
    }

    /// The calls made so far.
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
#[derive(Debug)]
#[non_exhaustive]
pub struct WalkEntry {
    /// The path: the operand as it was given, and the names below it.
    pub path: PathBuf,
    /// How deep below the operand; 0 for the operand.
    pub depth: usize,
    /// What was found out.
    pub metadata: Metadata,
}

impl WalkEntry {
    /// The last part of the path; the whole path where that has no name (`/`, `..`).
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or(self.path.as_os_str())
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }
}

/// A walk entry that borrows from the walk.
pub struct Visited<'w> {
    cursor: &'w mut Cursor<Os>,
}

impl fmt::Debug for Visited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visited").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl Visited<'_> {
    /// The path: the operand as it was given, and the names below it. Borrowed on Unix.
    pub fn path(&self) -> Cow<'_, Path> {
        match self.cursor.text() {
            Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
            Cow::Owned(text) => Cow::Owned(text.into()),
        }
    }

    /// The last part of the path; the whole operand for an operand.
    pub fn name(&self) -> FileName<'_> {
        FileName(self.cursor.name())
    }

    /// How deep below the operand; 0 for the operand.
    pub fn depth(&self) -> usize {
        self.cursor.current.depth
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.cursor.metadata.facts.kind
    }

    /// What was found out.
    pub fn metadata(&self) -> &Metadata {
        &self.cursor.metadata
    }

    /// Asks for more fields of this entry: what they cost beyond what is known.
    pub fn fetch(&mut self, more: Fields) -> &Metadata {
        self.cursor.fetch(more);
        &self.cursor.metadata
    }

    /// Does not enter it, if it is a directory.
    pub fn skip(&mut self) {
        self.cursor.skip();
    }

    /// Removes it: a directory only if it is empty, which it can be where it is told of after what it
    /// held ([`Walk::contents_first`]). Nothing is resolved again: the call is relative to the directory
    /// that it was found in. What vanished meanwhile is no error. 1 call.
    pub fn remove(&mut self) -> Result<(), Error> {
        self.cursor.remove()
    }

    /// Whether it is a directory above it, mounted there. No call for anything but mounts.
    #[inline]
    pub(crate) fn is_mounted_ancestor(&mut self) -> bool {
        self.cursor.is_mounted_ancestor()
    }

    /// What the consumer said that it knows the directory by which this entry lies in; 0 for an
    /// operand.
    pub(crate) fn parent_tag(&self) -> u64 {
        self.cursor.stack.last().map_or(0, |frame| frame.tag)
    }

    /// Says what the consumer knows this directory by; for a walk with [`Walk::tags`].
    pub(crate) fn tag(&mut self, tag: u64) {
        self.cursor.tag = tag;
    }

    /// Takes the failures out of what was found out. Whether there were any.
    #[inline]
    pub(crate) fn take_failures(&mut self, take: impl FnMut(Error)) -> bool {
        let failed = &mut self.cursor.metadata.failed;
        if failed.is_empty() {
            return false;
        }
        failed.drain(..).map(|(_, error)| error).for_each(take);
        true
    }

    /// Makes it an owned entry.
    pub fn into_entry(self) -> WalkEntry {
        let path = self.path().into_owned();
        let depth = self.depth();
        WalkEntry { path, depth, metadata: std::mem::take(&mut self.cursor.metadata) }
    }
}
