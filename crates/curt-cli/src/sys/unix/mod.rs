#[cfg(all(target_os = "linux", target_arch = "x86_64", any(test, target_env = "musl")))]
mod copy;
mod exec;
mod file_system;
#[cfg(target_os = "linux")]
mod folders;
#[cfg(all(own_main, not(test)))]
mod main;
#[cfg(all(target_os = "linux", any(test, target_env = "musl")))]
mod memory;
#[cfg(target_os = "linux")]
mod mounts;
mod running;
mod signals;
mod stack;
mod start;
mod streams;
#[cfg(not(target_os = "linux"))]
#[path = "no_trash.rs"]
mod trash;
#[cfg(target_os = "linux")]
mod trash;
mod watch;
mod zone;

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::Ordering;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::termios::Winsize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::emulate_default_handler;
use signal_hook_registry::register_sigaction;

use curt::Fields;
pub(crate) use curt::os::unix::{group_name, user_name};

use super::interrupt;
use crate::exit::Exit;
pub(crate) use exec::{program, replace_by};
pub(crate) use file_system::{file_system, file_system_type};
#[cfg(all(own_main, not(test)))]
pub(crate) use main::command_line;
pub(crate) use running::{Running, forward_signals};
pub(crate) use signals::{KILL, TERMINATE, end_by, signal_name, signal_named};
pub(crate) use stack::with_stack;
pub(crate) use start::{ignores_broken_pipes, was_closed};
#[cfg(any(test, not(own_main)))]
pub(crate) use std::env::args_os as command_line;
pub(crate) use streams::{read_input, write_stderr, write_stdout};
pub(crate) use trash::Trash;
pub(crate) use watch::Watch;
pub(crate) use zone::local_zone;

/// A soft limit below `LOW_DESCRIPTORS` is raised to `RAISED_DESCRIPTORS` or the hard limit.
const LOW_DESCRIPTORS: u64 = 4096;
const RAISED_DESCRIPTORS: u64 = 16384;

pub(crate) const OWNERS: (Fields, Fields) = (Fields::USER_ID, Fields::GROUP_ID);

const READ: usize = 64 * 1024;

/// Handles signals: the first cancels the token, the second ends the process, and running programs
/// get both. Ignored signals remain ignored, because `nohup` and shells protect background jobs
/// that way.
pub(crate) fn listen() {
    [SIGINT, SIGTERM, SIGHUP].into_iter().for_each(handle_signal);
}

/// Makes writing beyond the process's limit of file size an error, instead of the end.
pub(crate) fn ignore_size_limit() {
    signals::set(libc::SIGXFSZ, libc::SIG_IGN);
}

fn handle_signal(number: i32) {
    let act = move |info: &libc::siginfo_t| {
        let is_last = interrupt::SIGNAL.swap(number, Ordering::SeqCst) != 0;
        running::forward_to_all(number, signals::is_from_kernel(info), is_last);
        if is_last {
            let _ = emulate_default_handler(number);
        }
        interrupt::CANCEL.cancel();
        streams::interrupt_users();
    };
    if !signals::is_ignored(number) {
        // On failure, the default action remains. SAFETY: the handler makes only async-signal-safe
        // calls.
        let _ = unsafe { register_sigaction(number, act) };
    }
}

pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::of((code & 0xff) as u8),
        (None, signal) => Exit::signalled(signal.unwrap_or(0)),
    }
}

pub(crate) fn end_as(status: ExitStatus) -> Exit {
    if let Some(number) = status.signal() {
        // The program has already dumped core if enabled, so this process must not.
        let maximum = getrlimit(Resource::Core).maximum;
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
        end_by(number);
    }
    exit_of(status)
}

pub(crate) fn is_killed(status: ExitStatus) -> bool {
    status.signal() == Some(libc::SIGKILL)
}

pub(crate) fn end_by_broken_pipe() -> Exit {
    end_by(libc::SIGPIPE);
    Exit::signalled(libc::SIGPIPE)
}

pub(crate) fn closed() -> io::Error {
    Errno::BADF.into()
}

pub(crate) fn has_c_locale(category: &str) -> bool {
    locale(category).is_none_or(|name| name == "C" || name == "POSIX")
}

fn locale(category: &str) -> Option<OsString> {
    let names = ["LC_ALL", category, "LANG"].into_iter().filter_map(std::env::var_os);
    names.into_iter().find(|name| !name.is_empty())
}

pub(crate) fn has_utf8_locale() -> bool {
    locale("LC_CTYPE").is_some_and(|name| {
        let name = name.to_string_lossy().to_ascii_lowercase();
        let charset = name.split_once('.').map_or("", |(_, charset)| charset);
        charset.starts_with("utf-8") || charset.starts_with("utf8")
    })
}

pub(crate) fn host_name() -> OsString {
    OsString::from_vec(rustix::system::uname().nodename().to_bytes().to_vec())
}

