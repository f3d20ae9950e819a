//! The first signal cancels the work, and the command still prints its totals. The second ends the
//! process.

use std::sync::atomic::{AtomicI32, Ordering};

use curt::Cancel;

use super::end_by;
pub(crate) use super::system::listen;
use crate::exit::Exit;

pub(super) static CANCEL: Cancel = Cancel::new();
/// The number of the first signal, or 0.
pub(super) static SIGNAL: AtomicI32 = AtomicI32::new(0);

pub(crate) fn token() -> &'static Cancel {
    &CANCEL
}

pub(crate) fn signal() -> Option<i32> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// Ends the process by the signal; on Windows, returns the exit code.
pub(crate) fn end(signal: i32) -> Exit {
    end_by(signal);
    Exit::signalled(signal)
}
