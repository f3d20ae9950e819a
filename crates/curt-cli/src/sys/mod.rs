//! What the command needs of the system beyond the library: signals, waiting for an answer, the
//! texts of errors, names that are not text, names of owners, the limit of descriptors, the time
//! zone, the width of the terminal. The same items in each file.
#![allow(unsafe_code, reason = "the start of the process and signals have no safe form")]

use std::ffi::OsStr;
#[cfg(not(unix))]
use std::ffi::OsString;
use std::io::{self, BufRead};

use curt::Fields;

#[cfg(not(unix))]
use crate::exit::Exit;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    argument_bytes, bytes_of_argument, device_parts, end_as, end_by, error_number, error_text,
    leave_signals, listen, local_zone, name_from_bytes, name_from_json, name_to_json, open_list,
    pass_signals_on, raise_descriptor_limit, read_input, take_signals_back, terminal_width,
};

#[cfg(unix)]
pub(crate) use curt::os::unix::{group_name, user_name};
#[cfg(unix)]
pub(crate) use unix::error_name;

#[cfg(unix)]
pub(crate) use unix::{closed, end_by_broken_pipe, ignores_broken_pipes, was_closed};

/// What is not open is told by each write.
#[cfg(not(unix))]
pub(crate) fn was_closed(_descriptor: i32) -> bool {
    false
}

/// What tells the user and the group of an entry: their numbers here.
#[cfg(unix)]
pub(crate) const OWNERS: (Fields, Fields) = (Fields::USER_ID, Fields::GROUP_ID);
/// Their names, as they have no numbers here.
#[cfg(not(unix))]
pub(crate) const OWNERS: (Fields, Fields) = (Fields::USER, Fields::GROUP);

#[cfg(not(unix))]
pub(crate) fn closed() -> io::Error {
    io::ErrorKind::NotConnected.into()
}

/// There is no signal for it.
#[cfg(not(unix))]
pub(crate) fn ignores_broken_pipes() -> bool {
    false
}

/// Ends quietly: the reader has what it wanted.
#[cfg(not(unix))]
pub(crate) fn end_by_broken_pipe() -> Exit {
    Exit::SUCCESS
}

/// Owners have no numbers here.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn user_name(_id: u32) -> io::Result<Option<OsString>> {
    Ok(None)
}

#[cfg(not(unix))]
pub(crate) use user_name as group_name;

/// The name that POSIX has for what happened, so that answers read alike on every system.
#[cfg(not(unix))]
pub(crate) fn error_name(error: &io::Error) -> String {
    let name = match error.kind() {
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::AlreadyExists => "EEXIST",
        io::ErrorKind::NotADirectory => "ENOTDIR",
        io::ErrorKind::IsADirectory => "EISDIR",
        io::ErrorKind::DirectoryNotEmpty => "ENOTEMPTY",
        io::ErrorKind::ResourceBusy => "EBUSY",
        io::ErrorKind::InvalidInput => "EINVAL",
        io::ErrorKind::ReadOnlyFilesystem => "EROFS",
        io::ErrorKind::WouldBlock => "EAGAIN",
        _ => match error_number(error) {
            // Of Windows: a path, and a name, that is too long or none; links that lead to each
            // other.
            Some(206 | 123) => "ENAMETOOLONG",
            Some(1921) => "ELOOP",
            Some(number) => return format!("E{number}"),
            None => "EIO",
        },
    };
    name.to_owned()
}

/// What comes before and after the first such ASCII character.
pub(crate) fn split_once(text: &OsStr, at: u8) -> Option<(&OsStr, &OsStr)> {
    debug_assert!(at.is_ascii());
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|&byte| byte == at)?;
    let part = |bytes| {
        // SAFETY: the text is cut immediately before or behind an ASCII character, which is
        // allowed.
        unsafe { OsStr::from_encoded_bytes_unchecked(bytes) }
    };
    Some((part(bytes.get(..at)?), part(bytes.get(at + 1..)?)))
}

/// What standard input has next, waiting for it; nothing at its end. `None` if a signal came first.
fn next_input() -> Option<Vec<u8>> {
    let mut input = io::stdin().lock();
    match input.fill_buf() {
        Ok(bytes) => {
            let bytes = bytes.to_vec();
            input.consume(bytes.len());
            Some(bytes)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
        Err(_) => Some(Vec::new()),
    }
}
