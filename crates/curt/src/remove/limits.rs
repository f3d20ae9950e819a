//! What bounds the retries of a removal, for all workers together.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::pause::Backoff;
use crate::sys::Sys;

/// The pause before a descriptor is tried for again.
const NAP: Duration = Duration::from_millis(2);

/// The time for entries that are in use. Windows refuses to remove what another process has open;
/// scanners and indexers hold files for a moment only, so such an entry is worth waiting for.
///
/// All workers together wait no longer than the retry window unless an entry becomes free; after
/// that, each one in use is reported at once.
#[derive(Debug)]
pub(super) struct BusyTime {
    window: Duration,
    backoff: Mutex<Backoff>,
}

impl BusyTime {
    pub(super) fn new(window: Duration) -> Self {
        BusyTime { window, backoff: Mutex::new(Backoff::new(window)) }
    }

    /// Takes the next pause from the time that is left; `None` if none is left.
    pub(super) fn next_pause(&self) -> Option<Duration> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Begins again, since waiting was worth it.
    pub(super) fn renew(&self) {
        let new = Backoff::new(self.window);
        *self.backoff.lock().unwrap_or_else(PoisonError::into_inner) = new;
    }
}

/// When a shortage of descriptors or memory began. One that lasts is waited for once, and not again
/// for each directory that meets it.
#[derive(Debug, Default)]
pub(super) struct Shortage(Mutex<Option<Duration>>);

impl Shortage {
    /// Waits a moment. Returns `false` at once if the shortage has lasted longer than `window`.
    pub(super) fn wait<S: Sys>(&self, window: Duration, sys: &S) -> bool {
        let now = sys.now();
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(now);
        let may_wait = now.saturating_sub(since) <= window;
        if may_wait {
            sys.sleep(NAP);
        }
        may_wait
    }

    /// Notes that a directory could be opened which was waited for.
    pub(super) fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
