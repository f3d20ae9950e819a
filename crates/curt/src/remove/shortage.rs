use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A shortage of descriptors or memory. All workers together wait once for its end, not once for
/// each directory.
#[derive(Debug)]
pub(super) struct Shortage {
    since: Mutex<Option<Duration>>,
    /// How many directories were open in the worker that last met the shortage. `usize::MAX` if
    /// there is no shortage.
    held: AtomicUsize,
}

impl Shortage {
    pub(super) fn none() -> Self {
        Shortage { since: Mutex::default(), held: AtomicUsize::new(usize::MAX) }
    }

    /// Records that a worker with `held` open directories could not open another. Returns whether
    /// to wait and retry.
    pub(super) fn may_wait(&self, held: usize, now: Duration, window: Duration) -> bool {
        let mut since = self.lock();
        self.held.store(held, Ordering::Relaxed);
        now.saturating_sub(*since.get_or_insert(now)) <= window
    }

    /// Records that a worker now has `held` open directories. If these are more than during the
    /// shortage, it is over. The same number proves nothing, because another directory may have
    /// been closed first.
    pub(super) fn opened(&self, held: usize) {
        if held > self.held.load(Ordering::Relaxed) {
            let mut since = self.lock();
            *since = None;
            self.held.store(usize::MAX, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Duration>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::Shortage;
    use std::time::Duration;

    #[test]
    fn a_shortage_lasts_until_more_directories_are_open_than_when_it_was_met() {
        let shortage = Shortage::none();
        let ms = Duration::from_millis;
        let may_wait = |held, now| shortage.may_wait(held, ms(now), ms(10));
        assert!(may_wait(3, 0));
        shortage.opened(3);
        assert!(may_wait(3, 10));
        assert!(!may_wait(3, 11));
        shortage.opened(4);
        assert!(may_wait(4, 11) && may_wait(4, 21), "another shortage");
        assert!(!may_wait(4, 22));
    }
}
