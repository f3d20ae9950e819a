//! Signals by name, and whether they are ignored.

use std::mem::MaybeUninit;

use crate::quote::quote;

/// The signal that a time limit sends by default, and the one that no program can refuse.
pub(crate) const ASKING: i32 = libc::SIGTERM;
pub(crate) const KILLING: i32 = libc::SIGKILL;

/// Whether a signal is ignored; `false` if there is no such signal.
pub(super) fn is_ignored(number: i32) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action nothing is set; the old one is written to memory of its size.
    let answer = unsafe { libc::sigaction(number, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call succeeded, so it filled `action`.
    answer == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Sets the action of a signal, `SIG_IGN` or `SIG_DFL`.
pub(super) fn set(number: i32, action: libc::sighandler_t) {
    debug_assert!([libc::SIG_IGN, libc::SIG_DFL].contains(&action), "no handler");
    // SAFETY: these actions run no code of ours.
    unsafe { libc::signal(number, action) };
}

/// Blocks or unblocks signals for this thread, and returns which were blocked before.
pub(super) fn change_mask(how: i32, numbers: &[i32]) -> libc::sigset_t {
    // SAFETY: all zeros is a value of this plain set.
    let [mut set, mut before]: [libc::sigset_t; 2] = unsafe { std::mem::zeroed() };
    // SAFETY: the set is exclusively borrowed.
    unsafe { libc::sigemptyset(&raw mut set) };
    for &number in numbers {
        // SAFETY: as above.
        unsafe { libc::sigaddset(&raw mut set, number) };
    }
    // SAFETY: one set is a valid one, and the other is exclusively borrowed.
    unsafe { libc::pthread_sigmask(how, &raw const set, &raw mut before) };
    before
}

/// Ends the process by a signal's default action. Returns where that does not end it.
pub(crate) fn end_by(signal: usize) {
    let Ok(number) = i32::try_from(signal) else { return };
    set(number, libc::SIG_DFL);
    change_mask(libc::SIG_UNBLOCK, &[number]);
    // SAFETY: the signal has its default action.
    unsafe { libc::raise(number) };
}

/// The largest number of a signal on Linux; other systems have fewer.
pub(super) const MOST_SIGNALS: i32 = 64;

/// Returns the signal of a name, such as `TERM` or `sigterm`, or of a number. As for GNU timeout,
/// the number 0 is a signal, which does nothing. The error is a message for the user.
pub(crate) fn signal_named(word: &str) -> Result<i32, String> {
    let upper = word.to_ascii_uppercase();
    let wanted = upper.strip_prefix("SIG").unwrap_or(&upper);
    let is_wanted = |number: &i32| signal_name(*number) == wanted || number.to_string() == word;
    (0..=MOST_SIGNALS).find(is_wanted).ok_or_else(|| invalid(word))
}

/// Returns the name of a signal, as GNU timeout has it.
pub(crate) fn signal_name(number: i32) -> String {
    match signal_hook::low_level::signal_name(number) {
        Some(name) => name.strip_prefix("SIG").unwrap_or(name).to_owned(),
        None if number == 0 => "EXIT".to_owned(),
        None => number.to_string(),
    }
}

fn invalid(word: &str) -> String {
    format!("invalid signal {}: expected a name such as TERM, or a number", quote(word))
}

#[cfg(test)]
mod tests {
    use super::signal_named;

    #[test]
    fn signals_have_names_and_numbers() {
        for word in ["TERM", "term", "SIGTERM", "sigterm", "15"] {
            assert_eq!(signal_named(word), Ok(15), "{word}");
        }
        assert_eq!(signal_named("0"), Ok(0));
        for word in ["", "SIG", "nope", "-1", "999", "TERMS"] {
            assert!(signal_named(word).unwrap_err().starts_with("invalid signal"), "{word}");
        }
    }
}
