//! The passes over one directory: how far its listing is, and when it is listed once more.

use std::io;
use std::time::Duration;

use super::options::Remove;
use crate::error::Cause;
use crate::pause::Pause;
use crate::sys::{Batch, os_error};

/// After so many entries of one directory, those that are left are counted: more than that can only
/// be what somebody has added since.
const UNCOUNTED: u64 = 1 << 16;

/// The passes over the listing of one directory.
#[derive(Debug)]
pub(super) struct Passes {
    /// What the last read said.
    listing: Batch,
    /// What reading the first entries said, which are in the buffer already.
    prefetched: Option<Batch>,
    /// Entries found in this pass, without those that failed before.
    found: u64,
    /// Of these, how many are removed when somebody else closes them.
    pending: u64,
    /// How many names were forgotten in this pass for want of memory. The next pass finds them.
    forgotten: u64,
    /// Entries dealt with in all passes since they were last counted.
    dealt: u64,
    /// How many of them there can be unless somebody adds some. Only known of large directories.
    bound: Option<u64>,
    /// The pass was ended because there were more.
    overrun: bool,
    /// What is known since the second pass.
    retries: Option<Box<Retries>>,
    /// There is no further pass, whatever may still be in the directory: that was reported.
    is_over: bool,
}

/// The passes over a directory that did not become empty.
#[derive(Debug)]
struct Retries {
    passes: u32,
    since: Duration,
    /// The fewest entries that a pass has found.
    fewest: u64,
    /// Somebody has added entries.
    wrote: bool,
    pause: Pause,
}

impl Passes {
    /// The first pass is about to begin.
    pub(super) fn new() -> Self {
        Passes {
            listing: Batch::More,
            prefetched: None,
            found: 0,
            pending: 0,
            forgotten: 0,
            dealt: 0,
            bound: None,
            overrun: false,
            retries: None,
            is_over: false,
        }
    }

    /// Nothing is to be listed.
    pub(super) fn none() -> Self {
        Passes { listing: Batch::End, is_over: true, ..Passes::new() }
    }

