//! Handles Ctrl-C, Ctrl-Break and the end of the console or session.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use curt::process::Child;
use curt::{Command, Error};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use crate::sys::{Event, interrupt};

/// All events count as this signal, for the exit code 130.
const INTERRUPT: i32 = 2;

/// Longer than the system waits after the console was closed.
const LONG_WAIT: Duration = Duration::from_secs(60);

/// The first event cancels the token, the second ends the process. If Ctrl-C was ignored, it
/// remains ignored.
pub(crate) fn listen() {
    // On failure, each event ends the process. SAFETY: this program is never unloaded.
    let _ = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
}

/// Runs in a separate thread. Returning 0 passes the event to the next handler, which ends the
/// process.
extern "system" fn handle(event: u32) -> BOOL {
    let is_second = interrupt::SIGNAL.swap(INTERRUPT, Ordering::Relaxed) != 0;
    interrupt::CANCEL.cancel();
    delay_exit(event);
    BOOL::from(!is_second)
}

/// The handler while this process waits for a program, which receives the event too.
extern "system" fn handle_while_waiting(event: u32) -> BOOL {
    delay_exit(event);
    1
}

/// Gives the process time to finish after the console was closed: the system ends it when the
/// handler returns, or after some seconds.
#[allow(clippy::disallowed_methods, reason = "the system waits for this thread to return")]
fn delay_exit(event: u32) {
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        thread::sleep(LONG_WAIT);
    }
}

/// Console keys reach the program directly, and curt continues to wait.
pub(crate) struct Watch {
    /// Whether killing the program spares its children.
    is_foreground: bool,
    end: Option<Instant>,
}

impl Watch {
    pub(crate) fn begin(is_foreground: bool, _signal: i32) -> Watch {
        // The child does not inherit the handler, so Ctrl-C and Ctrl-Break have their usual effect
        // there. SAFETY: the code of the handler stays loaded as long as curt runs.
        let _ = unsafe { SetConsoleCtrlHandler(Some(handle_while_waiting), 1) };
        Watch { is_foreground, end: None }
    }

    pub(crate) fn start(&mut self, command: &mut Command) -> Result<Child, Error> {
        command.own_tree(!self.is_foreground).spawn()
    }

    /// Sets no limit if the time overflows.
    pub(crate) fn set_limit(&mut self, limit: Duration) {
        self.end = Instant::now().checked_add(limit);
    }

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

    pub(crate) fn send(&self, child: &mut Child, _number: i32, _: bool) -> Result<(), Error> {
        child.kill()
    }
}
