//! The listing of the topmost directory, through the one buffer of a worker.

use std::cell::Cell;
use std::io;

use crate::fields::Facts;
use crate::name::Name;
use crate::sys::{Batch, Entry, Listing, Sys};

/// The entries that were read last.
pub(super) struct Reader<S: Sys> {
    buffer: S::DirBuf,
    /// Where the next entry lies.
    position: Cell<usize>,
    /// Whether they are those of the topmost directory.
    is_read: bool,
}

impl<S: Sys> Reader<S> {
    /// A buffer of this many bytes, if somebody says how many.
    pub(super) fn new(bytes: Option<usize>) -> Self {
        let buffer = bytes.map_or_else(S::DirBuf::default, Listing::with_capacity);
        Reader { buffer, position: Cell::new(0), is_read: false }
    }

    /// Another directory is on top: what was read is not its.
    pub(super) fn forget(&mut self) {
        self.is_read = false;
    }

    /// Whether something was read of the topmost directory.
    pub(super) fn is_read(&self) -> bool {
        self.is_read
    }

    /// Reads the next entries of the topmost directory.
    pub(super) fn read(&mut self, dir: &S::Dir, sys: &S) -> io::Result<Batch> {
        let batch = sys.read(dir, &mut self.buffer)?;
        (self.is_read, self.position) = (true, Cell::new(0));
        Ok(batch)
    }

    /// Takes the next entry that was read, and where it lies.
    #[inline]
    pub(super) fn next(&self) -> Option<(Entry<'_, S::Unit>, usize)> {
        if !self.is_read {
            return None;
        }
        let at = self.position.get();
        let (entry, next) = self.buffer.entry(at)?;
        self.position.set(next);
        Some((entry, at))
    }

    /// Adds what the listing says of the entry that lies here to facts of which nothing is known yet.
    #[inline]
    pub(super) fn facts(&self, at: usize, entry: &Entry<'_, S::Unit>, facts: &mut Facts) {
        self.buffer.facts(at, entry, facts);
    }

    /// The name of the entry that lies here.
    pub(super) fn name(&self, at: usize) -> Option<Name<'_, S::Unit>> {
        self.buffer.entry(at).map(|(entry, _)| entry.name)
    }
}
