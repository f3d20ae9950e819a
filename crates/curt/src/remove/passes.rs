//! The passes over the listing of one directory: how far the current one is, and whether another
//! one may follow.
//!
//! ```text
//! Reading ─┬─> Listed ──> the directory is removed; if it is not empty: Reading, a retry
//!          ├─> Overrun ─> Reading, a retry
//!          └─> Stopped    what is left stays; also where no retry is left
//! ```
//!
//! A directory that stays anyway is listed until a pass finds nothing new.

use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

use super::options::Remove;
use crate::error::{Cause, Kept};
use crate::pause::Pause;
use crate::sys::{Batch, os_error};

/// The number of entries of one directory after which the remaining ones are counted: more than
/// that must have been added since.
const UNCOUNTED: u64 = 1 << 16;

/// The passes over the listing of one directory.
#[derive(Debug)]
pub(super) struct Passes {
    state: State,
    /// Entries found in this pass, without those that failed before.
    found: u64,
    /// Of these, entries that go when another process closes them.
    pending: u64,
    /// How many entries this pass can find unless some are added. Only known of large directories.
    bound: Option<NonZeroU64>,
    /// Set once a pass left the directory non-empty.
    retries: Option<Box<Retries>>,
}

/// How far a pass is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    Listed,
    /// Ended early, because entries are added as fast as they are removed.
    Overrun,
    /// No other pass follows: what is left was reported, or is to stay.
    Stopped,
}

/// Why a directory is listed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// The system says that it is not empty, or it had more entries than were left.
    NotEmpty,
    /// It stays, and may hold more entries. The first of these passes does not count.
    Stays,
}

#[derive(Debug)]
struct Retries {
    passes: u32,
    since: Duration,
    /// The fewest entries that a pass has found.
    fewest: u64,
    /// Whether entries were added meanwhile.
    grew: bool,
    pause: Pause,
}

impl Passes {
    /// Begins the first pass.
    pub(super) fn new() -> Self {
        Passes { state: State::Reading, found: 0, pending: 0, bound: None, retries: None }
    }

    /// Returns the pass over entries that another worker has listed: all of them.
    pub(super) fn of_part() -> Self {
        Passes { state: State::Listed, ..Passes::new() }
    }

    /// Stops: no other pass follows.
    pub(super) fn stop(&mut self) {
        self.state = State::Stopped;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }

    /// Returns whether there is more to read in this pass.
    pub(super) fn has_more(&self) -> bool {
        self.state == State::Reading
    }

    pub(super) fn is_overrun(&self) -> bool {
        self.state == State::Overrun
    }

    /// Returns whether this pass follows one after which the directory was not empty.
    pub(super) fn is_retry(&self) -> bool {
        self.retries.is_some()
    }

    /// Returns whether entries were found in this pass.
    pub(super) fn has_found(&self) -> bool {
        self.found > 0
    }

    /// Continues the pass after a listing call.
    pub(super) fn after_read(&mut self, batch: Batch) {
        self.state = if batch == Batch::End { State::Listed } else { State::Reading };
    }

    /// Counts an entry that has not failed before.
    pub(super) fn count(&mut self) {
        self.found += 1;
    }

    /// Counts an entry as one that goes when another process closes it.
    pub(super) fn count_pending(&mut self) {
        self.pending += 1;
    }

    /// Returns whether the directory is so large that its remaining entries have to be counted.
    pub(super) fn needs_bound(&self) -> bool {
        self.bound.is_none() && self.found >= UNCOUNTED
    }

    /// Sets the number of entries that are left.
    pub(super) fn set_left(&mut self, count: u64) {
        self.bound = NonZeroU64::new(self.found + count);
    }

    /// Ends this pass if entries are added as fast as they are removed. A pass over the entries
    /// that were there when they were counted ends by itself, however many they are, and a retry
    /// may last as long as the options say, unless there are far fewer entries than ever before.
    pub(super) fn end_if_overrun(&mut self, now: impl FnOnce() -> Duration, options: &Remove<'_>) {
        let is_beyond_bound = self.bound.is_some_and(|bound| self.found > bound.get());
        let is_too_long = self.retries.as_ref().is_some_and(|retries| {
            let is_progress = self.found * 2 <= retries.fewest;
            !is_progress && now().saturating_sub(retries.since) > options.retry_window
        });
        if is_beyond_bound || is_too_long {
            self.state = State::Overrun;
        }
    }

    /// Begins the next pass.
    pub(super) fn begin(&mut self) {
        (self.state, self.found, self.pending, self.bound) = (State::Reading, 0, 0, None);
    }

