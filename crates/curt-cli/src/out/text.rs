//! Messages, in GNU's words where possible. The session prefixes each line with the program name.

use curt::filters::GlobError;
use curt::process::StartFailure;
use curt::remove::RemainReason;
use curt::which::{FindCause, NotFound};
use curt::{Calls, Cause, Error};

use crate::quote::{for_terminal, quote};
use crate::sys;

pub(crate) fn failure(error: &Error) -> String {
    let (path, reason) = (error.path(), reason(error.cause()));
    if let Cause::Find(_) = error.cause() {
        return format!("{}: {reason}", for_terminal(path, ":"));
    }
    format!("cannot {} {}: {reason}", error.operation().verb(), quote(path))
}

pub(crate) fn reason(cause: &Cause) -> String {
    let text = match cause {
        Cause::Os(error) | Cause::Start(StartFailure::System | StartFailure::Directory, error) => {
            return sys::error_text(error);
        }
        Cause::Find(why) => return not_found(why),
        Cause::Start(StartFailure::InterpreterMissing { interpreter, carriage_return }, _) => {
            let end = if *carriage_return {
                "; the carriage return at the end of the first line is part of that name"
            } else {
                ""
            };
            return format!("its interpreter {} is missing{end}", quote(interpreter));
        }
        Cause::Remains(RemainReason::MountPoint) => {
            "it is a mount point; --cross-mounts removes its contents"
        }
        Cause::Remains(RemainReason::DotOrDotDot) => "refusing to remove '.' or '..' directory",
        Cause::Remains(RemainReason::RootDirectory) => {
            "it is dangerous to operate recursively on '/'"
        }
        Cause::Remains(RemainReason::OtherFileSystem) => "it's on a different device",
        Cause::Remains(RemainReason::IsADirectory) => "Is a directory",
        Cause::Refused(refusal) => return refusal.to_string(),
        other => return other.to_string(),
    };
    text.to_owned()
}

/// Returns why a program was not found, and which option would find it.
fn not_found(why: &NotFound) -> String {
    let path = why.path().map(quote);
    match (why.cause(), path) {
        (FindCause::OnlyInWorkingDirectory, Some(path)) => {
            format!("found only in the working directory, as {path}; use --cwd=always to search it")
        }
        // Directories that deny search have a separate message.
        (FindCause::NotExecutable, Some(path)) => {
            format!("{path} is {}", StartFailure::NotExecutable)
        }
        (FindCause::PermissionDenied, Some(path)) => format!("no permission to search {path}"),
        (FindCause::RelativeResult, Some(path)) => {
            format!("found as {path}, but by a relative path, which Go refuses")
        }
        (FindCause::Os(error), Some(path)) => format!("{}: {path}", sys::error_text(error)),
        (FindCause::Os(error), None) => sys::error_text(error),
        (_, Some(path)) => format!("{}: {path}", why.reason()),
        (_, None) => why.reason(),
    }
}

pub(crate) fn invalid_glob(error: &GlobError) -> String {
    format!("invalid pattern {}: {}", quote(error.pattern()), error.reason())
}

pub(crate) fn calls(calls: &Calls) -> String {
    let mut calls: Vec<(&str, u64)> = calls.iter().collect();
    calls.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let lines: Vec<String> =
        calls.iter().map(|(name, count)| format!("{count:>12} {name}\n")).collect();
    lines.concat()
}

pub(crate) fn with_threads(done: &str, threads: usize) -> String {
    format!("{done}, {}", counted(threads as u64, "thread", "threads"))
}

pub(crate) fn files_and_directories(files: u64, directories: u64) -> String {
    let files = counted(files, "file", "files");
    format!("{files} and {}", counted(directories, "directory", "directories"))
}

pub(crate) fn would_remove(entries: &str, bytes: u64) -> String {
    format!("would remove {entries}, freeing {}", size(bytes))
}

pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns a number of bytes, with a unit if large: `4.9 MiB (5185536 bytes)`.
pub(crate) fn size(bytes: u64) -> String {
    let exact = counted(bytes, "byte", "bytes");
    if bytes < 1024 { exact } else { format!("{} ({exact})", rounded_size(bytes)) }
}

pub(crate) fn rounded_size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let tenths =
        |power: usize| (u128::from(bytes) * 10 + (512 << (10 * power))) >> (10 * power + 10);
    let unit = UNITS.iter().enumerate().rev().find(|&(power, _)| tenths(power) >= 10);
    match unit.map(|(power, unit)| (tenths(power), unit)) {
        Some((tenths, unit)) if bytes >= 1024 => {
            format!("{}.{} {unit}", tenths / 10, tenths % 10)
        }
        _ => counted(bytes, "byte", "bytes"),
    }
}

/// Returns the branches to draw before an entry of a tree, and before its children.
pub(crate) fn branch(is_unicode: bool, is_last: bool) -> (&'static str, &'static str) {
    match (is_unicode, is_last) {
        (true, false) => ("├── ", "│   "),
        (true, true) => ("└── ", "    "),
        (false, false) => ("|-- ", "|   "),
        (false, true) => ("`-- ", "    "),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_for_people() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1.0 KiB (1024 bytes)"),
            (1_048_575, "1.0 MiB (1048575 bytes)"),
            (5_185_536, "4.9 MiB (5185536 bytes)"),
            (u64::MAX, "16.0 EiB (18446744073709551615 bytes)"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
