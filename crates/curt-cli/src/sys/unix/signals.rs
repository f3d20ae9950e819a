//! Signals that `signal-hook` does not handle: those that are ignored or passed on.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use crate::sys::interrupt;

/// The process that signals are passed on to; 0 before there is one, negative after it.
static RECEIVER: AtomicI32 = AtomicI32::new(0);

/// The signal that arrived before there was a receiver.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Whether a signal is ignored; `false` if there is no such signal.
pub(super) fn is_ignored(number: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action nothing is set; the old one is written to memory of its size.
    let answer = unsafe { libc::sigaction(number, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call succeeded, so it filled `action`.
    answer == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Ignores a signal.
pub(super) fn ignore(number: i32) {
    // SAFETY: setting a signal's action to "ignore" runs no code of ours.
    unsafe { libc::signal(number, libc::SIG_IGN) };
}

/// Passes a signal on from now on. A signal that is ignored stays so.
pub(super) fn pass_on(number: i32) {
    if is_ignored(number) {
        return;
    }
    let handler: extern "C" fn(i32) = passed_on;
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no handler, no flags and an empty set are what zeros mean.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // Calls that wait are restarted.
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler does nothing but read and write numbers and send a signal, which handlers
    // may do.
    unsafe { libc::sigaction(number, action, std::ptr::null_mut()) };
}

extern "C" fn passed_on(number: i32) {
    match RECEIVER.load(Ordering::SeqCst) {
        0 => {
            EARLY.store(number, Ordering::SeqCst);
            interrupt::arrived(number.unsigned_abs() as usize);
        }
        receiver => send(receiver, number),
    }
}

fn send(receiver: i32, number: i32) {
    if let (true, Some(signal)) = (receiver > 0, Signal::from_named_raw(number)) {
        // A process that has ended needs no signal.
        let _ = Pid::from_raw(receiver).map(|receiver| kill_process(receiver, signal));
    }
}

/// Sets the receiver, and sends it the signal that arrived before.
pub(super) fn receive(receiver: i32) {
    RECEIVER.store(receiver, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        send(receiver, early);
    }
}

/// Ends passing signals on. Since the receiver ended, its number could be that of another process
/// only if all other numbers were used meanwhile.
pub(super) fn receive_no_more() {
    RECEIVER.store(-1, Ordering::SeqCst);
}
