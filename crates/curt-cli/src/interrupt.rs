//! Being told to stop: the first signal asks the work to end, so that what was done can still be
//! said; a second one ends the process at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::exit::Exit;
use curt::Cancel;

use crate::sys;

static CANCEL: Cancel = Cancel::new();
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

/// The token that ends a command early.
pub(crate) fn token() -> &'static Cancel {
    &CANCEL
}

/// Begins to listen for the signals that ask a program to end, and returns the token that they set.
/// A signal that was ignored when the command started stays ignored.
pub(crate) fn listen() -> &'static Cancel {
    sys::listen(CANCEL.flag(), &SIGNAL);
    &CANCEL
}

/// From now on what asks this command to end is for the program that it will start. The token is
/// set by what comes before that.
pub(crate) fn pass_on() -> &'static Cancel {
    sys::pass_signals_on(CANCEL.flag(), &SIGNAL);
    &CANCEL
}

/// The signal that arrived, if one did.
pub(crate) fn signal() -> Option<usize> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// Ends as the signal would have ended the process, so that a shell knows; the code is for systems
/// that do not end processes by signals.
pub(crate) fn end(signal: usize) -> Exit {
    sys::end_by(signal);
    Exit::signalled(signal)
}
