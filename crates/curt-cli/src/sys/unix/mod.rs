//! Unix.

mod pipes;
mod signals;
mod streams;
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

use crate::base64;
use crate::exit::Exit;
pub(crate) use pipes::ignores_broken_pipes;
pub(crate) use streams::was_closed;
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

/// From now on what asks this process to end is for a program that will be started. What comes
/// before that sets `flag` and writes its number to `signal`.
pub(crate) fn pass_signals_on(flag: &'static AtomicBool, signal: &'static AtomicUsize) {
    signals::tell_of_early(flag, signal);
    signals::pass_on(SIGTERM);
    signals::pass_on(SIGHUP);
}

/// The program was started: it is sent what came meanwhile, and what comes. The signals of a
/// terminal's keys it gets by itself, with their usual effect.
pub(crate) fn leave_signals(program: u32) {
    signals::ignore(SIGINT);
    signals::ignore(SIGQUIT);
    signals::receive(i32::try_from(program).unwrap_or(-1));
}

/// The program has ended.
pub(crate) fn take_signals_back() {
    signals::receive_no_more();
}

/// Ends the process as one that writes to a pipe without a reader and never asked for an error.
pub(crate) fn end_by_broken_pipe() -> Exit {
    let number = libc::SIGPIPE.unsigned_abs() as usize;
    end_by(number);
    Exit::signalled(number)
}

