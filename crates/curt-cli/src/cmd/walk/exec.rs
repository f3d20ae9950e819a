//! Commands that are run for entries.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

/// How many bytes of paths one command gets: less than any system allows.
const MOST_BYTES: usize = 24 << 10;

/// A command line in which `{}` stands for a path.
pub(super) struct Template(Vec<OsString>);

/// What is run, and what waits to be run with.
pub(super) enum Exec {
    /// For each entry.
    Each(Template),
    /// For as many entries as fit.
    Batch(Template, Mutex<Batch>),
}

/// Paths that wait.
#[derive(Default)]
pub(super) struct Batch {
    paths: Vec<OsString>,
    bytes: usize,
}

impl Exec {
    /// What the options say.
    pub(super) fn new(each: &[OsString], batch: &[OsString]) -> Option<Exec> {
        match (each, batch) {
            ([], []) => None,
            ([], batch) => Some(Exec::Batch(Template(batch.to_vec()), Mutex::default())),
            (each, _) => Some(Exec::Each(Template(each.to_vec()))),
        }
    }

    /// Runs it for an entry, or keeps that for later. The error says what went wrong.
    pub(super) fn add(&self, path: &Path) -> Result<(), String> {
        match self {
            Exec::Each(template) => template.run(&[path.as_os_str().to_owned()]),
            Exec::Batch(template, batch) => {
                let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
                let bytes = path.as_os_str().len() + size_of::<usize>() + 1;
                let full = if batch.bytes + bytes > MOST_BYTES {
                    std::mem::take(&mut *batch).paths
                } else {
                    Vec::new()
                };
                batch.bytes += bytes;
                batch.paths.push(path.as_os_str().to_owned());
                drop(batch);
                if full.is_empty() { Ok(()) } else { template.run(&full) }
            }
        }
    }

    /// Runs it for what waits.
    pub(super) fn finish(&self) -> Result<(), String> {
        let Exec::Batch(template, batch) = self else { return Ok(()) };
        let paths =
            std::mem::take(&mut *batch.lock().unwrap_or_else(PoisonError::into_inner)).paths;
        if paths.is_empty() { Ok(()) } else { template.run(&paths) }
    }
}

impl Template {
    /// Runs the command with paths.
    #[allow(clippy::disallowed_methods, reason = "the calls of the started program are not curt's")]
    fn run(&self, paths: &[OsString]) -> Result<(), String> {
        let arguments = self.arguments(paths);
        let Some((program, rest)) = arguments.split_first() else {
            return Ok(());
        };
        let ended = Command::new(program).args(rest).status();
        judge(program, ended)
    }

    /// The words of the command. A word that is `{}` becomes all paths; within a word it becomes one.
    /// Where it is nowhere the paths come last.
    fn arguments(&self, paths: &[OsString]) -> Vec<OsString> {
        let mut arguments = Vec::new();
        let mut is_used = false;
        for word in &self.0 {
            if word == "{}" {
                arguments.extend_from_slice(paths);
                is_used = true;
            } else if let Some((before, after)) = around_braces(word) {
                let with = |path: &OsString| {
                    let mut whole = before.clone();
                    whole.push(path);
                    whole.push(&after);
                    whole
                };
                arguments.extend(paths.iter().map(with));
                is_used = true;
            } else {
                arguments.push(word.clone());
            }
        }
        if !is_used {
            arguments.extend_from_slice(paths);
        }
        arguments
    }
}

/// What stands before and after the first braces of a word.
fn around_braces(word: &OsStr) -> Option<(OsString, OsString)> {
    let (before, after) = word.to_str()?.split_once("{}")?;
    Some((before.into(), after.into()))
}

fn judge(program: &OsStr, ended: io::Result<ExitStatus>) -> Result<(), String> {
    let program = crate::quote::quote(program);
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}")),
        Err(error) => Err(format!("cannot run {program}: {}", crate::sys::error_text(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::Template;
    use std::ffi::OsString;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn braces_become_paths() {
        let paths = words(&["a", "b c"]);
        for (template, arguments) in [
            (&["echo", "{}"][..], &["echo", "a", "b c"][..]),
            (&["echo"], &["echo", "a", "b c"]),
            (&["cp", "{}", "{}.bak"], &["cp", "a", "b c", "a.bak", "b c.bak"]),
            (&["x", "-o", "{}", "end"], &["x", "-o", "a", "b c", "end"]),
        ] {
            assert_eq!(Template(words(template)).arguments(&paths), words(arguments));
        }
    }
}
