//! What `signal-hook` does not tell about signals.

use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

use rustix::process::{Pid, Signal, kill_process};

/// The process that is sent what this one is sent; 0 before there is one, less than 0 after it.
static RECEIVER: AtomicI32 = AtomicI32::new(0);

/// What came before there was one.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// Who is told that something came before there was one, and of its number.
static LISTENER: OnceLock<(&AtomicBool, &AtomicUsize)> = OnceLock::new();

/// Tells of what comes before there is a process to pass it on to.
pub(super) fn tell_of_early(flag: &'static AtomicBool, signal: &'static AtomicUsize) {
    let _ = LISTENER.set((flag, signal));
}

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

/// Has a signal passed on, from now on. One that is ignored stays so.
pub(super) fn pass_on(number: i32) {
    if is_ignored(number) {
        return;
    }
    let handler: extern "C" fn(i32) = passed_on;
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no handler, no flags and an empty set are what zeros mean.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // Whoever waits goes on waiting.
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: the handler does nothing but read and write numbers and send a signal, which handlers
    // may do.
    unsafe { libc::sigaction(number, action, std::ptr::null_mut()) };
}

extern "C" fn passed_on(number: i32) {
    match RECEIVER.load(Ordering::SeqCst) {
        0 => {
            EARLY.store(number, Ordering::SeqCst);
            if let Some((flag, signal)) = LISTENER.get() {
                signal.store(number.unsigned_abs() as usize, Ordering::SeqCst);
                flag.store(true, Ordering::SeqCst);
            }
        }
        receiver => send(receiver, number),
    }
}

fn send(receiver: i32, number: i32) {
    if let (true, Some(signal)) = (receiver > 0, Signal::from_named_raw(number)) {
        // One that has ended needs no signal.
        let _ = Pid::from_raw(receiver).map(|receiver| kill_process(receiver, signal));
    }
}

/// Says who is sent what is passed on; what came before is sent now.
pub(super) fn receive(receiver: i32) {
    RECEIVER.store(receiver, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        send(receiver, early);
    }
}

/// Nobody is sent anything any more. Between the end of the receiver and this its number could only
/// be another process's if all others were given out meanwhile.
pub(super) fn receive_no_more() {
    RECEIVER.store(-1, Ordering::SeqCst);
}
