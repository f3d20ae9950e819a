//! Reads a whole directory and queries its entries from several threads.
//!
//! Most of the time goes into the queries, one per entry, and one slow query must not leave other
//! threads idle. So each batch is split into small chunks. Each thread takes one chunk after
//! another, and writes into the chunk's part of the result slice. The threads end with the batch,
//! and a larger batch starts more. Batches grow up to sixteenfold.

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Entry, List, ListBatch};
use crate::control::Threads;
use crate::error::Error;
use crate::fields::Metadata;
use crate::querier::Querier;
use crate::sys::{Host, Listing, Opened, Os, Sys, SystemUnit};
use crate::tree::Workers;

/// Entries per chunk. Their queries take about 100 µs.
const CHUNK: usize = 64;
/// Entries per thread for `Threads::Automatic`. Their queries take over a millisecond, ten times
/// the cost of a thread.
const ENTRIES_PER_THREAD: usize = 1024;
/// The maximum number of threads; more would contend for kernel locks in one directory.
const MAX_THREADS: usize = 8;

type Chunks<'a, T> =
    Mutex<std::iter::Zip<std::slice::Chunks<'a, usize>, std::slice::ChunksMut<'a, T>>>;

impl List {
    /// Reads the rest of the directory and appends one result per entry to `into`, in listing
    /// order.
    ///
    /// `begin` is called with each name, in order, on the calling thread. It returns the initial
    /// result, or `None` to skip the entry without a query. `complete` is called once per entry
    /// with its metadata, on any thread and in any order.
    ///
    /// Threads are started only if the plan needs queries. [`Threads::Automatic`] uses at most one
    /// thread per 1,024 entries of a batch, one per processor, and eight in all.
    /// [`Threads::AtMost`] uses at most one per 64 entries. If the system cannot start that many,
    /// fewer are used.
    ///
    /// Costs as much as [`List::next`] for the accepted entries, plus 1 call if threads may be
    /// started. On Linux each started thread adds 2 calls to reopen the directory. Each thread has
    /// its own cache of owners.
    ///
    /// If the listing fails, the results for entries already read are complete. A failed query is
    /// recorded in the entry's [`Metadata`], even if the entry has vanished. A panic in `complete`
    /// is resumed on the calling thread.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-gather-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// # std::fs::write(scratch.join("a"), "four")?;
    /// use curt::{Fields, Threads};
    /// // `scratch` is a directory with a file `a` (4 bytes).
    /// let mut sizes = Vec::new();
    /// curt::list(&scratch)?.fields(Fields::SIZE).gather(
    ///     Threads::Automatic,
    ///     &mut sizes,
    ///     |name| Some((name.to_owned(), None)),
    ///     |(_, size), entry| *size = entry.metadata().size().known(),
    /// )?;
    /// assert_eq!(sizes, [("a".into(), Some(4))]);
    /// # std::fs::remove_dir_all(scratch)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn gather<T: Send>(
        &mut self,
        threads: Threads,
        into: &mut Vec<T>,
        mut begin: impl FnMut(&OsStr) -> Option<T>,
        complete: impl Fn(&mut T, Entry<'_>) + Sync,
    ) -> Result<(), Error> {
        let mut extra = ExtraThreads { threads, processors: None, started: Vec::new() };
        let mut positions = Vec::new();
        let read = loop {
            let first = into.len();
            positions.clear();
            let left = self.reader.left();
            into.reserve(left);
            positions.reserve(left);
            while let Some((entry, at)) = self.reader.next() {
                if let Some(result) = begin(&SystemUnit::text(entry.name.units())) {
                    into.push(result);
                    positions.push(at);
                }
            }
            self.complete_all(&positions, &mut into[first..], &mut extra, &complete);
            if self.reader.is_at_end() {
                break Ok(());
            }
            if let Err(error) = self.read() {
                break Err(error);
            }
        };
        for ExtraThread { querier, dir } in extra.started {
            if let Some(dir) = dir {
                querier.sys.close(dir);
            }
            self.others.add(&querier.sys.calls());
        }
        read
    }

