//! Commands that are run for entries.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Output;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use curt::process::{Child, StartFailure, Stream};
use curt::{Cause, Error, Search, Threads};

use super::results::Found;
use super::template::{Template, bytes};
use crate::args::FindOptions;
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::quote;
use crate::session::Session;
use crate::sys::{self, Running, interrupt};

/// The commands of `-x` or `-X`.
pub(super) struct Commands<'a> {
    session: &'a Session,
    list: Vec<Command>,
    /// How many entries one command of `-X` gets at most.
    most_paths: usize,
    /// How many threads run those of `-x`; 1 if the thread that found an entry does.
    pub(super) runners: usize,
    /// A program cannot be started, which was reported: no other one is.
    has_given_up: AtomicBool,
}

struct Command {
    template: Template,
    /// The bytes of a command line without paths.
    bytes: usize,
    /// Where the program was found; `None` if it has to be searched for every time.
    program: OnceLock<Option<PathBuf>>,
}

/// The failure of a command.
enum CommandFailure {
    /// It could not be started for these entries, of which the first has this path.
    NotStarted(Error, OsString, usize),
    /// There is no such program, or it cannot be executed.
    NoProgram(Error),
    /// It ran and failed, and has said why.
    Failed,
}

impl<'a> Commands<'a> {
    /// The error is a word of a command that nobody means.
    pub(super) fn new(options: &FindOptions, session: &'a Session) -> Result<Commands<'a>, String> {
        let commands = options.commands.iter().map(|words| Command::new(words));
        let runners = match options.threads {
            // A command for all has the terminal to itself.
            _ if options.exec.is_empty() => 1,
            Some(Threads::AtMost(threads)) => threads,
            _ => sys::processors(),
        };
        let most_paths = if options.batch_size == 0 { usize::MAX } else { options.batch_size };
        let list = commands.collect::<Result<_, _>>()?;
        let has_given_up = AtomicBool::new(false);
        Ok(Commands { session, list, most_paths, runners, has_given_up })
    }

    pub(super) fn are_none(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether no command is started any more, because that would fail for every entry.
    pub(super) fn have_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    /// Runs the commands for an entry, until one fails. Their output is printed as a whole.
    pub(super) fn run(&self, path: PathBuf) {
        let mut outputs = Vec::new();
        let paths = [path.into_os_string()];
        let mut results = self.list.iter().map(|it| self.start(it, &paths, &mut outputs));
        let failed = results.find(|result| result.is_err() || self.have_given_up());
        self.session.screen().outputs(&outputs);
        self.check(failed.unwrap_or(Ok(())));
        if self.have_given_up() {
            self.session.cancel().cancel();
        }
    }

    /// Runs each command once for all entries, or for as many at a time as fit.
    pub(super) fn run_for_all(&self, found: Vec<Found>) {
        let run = |command, paths: &[OsString]| {
            self.check(self.start(command, paths, &mut Vec::new()));
        };
        let room = sys::argument_bytes();
        let mut batches = vec![(Vec::new(), 0); self.list.len()];
        for Found { path, .. } in found {
            for (command, (paths, bytes)) in self.list.iter().zip(&mut batches) {
                let path = [path.clone().into_os_string()];
                let more = command.bytes_of(&path);
                let is_full = *bytes + more > room.saturating_sub(command.bytes);
                if is_full || paths.len() >= self.most_paths {
                    run(command, paths);
                    paths.clear();
                    *bytes = 0;
                }
                paths.extend(path);
                *bytes += more;
            }
        }
        for (command, (paths, _)) in self.list.iter().zip(&batches) {
            run(command, paths);
        }
    }

    /// Runs a command for these paths, if there are any. What it wrote, if that is collected, is
    /// added to `outputs`.
    fn start(
        &self,
        command: &Command,
        paths: &[OsString],
        outputs: &mut Vec<Output>,
    ) -> Result<(), CommandFailure> {
        if paths.is_empty() || self.have_given_up() || interrupt::signal().is_some() {
            return Ok(());
        }
        let arguments = command.template.arguments(paths);
        let Some((program, rest)) = arguments.split_first() else { return Ok(()) };
        let is_collected = self.runners > 1;
        let ended = command.start(program, rest, is_collected).and_then(|mut child| {
            let _running = Running::begin(&child);
            if !is_collected {
                return child.wait();
            }
            let output = child.wait_with_output()?;
            let status = output.status;
            outputs.push(output);
            Ok(status)
        });
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(CommandFailure::Failed),
            Err(error) if !command.is_hopeless(&error) => {
                Err(CommandFailure::NotStarted(error, paths[0].clone(), paths.len() - 1))
            }
            // Another thread may have reported it.
            Err(_) if self.has_given_up.swap(true, Ordering::Relaxed) => Ok(()),
            Err(error) => Err(CommandFailure::NoProgram(error)),
        }
    }

    fn check(&self, result: Result<(), CommandFailure>) {
        match result {
            Ok(()) => {}
            Err(CommandFailure::Failed) => self.session.count_failure(),
            Err(CommandFailure::NoProgram(error)) => self.session.fail(&error),
            Err(CommandFailure::NotStarted(error, first, more)) => {
                let (verb, program) = (error.operation().verb(), quote(error.path()));
                let reason = text::reason(error.cause());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let entries = format!("{}{more}", quote(&first));
                let message = format!("cannot {verb} {program} for {entries}: {reason}");
                self.session.fail_as(Failure::from(&error).path(first), &message);
            }
        }
    }
}

impl Command {
    fn new(words: &[OsString]) -> Result<Command, String> {
        let template = Template::new(words)?;
        let bytes = bytes(&template.arguments(&[]));
        Ok(Command { template, bytes, program: OnceLock::new() })
    }

    /// Returns how many bytes of a command line these paths take.
    fn bytes_of(&self, paths: &[OsString]) -> usize {
        bytes(&self.template.arguments(paths)) - self.bytes
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
    fn start(
        &self,
        program: &OsStr,
        arguments: &[OsString],
        is_collected: bool,
    ) -> Result<Child, Error> {
        let find = || Some(Search::new().find(program).ok()?.into_path());
        let found = self.program.get_or_init(|| self.template.has_one_program().then(find)?);
        let start = |command: &mut curt::Command| {
            if is_collected {
                command.stdin(Stream::Null).stdout(Stream::Pipe).stderr(Stream::Pipe);
            }
            command.args(arguments).spawn()
        };
        let started = found
            .as_ref()
            .and_then(|path| start(sys::program(path.as_os_str()).arg0(program)).ok());
        started.map_or_else(|| start(&mut sys::program(program)), Ok)
    }
}
