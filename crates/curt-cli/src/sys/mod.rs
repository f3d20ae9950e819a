//! System features beyond the library. Each platform's module has the same items.
#![allow(unsafe_code, reason = "the start of the process and signals have no safe form")]

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use curt::paths::PathText;

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
    KILL, OWNERS, Running, TERMINATE, Trash, Watch, argument_bytes, bytes_of_argument, closed,
    command_line, device_parts, end_as, end_by, end_by_broken_pipe, error_kind, error_text,
    exit_of, file_system, file_system_type, forward_signals, group_name, has_c_locale, has_group,
    has_user, has_utf8_locale, host_name, ignore_size_limit, ignores_broken_pipes, is_killed,
    local_zone, message_width, program, raise_descriptor_limit, read_input, replace_by,
    signal_name, signal_named, terminal_height, terminal_width, user_name, was_closed, with_stack,
    write_stderr, write_stdout,
};

pub(crate) use trash::{Refusal, TrashRules, Trashed};

pub(crate) enum Event {
    Ended(ExitStatus),
    TimeOver,
    /// A signal arrived. If it was typed, the whole process group has received it.
    #[cfg_attr(windows, allow(dead_code, reason = "programs get the keys of a console themselves"))]
    Signal {
        number: i32,
        is_typed: bool,
    },
}

pub(crate) struct FileSystem {
    pub(crate) id: u64,
    pub(crate) longest_name: u64,
    pub(crate) block_size: u64,
    pub(crate) unit: u64,
    pub(crate) blocks: u64,
    pub(crate) free: u64,
    /// Free blocks for unprivileged users.
    pub(crate) available: u64,
    pub(crate) files: u64,
    pub(crate) free_files: u64,
}

pub(crate) struct FileSystemType {
    pub(crate) number: Option<u32>,
    pub(crate) name: Option<String>,
}

pub(crate) const STANDARD_INPUT: &str = "/dev/stdin";

pub(crate) const HAS_SPECIAL_FILES: bool = cfg!(unix);

/// Returns `None` for invalid bytes. On Windows, names must be UTF-8, in which unpaired surrogates
/// have three bytes.
pub(crate) fn name_from_bytes(bytes: &[u8]) -> Option<OsString> {
    PathText::from(bytes).to_path().ok().map(PathBuf::into_os_string)
}

#[allow(clippy::disallowed_types, reason = "std opens paths of any length")]
pub(crate) fn open_list(path: &Path) -> io::Result<impl io::Read> {
    std::fs::File::open(path)
}

#[allow(clippy::disallowed_methods, reason = "std's answer is the system's")]
pub(crate) fn working_directory() -> io::Result<PathBuf> {
    std::env::current_dir()
}

/// Must be called before any thread depends on the working directory.
#[allow(clippy::disallowed_methods, reason = "std's call is the system's")]
pub(crate) fn change_directory(path: &OsStr) -> io::Result<()> {
    std::env::set_current_dir(path)
}

#[allow(clippy::disallowed_methods, reason = "std's answer respects limits of the process")]
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub(crate) fn split_once(text: &OsStr, at: u8) -> Option<(&OsStr, &OsStr)> {
    debug_assert!(at.is_ascii());
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|&byte| byte == at)?;
    let part = |bytes| {
        // SAFETY: the string is split next to an ASCII character.
        unsafe { OsStr::from_encoded_bytes_unchecked(bytes) }
    };
    Some((part(bytes.get(..at)?), part(bytes.get(at + 1..)?)))
}

/// Returns some input (empty at its end), or `None` if a signal came first.
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