    fn complete_all<T: Send>(
        &mut self,
        positions: &[usize],
        results: &mut [T],
        extra: &mut ExtraThreads,
        complete: &(impl Fn(&mut T, Entry<'_>) + Sync),
    ) {
        let List { querier, dir, setup, reader, path, metadata, .. } = self;
        let wanted = extra.wanted(querier, positions.len());
        while extra.started.len() < wanted {
            let querier = Querier::new(Os::start(setup), querier.plan());
            // Reopen the directory if possible; otherwise threads contend in every call for the
            // cache line of the open file's reference count.
            let own = match querier.sys.open_below(dir, Os::ITSELF, true) {
                Opened::Dir(own) => Some(own),
                _ => None,
            };
            extra.started.push(ExtraThread { querier, dir: own });
        }
        let batch = ListBatch { dir, path, buf: reader.buffer() };
        let chunks = Mutex::new(positions.chunks(CHUNK).zip(results.chunks_mut(CHUNK)));
        if wanted == 0 {
            return batch.complete_chunks(querier, &chunks, metadata, complete);
        }
        let workers = Workers::default();
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for ExtraThread { querier, dir } in &mut extra.started[..wanted] {
                let (querier, chunks) = (&mut *querier, &chunks);
                let batch = ListBatch { dir: dir.as_ref().unwrap_or(batch.dir), ..batch };
                let work = move || {
                    batch.complete_chunks(querier, chunks, &mut Metadata::default(), complete);
                };
                let Some(thread) = workers.start(scope, work) else { break };
                threads.push(thread);
            }
            batch.complete_chunks(querier, &chunks, metadata, complete);
            Workers::join(threads);
        });
        workers.resume_panic();
    }
}

struct ExtraThreads {
    threads: Threads,
    processors: Option<usize>,
    started: Vec<ExtraThread>,
}

struct ExtraThread {
    querier: Querier<Os>,
    dir: Option<<Os as Sys>::Dir>,
}

impl ExtraThreads {
    fn wanted(&mut self, querier: &Querier<Os>, entries: usize) -> usize {
        let workers = match self.threads {
            _ if querier.is_in_listings() => 1,
            Threads::AtMost(most) => most.min(entries / CHUNK),
            Threads::Automatic if entries < 2 * ENTRIES_PER_THREAD => 1,
            Threads::Automatic => {
                let processors = *self.processors.get_or_insert_with(|| querier.sys.processors());
                processors.min(MAX_THREADS).min(entries / ENTRIES_PER_THREAD)
            }
        };
        workers.saturating_sub(1)
    }
}

impl ListBatch<'_> {
    fn complete_chunks<T>(
        self,
        querier: &Querier<Os>,
        chunks: &Chunks<'_, T>,
        metadata: &mut Metadata,
        complete: &impl Fn(&mut T, Entry<'_>),
    ) {
        // Release the lock before calling `complete`, which may panic.
        let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((positions, results)) = next() {
            for (&at, result) in positions.iter().zip(results) {
                if let Some((entry, _)) = self.buf.entry(at) {
                    complete(result, self.listed(querier, entry, at, metadata));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExtraThreads;
    use crate::control::Threads::{self, AtMost, Automatic};
    use crate::fields::{Fields, Plan};
    use crate::querier::Querier;
    use crate::sys::{Os, Setup, Sys};

    #[test]
    fn threads_are_as_many_as_is_documented() {
        let extra = |fields, threads: Threads, processors, entries| {
            let querier = Querier::new(Os::start(&Setup::default()), Plan::new(fields));
            let (processors, started) = (Some(processors), Vec::new());
            ExtraThreads { threads, processors, started }.wanted(&querier, entries)
        };
        for (threads, processors, entries, expected) in [
            (Automatic, 99, 2_047, 1),
            (Automatic, 99, 2_048, 2),
            (Automatic, 99, 5_000, 4),
            (Automatic, 99, 99_000, 8),
            (Automatic, 3, 99_000, 3),
            (AtMost(0), 99, 99_000, 1),
            (AtMost(4), 1, 127, 1),
            (AtMost(4), 1, 128, 2),
            (AtMost(20), 1, 99_000, 20),
        ] {
            let about = format!("{threads:?}, {processors}, {entries}");
            let wanted = extra(Fields::LINKS, threads, processors, entries);
            assert_eq!(wanted + 1, expected, "{about}");
            assert_eq!(extra(Fields::NAME, threads, processors, entries), 0, "{about}");
        }
    }
}
