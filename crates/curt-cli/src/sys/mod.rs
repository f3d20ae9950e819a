//! What the command needs of the system beyond the library: signals, waiting for input, the texts
//! of errors, names in bytes, names of owners, the descriptor budget, the time zone and the width
//! of the terminal. Each system has the same items.
#![allow(unsafe_code, reason = "the start of the process and signals have no safe form")]

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use curt::Fields;
use curt::paths::PathText;

#[cfg(not(unix))]
use crate::exit::Exit;

pub(crate) mod interrupt;
mod trash;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    Trash, argument_bytes, bytes_of_argument, device_parts, end_as, end_by, error_kind,
    error_number, error_text, file_system, file_system_type, is_killed, local_zone, message_width,
    pass_signals_to, raise_descriptor_limit, read_input, send_signal, signal_named, stop_ignoring,
    stop_passing_signals, terminal_height, terminal_width,
};

pub(crate) use trash::{Refusal, TrashRules};

#[cfg(unix)]
pub(crate) use curt::os::unix::{group_name, user_name};
#[cfg(unix)]
pub(crate) use unix::{
    closed, end_by_broken_pipe, has_c_locale, has_group, has_user, has_utf8_locale, host_name,
    ignores_broken_pipes, was_closed,
};

/// A file system.
pub(crate) struct FileSystem {
    pub(crate) id: u64,
    pub(crate) longest_name: u64,
    /// The best size of reads and writes.
    pub(crate) block_size: u64,
    /// What the blocks below are counted in.
    pub(crate) unit: u64,
    pub(crate) blocks: u64,
    pub(crate) free: u64,
    /// The free blocks that users may take.
    pub(crate) available: u64,
    pub(crate) files: u64,
    pub(crate) free_files: u64,
}

/// The type of a file system. Some systems have no number for it, others no name.
pub(crate) struct FileSystemType {
    pub(crate) number: Option<u32>,
    pub(crate) name: Option<String>,
}

/// A path that leads to what standard input is.
pub(crate) const STANDARD_INPUT: &str = "/dev/stdin";

/// Whether directories can contain pipes and devices.
pub(crate) const HAS_SPECIAL_FILES: bool = cfg!(unix);

/// Each write fails if a stream is closed.
#[cfg(not(unix))]
pub(crate) fn was_closed(_descriptor: i32) -> bool {
    false
}

/// The fields for the owner and the group of an entry: their IDs.
#[cfg(unix)]
pub(crate) const OWNERS: (Fields, Fields) = (Fields::USER_ID, Fields::GROUP_ID);
/// The fields for the owner and the group of an entry: their names, as they have no IDs here.
#[cfg(not(unix))]
pub(crate) const OWNERS: (Fields, Fields) = (Fields::USER, Fields::GROUP);

#[cfg(not(unix))]
pub(crate) fn closed() -> io::Error {
    io::ErrorKind::NotConnected.into()
}

/// There is no signal for broken pipes.
#[cfg(not(unix))]
pub(crate) fn ignores_broken_pipes() -> bool {
    false
}

/// Ends quietly: the reader has what it wanted.
#[cfg(not(unix))]
pub(crate) fn end_by_broken_pipe() -> Exit {
    Exit::SUCCESS
}

/// Owners have no IDs here.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn user_name(_id: u32) -> io::Result<Option<OsString>> {
    Ok(None)
}

#[cfg(not(unix))]
pub(crate) use user_name as group_name;

/// The environment names no locale here.
#[cfg(not(unix))]
pub(crate) fn has_c_locale() -> bool {
    false
}

/// Text is Unicode here.
#[cfg(not(unix))]
pub(crate) fn has_utf8_locale() -> bool {
    true
}

/// Returns the name of this machine.
#[cfg(not(unix))]
pub(crate) fn host_name() -> OsString {
    std::env::var_os("COMPUTERNAME").unwrap_or_default()
}

/// A name is not looked up here: that may take a server's answer.
#[cfg(not(unix))]
pub(crate) fn has_user(_name: &str) -> bool {
    true
}

#[cfg(not(unix))]
pub(crate) use has_user as has_group;

/// Returns the name that has these bytes; on Windows they are UTF-8 in which an unpaired surrogate
/// has three bytes. `None` if no name has them.
pub(crate) fn name_from_bytes(bytes: &[u8]) -> Option<OsString> {
    PathText::from(bytes).to_path().ok().map(PathBuf::into_os_string)
}

/// Opens a list of names.
#[allow(clippy::disallowed_types, reason = "std opens paths of any length")]
pub(crate) fn open_list(path: &Path) -> io::Result<impl io::Read> {
    std::fs::File::open(path)
}

/// Returns the working directory.
#[allow(clippy::disallowed_methods, reason = "std's answer is the system's")]
pub(crate) fn working_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// Changes the working directory, before any thread depends on it.
#[allow(clippy::disallowed_methods, reason = "std's call is the system's")]
pub(crate) fn change_directory(path: &OsStr) -> io::Result<()> {
    std::env::set_current_dir(path)
}

/// Returns how many programs can run at the same time.
#[allow(clippy::disallowed_methods, reason = "std's answer respects limits of the process")]
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Splits a text at the first occurrence of an ASCII character.
pub(crate) fn split_once(text: &OsStr, at: u8) -> Option<(&OsStr, &OsStr)> {
    debug_assert!(at.is_ascii());
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|&byte| byte == at)?;
    let part = |bytes| {
        // SAFETY: the text is split immediately before or after an ASCII character.
        unsafe { OsStr::from_encoded_bytes_unchecked(bytes) }
    };
    Some((part(bytes.get(..at)?), part(bytes.get(at + 1..)?)))
}

/// Waits for standard input and returns what it has, nothing at its end. `None` if a signal came
/// first.
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
