//! Waits for entries in use. Windows refuses to remove an entry that another process has opened
//! without sharing it for deletion. Scanners and indexers hold files only for a moment, so waiting
//! pays off.

use std::cell::Cell;
use std::time::Duration;

use super::status::{Result, Status};
use super::syscalls::Syscalls;
use crate::pause::Pause;

/// The time left for waiting, which is reset when an entry becomes free. Once it has run out,
/// entries in use are reported at once.
pub(super) struct BusyTime {
    window: Duration,
    left: Cell<Duration>,
    pause: Cell<Pause>,
}

impl BusyTime {
    pub(super) fn new(window: Duration) -> Self {
        BusyTime { window, left: Cell::new(window), pause: Cell::default() }
    }

    pub(super) fn wait<T>(&self, syscalls: &Syscalls, action: impl Fn() -> Result<T>) -> Result<T> {
        let is_busy = |answer: &Result<T>| {
            matches!(answer, Err(Status::SHARING_VIOLATION | Status::FILE_LOCK_CONFLICT))
        };
        let mut answer = action();
        while is_busy(&answer) {
            let (mut pauses, left) = (self.pause.get(), self.left.get());
            let pause = pauses.next(left);
            if pause.is_zero() {
                break;
            }
            self.pause.set(pauses);
            self.left.set(left - pause);
            syscalls.sleep(pause);
            answer = action();
            if !is_busy(&answer) {
                self.pause.set(Pause::default());
                self.left.set(self.window);
            }
        }
        answer
    }
}
