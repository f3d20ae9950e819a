//! Reading a directory as a whole, with several threads that ask about its entries.
//!
//! Reading one directory is work for one thread, but most of the time goes into the questions, one
//! for each entry, and these are independent of each other. So the entries of one batch are split
//! into small parts: each thread takes the next part, and writes the results to their places. The
//! threads end with the batch; the next one is up to sixteen times as large.

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Entry, List, ListBatch};
use crate::ask::Asker;
use crate::control::Threads;
use crate::error::Error;
use crate::fields::Metadata;
use crate::sys::{Host, Listing, Opened, Os, Sys, SystemUnit};
use crate::tree::Workers;

/// The entries in one part: about 100 µs of questions, beside which taking the next part costs
/// nothing.
const PART: usize = 64;
/// The entries for each thread, if the caller does not choose: more than a millisecond of
/// questions, of which starting and ending a thread takes a tenth.
const SHARE: usize = 1024;
/// The most threads, if the caller does not choose: the entries of one directory share some locks
/// of the system.
const MOST: usize = 8;

/// The parts of a batch that are still to be asked about: positions of entries, and the places of
/// their results.
type Parts<'a, T> =
    Mutex<std::iter::Zip<std::slice::Chunks<'a, usize>, std::slice::ChunksMut<'a, T>>>;

impl List {
    /// Reads the rest of the directory, and appends a result for each entry to `into`, in the order
    /// of the listing.
    ///
    /// `begin` is called with each name, in order, on this thread; what it returns is appended. If
    /// it returns `None`, the entry is left out, and nothing is asked about it. `complete` adds the
    /// metadata to a result. It is called on any of the threads, in any order, once for an entry.
    ///
    /// Threads: none is started if listings carry everything that the plan wants. Otherwise, with
    /// [`Threads::Automatic`], one works for each 1,024 entries of a batch, at most eight and at
    /// most as many as there are processors; below 2,048 entries none is started. With
    /// [`Threads::AtMost`], that many work, at most one for each 64 entries. If the system has no
    /// thread left, fewer work.
    ///
    /// Cost: that of [`List::next`] for the entries that are not left out, and 1 call if threads
    /// may be started. On Linux also 2 calls for each thread that is started: it opens the
    /// directory a second time, as threads that share a descriptor wait for each other in every
    /// call; if it may not, it shares. Each thread learns for itself the names of owners, and which
    /// devices have no access rules.
    ///
    /// Errors: if the listing fails, the results of what was read before are complete. What could
    /// not be asked about an entry is in its [`Metadata`]. Races: those of any listing; an entry
    /// that vanishes meanwhile has failed fields. A panic of `complete` is resumed on this thread
    /// when all threads have ended.
    ///
    /// ```
    /// # let scratch = std::env::temp_dir().join(format!("curt-gather-{}", std::process::id()));
    /// # std::fs::create_dir_all(&scratch)?;
    /// # std::fs::write(scratch.join("a"), "four")?;
    /// use curt::{Fields, Threads};
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
        let mut helpers = Helpers { threads, processors: None, started: Vec::new() };
        let mut positions = Vec::new();
        let read = loop {
            let first = into.len();
            positions.clear();
            // Growing step by step leaves memory behind that was touched for nothing.
            let left = self.reader.left();
            into.reserve(left);
            positions.reserve(left);
            while let Some((entry, at)) = self.reader.next() {
                if let Some(result) = begin(&SystemUnit::text(entry.name.units())) {
                    into.push(result);
                    positions.push(at);
                }
            }
            self.ask(&positions, &mut into[first..], &mut helpers, &complete);
            if self.reader.is_at_end() {
                break Ok(());
            }
            if let Err(error) = self.read() {
                break Err(error);
            }
        };
        for Helper { asker, dir } in helpers.started {
            if let Some(dir) = dir {
                asker.sys.close(dir);
            }
            self.others.add(&asker.sys.calls());
        }
        read
    }

    /// Asks about the entries of the batch that lie at these positions.
    fn ask<T: Send>(
        &mut self,
        positions: &[usize],
        results: &mut [T],
        helpers: &mut Helpers,
        complete: &(impl Fn(&mut T, Entry<'_>) + Sync),
    ) {
        let List { asker, dir, setup, reader, path, metadata, .. } = self;
        let wanted = helpers.wanted(asker, positions.len());
        while helpers.started.len() < wanted {
            let asker = Asker::new(Os::start(setup), asker.plan());
            // Every call counts a reference to the open file, so threads that share one contend
            // for its cache line. Where descriptors run out, they share it all the same.
            let own = match asker.sys.open_below(dir, Os::ITSELF, true) {
                Opened::Dir(own) => Some(own),
                _ => None,
            };
            helpers.started.push(Helper { asker, dir: own });
        }
        let batch = ListBatch { dir, path, buf: reader.buffer() };
        let parts = Mutex::new(positions.chunks(PART).zip(results.chunks_mut(PART)));
        if wanted == 0 {
            return batch.complete_parts(asker, &parts, metadata, complete);
        }
        let workers = Workers::default();
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for Helper { asker, dir } in &mut helpers.started[..wanted] {
                let (asker, parts) = (&mut *asker, &parts);
                let batch = ListBatch { dir: dir.as_ref().unwrap_or(batch.dir), ..batch };
                let work = move || {
                    batch.complete_parts(asker, parts, &mut Metadata::default(), complete);
                };
                let Some(thread) = workers.start(scope, work) else { break };
                threads.push(thread);
            }
            batch.complete_parts(asker, &parts, metadata, complete);
            Workers::join(threads);
        });
        workers.pass_on();
    }
}

