//! Neither Unix nor Windows: what the standard library has.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use crate::exit::Exit;

/// Nothing yet: Ctrl-C ends the process without totals.
pub(crate) fn listen(_flag: &'static AtomicBool, _signal: &'static AtomicUsize) {}

/// Processes are not ended by signals here.
pub(crate) fn end_by(_signal: usize) {}

/// Ends as a program did that was run.
pub(crate) fn end_as(status: ExitStatus) -> Exit {
    Exit::of((status.code().unwrap_or(1) & 0xff) as u8)
}

/// There are no signals.
pub(crate) fn pass_signals_on(_: &'static AtomicBool, _: &'static AtomicUsize) {}

/// Ctrl-C ends both.
pub(crate) fn leave_signals(_program: u32) {}

/// There were none.
pub(crate) fn take_signals_back() {}

/// Reading blocks, and Ctrl-C ends the process.
pub(crate) fn read_input(_patience: Duration) -> Option<Vec<u8>> {
    super::next_input()
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

/// All of a file.
pub(crate) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// A name from a list, where names are UTF-8.
pub(crate) fn name_from_bytes(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

/// A name that is not Unicode, as JSON: nothing is known of its units, so it is shown as it can be.
pub(crate) fn name_to_json(name: &OsStr) -> String {
    let units: Vec<String> =
        name.to_string_lossy().encode_utf16().map(|unit| unit.to_string()).collect();
    format!("{{\"utf16\":[{}]}}", units.join(","))
}

/// Time zones are not known here.
pub(crate) fn local_zone() -> jiff::tz::TimeZone {
    jiff::tz::TimeZone::UTC
}

/// The terminal's width is not asked for here: `COLUMNS` or `--width` say it.
pub(crate) fn terminal_width() -> Option<usize> {
    None
}

/// Devices have no numbers in two parts here.
pub(crate) fn device_parts(number: u64) -> (u64, u64) {
    (0, number)
}

/// A name from JSON: text, or 16-bit units that are text.
pub(crate) fn name_from_json(value: &serde_json::Value) -> Option<OsString> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    let units = value.get("utf16")?.as_array()?.iter();
    let units: Option<Vec<u16>> = units.map(|unit| u16::try_from(unit.as_u64()?).ok()).collect();
    String::from_utf16(&units?).ok().map(OsString::from)
}
