use std::io;

use crate::sys::{Batch, Entry, Listing, Mounts, Opened, Sys};
use crate::tree::Reader;

const MIN_SORTED: usize = 1000;

/// Counting ends after this many small batches in a row. A batch is small if it has fewer entries
/// than `SMALL_BATCH` or than a sixteenth of the largest batch.
const MAX_SMALL_BATCHES: u32 = 64;
const SMALL_BATCH: u64 = 4;

pub(super) struct Buffer<S: Sys> {
    reader: Reader<S>,
    /// The batch sorted by inode, in reverse. The reader is already past these entries.
    ordered: Vec<(u64, usize)>,
    order_pays: Option<bool>,
}

impl<S: Sys> Default for Buffer<S> {
    fn default() -> Self {
        let reader = Reader::new(S::DirBuf::default());
        Buffer { reader, ordered: Vec::new(), order_pays: None }
    }
}

impl<S: Sys> Buffer<S> {
    pub(super) fn forget_file_system(&mut self) {
        self.order_pays = None;
    }

    /// Reads a batch. Sorts a large one by inode on filesystems where that pays.
    pub(super) fn read(&mut self, dir: &S::Dir, may_order: bool, sys: &S) -> io::Result<Batch> {
        self.ordered.clear();
        let batch = self.reader.read(dir, sys)?;
        let is_worth_ordering = may_order
            && self.reader.left() >= MIN_SORTED
            && *self.order_pays.get_or_insert_with(|| sys.inode_order_pays(dir));
        if is_worth_ordering {
            while let Some((entry, position)) = self.reader.next() {
                self.ordered.push((entry.id, position));
            }
            self.ordered.sort_unstable_by(|one, other| other.cmp(one));
        }
        Ok(batch)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.reader.buffer().entry(0).is_none()
    }

    pub(super) fn next(&mut self) -> Option<Entry<'_, S::Unit>> {
        let (entry, _) = match self.ordered.pop() {
            Some((_, position)) => self.reader.buffer().entry(position)?,
            None => self.reader.next()?,
        };
        Some(entry)
    }

    pub(super) fn left(&self) -> usize {
        self.ordered.len() + self.reader.left()
    }

    /// Counts the entries with a second listing.
    pub(super) fn count(
        &mut self,
        dir: &S::Dir,
        sys: &S,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<u64> {
        let Opened::Dir(dir) = sys.open_child(dir, S::ITSELF, Mounts::Cross) else { return None };
        // Few entries per batch mean that the count has caught up with a writer.
        let (mut count, mut most, mut small) = (0, SMALL_BATCH * 16, 0);
        let complete = loop {
            let Ok(batch) = self.read(&dir, false, sys) else { break false };
            let mut found = 0_u64;
            while self.next().is_some() {
                found += 1;
            }
            count += found;
            most = most.max(found);
            small = if found * 16 < most { small + 1 } else { 0 };
            if batch == Batch::End || found == 0 || small == MAX_SMALL_BATCHES || is_cancelled() {
                break true;
            }
        };
        sys.close(dir);
        complete.then_some(count)
    }
}
