//! Windows. Functions for missing features return a neutral value.

mod console;
mod library;
mod trash;
mod zone;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use curt::{Command, Error, Fields};

use super::{FileSystem, FileSystemType};
use crate::exit::Exit;
pub(crate) use std::env::args_os as command_line;

pub(crate) use console::{Watch, listen};
pub(crate) use trash::Trash;
pub(crate) use zone::local_zone;

const SHARING_VIOLATION: i32 = 32;
const INVALID_NAME: i32 = 123;
const FILENAME_TOO_LONG: i32 = 206;
const CANT_RESOLVE_FILENAME: i32 = 1921;

/// False, because every write to a closed stream fails anyway.
pub(crate) fn was_closed(_descriptor: i32) -> bool {
    false
}

pub(crate) const OWNERS: (Fields, Fields) = (Fields::USER, Fields::GROUP);

pub(crate) fn closed() -> io::Error {
    io::ErrorKind::NotConnected.into()
}

pub(crate) fn ignores_broken_pipes() -> bool {
    false
}

pub(crate) fn ignore_size_limit() {}

/// Ends quietly, because Windows has no `SIGPIPE`.
pub(crate) fn end_by_broken_pipe() -> Exit {
    Exit::SUCCESS
}

#[allow(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn user_name(_id: u32) -> io::Result<Option<OsString>> {
    Ok(None)
}

pub(crate) use user_name as group_name;

pub(crate) fn has_c_locale(_category: &str) -> bool {
    false
}

pub(crate) fn has_utf8_locale() -> bool {
    true
}

pub(crate) fn host_name() -> OsString {
    std::env::var_os("COMPUTERNAME").unwrap_or_default()
}

/// Accepts every name, because a lookup may need a server.
pub(crate) fn has_user(_name: &str) -> bool {
    true
}

pub(crate) use has_user as has_group;

pub(crate) fn end_by(_signal: i32) {}

pub(crate) const TERMINATE: i32 = KILL;
pub(crate) const KILL: i32 = 9;

pub(crate) fn signal_name(_number: i32) -> String {
    "KILL".to_owned()
}

pub(crate) fn signal_named(_word: &str) -> Result<i32, String> {
    Err("Windows has no signals to send; without --signal and --kill-after the program is killed \
         when its time is over"
        .to_owned())
}

pub(crate) fn program(name: &OsStr) -> Command {
    Command::new(name)
}

/// Does nothing, because console keys reach programs directly.
pub(crate) fn forward_signals(_programs: usize) {}

pub(crate) struct Running;

impl Running {
    pub(crate) fn begin(_child: &curt::process::Child) -> Running {
        Running
    }
}

pub(crate) fn replace_by(_command: &Command) -> Option<Error> {
    None
}

pub(crate) fn is_killed(_status: ExitStatus) -> bool {
    false
}

/// Ends the process at once if [`Exit`] cannot hold the 32-bit code.
pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    let code = status.code().unwrap_or(1);
    match u8::try_from(code) {
        Ok(code) => Exit::of(code),
        #[allow(clippy::exit, reason = "all output is written, and codes are larger than Exit")]
        Err(_) => std::process::exit(code),
    }
}

pub(crate) use exit_of as end_as;

/// A console accepts only whole characters. `std` holds back the start of a UTF-8 sequence until
/// the rest arrives.
pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

pub(crate) fn write_stderr(bytes: &[u8]) -> io::Result<()> {
    io::stderr().lock().write_all(bytes)
}

/// Returns the next input, or `None` after a while, so that the caller can check for an interrupt.
///
/// A console can report a pressed key but not a complete line, and echoes input only during a read.
/// So a separate thread reads, and continues after the timeout.
pub(crate) fn read_input() -> Option<Vec<u8>> {
    const WAIT: Duration = Duration::from_millis(100);
    static READER: Mutex<Option<Receiver<Option<Vec<u8>>>>> = Mutex::new(None);
    let mut reader = READER.lock().unwrap_or_else(PoisonError::into_inner);
    let input = reader.get_or_insert_with(|| {
        let (sender, input) = channel();
        // Without a thread, the channel is closed, which means the end of the input.
        let _ = thread::Builder::new().spawn(move || {
            let _ = sender.send(super::next_input());
        });
        input
    });
    match input.recv_timeout(WAIT) {
        Ok(bytes) => {
            *reader = None;
            bytes
        }
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
    }
}

