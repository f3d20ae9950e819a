//! Walking a directory at a time.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::path::Path;

use super::Walking;
use super::cursor::Cursor;
use super::stored::DirectoryEntry;
use crate::calls::Calls;
use crate::error::{Error, Operation, bug};
use crate::sys::{Os, Sys};
use crate::tree::ReopenError;

/// A walk under way that yields a directory at a time: see
/// [`Walk::directories`](crate::Walk::directories).
#[derive(Debug)]
#[must_use = "a walk does nothing until it is asked for directories"]
pub struct Directories<'a>(pub(super) Walking<'a>);

impl Directories<'_> {
    /// Returns the next directory or failure; `None` at the end, or when the walk was cancelled.
    /// The directory borrows from the walk, which goes on when it is dropped.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows from it")]
    pub fn next(&mut self) -> Option<Result<VisitedDirectory<'_>, Error>> {
        match self.0.next()? {
            Ok(visited) => Some(Ok(VisitedDirectory { cursor: visited.cursor })),
            Err(error) => Some(Err(error)),
        }
    }

    /// Returns the calls made so far.
    pub fn calls(&self) -> Calls {
        self.0.calls()
    }
}

/// A directory with all of its entries, which a walk has listed. It borrows from the walk.
pub struct VisitedDirectory<'w> {
    cursor: &'w mut Cursor<Os>,
}

impl fmt::Debug for VisitedDirectory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.cursor.path();
        f.debug_struct("VisitedDirectory").field("path", &path).finish_non_exhaustive()
    }
}

impl VisitedDirectory<'_> {
    /// Returns the path: the operand as it was given, and the names below it. Borrowed on Unix.
    pub fn path(&self) -> Cow<'_, Path> {
        self.cursor.shown_path()
    }

    /// Returns the depth below the operand; 0 for the operand.
    pub fn depth(&self) -> usize {
        self.cursor.branch.depth().saturating_sub(1)
    }

    /// Iterates over the entries, directories and others, in the order of the system or of
    /// [`Walk::sort`](crate::Walk::sort). Without those that the walk leaves out.
    pub fn entries(&self) -> impl Iterator<Item = DirectoryEntry<'_>> {
        let stack = &self.cursor.branch.stack;
        let requested = self.cursor.settings.plan.fields;
        let entries = stack.last().map(|level| level.stored.entries()).unwrap_or_default();
        entries.iter().map(move |entry| DirectoryEntry::new(entry, stack.names(), requested))
    }

    /// Keeps the entries that the predicate accepts. The walk does not enter a subdirectory that is
    /// removed from the list, unless contents come first: then it has been there already.
    pub fn retain(&mut self, mut keeps: impl FnMut(&DirectoryEntry<'_>) -> bool) {
        let requested = self.cursor.settings.plan.fields;
        let stack = &mut self.cursor.branch.stack;
        let Some(top) = stack.len().checked_sub(1) else { return };
        let (level, names) = stack.level_with_names(top);
        level.stored.retain(|entry| keeps(&DirectoryEntry::new(entry, names, requested)));
    }

    /// Sorts the entries. The walk enters the subdirectories in this order, unless contents come
    /// first. The order of entries that compare as equal does not change.
    pub fn sort_by(
        &mut self,
        compare: impl FnMut(&DirectoryEntry<'_>, &DirectoryEntry<'_>) -> Ordering,
    ) {
        let requested = self.cursor.settings.plan.fields;
        let stack = &mut self.cursor.branch.stack;
        let Some(top) = stack.len().checked_sub(1) else { return };
        let (level, names) = stack.level_with_names(top);
        level.stored.sort_by(names, requested, compare);
    }

    /// Keeps the walk from entering any subdirectory. The entries stay in the list until the walk
    /// goes on; no effect if contents come first.
    pub fn skip(&mut self) {
        self.retain(|entry| !entry.kind().is_dir());
    }

    /// Returns the open directory; which `os::unix` shows as a descriptor.
    #[allow(dead_code, reason = "only Unix shows descriptors")]
    pub(crate) fn open(&mut self) -> Result<&<Os as Sys>::Dir, Error> {
        let Cursor { branch, asker, .. } = &mut *self.cursor;
        let reopened = branch.reopen(&asker.sys).map_err(ReopenError::into_cause);
        let failed = |cause| Error::new(Operation::OpenDirectory, self.cursor.path(), cause);
        match reopened {
            Err(cause) => Err(failed(cause)),
            Ok(()) => self
                .cursor
                .branch
                .stack
                .last()
                .and_then(|level| level.dir())
                .ok_or_else(|| failed(bug("a directory that was reopened is closed"))),
        }
    }
}
