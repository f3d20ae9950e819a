//! Waiting for descriptors, for all workers together.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::sys::Sys;

/// The pause before a descriptor is tried for again.
const NAP: Duration = Duration::from_millis(2);

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
