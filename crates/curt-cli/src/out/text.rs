//! Text for people: GNU's words and quoting.

use std::path::{MAIN_SEPARATOR, Path};

use curt::{Calls, Cause, Error, GlobError, Kind, Question, Report, StartFailure, Subject};

use crate::cmd::which;
use crate::quote::quote;
use crate::sys;

/// The lines for one failure.
pub(crate) fn failure(program: &str, error: &Error, one_file_system: bool) -> String {
    let path = quote(error.path());
    match error.cause() {
        Cause::DotOrDotDot => {
            format!("{program}: refusing to remove '.' or '..' directory: skipping {path}\n")
        }
        Cause::RootDirectory => {
            // Where there are drives there is more than one root.
            let is_said = path == "'/'" || MAIN_SEPARATOR != '/';
            let same = if is_said { "" } else { " (same as '/')" };
            format!(
                "{program}: it is dangerous to operate recursively on {path}{same}\n\
                 {program}: use --no-preserve-root to override this failsafe\n"
            )
        }
        Cause::OtherFileSystem => format!(
            "{program}: skipping {path}, since it's on a different device\n\
             {program}: and --preserve-root=all is in effect\n"
        ),
        Cause::MountPoint if one_file_system => {
            format!("{program}: skipping {path}, since it's on a different device\n")
        }
        cause => format!("{program}: cannot remove {path}: {}\n", reason(cause)),
    }
}

/// Why it failed.
pub(crate) fn reason(cause: &Cause) -> String {
    match cause {
        Cause::Os(error) | Cause::Start(StartFailure::System | StartFailure::Directory, error) => {
            sys::error_text(error)
        }
        Cause::MountPoint => {
            "is a mount point (use --cross-mounts to remove what is mounted there)".to_owned()
        }
        Cause::DotOrDotDot => "refusing to remove '.' or '..' directory".to_owned(),
        Cause::RootDirectory => "it is dangerous to operate recursively on '/'".to_owned(),
        Cause::OtherFileSystem => "it's on a different device".to_owned(),
        Cause::IsADirectory => "Is a directory".to_owned(),
        Cause::Refused(refusal) => refusal.name().to_owned(),
        Cause::Find(error) => which::reason(error),
        Cause::Start(StartFailure::InterpreterMissing { interpreter, carriage_return }, _) => {
            let end =
                if *carriage_return { "; its first line ends in a carriage return" } else { "" };
            format!("its interpreter {} is missing{end}", quote(interpreter))
        }
        other => other.to_string(),
    }
}

/// A question about one entry.
pub(crate) fn question(program: &str, question: Question, subject: &Subject<'_>) -> String {
    let path = quote(subject.path);
    let protected = if subject.write_protected { "write-protected " } else { "" };
    match question {
        Question::Descend => format!("{program}: descend into {protected}directory {path}? "),
        Question::RemoveUnreadableDirectory => {
            format!("{program}: attempt removal of inaccessible directory {path}? ")
        }
        _ => {
            let kind = kind(subject.kind, subject.empty_file);
            format!("{program}: remove {protected}{kind} {path}? ")
        }
    }
}

/// The question before anything is touched.
pub(crate) fn question_once(program: &str, operands: usize, recursive: bool) -> String {
    let plural = if operands == 1 { "" } else { "s" };
    let recursively = if recursive { " recursively" } else { "" };
    format!("{program}: remove {operands} argument{plural}{recursively}? ")
}

/// An entry that is gone, or would be.
pub(crate) fn entry(path: &Path, kind: Kind, dry_run: bool) -> String {
    let verb = if dry_run { "would remove" } else { "removed" };
    let directory = if kind == Kind::Directory { "directory " } else { "" };
    format!("{verb} {directory}{}\n", quote(path))
}

/// What a dry run found.
pub(crate) fn dry_run(report: &Report) -> String {
    let bytes = report.bytes.unwrap_or(0);
    let kept =
        if report.skipped == 0 { String::new() } else { format!(", {} kept", report.skipped) };
    format!("would remove {}, freeing {}{kept}\n", totals(report), counted(bytes, "byte", "bytes"))
}

/// How many failures there were in all.
pub(crate) fn failures(program: &str, count: u64) -> String {
    format!("{program}: {count} errors\n")
}

/// What an interrupted removal did so far.
pub(crate) fn interrupted(program: &str, report: &Report) -> String {
    format!("{program}: interrupted: {} removed\n", totals(report))
}

/// The line for one failure, in the words of the GNU tools.
pub(crate) fn failed(program: &str, error: &Error) -> String {
    let verb = error.operation().verb();
    format!("{program}: cannot {verb} {}: {}\n", quote(error.path()), reason(error.cause()))
}

/// What is wrong with a pattern.
pub(crate) fn no_glob(error: &GlobError) -> String {
    format!("invalid pattern {}: {}", quote(error.pattern()), error.reason())
}

/// The calls, by kind, the most frequent first.
pub(crate) fn calls(calls: &Calls) -> String {
    let mut calls: Vec<(&str, u64)> = calls.iter().collect();
    calls.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    calls
        .iter()
        .fold(String::new(), |lines, (name, count)| lines + &format!("{count:>12} {name}\n"))
}

/// Files and directories, counted.
pub(crate) fn totals(report: &Report) -> String {
    files_and_directories(report.files, report.directories)
}

/// Files and directories, counted.
pub(crate) fn files_and_directories(files: u64, directories: u64) -> String {
    let files = counted(files, "file", "files");
    format!("{files} and {}", counted(directories, "directory", "directories"))
}

pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn kind(kind: Kind, empty_file: bool) -> &'static str {
    match kind {
        Kind::File if empty_file => "regular empty file",
        Kind::File => "regular file",
        Kind::Directory => "directory",
        kind if kind.is_link() => "symbolic link",
        Kind::Fifo => "fifo",
        Kind::Socket => "socket",
        Kind::CharacterDevice => "character special file",
        Kind::BlockDevice => "block special file",
        _ => "weird file",
    }
}
