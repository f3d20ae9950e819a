//! Commands that are run for entries.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use curt::process::{Child, StartFailure};
use curt::{Cause, Command, Error, Search};

use crate::sys;

/// A command in which `{}` stands for a path.
pub(super) struct Template(Vec<OsString>);

/// Runs a command for entries.
pub(super) struct Exec {
    template: Template,
    /// The entries that wait for a command for as many as fit; `None` for a command for each.
    batch: Option<Mutex<Batch>>,
    /// Where the program was found; `None` if it has to be searched for every time.
    program: OnceLock<Option<PathBuf>>,
    /// How many bytes of a command line paths may take.
    most_bytes: usize,
    /// The program cannot be started, which was reported.
    has_given_up: AtomicBool,
}

/// Paths that wait for a command.
#[derive(Default)]
struct Batch {
    paths: Vec<OsString>,
    bytes: usize,
}

/// What went wrong with a command, and for which entries.
pub(super) struct CommandFailure {
    pub(super) reason: Reason,
    pub(super) first: OsString,
    /// How many other entries there are.
    pub(super) more: u64,
}

/// What went wrong with a command.
pub(super) enum Reason {
    /// There is no such program, or it cannot be executed: no command is started any more.
    NoProgram(Error),
    NotStarted(Error),
    /// The name of the program, and how it ended.
    Failed(OsString, String),
}

impl Exec {
    /// `None` if neither option was given.
    pub(super) fn new(each: &[OsString], batch: &[OsString]) -> Option<Exec> {
        let words = if each.is_empty() { batch } else { each };
        if words.is_empty() {
            return None;
        }
        let template = Template(words.to_vec());
        let most_bytes = sys::argument_bytes().saturating_sub(template.bytes(&[]));
        let batch = each.is_empty().then(Mutex::default);
        let has_given_up = AtomicBool::new(false);
        Some(Exec { template, batch, program: OnceLock::new(), most_bytes, has_given_up })
    }

    /// Whether no command is started any more, because that would fail for every entry.
    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    /// Runs the command for an entry, or keeps the entry for later.
    pub(super) fn add(&self, path: &Path) -> Result<(), CommandFailure> {
        let path = path.as_os_str().to_owned();
        let Some(batch) = &self.batch else { return self.run(&[path]) };
        let bytes = self.template.bytes(&[&path]) - self.template.bytes(&[]);
        let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
        let full = if batch.bytes + bytes > self.most_bytes {
            std::mem::take(&mut *batch).paths
        } else {
            Vec::new()
        };
        batch.bytes += bytes;
        batch.paths.push(path);
        drop(batch);
        self.run(&full)
    }

    /// Runs the command for the entries that wait.
    pub(super) fn finish(&self) -> Result<(), CommandFailure> {
        let Some(batch) = &self.batch else { return Ok(()) };
        let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = std::mem::take(&mut *batch).paths;
        drop(batch);
        self.run(&paths)
    }

    /// Runs the command for these paths, if there are any.
    fn run(&self, paths: &[OsString]) -> Result<(), CommandFailure> {
        if paths.is_empty() || self.has_given_up() {
            return Ok(());
        }
        let arguments = self.template.arguments(paths);
        let Some((program, rest)) = arguments.split_first() else { return Ok(()) };
        let failed = |reason| {
            let more = paths.len() as u64 - 1;
            Err(CommandFailure { reason, first: paths[0].clone(), more })
        };
        match self.start(program, rest).and_then(|mut child| child.wait()) {
            Ok(ended) if ended.success() => Ok(()),
            Ok(ended) => failed(Reason::Failed(program.clone(), format!("ended with {ended}"))),
            Err(error) if !self.is_hopeless(&error) => failed(Reason::NotStarted(error)),
            // Another thread may have reported it.
            Err(_) if self.has_given_up.swap(true, Ordering::Relaxed) => Ok(()),
            Err(error) => failed(Reason::NoProgram(error)),
        }
    }

    /// Whether a command that could not be started will not be for other entries either.
    fn is_hopeless(&self, error: &Error) -> bool {
        let is_program = match error.cause() {
            Cause::Find(_) => true,
            Cause::Start(failure, _) => matches!(
                failure,
                StartFailure::ProgramMissing
                    | StartFailure::NotExecutable
                    | StartFailure::InterpreterMissing { .. }
                    | StartFailure::BadFormat
            ),
            _ => false,
        };
        is_program && self.template.has_one_program()
    }

    /// Starts the program where the first search found it. If that fails, it may have moved: then
    /// it is searched for again.
    fn start(&self, program: &OsStr, arguments: &[OsString]) -> Result<Child, Error> {
        let find = || Some(Search::new().find(program).ok()?.path().into_owned());
        let found = self.program.get_or_init(|| self.template.has_one_program().then(find)?);
        let started = found
            .as_ref()
            .and_then(|path| Command::new(path).arg0(program).args(arguments).spawn().ok());
        started.map_or_else(|| Command::new(program).args(arguments).spawn(), Ok)
    }
}

impl Template {
    /// Whether every command starts the same program.
    fn has_one_program(&self) -> bool {
        self.0.first().is_some_and(|word| split_at_braces(word).is_none())
    }

    /// Returns how many bytes of a command line the words take with these paths.
    fn bytes(&self, paths: &[&OsString]) -> usize {
        let paths: Vec<OsString> = paths.iter().map(|&path| path.clone()).collect();
        self.arguments(&paths).iter().map(|word| sys::bytes_of_argument(word)).sum()
    }

    /// Returns the words of the command. A word `{}` becomes all paths; a word that contains `{}`
    /// is repeated for each path. Without any `{}` the paths come last.
    fn arguments(&self, paths: &[OsString]) -> Vec<OsString> {
        let mut arguments = Vec::new();
        let mut is_used = false;
        for word in &self.0 {
            if word == "{}" {
                arguments.extend_from_slice(paths);
                is_used = true;
            } else if let Some((before, after)) = split_at_braces(word) {
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

/// Splits a word at its first braces.
fn split_at_braces(word: &OsStr) -> Option<(OsString, OsString)> {
    let (before, after) = word.to_str()?.split_once("{}")?;
    Some((before.into(), after.into()))
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
