//! The system's errors: made from typed answers, and recognised by number.

use std::io;

/// Returns the system's own error of this kind, with its number, for an answer such as
/// [`Opened::Gone`](super::Opened) that no longer has one. Kinds without such an answer have no
/// number.
pub(crate) fn os_error(kind: io::ErrorKind) -> io::Error {
    number(kind).map_or_else(|| kind.into(), io::Error::from_raw_os_error)
}

/// Whether an error reports a link loop, or more links than the system follows. The standard
/// library has no stable kind for it.
pub(crate) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(LOOP)
}

/// Whether an error says that another process has the file open and does not share it, so that
/// waiting may help.
pub(crate) fn is_busy(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| BUSY.contains(&number))
}

#[cfg(unix)]
pub(super) const LOOP: i32 = libc::ELOOP;
#[cfg(unix)]
const BUSY: [i32; 0] = [];

/// What Windows says after following 63 links.
#[cfg(windows)]
pub(super) const LOOP: i32 = windows_sys::Win32::Foundation::ERROR_CANT_RESOLVE_FILENAME as i32;
#[cfg(windows)]
const BUSY: [i32; 2] = [
    windows_sys::Win32::Foundation::ERROR_SHARING_VIOLATION as i32,
    windows_sys::Win32::Foundation::ERROR_LOCK_VIOLATION as i32,
];

#[cfg(unix)]
fn number(kind: io::ErrorKind) -> Option<i32> {
    Some(match kind {
        io::ErrorKind::NotFound => libc::ENOENT,
        io::ErrorKind::NotADirectory => libc::ENOTDIR,
        io::ErrorKind::IsADirectory => libc::EISDIR,
        io::ErrorKind::DirectoryNotEmpty => libc::ENOTEMPTY,
        io::ErrorKind::CrossesDevices => libc::EXDEV,
        _ => return None,
    })
}

#[cfg(windows)]
#[allow(clippy::cast_possible_wrap, reason = "the standard library has these numbers signed")]
fn number(kind: io::ErrorKind) -> Option<i32> {
    use windows_sys::Win32::Foundation::{
        ERROR_DIR_NOT_EMPTY, ERROR_DIRECTORY, ERROR_DIRECTORY_NOT_SUPPORTED, ERROR_FILE_NOT_FOUND,
        ERROR_NOT_SAME_DEVICE,
    };
    Some(match kind {
        io::ErrorKind::NotFound => ERROR_FILE_NOT_FOUND as i32,
        io::ErrorKind::NotADirectory => ERROR_DIRECTORY as i32,
        io::ErrorKind::IsADirectory => ERROR_DIRECTORY_NOT_SUPPORTED as i32,
        io::ErrorKind::DirectoryNotEmpty => ERROR_DIR_NOT_EMPTY as i32,
        io::ErrorKind::CrossesDevices => ERROR_NOT_SAME_DEVICE as i32,
        _ => return None,
    })
}
