//! Failures in GNU's words.

use std::path::{Path, PathBuf};

use curt::copy::CopyRefusal;
use curt::{Cause, Error, Operation};

use super::Run;
use super::operands::{self, Destination};
use crate::out::failure::kind;
use crate::out::text;
use crate::quote::quote;

pub(super) fn message(error: &Error, run: &Run<'_>) -> String {
    let path = quote(error.path());
    let begin = match error.cause() {
        Cause::CopyRefused(refusal, to) => return refused(*refusal, &path, &quote(to)),
        Cause::Replaced => {
            return format!("skipping file {path}, as it was replaced while being copied");
        }
        Cause::Loop(_) => return format!("cannot copy cyclic symbolic link {path}"),
        Cause::Os(cause) => begin(error, kind(cause), run, &path),
        _ => None,
    };
    match begin {
        Some(begin) => format!("{begin}: {}", text::reason(error.cause())),
        None => text::failure(error),
    }
}

fn begin(error: &Error, kind: &str, run: &Run<'_>, path: &str) -> Option<String> {
    let of = |between: &str| {
        let source = run.source_of(error.path());
        source.map(|source| format!(" {between} {}", quote(source))).unwrap_or_default()
    };
    let words = match error.operation() {
        Operation::Stat => "cannot stat",
        Operation::Open => match kind {
            // GNU looks before it opens.
            "not-found" | "not-a-directory" | "loop" | "name-too-long" => "cannot stat",
            _ => return Some(format!("cannot open {path} for reading")),
        },
        Operation::OpenDirectory | Operation::ReadDirectory => "cannot access",
        Operation::ReadLink => "cannot read symbolic link",
        Operation::ReadFile => "error reading",
        Operation::WriteFile => "error writing",
        Operation::CreateLink | Operation::CreateFile | Operation::Clone if run.options.link => {
            return Some(format!("cannot create hard link {path}{}", of("to")));
        }
        Operation::CreateFile => "cannot create regular file",
        Operation::CreateDirectory => "cannot create directory",
        Operation::CreateSpecial => "cannot create special file",
        Operation::CreateLink => "cannot create symbolic link",
        Operation::Clone => return Some(format!("failed to clone {path}{}", of("from"))),
        Operation::Rename => "cannot overwrite",
        Operation::SetTimes => "preserving times for",
        Operation::SetOwner => "failed to preserve ownership for",
        Operation::SetPermissions => "preserving permissions for",
        Operation::SetAttributes => "setting attributes for",
        Operation::ReadAttributes => "listing attributes of",
        _ => return None,
    };
    Some(format!("{words} {path}"))
}

fn refused(refusal: CopyRefusal, from: &str, to: &str) -> String {
    match refusal {
        CopyRefusal::SameEntry => format!("{from} and {to} are the same file"),
        CopyRefusal::IntoItself => format!("cannot copy a directory, {from}, into itself, {to}"),
        CopyRefusal::DirectoryOverFile => {
            format!("cannot overwrite non-directory {to} with directory {from}")
        }
        CopyRefusal::FileOverDirectory => {
            format!("cannot overwrite directory {to} with non-directory {from}")
        }
        CopyRefusal::Special => {
            format!("cannot overwrite {to}: it is a device, a named pipe or a socket")
        }
        CopyRefusal::JustCreated => format!("will not overwrite just-created {to} with {from}"),
        CopyRefusal::IsADirectory => format!("-r not specified; omitting directory {from}"),
        other => format!("cannot copy {from}: {to} {other}"),
    }
}

impl Run<'_> {
    /// Returns the source whose copy has this path.
    fn source_of(&self, copy: &Path) -> Option<PathBuf> {
        let below = |source: &Path, base: &Path| {
            let rest = copy.strip_prefix(base).ok()?;
            // Joining an empty path would append a slash.
            let is_source = rest.as_os_str().is_empty();
            Some(if is_source { source.to_owned() } else { source.join(rest) })
        };
        self.sources.iter().find_map(|source| match self.destination {
            Destination::Path(path) => below(source, path),
            Destination::Into(directory) => match operands::name(source) {
                Some(name) => below(source, &directory.join(name)),
                None => below(source, directory),
            },
        })
    }
}
