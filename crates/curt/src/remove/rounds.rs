//! Decides when to list a directory again, and when to give up.
//!
//! One round of listing does not always empty a directory. POSIX leaves it open whether `readdir`
//! returns entries created after the listing began, and removing entries during a listing can hide
//! others. So `rmdir` can fail with `ENOTEMPTY` although every listed entry is gone. Unlimited
//! retries would let a process that keeps creating files hold up the removal. A fixed number of
//! rounds, or a fixed time, would give up on a merely large directory (ADR 9).
//!
//! ```text
//! Reading ─┬─> Listed ──> the directory is removed; if it is not empty: Reading, a retry
//!          ├─> Overrun ─> Reading, a retry
//!          └─> Stopped    the rest remains; also the state if no retry is left
//! ```
//!
//! A directory that remains anyway is relisted until a round finds no new entry.
//!
//! A clock runs during the first round, and a new one during all retries. The latter restarts when
//! a retry finds at most half as many entries as the best round so far, because then removal is
//! winning. Once a clock has passed the retry window, a round ends when it finds more entries than
//! its bound. The bound is half of the entries in the smallest complete round. Before any round is
//! complete, it is the number of remaining entries, counted once: finding more means that some are
//! new. Thus a directory of old entries is emptied however long that takes, and an endlessly
//! growing one is given up.

use std::io;
use std::time::Duration;

use super::options::Remove;
use crate::error::{Cause, RemainReason};
use crate::pause::Pause;
use crate::sys::{Batch, os_error};

/// In the first round the clock starts only after this many entries.
const UNTIMED: u64 = 1024;

#[derive(Debug)]
pub(super) struct Rounds {
    state: State,
    /// Entries found in this round, except those that failed in an earlier one.
    found: u64,
    /// Of these, entries that another process holds open (Windows).
    pending: u64,
    /// The clock, which starts when a round gets long or the directory is relisted.
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
pub(super) enum Reason {
    /// The directory is not empty, or a round has exceeded its bound.
    NotEmpty,
    /// The directory will remain, and may have more entries. The first relisting for this reason
    /// does not count as a retry.
    Remains,
}

#[derive(Debug, Default)]
struct Clock {
    since: Duration,
    /// A round past the window ends when it finds more entries than this. `None` while unknown.
    bound: Option<u64>,
    retries: u32,
    is_retry: bool,
    grew: bool,
    pause: Pause,
}

impl Rounds {
    pub(super) fn new() -> Self {
        Rounds { state: State::Reading, found: 0, pending: 0, clock: None }
    }

