//! Waiting for descriptors or memory, for all workers together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A shortage of descriptors or memory. One that lasts is waited for once, and not again for each
/// directory that meets it.
#[derive(Debug)]
pub(super) struct Shortage {
    /// When it began.
    since: Mutex<Option<Duration>>,
    /// How many directories the worker that met it last had open; `usize::MAX` if there is none.
    held: AtomicUsize,
}

impl Shortage {
    pub(super) fn none() -> Self {
        Shortage { since: Mutex::default(), held: AtomicUsize::new(usize::MAX) }
    }

    /// Notes that a worker with this many open directories could not open another. Returns whether
    /// it may wait a moment: not if the shortage has lasted longer than `window`.
    pub(super) fn may_wait(&self, held: usize, now: Duration, window: Duration) -> bool {
        let mut since = self.lock();
        self.held.store(held, Ordering::Relaxed);
        now.saturating_sub(*since.get_or_insert(now)) <= window
    }

    /// Notes that a worker has opened a directory and holds this many. That ends the shortage if
    /// they are more than when it was met: others may have been closed for it.
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
        // One was closed for this one.
        shortage.opened(3);
        assert!(may_wait(3, 10));
        assert!(!may_wait(3, 11));
        shortage.opened(4);
        assert!(may_wait(4, 11) && may_wait(4, 21), "another shortage");
        assert!(!may_wait(4, 22));
    }
}
