//! The options `-x` and `-X`: run commands for the entries found.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Output;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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

/// The longest time before a thread that waits for a command notices a signal.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Commands<'a> {
    session: &'a Session,
    list: Vec<Command>,
    most_paths: usize,
    /// The number of threads for `-x`. If it is 1, the thread that finds an entry runs its
    /// commands.
    pub(super) runners: usize,
    /// Set after reporting a command that cannot be started for any entry.
    has_given_up: AtomicBool,
}

struct Command {
    template: Template,
    bytes: usize,
    /// The program's path, once found. `None` if a placeholder names the program, so that each
    /// start must search for it.
    program: OnceLock<Option<PathBuf>>,
}

impl<'a> Commands<'a> {
    pub(super) fn new(options: &FindOptions, session: &'a Session) -> Result<Commands<'a>, String> {
        let commands = options.commands.iter().map(|words| Command::new(words));
        let runners = match options.threads {
            // `-X` commands run one at a time, because they use the terminal.
            _ if options.exec.is_empty() => 1,
            Some(Threads::AtMost(threads)) => threads,
            _ => sys::processors(),
        };
        let most_paths = if options.batch_size == 0 { usize::MAX } else { options.batch_size };
        let list = commands.collect::<Result<_, _>>()?;
        let has_given_up = AtomicBool::new(false);
        Ok(Commands { session, list, most_paths, runners, has_given_up })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn have_given_up(&self) -> bool {
        self.has_given_up.load(Ordering::Relaxed)
    }

    /// Runs the commands for one entry until a command fails, and prints their output in one piece.
    pub(super) fn run(&self, path: PathBuf) {
        let (paths, mut outputs) = ([path.into_os_string()], Vec::new());
        let mut started = self.list.iter().map(|it| (it, self.start(it, &paths, &mut outputs)));
        let failed = started.find(|(_, result)| !matches!(result, Ok(true)));
        self.session.screen().outputs(&outputs);
        if let Some((command, result)) = failed {
            self.check(command, &paths, result);
        }
        if self.have_given_up() {
            self.session.cancel().cancel();
        }
    }

    /// Runs the commands for all entries, in batches that fit on a command line. All commands get
    /// the same batches; otherwise a command could get an entry before the previous command did.
    pub(super) fn run_for_all(&self, found: Vec<Found>) {
        let limit = sys::argument_bytes();
        let mut batch = Vec::new();
        let mut used = vec![0; self.list.len()];
        for Found { path, .. } in found {
            let path = [path.into_os_string()];
            let more: Vec<usize> = self.list.iter().map(|it| it.bytes_of(&path)).collect();
            let has_space =
                self.list.iter().zip(&used).zip(&more).all(|((command, used), more)| {
                    used + more <= limit.saturating_sub(command.bytes)
                });
            if !has_space || batch.len() >= self.most_paths {
                self.run_batch(&batch);
                batch.clear();
                used.fill(0);
            }
            batch.extend(path);
            used.iter_mut().zip(more).for_each(|(used, more)| *used += more);
        }
        self.run_batch(&batch);
    }

    /// Runs each command for a batch, but stops at one that cannot be started. As in fd, a command
    /// that fails does not stop the others.
    fn run_batch(&self, batch: &[OsString]) {
        for command in &self.list {
            let result = self.start(command, batch, &mut Vec::new());
            let has_started = result.is_ok();
            self.check(command, batch, result);
            if !has_started {
                return;
            }
        }
    }

    /// Runs a command. Returns whether it succeeded, or an error if it could not be started. With
    /// several threads, collects its output in `outputs`.
    fn start(
        &self,
        command: &Command,
        paths: &[OsString],
        outputs: &mut Vec<Output>,
    ) -> Result<bool, Error> {
        if paths.is_empty() || self.have_given_up() || interrupt::signal().is_some() {
            return Ok(true);
        }
        let arguments = command.template.arguments(paths);
        let Some((program, rest)) = arguments.split_first() else { return Ok(true) };
        let is_collected = self.runners > 1;
        let mut child = command.start(program, rest, is_collected)?;
        let _running = Running::begin(&child);
        if !is_collected {
            return Ok(child.wait()?.success());
        }
        let is_stopped = || interrupt::signal().is_some();
        let output = child.output_unless(PAUSE, is_stopped)?;
        let is_success = output.status.success();
        outputs.push(output);
        Ok(is_success)
    }

    /// Reports a command that could not be started. A command that ran and failed is only counted,
    /// because it has reported its failure itself.
    fn check(&self, command: &Command, paths: &[OsString], result: Result<bool, Error>) {
        let error = match result {
            Ok(true) => return,
            Ok(false) => return self.session.count_failure(),
            Err(error) => error,
        };
        if command.fails_for_all(&error) {
            if !self.has_given_up.swap(true, Ordering::Relaxed) {
                self.session.fail(&error);
            }
        } else if let [first, others @ ..] = paths {
            let (verb, program) = (error.operation().verb(), quote(error.path()));
            let reason = text::reason(error.cause());
            let more = match others.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let entries = format!("{}{more}", quote(first));
            let message = format!("cannot {verb} {program} for {entries}: {reason}");
            self.session.fail_as(Failure::from(&error).path(first), &message);
        }
    }
}

impl Command {
    fn new(words: &[OsString]) -> Result<Command, String> {
        let template = Template::new(words)?;
        let bytes = bytes(&template.arguments(&[]));
        Ok(Command { template, bytes, program: OnceLock::new() })
    }

    fn bytes_of(&self, paths: &[OsString]) -> usize {
        bytes(&self.template.arguments(paths)) - self.bytes
    }

    /// Returns whether the command cannot be started for any other entry, either.
    fn fails_for_all(&self, error: &Error) -> bool {
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

    /// Starts the program at the path found first. If that fails, searches again, because the
    /// program might have moved.
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
