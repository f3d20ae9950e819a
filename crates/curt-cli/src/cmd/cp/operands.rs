//! Sources and destination, by GNU's rules.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, is_separator};

use curt::{Fields, Root};

use crate::args::CpOptions;
use crate::cmd::identity;
use crate::exit::Exit;
use crate::out::text;
use crate::quote::quote;
use crate::session::Session;

#[derive(Clone, Copy)]
pub(super) enum Destination<'a> {
    /// The path of the copy.
    Path(&'a Path),
    /// The directory of the copies.
    Into(&'a Path),
}

pub(super) fn sort<'a>(
    options: &'a CpOptions,
    session: &Session,
) -> Result<(Vec<&'a Path>, Destination<'a>), Exit> {
    let operands = &options.operands[..];
    let sources_into = |sources: &'a [OsString], directory: &'a OsString| {
        Ok((
            without_repeated(sources, options.recursive, session),
            Destination::Into(directory.as_ref()),
        ))
    };
    let enter = |directory: &OsString, role: &str| match Root::open(directory) {
        Ok(_) => Ok(()),
        Err(error) => {
            let reason = text::reason(error.cause());
            session.fail_as(&error, &format!("{role} {}: {reason}", quote(directory)));
            Err(session.close(false))
        }
    };
    match (operands, options.target_directory.first()) {
        ([], _) => Err(session.usage("missing file operand")),
        (sources, Some(directory)) => {
            enter(directory, "target directory")?;
            sources_into(sources, directory)
        }
        ([only], None) => {
            let only = quote(only);
            Err(session.usage(&format!("missing destination file operand after {only}")))
        }
        ([_, _, extra, ..], None) if options.no_target_directory => {
            Err(session.usage(&format!("extra operand {}", quote(extra))))
        }
        ([source, path], None) if options.no_target_directory || Root::open(path).is_err() => {
            Ok((vec![Path::new(source)], Destination::Path(path.as_ref())))
        }
        ([sources @ .., directory], None) => {
            if sources.len() > 1 {
                enter(directory, "target")?;
            }
            sources_into(sources, directory)
        }
    }
}

/// Drops all but the first of operands that name the same entry, with a warning, as GNU cp does.
fn without_repeated<'a>(
    sources: &'a [OsString],
    recursive: bool,
    session: &Session,
) -> Vec<&'a Path> {
    let paths = sources.iter().map(Path::new);
    let mut counts = HashMap::<&OsStr, usize>::new();
    paths.clone().filter_map(name).for_each(|name| *counts.entry(name).or_default() += 1);
    let mut known = HashSet::new();
    let is_new = |path: &&'a Path| {
        let Some(name) = name(path).filter(|name| counts.get(name) > Some(&1)) else { return true };
        let (Ok(entry), Ok(directory)) = (identity(path), identity(parent(path))) else {
            return true;
        };
        if known.insert((name, entry, directory)) {
            return true;
        }
        let is_directory = curt::stat(path, Fields::KIND).is_ok_and(|it| it.kind().is_dir());
        if is_directory && !recursive {
            return true;
        }
        let (kind, path) = (if is_directory { "directory" } else { "file" }, quote(path));
        session.note(&format!("warning: source {kind} {path} specified more than once"));
        false
    };
    paths.filter(is_new).collect()
}

/// Returns the last component, unless it is `.` or `..`.
pub(super) fn name(path: &Path) -> Option<&OsStr> {
    let name = path.file_name()?;
    let end = path.as_os_str().as_encoded_bytes();
    let dots = end.iter().rposition(|&byte| !is_separator(char::from(byte)))?;
    end[..=dots].ends_with(name.as_encoded_bytes()).then_some(name)
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
