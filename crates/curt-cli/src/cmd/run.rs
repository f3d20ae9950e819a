//! `curt run`: starts a program and exits as it does.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use curt::fields::Follow;
use curt::process::{Child, StartFailure};
use curt::which::FindCause;
use curt::{Calls, Cause, Command, Error, Fields, Kind, Plan};

use super::which;
use crate::args::RunOptions;
use crate::exit::Exit;
use crate::quote::quote;
use crate::session::{Outcome, Session};
use crate::sys::{self, interrupt};

/// How soon a signal is noticed while the time of a program is limited.
const POLL: Duration = Duration::from_millis(50);

/// How the program ended.
enum End {
    /// It ended, and its status is that of curt.
    Status(ExitStatus),
    /// Its time was over.
    TimedOut,
    /// It was killed because curt was told to end.
    Interrupted,
}

/// Runs the command.
pub(crate) fn run(options: &RunOptions) -> Exit {
    let session = Session::new("curt run", false, options.stats);
    let ready = command(options).and_then(|command| Ok((command, signal(options)?)));
    let (command, signal) = match ready {
        Ok(ready) => ready,
        Err(message) => return session.usage(&message),
    };
    if options.explain {
        let name = command.get_program();
        session.message(&which::explanation_lines(name, &command.explain()));
    }
    let (end, calls) = match timeout(options) {
        None => wait(&command),
        Some(limit) => Limited { options, session: &session, limit, signal }.run(command),
    };
    let mut outcome = Outcome { calls, ..Outcome::default() };
    match end {
        Ok(End::Status(status)) => {
            session.finish(outcome);
            return sys::end_as(status);
        }
        Ok(End::TimedOut) => session.worsen(Exit::TIMED_OUT),
        Ok(End::Interrupted) => outcome.is_cancelled = true,
        Err(error) => {
            match denial(&error, options.chdir.as_deref()) {
                Some(reason) => {
                    let message = format!("cannot start {}: {reason}", quote(error.path()));
                    session.fail_as(&error, &message);
                }
                None => session.fail(&error),
            }
            session.worsen(exit(&error));
        }
    }
    session.finish(outcome)
}

/// Returns the time limit. As for GNU timeout, 0 sets none.
fn timeout(options: &RunOptions) -> Option<Duration> {
    options.timeout.filter(|limit| !limit.is_zero())
}

/// Returns the signal to send when the time is over, and its name; `None` to kill the program at
/// once. The error is a message for the user.
fn signal(options: &RunOptions) -> Result<Option<(i32, String)>, String> {
    let word = match (&options.signal, options.kill_after) {
        (Some(word), _) => word.as_str(),
        (None, Some(_)) => "TERM",
        (None, None) => return Ok(None),
    };
    sys::signal_named(word).map(Some)
}

/// Returns how many of the words set variables: those before the program that look like NAME=VALUE,
/// where NAME has only letters, digits and underscores.
fn assignments(words: &[OsString]) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let is_name = |name: &OsStr| {
        let bytes = name.as_encoded_bytes();
        bytes.first().is_some_and(|first| !first.is_ascii_digit()) && bytes.iter().all(is_part)
    };
    let sets =
        |word: &&OsString| sys::split_once(word, b'=').is_some_and(|(name, _)| is_name(name));
    words.iter().take_while(sets).count()
}

/// Returns the command to start; the error says what is wrong with the options.
fn command(options: &RunOptions) -> Result<Command, String> {
    let (variables, words) = options.words.split_at(assignments(&options.words));
    let (program, arguments) = words.split_first().ok_or("missing program")?;
    let mut command = Command::new(program);
    command.args(arguments).search(options.look_up.search()?);
    if let Some(directory) = &options.chdir {
        command.current_dir(directory);
    }
    if options.clear_env {
        command.env_clear();
    }
    for name in &options.unset {
        if name.is_empty() || name.as_encoded_bytes().contains(&b'=') {
            return Err(format!("cannot unset {}: it is not the name of a variable", quote(name)));
        }
        command.env_remove(name);
    }
    for variable in options.env.iter().chain(variables) {
        let parts = sys::split_once(variable, b'=').filter(|(name, _)| !name.is_empty());
        let (name, value) = parts
            .ok_or_else(|| format!("invalid variable {}: expected NAME=VALUE", quote(variable)))?;
        command.env(name, value);
    }
    for feature in options.without.features() {
        command.without(feature);
    }
    Ok(command)
}

/// Waits as long as it takes. Ctrl-C and the signals that ask curt to end go to the program.
fn wait(command: &Command) -> (Result<End, Error>, Calls) {
    interrupt::pass_on();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return (Err(error), Calls::default()),
    };
    sys::pass_signals_to(child.id());
    let status = child.wait();
    sys::stop_passing_signals();
    (status.map(End::Status), child.calls())
}

/// A start with a time limit.
struct Limited<'a> {
    options: &'a RunOptions,
    session: &'a Session,
    limit: Duration,
    /// The signal to send when the time is over, and its name; `None` to kill the program at once.
    signal: Option<(i32, String)>,
}

