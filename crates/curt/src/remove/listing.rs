//! The listing buffer of a worker.

use std::io;

use crate::sys::{Batch, Entry, Listing, Mounts, Opened, Sys};
use crate::tree::Reader;

/// The number of entries from which on a listing is worth sorting by inode.
const WORTH_SORTING: usize = 1000;

/// A count ends after this many listing calls in a row that return few entries: fewer than `FEW`,
/// or a sixteenth of the most that one returned.
const TRICKLES: u32 = 64;
const FEW: u64 = 4;

/// Reads directories for a worker, and has the entries that are still to be dealt with.
pub(super) struct Buffer<S: Sys> {
    reader: Reader<S>,
    /// File numbers and positions of the entries that are taken in the order of the former, the
    /// next one last. The reader is past them.
    ordered: Vec<(u64, usize)>,
    /// Whether inode order pays on the file system of the operand, once that was asked.
    order_pays: Option<bool>,
}

impl<S: Sys> Default for Buffer<S> {
    fn default() -> Self {
        let reader = Reader::new(S::DirBuf::default());
        Buffer { reader, ordered: Vec::new(), order_pays: None }
    }
}

impl<S: Sys> Buffer<S> {
    /// Forgets the file system, because another operand follows.
    pub(super) fn forget_file_system(&mut self) {
        self.order_pays = None;
    }

    /// Reads the next entries of a directory. If there are many and the file system is one where
    /// that pays, they are taken in the order of their file numbers.
    pub(super) fn read(&mut self, dir: &S::Dir, may_order: bool, sys: &S) -> io::Result<Batch> {
        self.ordered.clear();
        let batch = self.reader.read(dir, sys)?;
        let is_worth_ordering = may_order
            && self.reader.left() >= WORTH_SORTING
            && *self.order_pays.get_or_insert_with(|| sys.inode_order_pays(dir));
        if is_worth_ordering {
            while let Some((entry, position)) = self.reader.next() {
                self.ordered.push((entry.id, position));
            }
            self.ordered.sort_unstable_by(|one, other| other.cmp(one));
        }
        Ok(batch)
    }

    /// Returns whether the last read found nothing.
    pub(super) fn found_nothing(&self) -> bool {
        self.reader.buffer().entry(0).is_none()
    }

    /// Takes the next entry.
    pub(super) fn next(&mut self) -> Option<Entry<'_, S::Unit>> {
        let (entry, _) = match self.ordered.pop() {
            Some((_, position)) => self.reader.buffer().entry(position)?,
            None => self.reader.next()?,
        };
        Some(entry)
    }

    /// Returns about how many entries are left.
    pub(super) fn left(&self) -> usize {
        self.ordered.len() + self.reader.left()
    }

    /// Counts the entries of a directory with a second listing. `None` if that fails.
    pub(super) fn count(
        &mut self,
        dir: &S::Dir,
        sys: &S,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<u64> {
        let Opened::Dir(dir) = sys.open_child(dir, S::ITSELF, Mounts::Cross) else { return None };
        // A listing that goes on by a few entries at a time has caught up with a process that adds
        // them.
        let (mut count, mut most, mut trickles) = (0, FEW * 16, 0);
        let complete = loop {
            let Ok(batch) = self.read(&dir, false, sys) else { break false };
            let mut found = 0_u64;
            while self.next().is_some() {
                found += 1;
            }
            count += found;
            most = most.max(found);
            trickles = if found * 16 < most { trickles + 1 } else { 0 };
            if batch == Batch::End || found == 0 || trickles == TRICKLES || is_cancelled() {
                break true;
            }
        };
        sys.close(dir);
        complete.then_some(count)
    }
}