pub(crate) fn with_stack(run: fn() -> Exit) -> Exit {
    run()
}

pub(crate) fn raise_descriptor_limit() -> Option<usize> {
    None
}

/// The longest command line, without the program's path.
pub(crate) fn argument_bytes() -> usize {
    (32 << 10) - 512
}

/// Returns an upper bound of the quoted length: each quote and backslash may double, and quotes and
/// a space are added.
pub(crate) fn bytes_of_argument(argument: &OsStr) -> usize {
    let doubled = |byte: &&u8| matches!(byte, b'"' | b'\\');
    let text = argument.as_encoded_bytes();
    text.len() + text.iter().filter(doubled).count() + 3
}

pub(crate) fn error_kind(error: &io::Error) -> Option<&'static str> {
    match curt::number_of(error)? {
        FILENAME_TOO_LONG | INVALID_NAME => Some("name-too-long"),
        CANT_RESOLVE_FILENAME => Some("loop"),
        _ => None,
    }
}

pub(crate) fn error_text(error: &io::Error) -> String {
    let Some(number) = curt::number_of(error) else {
        return error.to_string();
    };
    let words = curt::words_of(&io::Error::from_raw_os_error(number));
    match number {
        SHARING_VIOLATION => {
            format!("{words} (in use, perhaps as the working directory of a program)")
        }
        // cmd.exe and PowerShell do not expand patterns. Neither does curt, because the raw command
        // line does not distinguish `-g *.rs` from an operand.
        INVALID_NAME if std::env::args_os().skip(1).any(|word| is_pattern(&word)) => format!(
            "{words} (patterns are not expanded: 'curt find -g PATTERN DIRECTORY' finds what \
             matches, and with --delete removes it)"
        ),
        _ => words,
    }
}

fn is_pattern(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    word.strip_prefix(r"\\?\").unwrap_or(&word).contains(['*', '?'])
}

pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into())
}

pub(crate) fn terminal_height() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(_, height)| height.0.into())
}

pub(crate) fn file_system(_path: &Path) -> io::Result<FileSystem> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn file_system_type(_path: &Path) -> io::Result<FileSystemType> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn message_width() -> Option<usize> {
    None
}

pub(crate) fn device_parts(number: u64) -> (u64, u64) {
    (0, number)
}

#[cfg(test)]
mod tests {
    use crate::sys::name_from_bytes;
    use std::ffi::OsString;
    use std::os::windows::ffi::{OsStrExt, OsStringExt};

    use super::{SHARING_VIOLATION, error_text, is_pattern};
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
    fn error_texts_have_no_number() {
        let missing = error_text(&io::Error::from_raw_os_error(2));
        assert!(!missing.is_empty() && !missing.contains("os error"), "{missing}");
        assert!(!missing.ends_with('.'), "{missing}");
        assert_eq!(error_text(&io::ErrorKind::NotFound.into()), missing);
        assert_eq!(error_text(&io::Error::other("own words")), "own words");
    }

    #[test]
    fn files_in_use_are_explained() {
        let text = error_text(&io::Error::from_raw_os_error(SHARING_VIOLATION));
        assert!(
            text.ends_with("(in use, perhaps as the working directory of a program)"),
            "{text}"
        );
    }

    #[test]
    fn names_are_utf_8_with_surrogates() {
        for (bytes, units) in [
            (&b""[..], &[][..]),
            (b"a", &[0x61]),
            ("\u{e9}\u{1f600}".as_bytes(), &[0xe9, 0xd83d, 0xde00]),
            (b"\xed\xa0\x80", &[0xd800]),
            (b"a\xed\xbf\xbfb\xed\xa0\x80", &[0x61, 0xdfff, 0x62, 0xd800]),
        ] {
            let name = name_from_bytes(bytes).unwrap();
            assert!(name.encode_wide().eq(units.iter().copied()), "{bytes:x?}: {name:?}");
            assert_eq!(name.as_encoded_bytes(), bytes);
        }
        for bytes in [&b"\xff"[..], b"a\xed\xa0", b"\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"] {
            assert_eq!(name_from_bytes(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn unpaired_surrogates_are_escaped() {
        let name = OsString::from_wide(&[0x61, 0xd800, 0x62, 0xdc00]);
        assert_eq!(crate::quote::quote(name), r"'a'$'\355\240\200''b'$'\355\260\200'");
    }
}