impl Limited<'_> {
    /// Waits until the program has ended, its time is over, or curt is told to end.
    fn run(&self, mut command: Command) -> (Result<End, Error>, Calls) {
        // As with GNU timeout, the program heeds the signal unless it ignores it itself.
        if let Some((number, _)) = &self.signal {
            sys::stop_ignoring(*number);
        }
        // In the foreground the keys of the terminal reach the program, and others are passed on.
        let is_foreground = self.options.foreground;
        if is_foreground {
            interrupt::pass_on();
        } else {
            interrupt::listen();
        }
        let begun = Instant::now();
        let mut child = match command.own_tree(!is_foreground).spawn() {
            Ok(child) => child,
            Err(error) => return (Err(error), Calls::default()),
        };
        if is_foreground {
            sys::pass_signals_to(child.id());
        }
        let left = self.limit.saturating_sub(begun.elapsed());
        let end = self.wait(&mut child, left, command.get_program());
        if is_foreground {
            sys::stop_passing_signals();
        }
        (end, child.calls())
    }

    fn wait(&self, child: &mut Child, left: Duration, program: &OsStr) -> Result<End, Error> {
        let mut waited = wait_for(child, Some(left));
        if let Ok(Some(status)) = waited {
            return Ok(End::Status(status));
        }
        if let (Ok(None), Some((number, name))) = (&waited, &self.signal) {
            if !interrupt::token().is_cancelled() {
                self.say(name, program);
                // Nothing has waited for it, so no other process has its number.
                sys::send_signal(child.id(), *number, !self.options.foreground);
                let kill_after = self.options.kill_after.filter(|after| !after.is_zero());
                waited = wait_for(child, kill_after);
            }
        }
        let is_interrupted = interrupt::token().is_cancelled();
        let status = if let Ok(Some(status)) = waited {
            status
        } else {
            if !is_interrupted {
                self.say("KILL", program);
            }
            let killed = child.kill().and_then(|()| child.wait());
            waited.and(killed)?
        };
        let is_killed = self.signal.is_some() && sys::is_killed(status);
        Ok(match status {
            _ if is_interrupted => End::Interrupted,
            status if self.options.preserve_status || is_killed => End::Status(status),
            _ => End::TimedOut,
        })
    }

    fn say(&self, signal: &str, program: &OsStr) {
        if self.options.verbose {
            let program = quote(program);
            self.session.warn(&format!("sending signal {signal} to command {program}"));
        }
    }
}

/// Waits until a program has ended. `None` if the time was over or curt was told to end first.
fn wait_for(child: &mut Child, limit: Option<Duration>) -> Result<Option<ExitStatus>, Error> {
    let begun = Instant::now();
    loop {
        let left = limit.map_or(POLL, |limit| limit.saturating_sub(begun.elapsed()));
        let status = child.wait_timeout(left.min(POLL))?;
        if status.is_some() || left.is_zero() || interrupt::token().is_cancelled() {
            return Ok(status);
        }
    }
}

/// Returns what is not permitted, for which the system has one error number: to search a directory
/// on the way to the program, or to execute a file that has the right for somebody.
fn denial(error: &Error, directory: Option<&Path>) -> Option<String> {
    if !matches!(error.cause(), Cause::Start(StartFailure::NotExecutable, _)) {
        return None;
    }
    let path = directory.unwrap_or(Path::new("")).join(error.path());
    let plan = Plan::new(Fields::MODE | Fields::KIND).follow(Follow::Links);
    let denies = |path: &Path| {
        curt::stat(path, plan).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    if denies(&path) {
        let closed = path.ancestors().skip(1).find(|above| !denies(above))?;
        let closed = if closed.as_os_str().is_empty() { Path::new(".") } else { closed };
        return Some(format!("no permission to search {}", quote(closed)));
    }
    let metadata = curt::stat(&path, plan).ok()?;
    let has_right = metadata.mode().known().is_some_and(|mode| mode & 0o111 != 0);
    (has_right && metadata.kind().known() == Some(Kind::File)).then(|| {
        "no permission to execute it, its interpreter, or anything on its filesystem".to_owned()
    })
}

/// Returns the exit code for a program that was not started.
fn exit(error: &Error) -> Exit {
    match error.cause() {
        Cause::Start(StartFailure::ProgramMissing, _) => Exit::NOT_FOUND,
        Cause::Find(error) => match error.cause() {
            FindCause::NotExecutable | FindCause::PermissionDenied => Exit::NOT_EXECUTABLE,
            FindCause::Os(_) => Exit::NOT_STARTED,
            _ => Exit::NOT_FOUND,
        },
        Cause::Start(
            StartFailure::NotExecutable
            | StartFailure::BadFormat
            | StartFailure::TextBusy
            | StartFailure::InterpreterMissing { .. }
            | StartFailure::NeedsElevation,
            _,
        ) => Exit::NOT_EXECUTABLE,
        _ => Exit::NOT_STARTED,
    }
}