/// The threads beside the caller's. They are kept from one batch to the next.
struct Helpers {
    threads: Threads,
    /// The number of processors, once it was needed.
    processors: Option<usize>,
    started: Vec<Helper>,
}

/// What a thread asks with.
struct Helper {
    asker: Asker<Os>,
    /// A descriptor for this thread alone, if it has one.
    dir: Option<<Os as Sys>::Dir>,
}

impl Helpers {
    /// How many threads are to help with this many entries.
    fn wanted(&mut self, asker: &Asker<Os>, entries: usize) -> usize {
        let workers = match self.threads {
            _ if asker.is_in_listings() => 1,
            Threads::AtMost(most) => most.min(entries / PART),
            Threads::Automatic if entries < 2 * SHARE => 1,
            Threads::Automatic => {
                let processors = *self.processors.get_or_insert_with(|| asker.sys.processors());
                processors.min(MOST).min(entries / SHARE)
            }
        };
        workers.saturating_sub(1)
    }
}

impl ListBatch<'_> {
    /// Takes one part after the other until none is left.
    fn complete_parts<T>(
        self,
        asker: &Asker<Os>,
        parts: &Parts<'_, T>,
        metadata: &mut Metadata,
        complete: &impl Fn(&mut T, Entry<'_>),
    ) {
        // The lock is released before `complete`, which may panic.
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((positions, results)) = next() {
            for (&at, result) in positions.iter().zip(results) {
                if let Some((entry, _)) = self.buf.entry(at) {
                    complete(result, self.listed(asker, entry, at, metadata));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Helpers;
    use crate::ask::Asker;
    use crate::control::Threads::{self, AtMost, Automatic};
    use crate::fields::{Fields, Plan};
    use crate::sys::{Os, Setup, Sys};

    #[test]
    fn threads_are_as_many_as_is_documented() {
        let helpers = |fields, threads: Threads, processors, entries| {
            let asker = Asker::new(Os::start(&Setup::default()), Plan::new(fields));
            let (processors, started) = (Some(processors), Vec::new());
            Helpers { threads, processors, started }.wanted(&asker, entries)
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
            let wanted = helpers(Fields::LINKS, threads, processors, entries);
            assert_eq!(wanted + 1, expected, "{about}");
            assert_eq!(helpers(Fields::NAME, threads, processors, entries), 0, "{about}");
        }
    }
}
