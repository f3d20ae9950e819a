//! Decides when to list a directory again, and when to give up.
//!
//! One round of listing does not always empty a directory. POSIX leaves it open whether `readdir`
//! returns entries created after the listing began, and removing entries during a listing can hide
//! others. So `rmdir` can fail with `ENOTEMPTY` although every listed entry is gone. Retrying
//! forever would let a process that keeps creating files hold up the removal. A fixed number of
//! rounds, or a fixed time, would give up on a merely large directory (ADR 9).
//!
//! ```text
//! Reading ─┬─> Listed ──> the directory is removed; if it is not empty: Reading, a retry
//!          ├─> Overrun ─> Reading, a retry
//!          └─> Stopped    the rest remains; also if no retry is left
//! ```
//!
//! A directory that remains anyway is relisted until a round finds no new entry.
//!
//! A clock runs for each period: the first round, then all retries since the last one that found at
//! most half as many entries as the best round before it, because then removal is winning. Once a
//! period has exceeded the retry window, a round ends when it finds more entries than its bound:
//! half of the fewest entries in any complete round or, before there is one, the remaining entries,
//! counted once. Thus a directory of old entries is emptied however long that takes, and an
//! endlessly growing one is left.

use std::io;
use std::time::Duration;

use super::options::Remove;
use crate::error::{Cause, Kept};
use crate::pause::Pause;
use crate::sys::{Batch, os_error};

/// Smaller directories need no clock in their first round.
const UNTIMED: u64 = 1024;

#[derive(Debug)]
pub(super) struct Passes {
    state: State,
    /// Does not count entries that failed earlier.
    found: u64,
    /// Of these, entries that another process holds open (Windows).
    pending: u64,
    /// Set once a round is long, or has left the directory non-empty.
    clock: Option<Box<Clock>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    Listed,
    /// Entries are added as fast as they are removed.
    Overrun,
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It may also have had more entries than were counted.
    NotEmpty,
    /// It remains, and may have more entries. The first of these rounds is not counted as a retry.
    Stays,
}

#[derive(Debug, Default)]
struct Clock {
    since: Duration,
    /// How many entries a round finds if none are added. `None` while unknown.
    bound: Option<u64>,
    retries: u32,
    is_retry: bool,
    grew: bool,
    pause: Pause,
}

impl Passes {
    pub(super) fn new() -> Self {
        Passes { state: State::Reading, found: 0, pending: 0, clock: None }
    }

    pub(super) fn of_part() -> Self {
        Passes { state: State::Listed, ..Passes::new() }
    }

    pub(super) fn stop(&mut self) {
        self.state = State::Stopped;
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.state == State::Stopped
    }

    pub(super) fn has_more(&self) -> bool {
        self.state == State::Reading
    }

    pub(super) fn is_overrun(&self) -> bool {
        self.state == State::Overrun
    }

    pub(super) fn is_retry(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| clock.is_retry)
    }

    pub(super) fn has_found(&self) -> bool {
        self.found > 0
    }

    pub(super) fn after_read(&mut self, batch: Batch) {
        self.state = if batch == Batch::End { State::Listed } else { State::Reading };
    }

    pub(super) fn count(&mut self) {
        self.found += 1;
    }

    pub(super) fn count_pending(&mut self) {
        self.pending += 1;
    }

    /// `count` returns the number of remaining entries, for an unknown bound.
    pub(super) fn end_if_overrun(
        &mut self,
        now: impl FnOnce() -> Duration,
        window: Duration,
        count: impl FnOnce() -> Option<u64>,
    ) -> bool {
        if self.clock.is_none() && self.found < UNTIMED {
            return false;
        }
        let now = now();
        let clock = Clock { since: now, ..Clock::default() };
        let clock = self.clock.get_or_insert_with(|| Box::new(clock));
        if now.saturating_sub(clock.since) <= window {
            return false;
        }
        if clock.bound.is_none() {
            clock.bound = count().map(|left| self.found + left);
        }
        if clock.bound.is_some_and(|bound| self.found > bound) {
            self.state = State::Overrun;
        }
        self.is_overrun()
    }

    pub(super) fn begin(&mut self) {
        (self.state, self.found, self.pending) = (State::Reading, 0, 0);
    }

    /// Returns the pause before another round, or the reason to give up.
    pub(super) fn retry(
        &mut self,
        why: Why,
        now: Duration,
        options: &Remove<'_>,
    ) -> Result<Duration, Cause> {
        let found = self.found.saturating_sub(self.pending);
        let is_first = !self.is_retry();
        if is_first {
            self.clock = None;
        }
        let clock = Clock { since: now, is_retry: true, ..Clock::default() };
        let clock = self.clock.get_or_insert_with(|| Box::new(clock));
        clock.retries += u32::from(why == Why::NotEmpty || !is_first);
        if !is_first {
            clock.grew |= found > 0;
            if found > 0 && clock.bound.is_none_or(|bound| found <= bound) {
                (clock.since, clock.retries) = (now, 1);
            }
        }
        // The fewest in any round, because numbers that go up and down are no progress. An overrun
        // round ended early, so it predicts nothing.
        if self.state != State::Overrun {
            let half = found / 2;
            clock.bound = Some(clock.bound.map_or(half, |bound| bound.min(half)));
        }
        let waited = now.saturating_sub(clock.since);
        if clock.retries > options.retries || waited > options.retry_window {
            return Err(if clock.grew {
                Cause::Kept(Kept::BeingWrittenTo)
            } else {
                Cause::Os(os_error(io::ErrorKind::DirectoryNotEmpty))
            });
        }
        let left = options.retry_window.saturating_sub(waited);
        Ok(if found == 0 { clock.pause.next(left) } else { Duration::ZERO })
    }
}

