//! Carries failures from worker threads to the caller's thread, where the callbacks run.

use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use curt::{Error, Next};

use crate::control::Control;

/// The failures of one C call. A failure on the caller's thread is reported at once. Failures of
/// other threads are reported when the work polls, and when it ends. Only `take` may be called on
/// other threads.
pub(crate) struct Failures<'c> {
    control: &'c Control,
    caller: usize,
    gathered: Mutex<Gathered>,
}

#[derive(Default)]
struct Gathered {
    first: Option<Error>,
    waiting: Vec<Error>,
}

impl<'c> Failures<'c> {
    pub(crate) fn new(control: &'c Control) -> Self {
        Failures { control, caller: this_thread(), gathered: Mutex::default() }
    }

    pub(crate) fn need_poll(&self) -> bool {
        self.control.polls() || self.control.reports()
    }

    /// Stores a failure. If this is the caller's thread, also reports all waiting failures.
    pub(crate) fn take(&self, error: &Error) -> Next {
        {
            let mut gathered = self.lock();
            if gathered.first.is_none() {
                gathered.first = Some(error.clone());
            }
            if self.control.reports() {
                gathered.waiting.push(error.clone());
            }
        }
        if this_thread() == self.caller { self.tell() } else { Next::Continue }
    }

    pub(crate) fn poll(&self) -> Next {
        if self.tell() == Next::Stop { Next::Stop } else { self.control.poll() }
    }

    /// Reports the waiting failures.
    fn tell(&self) -> Next {
        // Release the lock before the callbacks; otherwise other threads would wait.
        let waiting = std::mem::take(&mut self.lock().waiting);
        let stops = waiting.iter().any(|error| self.control.report(error) == Next::Stop);
        if stops { Next::Stop } else { Next::Continue }
    }

    /// Reports the waiting failures, unless the work was stopped. Returns the first failure of all.
    pub(crate) fn end(self, stopped: bool) -> Option<Error> {
        if !stopped {
            self.tell();
        }
        self.gathered.into_inner().unwrap_or_else(PoisonError::into_inner).first
    }

    fn lock(&self) -> MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number that is unique among living threads: the address of a thread-local. Does not
/// use `std::thread::current`: on the main thread it allocates memory that leak checkers report.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}
