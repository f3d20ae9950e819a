//! Windows, and whatever else is not Unix.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

/// Nothing yet: Ctrl-C ends the process without totals.
pub(crate) fn listen(_flag: &'static AtomicBool, _signal: &'static AtomicUsize) {}

/// Processes are not ended by signals here.
pub(crate) fn end_by(_signal: usize) {}

/// Reading blocks, and Ctrl-C ends the process.
pub(crate) fn wait_for_input(_patience: Duration) -> bool {
    true
}

/// Handles have no limit that could be raised.
pub(crate) fn raise_descriptor_limit() -> Option<usize> {
    None
}

/// The system's number of an error.
pub(crate) fn error_number(error: &io::Error) -> Option<i32> {
    error.raw_os_error()
}

/// The system's own words, without the number that std appends.
pub(crate) fn error_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].trim_end_matches('.').to_owned(),
        None => text,
    }
}

/// Not yet: lists come by standard input.
pub(crate) fn read_file(_path: &Path) -> io::Result<Vec<u8>> {
    let reason = "not supported on this system yet; use --files0-from=-";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// A name from a list, where names are UTF-8.
pub(crate) fn name_from_bytes(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

/// A name that is not Unicode, as JSON: its 16-bit units.
pub(crate) fn name_to_json(name: &OsStr) -> String {
    format!("{{\"utf16\":[{}]}}", units(name).join(","))
}

#[cfg(windows)]
fn units(name: &OsStr) -> Vec<String> {
    use std::os::windows::ffi::OsStrExt;
    name.encode_wide().map(|unit| unit.to_string()).collect()
}

#[cfg(not(windows))]
fn units(name: &OsStr) -> Vec<String> {
    name.to_string_lossy().encode_utf16().map(|unit| unit.to_string()).collect()
}