    /// Ends the last pass; what is left was reported, or is to stay.
    pub(super) fn end(&mut self) {
        *self = Passes { found: self.found, ..Passes::none() };
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether there is more to be read in this pass.
    pub(super) fn has_more(&self) -> bool {
        self.listing == Batch::More
    }

    /// Whether the listing seemed to be at its end, which removing the directory will show.
    pub(super) fn is_guess(&self) -> bool {
        self.listing == Batch::ProbablyLast
    }

    /// Reads on, because nothing will show whether the guess is right, or because it was wrong.
    pub(super) fn read_on(&mut self) {
        self.listing = Batch::More;
    }

    /// The first entries are in the buffer already.
    pub(super) fn prefetch(&mut self, batch: Batch) {
        self.prefetched = Some(batch);
    }

    /// What was said of the entries that are in the buffer already, if there are any.
    pub(super) fn take_prefetched(&mut self) -> Option<Batch> {
        self.prefetched.take()
    }

    /// A batch was read.
    pub(super) fn has_read(&mut self, batch: Batch, may_guess: bool) {
        let guesses = batch == Batch::ProbablyLast;
        self.listing = if guesses && !may_guess { Batch::More } else { batch };
    }

    /// An entry is removed when somebody else closes it.
    pub(super) fn is_pending(&mut self) {
        self.pending += 1;
    }

    /// A name was forgotten.
    pub(super) fn forget(&mut self) {
        self.forgotten += 1;
    }

    /// Whether names were forgotten in this pass.
    pub(super) fn has_forgotten(&self) -> bool {
        self.forgotten > 0
    }

    /// Whether entries were found in this pass.
    pub(super) fn has_found(&self) -> bool {
        self.found > 0
    }

    /// A batch of so many entries is dealt with; `before` is what this was when it began. Returns how
    /// many of them have appeared since the pass before.
    pub(super) fn has_dealt_with(&mut self, found: u64, before: Before) -> u64 {
        self.found += found;
        self.dealt += found.saturating_sub(self.forgotten - before.forgotten);
        // What only waits to be closed by somebody is not new.
        let is_new = self.retries.is_some() && !self.has_forgotten();
        if is_new { found.saturating_sub(self.pending - before.pending) } else { 0 }
    }

    /// What a batch may change.
    pub(super) fn before_batch(&self) -> Before {
        Before { forgotten: self.forgotten, pending: self.pending }
    }

    /// Whether this pass has lasted longer than the limits on retries allow, without fewer entries
    /// than at any time before.
    pub(super) fn is_too_long(&self, now: impl FnOnce() -> Duration, options: &Remove<'_>) -> bool {
        self.retries.as_ref().is_some_and(|retries| {
            let is_progress = self.found * 2 <= retries.fewest;
            !is_progress && now().saturating_sub(retries.since) > options.retry_window
        })
    }

    /// Whether there are so many entries that those that are left have to be counted.
    pub(super) fn must_be_counted(&self) -> bool {
        self.dealt >= UNCOUNTED && self.bound.is_none()
    }

    /// So many entries are left.
    pub(super) fn are_left(&mut self, count: u64) {
        self.bound = Some(self.dealt + count);
    }

    /// Whether more entries were dealt with than there were when they were counted.
    pub(super) fn is_beyond_bound(&self) -> bool {
        self.dealt >= UNCOUNTED && self.bound.is_some_and(|bound| self.dealt > bound)
    }

    /// Ends this pass, because somebody adds entries as fast as they are removed.
    pub(super) fn overrun(&mut self) {
        self.overrun = true;
        self.listing = Batch::End;
    }

    /// Whether this pass was ended for that reason. The next one begins to count anew.
    pub(super) fn take_overrun(&mut self) -> bool {
        let overrun = std::mem::take(&mut self.overrun);
        if overrun {
            (self.bound, self.dealt) = (None, 0);
        }
        overrun
    }

    /// Whether names were forgotten in this pass, so that another one follows, in which there are no
    /// more entries than those.
    pub(super) fn take_forgotten(&mut self) -> bool {
        let forgotten = std::mem::take(&mut self.forgotten);
        if forgotten > 0 {
            let known = self.dealt + forgotten;
            self.bound = Some(self.bound.map_or(known, |bound| bound.min(known)));
        }
        forgotten > 0
    }

    /// Begins another pass.
    pub(super) fn begin(&mut self) {
        (self.found, self.pending) = (0, 0);
        self.listing = Batch::More;
    }

    /// Whether there may be another pass over a directory that did not become empty: how long to wait
    /// before it, or why there is none. That the directory holds more than was found is `certain`, or
    /// only possible: then the second pass is no retry.
    pub(super) fn retry(
        &mut self,
        certain: bool,
        now: Duration,
        options: &Remove<'_>,
    ) -> Result<Duration, Cause> {
        let found = self.found.saturating_sub(self.pending);
        let is_first = self.retries.is_none();
        let retries = self.retries.get_or_insert_with(|| {
            Box::new(Retries {
                passes: 0,
                since: now,
                fewest: found,
                wrote: false,
                pause: Pause::default(),
            })
        });
        retries.passes += u32::from(certain || !is_first);
        if !is_first {
            retries.wrote |= found > 0;
            if found > 0 && found * 2 <= retries.fewest {
                retries.since = now;
                retries.passes = 1;
            }
            // Less than at any time before: a number that goes up and down is no progress.
            retries.fewest = retries.fewest.min(found);
        }
        let waited = now.saturating_sub(retries.since);
        if retries.passes > options.retries || waited > options.retry_window {
            return Err(if retries.wrote {
                Cause::BeingWrittenTo
            } else {
                Cause::Os(os_error(io::ErrorKind::DirectoryNotEmpty))
            });
        }
        let left = options.retry_window.saturating_sub(waited);
        Ok(if found == 0 { retries.pause.next(left) } else { Duration::ZERO })
    }
}

/// What a batch may change, as it was before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    forgotten: u64,
    pending: u64,
}
