//! Unix.

mod signals;
#[cfg(all(own_start, not(test)))]
mod start;
mod zone;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::exit::Exit;
pub(crate) use zone::local_zone;

/// Below this soft limit of descriptors the limit is raised, and to this at most.
const FEW_DESCRIPTORS: u64 = 4096;
const ENOUGH_DESCRIPTORS: u64 = 16384;

/// How much of a file is read at a time.
const READ: usize = 64 * 1024;

/// Lets the first of the signals that ask a program to end set `flag` and write its number to
/// `signal`, and the second one end the process. A signal that is ignored stays so: that is how
/// `nohup`, and shells that start jobs in the background, protect a command.
pub(crate) fn listen(flag: &'static AtomicBool, signal: &'static AtomicUsize) {
    for number in [SIGINT, SIGTERM, SIGHUP] {
        if signals::is_ignored(number) {
            continue;
        }
        // Where a handler cannot be had the signal keeps its default action, which is right too.
        let _ = signal_hook::flag::register_conditional_default(number, flag);
        let _ = signal_hook::flag::register_usize(number, signal, number as usize);
        let _ = signal_hook::flag::register(number, flag);
    }
}

/// Ends as a program did that was run: by its code, or by that for its signal.
pub(crate) fn end_as(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::of((code & 0xff) as u8),
        (None, signal) => Exit::signalled(signal.map_or(0, i32::unsigned_abs) as usize),
    }
}

/// From now on the signals of a terminal's keys are for the program that was started, which has them with
/// their usual effect.
pub(crate) fn leave_interrupts() {
    signals::ignore(SIGINT);
    signals::ignore(SIGQUIT);
}

/// Ends the process by a signal's default action. Returns where that is impossible.
pub(crate) fn end_by(signal: usize) {
    if let Ok(number) = i32::try_from(signal) {
        let _ = signal_hook::low_level::emulate_default_handler(number);
    }
}

/// What standard input has next, nothing at its end. `None` when the time was over or a signal came
/// first.
pub(crate) fn read_input(patience: Duration) -> Option<Vec<u8>> {
    if has_input(patience) { super::next_input() } else { None }
}

fn has_input(patience: Duration) -> bool {
    let stdin = io::stdin();
    let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    let Ok(timeout) = Timespec::try_from(patience) else {
        return true;
    };
    match poll(&mut fds, Some(&timeout)) {
        Ok(0) | Err(Errno::INTR) => false,
        // What cannot be waited for can still be read, and the read says why.
        Ok(_) | Err(_) => true,
    }
}

/// Makes room for directories that are closed many at a time, and returns how many descriptors the
/// process may have.
pub(crate) fn raise_descriptor_limit() -> Option<usize> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(ENOUGH_DESCRIPTORS, |most| most.min(ENOUGH_DESCRIPTORS));
    let mut limit = current?;
    if limit < FEW_DESCRIPTORS && limit < wanted {
        // Without it things still work, with fewer directories open.
        let raised = Rlimit { current: Some(wanted), maximum };
        limit = setrlimit(Resource::Nofile, raised).map_or(limit, |()| wanted);
    }
    usize::try_from(limit).ok()
}

/// The system's number of an error, also where std knows its kind only.
pub(crate) fn error_number(error: &io::Error) -> Option<i32> {
    let number = match error.kind() {
        _ if error.raw_os_error().is_some() => return error.raw_os_error(),
        io::ErrorKind::NotFound => Errno::NOENT,
        io::ErrorKind::NotADirectory => Errno::NOTDIR,
        io::ErrorKind::IsADirectory => Errno::ISDIR,
        io::ErrorKind::DirectoryNotEmpty => Errno::NOTEMPTY,
        io::ErrorKind::InvalidInput => Errno::INVAL,
        _ => return None,
    };
    Some(number.raw_os_error())
}

/// The text of the C locale for a system's error, and std's words for the others.
pub(crate) fn error_text(error: &io::Error) -> String {
    let Some(number) = error_number(error) else {
        return error.to_string();
    };
    let known = TEXTS.iter().find(|(errno, _)| errno.raw_os_error() == number);
    known.map_or_else(|| format!("Unknown error {number}"), |(_, text)| (*text).to_owned())
}

