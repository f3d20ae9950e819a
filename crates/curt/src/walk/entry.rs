//! The entries that a walk yields, borrowed and owned.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use super::position::CurrentEntry;
use crate::error::Error;
use crate::fields::{Fields, FileName, Kind, Metadata};

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

/// An entry, while a walk is at it: what is known of it, and the open directory by which more can
/// be asked.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-visited-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join(".git/objects"))?;
/// # std::fs::create_dir_all(scratch.join("src"))?;
/// # std::fs::write(scratch.join("src/main.rs"), "four")?;
/// use curt::Fields;
///
/// let mut walking = curt::walk(&scratch).start();
/// let (mut entries, mut bytes) = (0, 0);
/// while let Some(entry) = walking.next() {
///     let mut entry = entry?;
///     entries += 1;
///     if entry.name() == ".git" {
///         walking.skip();
///     } else if entry.kind().is_file() {
///         bytes += entry.fetch(Fields::SIZE).size().known().unwrap_or(0);
///     }
/// }
/// assert_eq!((entries, bytes), (4, 4));
/// # std::fs::remove_dir_all(scratch)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Visited<'w> {
    metadata: &'w mut Metadata,
    depth: usize,
    /// Whether the walk reports next why a link could not be followed.
    has_error: bool,
    at: &'w mut (dyn CurrentEntry + Send),
}

impl fmt::Debug for Visited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visited").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl<'w> Visited<'w> {
    #[inline]
    pub(super) fn new(
        metadata: &'w mut Metadata,
        depth: usize,
        has_error: bool,
        at: &'w mut (dyn CurrentEntry + Send),
    ) -> Self {
        Visited { metadata, depth, has_error, at }
    }

    /// Returns the path: the operand as it was given, and the names below it. Borrowed on Unix.
    ///
    /// In a deep tree it can be longer than the system accepts (4,096 bytes on Linux).
    /// [`fetch`](Visited::fetch) and [`remove`](Visited::remove) work at any depth.
    pub fn path(&self) -> Cow<'_, Path> {
        self.at.path()
    }

    /// Returns the path below the operand; empty for the operand. Borrowed on Unix.
    pub fn relative_path(&self) -> Cow<'_, Path> {
        self.at.relative_path()
    }

    /// Returns the last part of the path; the whole operand for an operand.
    pub fn name(&self) -> FileName<'_> {
        FileName(self.at.name())
    }

    /// Returns the depth below the operand; 0 for the operand.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the kind of the entry.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }

    /// Whether the entry is a link that was followed, so that its kind and metadata are those of
    /// what it leads to. `false` where listings have no kinds.
    pub fn is_followed_link(&self) -> bool {
        self.metadata.followed
    }

    /// Returns what is known of the entry: the fields that the plan names, and those fetched since.
    pub fn metadata(&self) -> &Metadata {
        self.metadata
    }

    /// Asks for more fields of this entry. Costs what the plan of these fields costs, without what
    /// is known already. A field that fails is no value, and one of
    /// [`failures`](Metadata::failures).
    pub fn fetch(&mut self, more: Fields) -> &Metadata {
        if !self.metadata.requested.contains(more) {
            self.at.fetch(more, self.metadata);
        }
        self.metadata
    }

    /// Removes the entry: a directory only if it is empty, which it can be where it is yielded
    /// after its contents ([`contents_first`](crate::Walk::contents_first)). 1 call, relative to
    /// the directory that the entry was found in, so no path is resolved again.
    ///
    /// Returns whether this call removed it: an entry that another process removed meanwhile is no
    /// error. On Windows, where a file can remain until its last user closes it, such a file counts
    /// as removed.
    pub fn remove(&mut self) -> Result<bool, Error> {
        self.at.remove(self.metadata.facts.kind)
    }

    /// Returns whether the entry, which is a directory, holds no entries; in a dry run, whether none
    /// would remain. 3 calls where that is not known.
    pub fn is_empty(&mut self) -> Result<bool, Error> {
        self.at.is_empty()
    }

    /// Whether the entry is a directory that was not entered because of
    /// [`Walk::same_file_system`](crate::Walk::same_file_system). Known where it is yielded after
    /// its contents.
    pub fn is_boundary(&self) -> bool {
        self.at.is_boundary()
    }

    /// Whether the entry is one of its ancestors, by a mount or by a link that was followed. Makes
    /// calls only for these.
    #[inline]
    pub(crate) fn is_ancestor(&mut self) -> bool {
        let is_link = self.is_followed_link();
        self.kind() == Kind::Directory && self.at.leads_back(&self.metadata.facts, is_link)
    }

    /// Whether the entry is a link whose target is missing, in a walk that follows links. An error
    /// follows any other link that could not be followed.
    pub(crate) fn is_broken_link(&self) -> bool {
        self.kind().is_link() && !self.has_error
    }

    /// Takes the failures out of the metadata. Returns whether there were any.
    #[inline]
    pub(crate) fn take_failures(&mut self, take: impl FnMut(Error)) -> bool {
        let failed = &mut self.metadata.failed;
        if failed.is_empty() {
            return false;
        }
        failed.drain(..).map(|(_, error)| error).for_each(take);
        true
    }

    /// Returns an owned copy of the entry, with the metadata moved into it.
    pub(super) fn into_entry(self) -> WalkEntry {
        let (path, depth) = (self.path().into_owned(), self.depth);
        WalkEntry { path, depth, metadata: std::mem::take(self.metadata) }
    }
}