    pub(super) fn of_part() -> Self {
        Rounds { state: State::Listed, ..Rounds::new() }
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

    /// Ends a round past the window if it has found more entries than its bound. Calls `count` for
    /// the remaining entries if the bound is unknown.
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

    pub(super) fn retry(
        &mut self,
        reason: Reason,
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
        clock.retries += u32::from(reason == Reason::NotEmpty || !is_first);
        if !is_first {
            clock.grew |= found > 0;
            if found > 0 && clock.bound.is_none_or(|bound| found <= bound) {
                (clock.since, clock.retries) = (now, 1);
            }
        }
        // Keep the smallest bound so far, because fluctuation is not progress. An overrun round
        // ended early, so its number of entries says nothing.
        if self.state != State::Overrun {
            let half = found / 2;
            clock.bound = Some(clock.bound.map_or(half, |bound| bound.min(half)));
        }
        let waited = now.saturating_sub(clock.since);
        if clock.retries > options.retries || waited > options.retry_window {
            return Err(if clock.grew {
                Cause::Remains(RemainReason::BeingWrittenTo)
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
    use super::{Reason, Rounds, UNTIMED};
    use crate::error::{Cause, RemainReason};
    use crate::remove::Remove;
    use std::time::Duration;

    fn options() -> Remove<'static> {
        Remove::new().retries(3, MS * 10)
    }

    const MS: Duration = Duration::from_millis(1);

    fn find(rounds: &mut Rounds, entries: u64) {
        for _ in 0..entries {
            rounds.count();
        }
    }

    fn retry(reason: Reason, ends: &[(u64, u32)]) -> (Vec<Duration>, Option<Cause>) {
        let (mut rounds, mut pauses) = (Rounds::new(), Vec::new());
        for &(found, at) in ends {
            find(&mut rounds, found);
            match rounds.retry(reason, MS * at, &options()) {
                Ok(pause) => pauses.push(pause),
                Err(cause) => return (pauses, Some(cause)),
            }
            rounds.begin();
        }
        (pauses, None)
    }

    fn ends(rounds: &mut Rounds, at: u32, left: Option<u64>) -> (bool, bool) {
        let mut is_counted = false;
        let count = || {
            is_counted = true;
            left
        };
        (rounds.end_if_overrun(|| MS * at, MS * 10, count), is_counted)
    }

    #[test]
    fn a_long_first_round_ends_when_it_finds_more_than_were_left() {
        let mut rounds = Rounds::new();
        for (found, at, left, expected) in [
            (UNTIMED - 1, 0, Some(0), (false, false)),
            (1, 20, Some(0), (false, false)),
            (0, 30, Some(0), (false, false)),
            (0, 31, None, (false, true)),
            (0, 31, Some(10), (false, true)),
            (10, 40, Some(0), (false, false)),
            (1, 40, Some(0), (true, false)),
        ] {
            find(&mut rounds, found);
            assert_eq!(ends(&mut rounds, at, left), expected, "{found} more at {at} ms");
            assert_eq!((rounds.has_more(), rounds.is_overrun()), (!expected.0, expected.0));
        }
        assert!(rounds.retry(Reason::NotEmpty, MS * 40, &options()).is_ok() && rounds.is_retry());
        rounds.begin();
        find(&mut rounds, UNTIMED);
        assert_eq!(ends(&mut rounds, 50, Some(1)), (false, false));
        assert_eq!(ends(&mut rounds, 51, Some(1)), (false, true));
        find(&mut rounds, 2);
        assert_eq!(ends(&mut rounds, 51, Some(1)), (true, false));
        assert!(rounds.retry(Reason::NotEmpty, MS * 51, &options()).is_err());
    }

    #[test]
    fn retries_and_the_window_bound_the_rounds() {
        let ends = |found: [u64; 4]| found.map(|found| (found, 0));
        // Each round that finds at most half as many entries restarts the window. The last three do
        // not.
        let halves = [(64, 9), (32, 18), (16, 27), (8, 36), (4, 45), (2, 54), (1, 63)];
        let (pauses, left) = retry(Reason::NotEmpty, &[&halves[..], &[(1, 63); 3]].concat());
        assert_eq!(pauses.len(), 9);
        assert!(matches!(left, Some(Cause::Remains(RemainReason::BeingWrittenTo))), "{left:?}");
        let (pauses, left) = retry(Reason::NotEmpty, &ends([4, 64, 32, 16]));
        assert_eq!(pauses, [Duration::ZERO; 3]);
        assert!(matches!(left, Some(Cause::Remains(RemainReason::BeingWrittenTo))), "{left:?}");
        // The directory is reported as not empty, but no entry was added.
        let (pauses, left) = retry(Reason::NotEmpty, &ends([4, 0, 0, 0]));
        assert_eq!(pauses, [Duration::ZERO, MS, MS * 2]);
        assert!(matches!(left, Some(Cause::Os(_))), "{left:?}");
        let (pauses, left) = retry(Reason::NotEmpty, &[(0, 0), (0, 9), (0, 11)]);
        assert_eq!((pauses, left.is_some()), (vec![MS, MS], true));
        let (pauses, left) = retry(Reason::Remains, &[(9, 0); 5]);
        assert_eq!((pauses.len(), left.is_some()), (4, true));
    }

    #[test]
    fn entries_that_others_have_open_are_waited_for() {
        let mut rounds = Rounds::new();
        find(&mut rounds, 1);
        rounds.count_pending();
        assert_eq!(rounds.retry(Reason::NotEmpty, MS, &options()).ok(), Some(MS));
        rounds.begin();
        find(&mut rounds, 1);
        let pause = rounds.retry(Reason::NotEmpty, MS, &options());
        assert_eq!(pause.ok(), Some(Duration::ZERO), "this one was found anew");
    }

    #[test]
    fn a_retry_ends_with_the_window_unless_it_finds_far_fewer_entries() {
        let mut rounds = Rounds::new();
        find(&mut rounds, 10);
        assert!(rounds.retry(Reason::NotEmpty, Duration::ZERO, &options()).is_ok());
        rounds.begin();
        for (entries, at, is_overrun) in [(5, 11, false), (1, 10, false), (0, 11, true)] {
            find(&mut rounds, entries);
            assert_eq!(ends(&mut rounds, at, None), (is_overrun, false), "{at} ms");
        }
    }
}
