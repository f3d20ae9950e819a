//! Descriptors or memory that are short.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::frame::Directories;
use super::worker::Worker;
use crate::sys::Sys;

/// How long to wait before looking for a descriptor again.
const NAP: Duration = Duration::from_millis(2);

/// Since when there has been a shortage, for all workers together: one that lasts is waited for once,
/// and not again for each directory that meets it.
#[derive(Debug, Default)]
pub(super) struct Shortage(Mutex<Option<Duration>>);

impl Shortage {
    /// Since when, if not since now.
    fn since(&self, now: Duration) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(now)
    }

    fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The wait of one worker.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// What is opened next was waited for.
    has_waited: bool,
}

impl Room {
    /// There is no descriptor. Holds fewer from now on, or waits for those of others to come free;
    /// `false` when that has been tried for long enough.
    pub(super) fn make<S: Sys>(
        &mut self,
        stack: &mut Directories<S>,
        worker: &Worker<'_, S>,
    ) -> bool {
        if stack.hold_fewer(&worker.sys) {
            return true;
        }
        let now = worker.sys.now();
        let waited = now.saturating_sub(worker.run.shortage.since(now));
        self.has_waited = waited <= worker.run.options.retry_window;
        if self.has_waited {
            worker.sys.sleep(NAP);
        }
        self.has_waited
    }

    /// A directory was opened: if it was waited for, the shortage is over.
    pub(super) fn was_enough<S: Sys>(&mut self, worker: &Worker<'_, S>) {
        if std::mem::take(&mut self.has_waited) {
            worker.run.shortage.end();
        }
    }
}
