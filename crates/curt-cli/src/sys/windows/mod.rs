//! Windows.

mod console;
mod names;

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::exit::Exit;
pub(crate) use console::{leave_signals, listen, pass_signals_on, take_signals_back};
pub(crate) use names::{name_from_bytes, name_to_json};

/// Numbers of errors that std has a kind for, and which are also made here from that kind.
const FILE_NOT_FOUND: i32 = 2;
const ACCESS_DENIED: i32 = 5;
const SHARING_VIOLATION: i32 = 32;
const INVALID_PARAMETER: i32 = 87;
const INVALID_NAME: i32 = 123;
const DIR_NOT_EMPTY: i32 = 145;
const DIRECTORY: i32 = 267;
const DIRECTORY_NOT_SUPPORTED: i32 = 336;

/// Processes are not ended by signals here: the exit code is what a shell sees.
pub(crate) fn end_by(_signal: usize) {}

/// Ends as a program did that was run. Codes have 32 bits here, of which the usual way to end has
/// eight.
pub(crate) fn end_as(status: ExitStatus) -> Exit {
    let code = status.code().unwrap_or(1);
    match u8::try_from(code) {
        Ok(code) => Exit::of(code),
        #[allow(clippy::exit, reason = "nothing is left to be written, and nothing else ends so")]
        Err(_) => std::process::exit(code),
    }
}

/// What standard input has next, nothing at its end. `None` when the time was over.
///
/// There is no way to wait for a line of a console, only for a key, and what is typed is shown only
/// while somebody reads. So a thread of its own reads, and goes on reading when the time is over.
pub(crate) fn read_input(patience: Duration) -> Option<Vec<u8>> {
    static READER: Mutex<Option<Receiver<Option<Vec<u8>>>>> = Mutex::new(None);
    let mut reader = READER.lock().unwrap_or_else(PoisonError::into_inner);
    let input = reader.get_or_insert_with(|| {
        let (give, input) = channel();
        // Where no thread can be had, its end of the channel is gone, which is taken for the end.
        let _ = thread::Builder::new().spawn(move || {
            // Nobody waits any more when the command ends.
            let _ = give.send(super::next_input());
        });
        input
    });
    match input.recv_timeout(patience) {
        Ok(bytes) => {
            *reader = None;
            bytes
        }
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
    }
}

/// Handles have no limit that could be raised.
pub(crate) fn raise_descriptor_limit() -> Option<usize> {
    None
}

/// How many units a command line may have, with room for the path of the program: variables lie
/// elsewhere.
pub(crate) fn argument_bytes() -> usize {
    (32 << 10) - 512
}

/// How many of them an argument takes at most: each quote and each backslash may need one more, and
/// it has quotes around it and a blank before.
pub(crate) fn bytes_of_argument(argument: &OsStr) -> usize {
    let doubled = |byte: &&u8| matches!(byte, b'"' | b'\\');
    let text = argument.as_encoded_bytes();
    text.len() + text.iter().filter(doubled).count() + 3
}

/// The system's number of an error, also where std knows its kind only.
pub(crate) fn error_number(error: &io::Error) -> Option<i32> {
    error.raw_os_error().or(match error.kind() {
        io::ErrorKind::NotFound => Some(FILE_NOT_FOUND),
        io::ErrorKind::PermissionDenied => Some(ACCESS_DENIED),
        io::ErrorKind::InvalidInput => Some(INVALID_PARAMETER),
        io::ErrorKind::DirectoryNotEmpty => Some(DIR_NOT_EMPTY),
        io::ErrorKind::NotADirectory => Some(DIRECTORY),
        io::ErrorKind::IsADirectory => Some(DIRECTORY_NOT_SUPPORTED),
        _ => None,
    })
}

/// The system's own words in its own language, without the number that std appends, and what may
/// be behind them where they do not say.
pub(crate) fn error_text(error: &io::Error) -> String {
    let Some(number) = error_number(error) else {
        return error.to_string();
    };
    let text = io::Error::from_raw_os_error(number).to_string();
    let words = text.rfind(" (os error ").map_or(&*text, |end| &text[..end]);
    let words = words.trim_end_matches('.');
    match number {
        SHARING_VIOLATION => {
            format!("{words} (in use, perhaps as the working directory of a program)")
        }
        // Neither cmd.exe nor PowerShell expands a pattern for a program, as shells elsewhere do.
        INVALID_NAME if std::env::args_os().skip(1).any(|word| is_pattern(&word)) => format!(
            "{words} (patterns are not expanded: 'curt walk DIRECTORY --name PATTERN' finds what \
             matches, and with --delete removes it)"
        ),
        _ => words.to_owned(),
    }
}

/// Whether a word of the command line is a pattern, as no name is. The beginning of a path that is
/// taken as it is written has a `?`, too.
fn is_pattern(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    word.strip_prefix(r"\\?\").unwrap_or(&word).contains(['*', '?'])
}

/// A list of names, to be read.
#[allow(clippy::disallowed_types, reason = "std reads it from a path of any length")]
pub(crate) fn open_list(path: &Path) -> io::Result<impl io::Read> {
    std::fs::File::open(path)
}

/// The local time zone, as the system's settings or `TZ` name it.
pub(crate) fn local_zone() -> jiff::tz::TimeZone {
    jiff::tz::TimeZone::system()
}

/// The terminal's width is not asked for here: `COLUMNS` or `--width` say it.
pub(crate) fn terminal_width() -> Option<usize> {
    None
}

/// Devices have no numbers in two parts here.
pub(crate) fn device_parts(number: u64) -> (u64, u64) {
    (0, number)
}

/// A name from JSON: text, or 16-bit units.
pub(crate) fn name_from_json(value: &serde_json::Value) -> Option<std::ffi::OsString> {
    if let Some(text) = value.as_str() {
        return Some(text.into());
    }
    let units = value.get("utf16")?.as_array()?.iter();
    let units: Option<Vec<u16>> = units.map(|unit| u16::try_from(unit.as_u64()?).ok()).collect();
    Some(std::os::windows::ffi::OsStringExt::from_wide(&units?))
}

#[cfg(test)]
mod tests {
    use super::{FILE_NOT_FOUND, SHARING_VIOLATION, error_number, error_text, is_pattern};
    use std::io;

    #[test]
    fn only_stars_and_question_marks_are_patterns() {
        for (word, expected) in [
            (r"x\*.orig", true),
            ("a?", true),
            (r"\\?\C:\a*", true),
            (r"\\?\C:\a<b", false),
            ("a<b", false),
            ("a|b", false),
        ] {
            assert_eq!(is_pattern(word.as_ref()), expected, "{word}");
        }
    }

    #[test]
    fn texts_carry_no_number() {
        let missing = error_text(&io::Error::from_raw_os_error(FILE_NOT_FOUND));
        assert!(!missing.is_empty() && !missing.contains("os error"), "{missing}");
        assert!(!missing.ends_with('.'), "{missing}");
        assert_eq!(error_text(&io::ErrorKind::NotFound.into()), missing);
        assert_eq!(error_number(&io::ErrorKind::NotFound.into()), Some(FILE_NOT_FOUND));
        assert_eq!(error_text(&io::Error::other("own words")), "own words");
    }

    #[test]
    fn what_is_in_use_is_explained() {
        let text = error_text(&io::Error::from_raw_os_error(SHARING_VIOLATION));
        assert!(
            text.ends_with("(in use, perhaps as the working directory of a program)"),
            "{text}"
        );
    }
}
