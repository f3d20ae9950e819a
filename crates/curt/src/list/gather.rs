//! Reading a directory as a whole, with several threads that ask about its entries.
//!
//! A directory is one listing, and reading it is for one thread. Most of the time goes into the
//! questions, one for each entry, and these do not wait for each other. So what one buffer holds is
//! shared out in small parts: whoever is free takes the next one, and writes what becomes of its
//! entries where they belong. The threads end with the buffer; the next one holds sixteen times as
//! much.

use std::ffi::OsStr;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Entry, List, Place};
use crate::ask::Asker;
use crate::control::Threads;
use crate::error::Error;
use crate::fields::Metadata;
use crate::sys::{Batch, Host, Listing, Os, Sys, SystemUnit};
use crate::tree::{HELPER_STACK, Panics};

/// Entries in one part: some 100 µs of questions, beside which taking the next part is nothing.
const PART: usize = 64;
/// Entries for each thread that nobody asked for: more than a millisecond of questions, of which a
/// thread that helps takes a tenth to begin and to end.
const SHARE: usize = 1024;
/// The most threads that nobody asked for: the entries of one directory have one lock here and
/// there.
const MOST: usize = 8;

/// What is left to be asked about of one buffer: where entries lie, and what becomes of them.
type Parts<'a, T> =
    Mutex<std::iter::Zip<std::slice::Chunks<'a, usize>, std::slice::ChunksMut<'a, T>>>;

impl List {
    /// Reads the rest of the directory, and appends what becomes of its entries to `into`, in the
    /// order of the listing.
    ///
    /// `note` is told of each name, in order, by the thread that calls this; what it returns is
    /// appended, and where that is nothing, the entry is left out and nothing is asked about it.
    /// `tell` adds what was found out. It is called by any of the threads and in any order, never
    /// twice for an entry.
    ///
    /// Threads: none is started where listings tell everything that the plan wants. Otherwise, with
    /// [`Threads::Automatic`], one works for each 1,024 entries that a buffer holds, at most eight
    /// and as many as there are processors; below 2,048 entries none is started. With
    /// [`Threads::AtMost`], as many work as said, one for each 64 entries. A thread that the system
    /// does not give is done without.
    ///
    /// Cost: that of [`List::next`] for the entries that are not left out, and 1 call where threads
    /// may be started. On Linux also 2 calls for each thread that helps: it opens the directory for
    /// itself, as threads that share a descriptor wait for each other in every call; where it may
    /// not, it shares. What each thread learns by itself (names of owners, devices without access
    /// rules) is learned once by each.
    ///
    /// Errors: if the listing breaks off, what was read before is in `into`, complete. What cannot
    /// be found out of an entry is told in its [`Metadata`]. Races: those of any listing; entries
    /// that vanish meanwhile have failed fields. A panic of `tell` is passed on when all threads
    /// have ended.
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
        mut note: impl FnMut(&OsStr) -> Option<T>,
        tell: impl Fn(&mut T, Entry<'_>) + Sync,
    ) -> Result<(), Error> {
        let mut help = Help { threads, processors: None, helpers: Vec::new() };
        let mut positions = Vec::new();
        let read = loop {
            let begin = into.len();
            positions.clear();
            if !self.is_fresh {
                // Growing step by step leaves memory behind that was touched for nothing.
                let left = self.buf.left(self.position);
                into.reserve(left);
                positions.reserve(left);
            }
            while let Some((entry, next)) = self.here() {
                if let Some(item) = note(&SystemUnit::text(entry.name.units())) {
                    into.push(item);
                    positions.push(self.position);
                }
                self.position = next;
            }
            self.tell_of(&positions, &mut into[begin..], &mut help, &tell);
            if self.listing == Batch::End {
                break Ok(());
            }
            if let Err(error) = self.read() {
                break Err(error);
            }
        };
        for Helper { asker, dir } in help.helpers {
            if let Some(dir) = dir {
                asker.sys.close(dir);
            }
            self.helped.add(&asker.sys.calls());
        }
        read
    }

    /// Asks about the entries that lie at these positions of the buffer.
    fn tell_of<T: Send>(
        &mut self,
        positions: &[usize],
        items: &mut [T],
        help: &mut Help,
        tell: &(impl Fn(&mut T, Entry<'_>) + Sync),
    ) {
        let List { asker, dir, buf, path, metadata, setup, .. } = self;
        let Some(dir) = dir.as_ref() else { return };
        let wanted = help.wanted(asker, positions.len());
        while help.helpers.len() < wanted {
            let asker = Asker::new(Os::start(setup), asker.plan());
            let dir = asker.sys.reopen(dir);
            help.helpers.push(Helper { asker, dir });
        }
        let place = Place { dir, path, buf };
        let parts = Mutex::new(positions.chunks(PART).zip(items.chunks_mut(PART)));
        if wanted == 0 {
            return place.tell_parts(asker, &parts, metadata, tell);
        }
        let panics = Panics::default();
        thread::scope(|scope| {
            for helper in &mut help.helpers[..wanted] {
                let place = Place { dir: helper.dir.as_ref().unwrap_or(dir), ..place };
                let (asker, parts, panics) = (&mut helper.asker, &parts, &panics);
                let work = move || {
                    panics.catch(|| {
                        place.tell_parts(asker, parts, &mut Metadata::default(), tell);
                    });
                };
                let thread = thread::Builder::new().stack_size(HELPER_STACK);
                if thread.spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            place.tell_parts(asker, &parts, metadata, tell);
        });
        panics.pass_on();
    }
}

/// The threads beside the caller's.
struct Help {
    threads: Threads,
    /// How many there are, once somebody wanted to know.
    processors: Option<usize>,
    /// Kept from one buffer to the next.
    helpers: Vec<Helper>,
}

/// What a thread asks with.
struct Helper {
    asker: Asker<Os>,
    /// The directory, where it has it for itself.
    dir: Option<<Os as Sys>::Dir>,
}

impl Help {
    /// How many are to help with so many entries.
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

impl Place<'_> {
    /// Takes one part after the other until none is left.
    fn tell_parts<T>(
        &self,
        asker: &Asker<Os>,
        parts: &Parts<'_, T>,
        metadata: &mut Metadata,
        tell: &impl Fn(&mut T, Entry<'_>),
    ) {
        // A `tell` that panics does so outside of the lock.
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((positions, items)) = next() {
            for (&at, item) in positions.iter().zip(items) {
                if let Some((entry, _)) = self.buf.entry(at) {
                    tell(item, self.tell(asker, at, entry, metadata));
                }
            }
        }
    }
}
