//! Signals that `signal-hook` does not handle: those that are ignored or passed on.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Signal, kill_process};

use crate::quote::quote;
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

/// Gives a signal that is ignored its default action, which programs that are started then have,
/// too. Shells ignore interrupts for what they start in the background.
pub(crate) fn stop_ignoring(number: i32) {
    if is_ignored(number) {
        // SAFETY: setting a signal's action to the default runs no code of ours.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
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

/// The largest number of a signal on Linux; other systems have fewer.
const MOST_SIGNALS: i32 = 64;

/// Returns the signal of a name, such as `TERM` or `sigterm`, or of a number, and its name. As for
/// GNU timeout, the number 0 is a signal, which does nothing. The error is a message for the user.
pub(crate) fn signal_named(word: &str) -> Result<(i32, String), String> {
    let upper = word.to_ascii_uppercase();
    let wanted = upper.strip_prefix("SIG").unwrap_or(&upper);
    let name = |number: i32| match signal_hook::low_level::signal_name(number) {
        Some(name) => name.strip_prefix("SIG").unwrap_or(name).to_owned(),
        None if number == 0 => "EXIT".to_owned(),
        None => number.to_string(),
    };
    let is_wanted = |number: &i32| name(*number) == wanted || number.to_string() == word;
    let number = (0..=MOST_SIGNALS).find(is_wanted);
    number.map(|number| (number, name(number))).ok_or_else(|| invalid(word))
}

fn invalid(word: &str) -> String {
    format!("invalid signal {}: expected a name such as TERM, or a number", quote(word))
}

/// Sends a signal to a program, and to its group if it leads one; then wakes what was stopped, so
/// that it can answer. The program was not waited for, so the number is its own.
pub(crate) fn send_signal(program: u32, number: i32, group: bool) {
    let Ok(pid) = i32::try_from(program) else { return };
    let receiver = if group { -pid } else { pid };
    // SAFETY: a signal to another process touches no memory of this one.
    unsafe { libc::kill(receiver, number) };
    if group && number != libc::SIGKILL && number != libc::SIGCONT {
        // SAFETY: as above.
        unsafe { libc::kill(receiver, libc::SIGCONT) };
    }
}

#[cfg(test)]
mod tests {
    use super::signal_named;

    #[test]
    fn signals_have_names_and_numbers() {
        for word in ["TERM", "term", "SIGTERM", "sigterm", "15"] {
            assert_eq!(signal_named(word), Ok((15, "TERM".to_owned())), "{word}");
        }
        assert_eq!(signal_named("0"), Ok((0, "EXIT".to_owned())));
        for word in ["", "SIG", "nope", "-1", "999", "TERMS"] {
            assert!(signal_named(word).unwrap_err().starts_with("invalid signal"), "{word}");
        }
    }
}