    /// Decides about another pass over a directory that did not become empty. Returns the pause
    /// before it, or the reason why there is none.
    pub(super) fn retry(
        &mut self,
        why: Why,
        now: Duration,
        options: &Remove<'_>,
    ) -> Result<Duration, Cause> {
        let found = self.found.saturating_sub(self.pending);
        let is_first = self.retries.is_none();
        let retries = self.retries.get_or_insert_with(|| {
            let pause = Pause::default();
            Box::new(Retries { passes: 0, since: now, fewest: found, grew: false, pause })
        });
        retries.passes += u32::from(why == Why::NotEmpty || !is_first);
        if !is_first {
            retries.grew |= found > 0;
            if found > 0 && found * 2 <= retries.fewest {
                retries.since = now;
                retries.passes = 1;
            }
            // The fewest ever, since a number that goes up and down is no progress.
            retries.fewest = retries.fewest.min(found);
        }
        let waited = now.saturating_sub(retries.since);
        if retries.passes > options.retries || waited > options.retry_window {
            return Err(if retries.grew {
                Cause::Kept(Kept::BeingWrittenTo)
            } else {
                Cause::Os(os_error(io::ErrorKind::DirectoryNotEmpty))
            });
        }
        let left = options.retry_window.saturating_sub(waited);
        Ok(if found == 0 { retries.pause.next(left) } else { Duration::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::{Passes, UNCOUNTED, Why};
    use crate::error::{Cause, Kept};
    use crate::remove::Remove;
    use std::time::Duration;

    fn options() -> Remove<'static> {
        Remove::new().retries(3, MS * 10)
    }

    const MS: Duration = Duration::from_millis(1);

    fn find(passes: &mut Passes, entries: u64) {
        for _ in 0..entries {
            passes.count();
        }
    }

    /// Ends passes that found so many entries at these milliseconds, each for the same reason.
    /// Returns the pauses, and the reason why no other pass followed the last one.
    fn retry(why: Why, ends: &[(u64, u32)]) -> (Vec<Duration>, Option<Cause>) {
        let (mut passes, mut pauses) = (Passes::new(), Vec::new());
        for &(found, at) in ends {
            find(&mut passes, found);
            match passes.retry(why, MS * at, &options()) {
                Ok(pause) => pauses.push(pause),
                Err(cause) => return (pauses, Some(cause)),
            }
            passes.begin();
        }
        (pauses, None)
    }

    #[test]
    fn pass_ends_when_it_finds_more_entries_than_were_left() {
        let mut passes = Passes::new();
        find(&mut passes, UNCOUNTED - 1);
        assert!(!passes.needs_bound());
        find(&mut passes, 1);
        assert!(passes.needs_bound());
        passes.set_left(10);
        assert!(!passes.needs_bound());
        find(&mut passes, 10);
        passes.end_if_overrun(|| Duration::ZERO, &options());
        assert!(passes.has_more() && !passes.is_overrun());
        find(&mut passes, 1);
        passes.end_if_overrun(|| Duration::ZERO, &options());
        assert!(passes.is_overrun());
        passes.begin();
        assert!(passes.has_more() && !passes.needs_bound(), "another pass counts again");
    }

    #[test]
    fn retries_and_the_window_bound_the_passes() {
        let ends = |found: [u64; 4]| found.map(|found| (found, 0));
        // Each that finds at most half begins the window anew; the last three find as many as before.
        let halves = [(64, 9), (32, 18), (16, 27), (8, 36), (4, 45), (2, 54), (1, 63)];
        let (pauses, left) = retry(Why::NotEmpty, &[&halves[..], &[(1, 63); 3]].concat());
        assert_eq!(pauses.len(), 9);
        assert!(matches!(left, Some(Cause::Kept(Kept::BeingWrittenTo))), "{left:?}");
        // A number that goes up and down is no progress.
        let (pauses, left) = retry(Why::NotEmpty, &ends([4, 64, 32, 16]));
        assert_eq!(pauses, [Duration::ZERO; 3]);
        assert!(matches!(left, Some(Cause::Kept(Kept::BeingWrittenTo))), "{left:?}");
        // Nothing was added: it only seems not to be empty.
        let (pauses, left) = retry(Why::NotEmpty, &ends([4, 0, 0, 0]));
        assert_eq!(pauses, [Duration::ZERO, MS, MS * 2]);
        assert!(matches!(left, Some(Cause::Os(_))), "{left:?}");
        // The last pause ends with the window.
        let (pauses, left) = retry(Why::NotEmpty, &[(0, 0), (0, 9), (0, 11)]);
        assert_eq!((pauses, left.is_some()), (vec![MS, MS], true));
        // A directory that stays is listed once more without being counted.
        let (pauses, left) = retry(Why::Stays, &[(9, 0); 5]);
        assert_eq!((pauses.len(), left.is_some()), (4, true));
    }

    #[test]
    fn entries_that_others_have_open_are_waited_for() {
        let mut passes = Passes::new();
        find(&mut passes, 1);
        passes.count_pending();
        assert_eq!(passes.retry(Why::NotEmpty, MS, &options()).ok(), Some(MS));
        passes.begin();
        find(&mut passes, 1);
        let pause = passes.retry(Why::NotEmpty, MS, &options());
        assert_eq!(pause.ok(), Some(Duration::ZERO), "this one was found anew");
    }

    #[test]
    fn a_retry_ends_with_the_window_unless_it_finds_far_fewer_entries() {
        let mut passes = Passes::new();
        find(&mut passes, 10);
        assert!(passes.retry(Why::NotEmpty, Duration::ZERO, &options()).is_ok());
        passes.begin();
        for (entries, at, is_overrun) in [(5, 11, false), (1, 10, false), (0, 11, true)] {
            find(&mut passes, entries);
            passes.end_if_overrun(|| MS * at, &options());
            assert_eq!(passes.is_overrun(), is_overrun, "{at} ms");
        }
    }
}