/// The process must be single-threaded.
pub(crate) fn has_user(name: &str) -> bool {
    // SAFETY: the name ends with NUL, and no other thread uses the buffer.
    CString::new(name).is_ok_and(|name| unsafe { !libc::getpwnam(name.as_ptr()).is_null() })
}

/// The process must be single-threaded.
pub(crate) fn has_group(name: &str) -> bool {
    // SAFETY: the name ends with NUL, and no other thread uses the buffer.
    CString::new(name).is_ok_and(|name| unsafe { !libc::getgrnam(name.as_ptr()).is_null() })
}

/// Returns half of the new limit, like the library's default.
pub(crate) fn raise_descriptor_limit() -> Option<usize> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(RAISED_DESCRIPTORS, |most| most.min(RAISED_DESCRIPTORS));
    let mut limit = current?;
    if limit < LOW_DESCRIPTORS && limit < wanted {
        let raised = Rlimit { current: Some(wanted), maximum };
        limit = setrlimit(Resource::Nofile, raised).map_or(limit, |()| wanted);
    }
    usize::try_from(limit / 2).ok()
}

/// Returns the most bytes that a command line can have, besides the environment: as many as in
/// `xargs`, or fewer if the system's limit is lower.
pub(crate) fn argument_bytes() -> usize {
    /// The minimum of Linux, and the default of `xargs`.
    const USUAL: usize = 128 << 10;
    /// Reserved by POSIX for variables that the program adds.
    const RESERVED: usize = 2048;
    // Linux allows a quarter of the stack limit; other systems have a larger constant.
    let stack = getrlimit(Resource::Stack).current.unwrap_or(u64::MAX);
    let most = usize::try_from(stack / 4).unwrap_or(usize::MAX).clamp(USUAL, 2 * USUAL);
    let variable = |(name, value): (OsString, OsString)| bytes_of_argument(&name) + value.len() + 1;
    let variables: usize = std::env::vars_os().map(variable).sum();
    most.saturating_sub(variables + RESERVED).min(USUAL)
}

/// Returns the size with the NUL and the pointer in `argv`.
pub(crate) fn bytes_of_argument(argument: &OsStr) -> usize {
    argument.len() + 1 + size_of::<usize>()
}

/// Returns glibc's message in the C locale, or else `std`'s.
pub(crate) fn error_text(error: &io::Error) -> String {
    let number = curt::number_of(error);
    let known = TEXTS.iter().find(|(errno, _)| Some(errno.raw_os_error()) == number);
    known.map_or_else(|| curt::words_of(error), |&(_, text)| text.to_owned())
}

/// Names errors that have no stable kind in `std`.
pub(crate) fn error_kind(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        Errno::LOOP => Some("loop"),
        Errno::NAMETOOLONG => Some("name-too-long"),
        Errno::MFILE | Errno::NFILE => Some("too-many-open-files"),
        _ => None,
    }
}

/// glibc's messages, because other C libraries have different ones.
const TEXTS: [(Errno, &str); 44] = [
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
    (Errno::CHILD, "No child processes"),
    (Errno::NOTTY, "Inappropriate ioctl for device"),
    (Errno::TOOBIG, "Argument list too long"),
    (Errno::DEADLK, "Resource deadlock avoided"),
];

/// Does not block on a FIFO.
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

pub(crate) fn terminal_height() -> Option<usize> {
    winsize(io::stdout(), |size| size.ws_row)
}

pub(crate) fn terminal_width() -> Option<usize> {
    winsize(io::stdout(), |size| size.ws_col)
}

pub(crate) fn message_width() -> Option<usize> {
    winsize(io::stderr(), |size| size.ws_col)
}

fn winsize(stream: impl AsFd, part: impl Fn(&Winsize) -> u16) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(part(&size))).filter(|&number| number > 0)
}

pub(crate) fn device_parts(number: u64) -> (u64, u64) {
    #[allow(
        clippy::unnecessary_fallible_conversions,
        clippy::useless_conversion,
        reason = "the type of device numbers differs between systems"
    )]
    let device = number.try_into().unwrap_or_default();
    (u64::from(rustix::fs::major(device)), u64::from(rustix::fs::minor(device)))
}

#[cfg(test)]
mod tests {
    use super::error_text;
    use std::io;

    #[test]
    fn every_error_has_its_text() {
        let mut unknown = 0;
        for number in 1..=150 {
            let text = error_text(&io::Error::from_raw_os_error(number));
            unknown += u32::from(text == format!("Unknown error {number}"));
            assert!(!text.is_empty() && !text.contains("os error"), "{number}: {text}");
            // SAFETY: any number is allowed.
            let own = unsafe { libc::strerror(number) };
            // SAFETY: the string is used before this thread's next call.
            let own = unsafe { std::ffi::CStr::from_ptr(own) };
            if cfg!(target_env = "gnu") {
                assert_eq!(text.as_bytes(), own.to_bytes(), "{number}");
            }
        }
        assert!(unknown < 30, "{unknown}");
        assert_eq!(error_text(&io::ErrorKind::NotFound.into()), "No such file or directory");
    }
}
