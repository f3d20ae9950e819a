//! Ctrl-C, Ctrl-Break and the end of the console or of the session.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use curt::process::Child;
use curt::{Command, Error};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use crate::sys::{Event, interrupt};

/// The number for all of these events: that of SIGINT, so that the exit code is 130.
const INTERRUPT: i32 = 2;

/// Longer than the system waits for a program whose console was closed.
const LONG_WAIT: Duration = Duration::from_secs(60);

/// Lets the first event set the token, and the second one end the process. A process that was
/// started with Ctrl-C ignored does not get it, and so goes on ignoring it.
pub(crate) fn listen() {
    // If that fails, the events end the process, which is right too.
    // SAFETY: the handler is a function of this program, which is never unloaded.
    let _ = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
}

/// Called by the system in a separate thread. 0 leaves the event to the next handler, which ends
/// the process.
extern "system" fn handle(event: u32) -> BOOL {
    let is_second = interrupt::SIGNAL.swap(INTERRUPT, Ordering::Relaxed) != 0;
    interrupt::CANCEL.cancel();
    finish(event);
    BOOL::from(!is_second)
}

/// Called likewise while a program is waited for: the event reaches that, too, and it may answer.
extern "system" fn leave(event: u32) -> BOOL {
    finish(event);
    1
}

/// Lets the process finish at an event after which it ends when the handler returns, or after some
/// seconds.
#[allow(clippy::disallowed_methods, reason = "the system waits for this thread to return")]
fn finish(event: u32) {
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        thread::sleep(LONG_WAIT);
    }
}

/// Waits for a program. The keys of the console reach it by themselves, and curt goes on waiting.
pub(crate) struct Watch {
    /// Whether processes that the program starts are left alone.
    is_foreground: bool,
    end: Option<Instant>,
}

impl Watch {
    pub(crate) fn begin(is_foreground: bool, _signal: i32) -> Watch {
        // The program does not inherit a handler, and so keeps the usual effect of the keys.
        // SAFETY: the handler is a function of this program, which is never unloaded.
        let _ = unsafe { SetConsoleCtrlHandler(Some(leave), 1) };
        Watch { is_foreground, end: None }
    }

    pub(crate) fn start(&mut self, command: &mut Command) -> Result<Child, Error> {
        command.own_tree(!self.is_foreground).spawn()
    }

    /// Sets when [`Event::TimeOver`] comes, from now on. A time too long to be counted is none.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.end = Instant::now().checked_add(limit);
    }

    /// Waits until something happens.
    pub(crate) fn next(&mut self, child: &mut Child) -> Result<Event, Error> {
        loop {
            let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
            if let Some(status) = child.wait_timeout(left.unwrap_or(LONG_WAIT))? {
                return Ok(Event::Ended(status));
            }
            if left.is_some_and(|left| left.is_zero()) {
                self.end = None;
                return Ok(Event::TimeOver);
            }
        }
    }

    /// Kills the program and, unless it is in the foreground, the processes that it started.
    pub(crate) fn send(&self, child: &mut Child, _number: i32, _: bool) -> Result<(), Error> {
        child.kill()
    }
}
