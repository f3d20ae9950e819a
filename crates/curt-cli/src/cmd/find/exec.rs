//! Commands that are run for entries.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use curt::process::{Child, StartFailure, Stream};
use curt::{Cause, Command, Error, Search};

use super::template::{Template, bytes};
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::quote;
use crate::session::Session;
use crate::sys::{self, Running, interrupt};

/// Runs a command for entries.
pub(super) struct Exec {
    template: Template,
    /// What commands write is collected, instead of going where the output of curt goes.
    is_collected: bool,
    /// The entries that wait for a command for as many as fit; `None` for a command for each.
    batch: Option<Mutex<Batch>>,
    /// Where the program was found; `None` if it has to be searched for every time.
    program: OnceLock<Option<PathBuf>>,
    /// How many bytes of a command line paths may take, and how many paths there may be.
    most_bytes: usize,
    most_paths: usize,
    /// The program cannot be started, which was reported.
    has_given_up: AtomicBool,
}

/// Paths that wait for a command.
#[derive(Default)]
struct Batch {
    paths: Vec<OsString>,
    bytes: usize,
}

/// What went wrong with a command.
pub(super) enum CommandFailure {
    /// There is no such program, or it cannot be executed: no command is started any more.
    NoProgram(Error),
    /// For this entry, and for so many others.
    NotStarted(Error, OsString, usize),
    /// It ran and failed, and has said why.
    Failed,
}

impl CommandFailure {
    pub(super) fn report(&self, session: &Session) {
        match self {
            CommandFailure::NoProgram(error) => session.fail(error),
            CommandFailure::NotStarted(error, first, more) => {
                let (verb, program) = (error.operation().verb(), quote(error.path()));
                let reason = text::reason(error.cause());
                let more = if *more > 0 { format!(" and {more} more") } else { String::new() };
                let entries = format!("{}{more}", quote(first));
                let message = format!("cannot {verb} {program} for {entries}: {reason}");
                session.fail_as(Failure::from(error).path(first), &message);
            }
            CommandFailure::Failed => session.count_failure(),
        }
    }
}

impl Exec {
    /// Runs the command for each entry, or for as many as fit if `is_batch`.
    pub(super) fn new(template: Template, is_batch: bool) -> Exec {
        Exec {
            most_bytes: sys::argument_bytes().saturating_sub(bytes(&template.arguments(&[]))),
            most_paths: usize::MAX,
            template,
            is_collected: false,
            batch: is_batch.then(Mutex::default),
            program: OnceLock::new(),
            has_given_up: AtomicBool::new(false),
        }
    }

    /// Gives one command at most this many entries.
    pub(super) fn most_paths(self, most_paths: usize) -> Exec {
        Exec { most_paths, ..self }
    }

    /// Sets whether what commands write is collected.
    pub(super) fn collect(self, is_collected: bool) -> Exec {
        Exec { is_collected, ..self }
    }

    /// Whether no command is started any more, because that would fail for every entry.
    pub(super) fn has_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    /// Runs the command for an entry, or keeps the entry for later. What it wrote, if that is
    /// collected, is added to `outputs`.
    pub(super) fn add(&self, path: &Path, outputs: &mut Vec<Output>) -> Result<(), CommandFailure> {
        let path = path.as_os_str().to_owned();
        let Some(batch) = &self.batch else { return self.run(&[path], outputs) };
        let none = bytes(&self.template.arguments(&[]));
        let bytes = bytes(&self.template.arguments(std::slice::from_ref(&path))) - none;
        let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = batch.bytes + bytes > self.most_bytes || batch.paths.len() >= self.most_paths;
        let full = if is_full { std::mem::take(&mut *batch).paths } else { Vec::new() };
        batch.bytes += bytes;
        batch.paths.push(path);
        drop(batch);
        self.run(&full, outputs)
    }

    /// Runs the command for the entries that wait.
    pub(super) fn finish(&self) -> Result<(), CommandFailure> {
        let Some(batch) = &self.batch else { return Ok(()) };
        let mut batch = batch.lock().unwrap_or_else(PoisonError::into_inner);
        let paths = std::mem::take(&mut *batch).paths;
        drop(batch);
        self.run(&paths, &mut Vec::new())
    }

    /// Runs the command for these paths, if there are any.
    fn run(&self, paths: &[OsString], outputs: &mut Vec<Output>) -> Result<(), CommandFailure> {
        if paths.is_empty() || self.has_given_up() || interrupt::signal().is_some() {
            return Ok(());
        }
        let arguments = self.template.arguments(paths);
        let Some((program, rest)) = arguments.split_first() else { return Ok(()) };
        match self.start(program, rest).and_then(|child| self.wait(child, outputs)) {
            Ok(ended) if ended.success() => Ok(()),
            Ok(_) => Err(CommandFailure::Failed),
            Err(error) if !self.is_hopeless(&error) => {
                Err(CommandFailure::NotStarted(error, paths[0].clone(), paths.len() - 1))
            }
            // Another thread may have reported it.
            Err(_) if self.has_given_up.swap(true, Ordering::Relaxed) => Ok(()),
            Err(error) => Err(CommandFailure::NoProgram(error)),
        }
    }

    /// Whether a command that could not be started will not be for other entries either.
    fn is_hopeless(&self, error: &Error) -> bool {
        let is_program = match error.cause() {
            Cause::Find(_) => true,
            Cause::Start(StartFailure::System, error) => {
                error.kind() == io::ErrorKind::NotADirectory
            }
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
        let find = || Some(Search::new().find(program).ok()?.into_path());
        let found = self.program.get_or_init(|| self.template.has_one_program().then(find)?);
        let start = |command: &mut Command| {
            if self.is_collected {
                command.stdin(Stream::Null).stdout(Stream::Pipe).stderr(Stream::Pipe);
            }
            command.args(arguments).spawn()
        };
        let started = found
            .as_ref()
            .and_then(|path| start(sys::program(path.as_os_str()).arg0(program)).ok());
        started.map_or_else(|| start(&mut sys::program(program)), Ok)
    }

    /// Waits until a command ends, and collects what it wrote.
    fn wait(&self, mut child: Child, outputs: &mut Vec<Output>) -> Result<ExitStatus, Error> {
        let _running = Running::begin(&child);
        if !self.is_collected {
            return child.wait();
        }
        let output = child.wait_with_output()?;
        let status = output.status;
        outputs.push(output);
        Ok(status)
    }
}
