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
    /// The path: the operand as given, then the names inside it.
    pub path: PathBuf,
    /// The depth below the operand; 0 for the operand.
    pub depth: usize,
    /// The metadata, with the fields of the plan.
    pub metadata: Metadata,
}

impl WalkEntry {
    /// Returns the last component of the path, or the whole path if it has none (`/`, `..`).
    ///
    /// Also for an operand, unlike [`Visited::name`].
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or(self.path.as_os_str())
    }

    /// Returns the kind of the entry.
    pub fn kind(&self) -> Kind {
        self.metadata.facts.kind
    }
}

/// The current entry of a walk: its known metadata, and more through its open parent.
///
/// ```
/// # let scratch = std::env::temp_dir().join(format!("curt-visited-{}", std::process::id()));
/// # std::fs::create_dir_all(scratch.join(".git/objects"))?;
/// # std::fs::create_dir_all(scratch.join("src"))?;
/// # std::fs::write(scratch.join("src/main.rs"), "four")?;
/// use curt::Fields;
///
/// // `scratch` is a directory with .git/objects/ and src/main.rs (4 bytes).
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
    /// Whether the next step of the walk is the error of a symlink that could not be followed.
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

    /// Returns the path: the operand as given, then the names inside it.
    ///
    /// In a deep tree the path can be longer than the system accepts (4,096 bytes on Linux).
    /// [`fetch`](Visited::fetch) and [`remove`](Visited::remove) work even then.
    pub fn path(&self) -> Cow<'_, Path> {
        self.at.path()
    }

    /// Returns the path relative to the operand; empty for the operand.
    pub fn relative_path(&self) -> Cow<'_, Path> {
        self.at.relative_path()
    }

    /// Returns the last component of the path. For an operand, returns the whole operand.
    ///
    /// [`WalkEntry::name`] does not.
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

    /// Returns whether the entry is a followed symlink.
    ///
    /// The kind and the metadata are then those of its target. Returns `false` if listings have no
    /// kinds.
    pub fn is_followed_link(&self) -> bool {
        self.metadata.followed
    }

    /// Returns the metadata: the fields of the plan and those fetched since.
    pub fn metadata(&self) -> &Metadata {
        self.metadata
    }

    /// Queries more fields of this entry.
    ///
    /// Costs as many calls as a plan of these fields, but known fields cost nothing. A field that
    /// cannot be queried has no value, and its error is in [`failures`](Metadata::failures).
    pub fn fetch(&mut self, more: Fields) -> &Metadata {
        if !self.metadata.requested.contains(more) {
            self.at.fetch(more, self.metadata);
        }
        self.metadata
    }

    /// Removes the entry. Returns whether it still existed.
    ///
    /// A directory must be empty, so it must come after its contents
    /// ([`contents_first`](crate::Walk::contents_first)). Makes 1 call, relative to the parent in
    /// which the entry was found, so no path is resolved again.
    ///
    /// An entry that another process removed first is not an error. On Windows, a file that remains
    /// until its last user closes it counts as removed.
    pub fn remove(&mut self) -> Result<bool, Error> {
        self.at.remove(self.metadata.facts.kind)
    }

    /// Returns whether the directory is empty or, in a dry run, would be empty.
    ///
    /// Costs 3 calls unless the answer is known.
    pub fn is_empty(&mut self) -> Result<bool, Error> {
        self.at.is_empty()
    }

    /// Returns whether this directory was skipped because it is on a different filesystem.
    ///
    /// See [`Walk::same_file_system`](crate::Walk::same_file_system). Always `false` unless
    /// contents come first.
    pub fn is_boundary(&self) -> bool {
        self.at.is_boundary()
    }

    #[inline]
    pub(crate) fn is_ancestor(&mut self) -> bool {
        let is_link = self.is_followed_link();
        self.kind() == Kind::Directory && self.at.is_own_ancestor(&self.metadata.facts, is_link)
    }

    /// Returns whether the entry is a symlink to a missing target. Other symlinks that could not be
    /// followed have an error.
    pub(crate) fn is_broken_link(&self) -> bool {
        self.kind().is_link() && !self.has_error
    }

    #[inline]
    pub(crate) fn take_failures(&mut self, take: impl FnMut(Error)) -> bool {
        let failed = &mut self.metadata.failed;
        if failed.is_empty() {
            return false;
        }
        failed.drain(..).map(|(_, error)| error).for_each(take);
        true
    }

    pub(super) fn into_entry(self) -> WalkEntry {
        let (path, depth) = (self.path().into_owned(), self.depth);
        WalkEntry { path, depth, metadata: std::mem::take(self.metadata) }
    }
}
