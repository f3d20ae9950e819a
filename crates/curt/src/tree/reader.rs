//! The listing of one directory, through a buffer.

use std::cell::Cell;
use std::io;

use crate::fields::Facts;
use crate::sys::{Batch, Entry, Listing, Sys};

/// Reads directories in batches. A walk reads each to its end before the next; a removal reads
/// other directories between two batches of one.
pub(crate) struct Reader<S: Sys> {
    buffer: S::DirBuf,
    /// Where the next entry lies. A cell, so that an entry can be used while the next is taken.
    position: Cell<usize>,
    /// What the system said with the last batch; `None` if nothing has been read yet.
    batch: Option<Batch>,
}

impl<S: Sys> Reader<S> {
    pub(crate) fn new(buffer: S::DirBuf) -> Self {
        Reader { buffer, position: Cell::new(0), batch: None }
    }

    /// Forgets what was read: the next directory is listed, or the same one from its beginning.
    pub(crate) fn reset(&mut self) {
        self.batch = None;
    }

    /// Reads the next batch of entries. After an error there are no more.
    pub(crate) fn read(&mut self, dir: &S::Dir, sys: &S) -> io::Result<Batch> {
        self.position.set(0);
        let read = sys.read_entries(dir, &mut self.buffer);
        // A batch that is not full is not the end, because a signal may have cut it short. After an
        // error nothing more is read.
        self.batch = Some(*read.as_ref().unwrap_or(&Batch::End));
        read
    }

    /// Returns whether anything has been read of this directory.
    pub(crate) fn has_begun(&self) -> bool {
        self.batch.is_some()
    }

    /// Returns whether no other batch follows.
    pub(crate) fn is_at_end(&self) -> bool {
        self.batch == Some(Batch::End)
    }

    /// Takes the next entry and its position.
    #[inline]
    pub(crate) fn next(&self) -> Option<(Entry<'_, S::Unit>, usize)> {
        self.batch?;
        let at = self.position.get();
        let (entry, next) = self.buffer.entry(at)?;
        self.position.set(next);
        Some((entry, at))
    }

    /// Returns whether the batch has entries that have not been taken yet.
    pub(crate) fn has_next(&self) -> bool {
        self.batch.is_some() && self.buffer.entry(self.position.get()).is_some()
    }

    /// Returns about how many entries of the batch have not been taken yet.
    pub(crate) fn left(&self) -> usize {
        self.batch.map_or(0, |_| self.buffer.left(self.position.get()))
    }

    /// Returns the buffer, for the listing of another directory.
    pub(crate) fn into_buffer(self) -> S::DirBuf {
        self.buffer
    }

    /// Returns the buffer, for threads that share a batch.
    pub(crate) fn buffer(&self) -> &S::DirBuf {
        &self.buffer
    }

    /// Adds what the listing says about the entry at `at` to facts that are still empty.
    #[inline]
    pub(crate) fn facts(&self, at: usize, entry: &Entry<'_, S::Unit>, facts: &mut Facts) {
        self.buffer.facts(at, entry, facts);
    }
}