#[cfg(test)]
mod tests {
    use super::{Passes, UNTIMED, Why};
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

    fn ends(passes: &mut Passes, at: u32, left: Option<u64>) -> (bool, bool) {
        let mut is_counted = false;
        let count = || {
            is_counted = true;
            left
        };
        (passes.end_if_overrun(|| MS * at, MS * 10, count), is_counted)
    }

    #[test]
    fn a_first_pass_longer_than_the_window_ends_when_it_finds_more_than_were_left() {
        let mut passes = Passes::new();
        for (found, at, left, expected) in [
            (UNTIMED - 1, 0, Some(0), (false, false)),
            (1, 20, Some(0), (false, false)),
            (0, 30, Some(0), (false, false)),
            (0, 31, None, (false, true)),
            (0, 31, Some(10), (false, true)),
            (10, 40, Some(0), (false, false)),
            (1, 40, Some(0), (true, false)),
        ] {
            find(&mut passes, found);
            assert_eq!(ends(&mut passes, at, left), expected, "{found} more at {at} ms");
            assert_eq!((passes.has_more(), passes.is_overrun()), (!expected.0, expected.0));
        }
        assert!(passes.retry(Why::NotEmpty, MS * 40, &options()).is_ok() && passes.is_retry());
        passes.begin();
        find(&mut passes, UNTIMED);
        assert_eq!(ends(&mut passes, 50, Some(1)), (false, false));
        assert_eq!(ends(&mut passes, 51, Some(1)), (false, true));
        find(&mut passes, 2);
        assert_eq!(ends(&mut passes, 51, Some(1)), (true, false));
        assert!(passes.retry(Why::NotEmpty, MS * 51, &options()).is_err());
    }

    #[test]
    fn retries_and_the_window_bound_the_passes() {
        let ends = |found: [u64; 4]| found.map(|found| (found, 0));
        // Each round with at most half restarts the window; the last three do not.
        let halves = [(64, 9), (32, 18), (16, 27), (8, 36), (4, 45), (2, 54), (1, 63)];
        let (pauses, left) = retry(Why::NotEmpty, &[&halves[..], &[(1, 63); 3]].concat());
        assert_eq!(pauses.len(), 9);
        assert!(matches!(left, Some(Cause::Kept(Kept::BeingWrittenTo))), "{left:?}");
        let (pauses, left) = retry(Why::NotEmpty, &ends([4, 64, 32, 16]));
        assert_eq!(pauses, [Duration::ZERO; 3]);
        assert!(matches!(left, Some(Cause::Kept(Kept::BeingWrittenTo))), "{left:?}");
        // No entry was added; the directory only seems not to be empty.
        let (pauses, left) = retry(Why::NotEmpty, &ends([4, 0, 0, 0]));
        assert_eq!(pauses, [Duration::ZERO, MS, MS * 2]);
        assert!(matches!(left, Some(Cause::Os(_))), "{left:?}");
        let (pauses, left) = retry(Why::NotEmpty, &[(0, 0), (0, 9), (0, 11)]);
        assert_eq!((pauses, left.is_some()), (vec![MS, MS], true));
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
            assert_eq!(ends(&mut passes, at, None), (is_overrun, false), "{at} ms");
        }
    }
}
