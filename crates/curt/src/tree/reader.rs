use std::cell::Cell;
use std::io;

use crate::fields::Facts;
use crate::sys::{Batch, Entry, Listing, Sys};

pub(crate) struct Reader<S: Sys> {
    buffer: S::DirBuf,
    /// A cell, so that the next entry can be taken while an entry is borrowed.
    position: Cell<usize>,
    batch: Option<Batch>,
}

impl<S: Sys> Reader<S> {
    pub(crate) fn new(buffer: S::DirBuf) -> Self {
        Reader { buffer, position: Cell::new(0), batch: None }
    }

    pub(crate) fn reset(&mut self) {
        self.batch = None;
    }

    pub(crate) fn read(&mut self, dir: &S::Dir, sys: &S) -> io::Result<Batch> {
        self.position.set(0);
        let read = sys.read_entries(dir, &mut self.buffer);
        // Do not treat a short batch as the end, because a signal may have cut it short.
        self.batch = Some(*read.as_ref().unwrap_or(&Batch::End));
        read
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.batch.is_some()
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.batch == Some(Batch::End)
    }

    #[inline]
    pub(crate) fn next(&self) -> Option<(Entry<'_, S::Unit>, usize)> {
        self.batch?;
        let at = self.position.get();
        let (entry, next) = self.buffer.entry(at)?;
        self.position.set(next);
        Some((entry, at))
    }

    pub(crate) fn has_next(&self) -> bool {
        self.batch.is_some() && self.buffer.entry(self.position.get()).is_some()
    }

    pub(crate) fn left(&self) -> usize {
        self.batch.map_or(0, |_| self.buffer.left(self.position.get()))
    }

    pub(crate) fn into_buffer(self) -> S::DirBuf {
        self.buffer
    }

    pub(crate) fn buffer(&self) -> &S::DirBuf {
        &self.buffer
    }

    #[inline]
    pub(crate) fn facts(&self, at: usize, entry: &Entry<'_, S::Unit>, facts: &mut Facts) {
        self.buffer.facts(at, entry, facts);
    }
}
