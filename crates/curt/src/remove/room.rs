//! Directories on the way that were closed, and descriptors that are short.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::engine::Engine;
use crate::error::Operation;
use crate::sys::Sys;
use crate::tree::{Links, Lost, Way, Why};

/// How long to wait before looking for a descriptor again.
const NAP: Duration = Duration::from_millis(2);

impl<S: Sys> Engine<'_, S> {
    /// Makes sure that the topmost directory is open.
    pub(super) fn reopen_topmost(&mut self) -> bool {
        match self.stack.len().checked_sub(1) {
            Some(index) => self.reopen(index),
            None => false,
        }
    }

    /// Makes sure that the directory of a frame is open. Where it is no longer what it was, says
    /// so, takes off everything from there on, and returns `false`.
    pub(super) fn reopen(&mut self, index: usize) -> bool {
        if self.stack[index].dir().is_some() {
            return true;
        }
        loop {
            let way = Way { path: self.at.path.units(), links: Links::Refuse, sys: &self.at.sys };
            match self.stack.reopen(index, &way) {
                Ok(()) => {
                    self.came_free();
                    return true;
                }
                Err(Lost { why: Why::Shortage(_), .. })
                    if !self.at.run.is_cancelled() && self.wait_for_descriptors() => {}
                Err(lost) => {
                    self.lose(lost);
                    return false;
                }
            }
        }
    }

    /// The directory of a frame is gone from under the traversal, or cannot be opened again.
    fn lose(&mut self, lost: Lost) {
        while self.stack.len() > lost.level + 1 {
            self.pop();
        }
        if let Why::Vanished = lost.why {
            self.at.report.vanished += 1;
        } else {
            self.at.fail(Operation::Remove, lost.into_cause());
            if let Some(frame) = self.stack.last_mut() {
                frame.kept = true;
            }
        }
        self.pop();
    }

    /// There is no descriptor. Holds fewer from now on, or waits for those of others to come free;
    /// `false` when that has been tried for long enough.
    pub(super) fn wait_for_descriptors(&mut self) -> bool {
        if self.stack.hold_fewer(&self.at.sys) {
            return true;
        }
        let now = self.at.sys.now();
        // A shortage that lasts is waited for once by all workers together, and not again for each
        // directory that meets it.
        let since = *self.short_since().get_or_insert(now);
        self.has_waited = now.saturating_sub(since) <= self.at.run.options.retry_window;
        if self.has_waited {
            self.at.sys.sleep(NAP);
        }
        self.has_waited
    }

    /// A directory was opened: if it was waited for, the shortage is over.
    pub(super) fn came_free(&mut self) {
        if std::mem::take(&mut self.has_waited) {
            *self.short_since() = None;
        }
    }

    fn short_since(&self) -> MutexGuard<'_, Option<Duration>> {
        self.at.run.short_since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
