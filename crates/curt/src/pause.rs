use std::time::Duration;

const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(100);
/// How often a pause checks whether the operation is over.
const STEP: Duration = Duration::from_millis(5);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Pause(FIRST)
    }
}

impl Pause {
    pub(crate) fn next(&mut self, left: Duration) -> Duration {
        let pause = self.0.min(left);
        self.0 = (self.0 * 2).min(LONGEST);
        pause
    }
}

/// Sleeps for `time`, or until the operation is over. Returns whether it continues.
pub(crate) fn sleep_unless(
    sleep: impl Fn(Duration),
    is_over: impl Fn() -> bool,
    mut time: Duration,
) -> bool {
    while !time.is_zero() && !is_over() {
        let step = time.min(STEP);
        sleep(step);
        time -= step;
    }
    !is_over()
}

#[cfg(test)]
mod tests {
    use super::{Pause, sleep_unless};
    use crate::control::Cancel;
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn pauses_double_up_to_the_longest_and_end_with_the_time() {
        let mut pause = Pause::default();
        let plenty = Duration::from_secs(1);
        let pauses: Vec<u128> = (0..9).map(|_| pause.next(plenty).as_millis()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
        assert_eq!(pause.next(Duration::from_millis(3)), Duration::from_millis(3));
        assert_eq!(pause.next(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn sleep_ends_soon_after_a_cancellation() {
        let (cancel, slept) = (Cancel::new(), Cell::new(Duration::ZERO));
        let sleep = |time| {
            slept.set(slept.get() + time);
            if slept.get() >= Duration::from_millis(20) {
                cancel.cancel();
            }
        };
        assert!(!sleep_unless(sleep, || cancel.is_cancelled(), Duration::from_secs(1)));
        assert_eq!(slept.get(), Duration::from_millis(20));
        assert!(sleep_unless(|_| {}, || false, Duration::from_millis(12)));
    }
}