/// What opening, listing, removing and writing can meet.
const TEXTS: [(Errno, &str); 40] = [
    (Errno::NOENT, "No such file or directory"),
    (Errno::ACCESS, "Permission denied"),
    (Errno::PERM, "Operation not permitted"),
    (Errno::NOTDIR, "Not a directory"),
    (Errno::ISDIR, "Is a directory"),
    (Errno::NOTEMPTY, "Directory not empty"),
    (Errno::EXIST, "File exists"),
    (Errno::BUSY, "Device or resource busy"),
    (Errno::ROFS, "Read-only file system"),
    (Errno::IO, "Input/output error"),
    (Errno::NOMEM, "Cannot allocate memory"),
    (Errno::MFILE, "Too many open files"),
    (Errno::NFILE, "Too many open files in system"),
    (Errno::LOOP, "Too many levels of symbolic links"),
    (Errno::NAMETOOLONG, "File name too long"),
    (Errno::XDEV, "Invalid cross-device link"),
    (Errno::NOSPC, "No space left on device"),
    (Errno::DQUOT, "Disk quota exceeded"),
    (Errno::INVAL, "Invalid argument"),
    (Errno::STALE, "Stale file handle"),
    (Errno::TXTBSY, "Text file busy"),
    (Errno::INTR, "Interrupted system call"),
    (Errno::AGAIN, "Resource temporarily unavailable"),
    (Errno::BADF, "Bad file descriptor"),
    (Errno::FAULT, "Bad address"),
    (Errno::NODEV, "No such device"),
    (Errno::NXIO, "No such device or address"),
    (Errno::NOSYS, "Function not implemented"),
    (Errno::OPNOTSUPP, "Operation not supported"),
    (Errno::OVERFLOW, "Value too large for defined data type"),
    (Errno::FBIG, "File too large"),
    (Errno::MLINK, "Too many links"),
    (Errno::PIPE, "Broken pipe"),
    (Errno::SPIPE, "Illegal seek"),
    (Errno::TIMEDOUT, "Connection timed out"),
    (Errno::NOTCONN, "Transport endpoint is not connected"),
    (Errno::CONNABORTED, "Software caused connection abort"),
    (Errno::CONNREFUSED, "Connection refused"),
    (Errno::HOSTDOWN, "Host is down"),
    (Errno::NOLCK, "No locks available"),
];

/// All of a file.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut bytes = Vec::new();
    loop {
        bytes.reserve(READ);
        match rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A name from a list: its bytes.
#[expect(clippy::unnecessary_wraps, reason = "other systems have bytes that are no names")]
pub(crate) fn name_from_bytes(bytes: &[u8]) -> Option<OsString> {
    Some(OsString::from_vec(bytes.to_vec()))
}

/// How many columns the terminal on standard output has.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&width| width > 0)
}

/// The two parts of a device's number: which driver, and which device of it.
pub(crate) fn device_parts(number: u64) -> (u64, u64) {
    #[allow(
        clippy::unnecessary_fallible_conversions,
        clippy::useless_conversion,
        reason = "the type of a device's number differs between systems"
    )]
    let device = number.try_into().unwrap_or_default();
    (u64::from(rustix::fs::major(device)), u64::from(rustix::fs::minor(device)))
}

/// A name that is not Unicode, as JSON: its bytes in base64.
pub(crate) fn name_to_json(name: &OsStr) -> String {
    format!("{{\"bytes\":\"{}\"}}", base64(name.as_bytes()))
}

/// A name from JSON: text, or bytes in base64.
pub(crate) fn name_from_json(value: &serde_json::Value) -> Option<OsString> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    Some(OsString::from_vec(from_base64(value.get("bytes")?.as_str()?)?))
}

/// Bytes from base64 with its padding; nothing else is taken for it.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let chunks = text.as_bytes().chunks(4);
    let last = chunks.len().wrapping_sub(1);
    for (index, chunk) in chunks.enumerate() {
        let digits = match chunk {
            [a, b, b'=', b'='] if index == last => &[*a, *b][..],
            [a, b, c, b'='] if index == last => &[*a, *b, *c][..],
            [_, _, _, _] => chunk,
            _ => return None,
        };
        let mut bits = 0_u32;
        for &digit in digits {
            let value = DIGITS.iter().position(|&known| known == digit)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bits <<= 6 * (4 - digits.len());
        let whole = bits.to_be_bytes();
        bytes.extend_from_slice(&whole[1..digits.len()]);
    }
    Some(bytes)
}

/// The digits of base64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            let used = digit <= chunk.len();
            text.push(if used { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{base64, error_text, from_base64};
    use std::io;

    #[test]
    fn base64_as_rfc_4648_has_it() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(from_base64(text).as_deref(), Some(bytes.as_bytes()));
        }
        for wrong in ["Z", "Zg=", "Zg==Zg==", "Z===", "!!!!", "Zm9v\n"] {
            assert_eq!(from_base64(wrong), None, "{wrong}");
        }
        assert_eq!(base64(&[0xff, 0xfe]), "//4=");
    }

    #[test]
    fn texts_carry_no_number() {
        assert_eq!(error_text(&io::Error::from_raw_os_error(2)), "No such file or directory");
        assert_eq!(error_text(&io::ErrorKind::NotFound.into()), "No such file or directory");
        assert_eq!(error_text(&io::Error::from_raw_os_error(4095)), "Unknown error 4095");
    }
}
