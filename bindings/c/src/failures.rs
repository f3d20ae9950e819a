//! The failures of work whose library functions report them on the thread that found them.

use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use curt::{Error, Next};

use crate::control::Control;

/// The failures of one call. The caller hears of them on its own thread: of one that happens there
/// at once, and of others when the work is polled, and at its end.
pub(crate) struct Failures<'c> {
    control: &'c Control,
    /// The thread of the caller.
    caller: usize,
    gathered: Mutex<Gathered>,
}

#[derive(Default)]
struct Gathered {
    first: Option<Error>,
    /// Those that the caller has not heard of.
    waiting: Vec<Error>,
}

impl<'c> Failures<'c> {
    /// Begins on the caller's thread.
    pub(crate) fn new(control: &'c Control) -> Self {
        Failures { control, caller: this_thread(), gathered: Mutex::default() }
    }

    /// Returns whether the work has to be polled.
    pub(crate) fn need_poll(&self) -> bool {
        self.control.polls() || self.control.reports()
    }

    /// Takes a failure, on any thread.
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

    /// Polls the caller, on its thread.
    pub(crate) fn poll(&self) -> Next {
        if self.tell() == Next::Stop { Next::Stop } else { self.control.poll() }
    }

    /// Tells the caller, on its thread, of the failures that wait.
    fn tell(&self) -> Next {
        // Others can fail meanwhile.
        let waiting = std::mem::take(&mut self.lock().waiting);
        let stops = waiting.iter().any(|error| self.control.report(error) == Next::Stop);
        if stops { Next::Stop } else { Next::Continue }
    }

    /// Ends the work. If it was not stopped, the caller hears of the last failures. Returns the
    /// first failure.
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

/// Returns a number for this thread, which no other has while it lives. That of the standard
/// library comes with memory, which tools report as leaked by the first thread of a program.
fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| ptr::from_ref(here).addr())
}
