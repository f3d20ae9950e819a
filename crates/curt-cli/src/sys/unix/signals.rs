use std::mem::MaybeUninit;

use crate::quote::quote;

pub(crate) const TERMINATE: i32 = libc::SIGTERM;
pub(crate) const KILL: i32 = libc::SIGKILL;

pub(super) fn is_ignored(number: i32) -> bool {
    action(number) == Some(libc::SIG_IGN)
}

/// Returns `None` if the signal does not exist or the C library reserves it.
fn action(number: i32) -> Option<libc::sighandler_t> {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the call only writes the old action.
    let answer = unsafe { libc::sigaction(number, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: the call succeeded, so it filled the action.
    (answer == 0).then(|| unsafe { action.assume_init() }.sa_sigaction)
}

/// Whether the signal came from the kernel, which signals the whole group.
pub(super) fn is_from_kernel(info: &libc::siginfo_t) -> bool {
    /// `SI_KERNEL`. Other systems do not mark a terminal's signals.
    const KERNEL: i32 = 0x80;
    cfg!(target_os = "linux") && info.si_code == KERNEL
}

pub(super) fn set(number: i32, action: libc::sighandler_t) {
    debug_assert!([libc::SIG_IGN, libc::SIG_DFL].contains(&action), "no handler");
    // SAFETY: the action runs no code of this program.
    unsafe { libc::signal(number, action) };
}

pub(super) fn change_mask(how: i32, numbers: impl IntoIterator<Item = i32>) -> libc::sigset_t {
    // SAFETY: zeros are a valid set.
    let mut set: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is exclusively borrowed.
    unsafe { libc::sigemptyset(&raw mut set) };
    for number in numbers {
        // SAFETY: the set is exclusively borrowed.
        unsafe { libc::sigaddset(&raw mut set, number) };
    }
    apply_mask(how, &set)
}

pub(super) fn apply_mask(how: i32, set: &libc::sigset_t) -> libc::sigset_t {
    // SAFETY: zeros are a valid set.
    let mut before: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: both sets are borrowed.
    unsafe { libc::pthread_sigmask(how, set, &raw mut before) };
    before
}

/// Returns only if the default action does not end the process.
pub(crate) fn end_by(number: i32) {
    set(number, libc::SIG_DFL);
    change_mask(libc::SIG_UNBLOCK, [number]);
    // SAFETY: the signal has its default action.
    unsafe { libc::raise(number) };
}

pub(super) const MOST_SIGNALS: i32 = 64;

const NAMES: &[(&str, i32)] = &[
    ("EXIT", 0),
    ("IOT", libc::SIGABRT),
    #[cfg(target_os = "linux")]
    ("CLD", libc::SIGCHLD),
    ("IO", libc::SIGIO),
    #[cfg(target_os = "linux")]
    ("POLL", libc::SIGPOLL),
    #[cfg(target_os = "linux")]
    ("PWR", libc::SIGPWR),
    #[cfg(target_os = "linux")]
    ("STKFLT", libc::SIGSTKFLT),
];

/// Parses a name, such as `TERM`, `sigterm` or `RTMIN+3`, a number, or a program's exit status. As
/// in GNU timeout, 0 is a signal without effect.
pub(crate) fn signal_named(word: &str) -> Result<i32, String> {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return of_number(word).ok_or_else(|| invalid(word));
    }
    let upper = word.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    let listed = NAMES.iter().find(|(other, _)| *other == name).map(|&(_, number)| number);
    let number = listed.or_else(|| of_real_time(name));
    let named = || (1..32).find(|&number| signal_name(number) == name);
    number.or_else(named).ok_or_else(|| invalid(word))
}

/// Parses a signal's number or a shell's exit status, which is the signal plus 128, or plus 256 in
/// ksh.
fn of_number(word: &str) -> Option<i32> {
    let number: i32 = word.parse().ok()?;
    let number = number & if number < 0xff { 0x7f } else { 0xff };
    (number < 32 || is_real_time(number)).then_some(number)
}

fn of_real_time(name: &str) -> Option<i32> {
    let signals = real_time();
    let (from, offset) = match (name.strip_prefix("RTMIN"), name.strip_prefix("RTMAX")) {
        (Some(offset), _) => (*signals.start(), offset),
        (_, Some(offset)) => (*signals.end(), offset),
        _ => return None,
    };
    let offset = if offset.is_empty() { 0 } else { offset.parse::<i32>().ok()? };
    from.checked_add(offset).filter(|&number| is_real_time(number))
}

/// Excludes `RTMIN` with musl, which reserves it.
fn is_real_time(number: i32) -> bool {
    real_time().contains(&number) && action(number).is_some()
}

/// Returns glibc's range, even with a different C library.
#[allow(clippy::reversed_empty_ranges, reason = "that is the empty one")]
fn real_time() -> std::ops::RangeInclusive<i32> {
    if cfg!(target_os = "linux") { 34..=MOST_SIGNALS } else { 1..=0 }
}

/// Names signals as GNU timeout does.
pub(crate) fn signal_name(number: i32) -> String {
    let listed = || NAMES.iter().rev().find(|&&(_, other)| other == number);
    let known = signal_hook::low_level::signal_name(number).filter(|&name| name != "SIGIO");
    let known = known.map(|name| name.strip_prefix("SIG").unwrap_or(name));
    if let Some(name) = known.or_else(|| Some(listed()?.0)) {
        return name.to_owned();
    }
    let signals = real_time();
    let (first, last) = (*signals.start(), *signals.end());
    match number {
        _ if !signals.contains(&number) => number.to_string(),
        _ if number == first => "RTMIN".to_owned(),
        _ if number == last => "RTMAX".to_owned(),
        _ if number <= (first + last) / 2 => format!("RTMIN+{}", number - first),
        _ => format!("RTMAX-{}", last - number),
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
        for word in ["", "SIG", "nope", "-1", "999", "TERMS", "RTMIN-1", "RTMIN+", "+9"] {
            assert!(signal_named(word).unwrap_err().starts_with("invalid signal"), "{word}");
        }
    }
}
