//! Ctrl-C, Ctrl-Break and the end of the console or of the session.

use std::thread;
use std::time::Duration;

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use crate::sys::interrupt;

/// The number for all of these events: that of SIGINT, so that the exit code is 130.
const INTERRUPT: usize = 2;

/// Longer than the system waits for a program whose console was closed.
const LONG_WAIT: Duration = Duration::from_secs(60);

/// Lets the first event set the token, and the second one end the process. A process that was
/// started with Ctrl-C ignored does not get it, and so goes on ignoring it.
pub(crate) fn listen() {
    // If that fails, the events end the process, which is right too.
    // SAFETY: the handler is a function of this program, which is never unloaded.
    let _ = unsafe { SetConsoleCtrlHandler(Some(handle), 1) };
}

/// No event can be passed on.
pub(crate) fn pass_signals_on() {}

/// Ignores Ctrl-C, which is for the program that was started. That program keeps the usual effect,
/// because it was started before.
pub(crate) fn pass_signals_to(_program: u32) {
    // SAFETY: without a handler the process ignores Ctrl-C; no code is run.
    let _ = unsafe { SetConsoleCtrlHandler(None, 1) };
}

/// Does nothing: the program has ended, and so will this process.
pub(crate) fn stop_passing_signals() {}

/// Called by the system in a separate thread. 0 leaves the event to the next handler, which ends
/// the process.
#[allow(clippy::disallowed_methods, reason = "the system waits for this thread to return")]
extern "system" fn handle(event: u32) -> BOOL {
    let is_second = interrupt::arrived(INTERRUPT);
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        // The process ends when this returns, or after some seconds; until then it may finish.
        thread::sleep(LONG_WAIT);
    }
    BOOL::from(!is_second)
}
