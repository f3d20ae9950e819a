//! What `signal-hook` does not tell about signals.

use std::mem::MaybeUninit;

/// Whether a signal is ignored; `false` where there is no such signal.
pub(super) fn is_ignored(number: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action nothing is set; the old one is written to a place of its size.
    let answer = unsafe { libc::sigaction(number, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call succeeded, so it filled `action`.
    answer == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Ignores a signal.
pub(super) fn ignore(number: i32) {
    // SAFETY: setting a signal's action to "ignore" runs no code of ours.
    unsafe { libc::signal(number, libc::SIG_IGN) };
}
