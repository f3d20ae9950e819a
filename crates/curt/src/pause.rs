//! Waiting for what somebody else has in use: pauses that grow, and end when the work is cancelled.

use std::time::Duration;

use crate::control::Cancel;

/// The first pause, the longest, and the pieces that they are made of, so that a cancellation is
/// noticed.
const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(100);
const PIECE: Duration = Duration::from_millis(5);

/// The next pause before another try. Each is twice as long as the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Pause(FIRST)
    }
}

impl Pause {
    /// The next pause, no longer than what is left of the time for all.
    pub(crate) fn next(&mut self, left: Duration) -> Duration {
        let pause = self.0.min(left);
        self.0 = (self.0 * 2).min(LONGEST);
        pause
    }
}

/// Sleeps, unless the work is cancelled. Returns whether it is not.
pub(crate) fn nap(sleep: impl Fn(Duration), cancel: Option<&Cancel>, mut time: Duration) -> bool {
    let is_cancelled = || cancel.is_some_and(Cancel::is_cancelled);
    while !time.is_zero() && !is_cancelled() {
        let piece = time.min(PIECE);
        sleep(piece);
        time -= piece;
    }
    !is_cancelled()
}

#[cfg(test)]
mod tests {
    use super::{Pause, nap};
    use crate::control::Cancel;
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn pauses_double_up_to_the_longest_and_never_outlast_what_is_left() {
        let mut pause = Pause::default();
        let plenty = Duration::from_secs(1);
        let pauses: Vec<u128> = (0..9).map(|_| pause.next(plenty).as_millis()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
        assert_eq!(pause.next(Duration::from_millis(3)), Duration::from_millis(3));
        assert_eq!(pause.next(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn a_nap_ends_soon_after_a_cancellation() {
        let (cancel, slept) = (Cancel::new(), Cell::new(Duration::ZERO));
        let sleep = |time| {
            slept.set(slept.get() + time);
            if slept.get() >= Duration::from_millis(20) {
                cancel.cancel();
            }
        };
        assert!(!nap(sleep, Some(&cancel), Duration::from_secs(1)));
        assert_eq!(slept.get(), Duration::from_millis(20));
        assert!(nap(|_| {}, None, Duration::from_millis(12)));
    }
}