/// What the system says of a write to a closed descriptor.
pub(crate) fn closed() -> io::Error {
    Errno::BADF.into()
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

/// How many bytes the arguments of a program may take beside the variables: what `xargs` fills, or
/// less where the system allows less.
pub(crate) fn argument_bytes() -> usize {
    /// The least that any system allows today, which is also what `xargs` fills.
    const USUAL: usize = 128 << 10;
    /// What POSIX wants to be left to the program for more variables.
    const LEFT: usize = 2048;
    // On Linux a quarter of the stack; other systems have a constant that is larger than this.
    let stack = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    let most = usize::try_from(stack / 4).unwrap_or(usize::MAX).clamp(USUAL, 2 * USUAL);
    let variable = |(name, value): (OsString, OsString)| bytes_of_argument(&name) + value.len() + 1;
    let variables: usize = std::env::vars_os().map(variable).sum();
    most.saturating_sub(variables + LEFT).min(USUAL)
}

/// How many of them an argument takes: its text, a NUL and a pointer.
pub(crate) fn bytes_of_argument(argument: &OsStr) -> usize {
    argument.len() + 1 + size_of::<usize>()
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
    known_error(number).map_or_else(|| format!("Unknown error {number}"), |(_, text)| text.into())
}

/// The name of a system's error, such as `ENOENT`.
pub(crate) fn error_name(error: &io::Error) -> String {
    let Some(number) = error_number(error) else {
        return "EIO".to_owned();
    };
    known_error(number).map_or_else(|| format!("E{number}"), |(name, _)| name.into())
}

fn known_error(number: i32) -> Option<(&'static str, &'static str)> {
    let known = TEXTS.iter().find(|(errno, ..)| errno.raw_os_error() == number);
    known.map(|&(_, name, text)| (name, text))
}

/// What opening, listing, removing and writing can meet: names, and the words of the C locale.
const TEXTS: [(Errno, &str, &str); 40] = [
    (Errno::NOENT, "ENOENT", "No such file or directory"),
    (Errno::ACCESS, "EACCES", "Permission denied"),
    (Errno::PERM, "EPERM", "Operation not permitted"),
    (Errno::NOTDIR, "ENOTDIR", "Not a directory"),
    (Errno::ISDIR, "EISDIR", "Is a directory"),
    (Errno::NOTEMPTY, "ENOTEMPTY", "Directory not empty"),
    (Errno::EXIST, "EEXIST", "File exists"),
    (Errno::BUSY, "EBUSY", "Device or resource busy"),
    (Errno::ROFS, "EROFS", "Read-only file system"),
    (Errno::IO, "EIO", "Input/output error"),
    (Errno::NOMEM, "ENOMEM", "Cannot allocate memory"),
    (Errno::MFILE, "EMFILE", "Too many open files"),
    (Errno::NFILE, "ENFILE", "Too many open files in system"),
    (Errno::LOOP, "ELOOP", "Too many levels of symbolic links"),
    (Errno::NAMETOOLONG, "ENAMETOOLONG", "File name too long"),
    (Errno::XDEV, "EXDEV", "Invalid cross-device link"),
    (Errno::NOSPC, "ENOSPC", "No space left on device"),
    (Errno::DQUOT, "EDQUOT", "Disk quota exceeded"),
    (Errno::INVAL, "EINVAL", "Invalid argument"),
    (Errno::STALE, "ESTALE", "Stale file handle"),
    (Errno::TXTBSY, "ETXTBSY", "Text file busy"),
    (Errno::INTR, "EINTR", "Interrupted system call"),
    (Errno::AGAIN, "EAGAIN", "Resource temporarily unavailable"),
    (Errno::BADF, "EBADF", "Bad file descriptor"),
    (Errno::FAULT, "EFAULT", "Bad address"),
    (Errno::NODEV, "ENODEV", "No such device"),
    (Errno::NXIO, "ENXIO", "No such device or address"),
    (Errno::NOSYS, "ENOSYS", "Function not implemented"),
    (Errno::OPNOTSUPP, "EOPNOTSUPP", "Operation not supported"),
    (Errno::OVERFLOW, "EOVERFLOW", "Value too large for defined data type"),
    (Errno::FBIG, "EFBIG", "File too large"),
    (Errno::MLINK, "EMLINK", "Too many links"),
    (Errno::PIPE, "EPIPE", "Broken pipe"),
    (Errno::SPIPE, "ESPIPE", "Illegal seek"),
    (Errno::TIMEDOUT, "ETIMEDOUT", "Connection timed out"),
    (Errno::NOTCONN, "ENOTCONN", "Transport endpoint is not connected"),
    (Errno::CONNABORTED, "ECONNABORTED", "Software caused connection abort"),
    (Errno::CONNREFUSED, "ECONNREFUSED", "Connection refused"),
    (Errno::HOSTDOWN, "EHOSTDOWN", "Host is down"),
    (Errno::NOLCK, "ENOLCK", "No locks available"),
];

/// All of a file, which must be no longer than `most` bytes. A pipe or a device is not waited for.
pub(crate) fn read_file(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let mut bytes = Vec::new();
    loop {
        if bytes.len() > most {
            return Err(Errno::FBIG.into());
        }
        bytes.reserve(READ);
        match rustix::io::read(&file, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A list of names, to be read.
pub(crate) fn open_list(path: &Path) -> io::Result<impl io::Read> {
    struct List(rustix::fd::OwnedFd);
    impl io::Read for List {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            Ok(rustix::io::read(&self.0, room)?)
        }
    }
    Ok(List(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?))
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
    format!("{{\"bytes\":\"{}\"}}", base64::encode(name.as_bytes()))
}

/// A name from JSON: text, or bytes in base64.
pub(crate) fn name_from_json(value: &serde_json::Value) -> Option<OsString> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    Some(OsString::from_vec(base64::decode(value.get("bytes")?.as_str()?)?))
}

#[cfg(test)]
mod tests {
    use super::error_text;
    use std::io;

    #[test]
    fn texts_carry_no_number() {
        assert_eq!(error_text(&io::Error::from_raw_os_error(2)), "No such file or directory");
        assert_eq!(error_text(&io::ErrorKind::NotFound.into()), "No such file or directory");
        assert_eq!(error_text(&io::Error::from_raw_os_error(4095)), "Unknown error 4095");
    }
}
