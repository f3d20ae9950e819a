//! Signals that ask the command to end: the first cancels its work, so that it can still say what
//! it did; the second ends the process at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use curt::Cancel;

use crate::exit::Exit;
use crate::sys;

static CANCEL: Cancel = Cancel::new();
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

/// The token that cancels the command.
pub(crate) fn token() -> &'static Cancel {
    &CANCEL
}

/// Lets the signals that ask a program to end set the token. A signal that was ignored when the
/// command started stays ignored.
pub(crate) fn listen() {
    sys::listen(CANCEL.flag(), &SIGNAL);
}

/// Passes signals on to the program that is about to be started. One that arrives before it is
/// started sets the token.
pub(crate) fn pass_on() {
    sys::pass_signals_on(CANCEL.flag(), &SIGNAL);
}

/// Returns the signal that arrived, if any.
pub(crate) fn signal() -> Option<usize> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// Ends the process by a signal, so that a shell knows. The exit code is for systems where
/// processes do not end by signals.
pub(crate) fn end(signal: usize) -> Exit {
    sys::end_by(signal);
    Exit::signalled(signal)
}
