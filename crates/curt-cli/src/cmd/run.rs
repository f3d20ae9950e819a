//! `curt run`: starts a program and exits as it does.

use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use curt::fields::Follow;
use curt::process::StartFailure;
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
    Status(ExitStatus),
    /// It was killed because its time was over.
    TimedOut,
    /// It was killed because curt was told to end.
    Interrupted,
}

/// Runs the command.
pub(crate) fn run(options: &RunOptions) -> Exit {
    let session = Session::new("curt run", false, options.stats);
    let command = match command(options) {
        Ok(command) => command,
        Err(message) => return session.usage(&message),
    };
    if let (true, Some(name)) = (options.explain, options.words.first()) {
        session.message(&which::explanation_lines(name, &command.explain()));
    }
    let (end, calls) = match timeout(options) {
        None => wait(command),
        Some(limit) => wait_until(command, limit),
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

/// Returns the command to start; the error says what is wrong with the options.
fn command(options: &RunOptions) -> Result<Command, String> {
    let (program, arguments) = options.words.split_first().ok_or("missing program")?;
    let mut command = Command::new(program);
    command.args(arguments).search(options.look_up.search()?);
    if let Some(directory) = &options.chdir {
        command.current_dir(directory);
    }
    if options.clear_env {
        command.env_clear();
    }
    for variable in &options.env {
        let parts = sys::split_once(variable, b'=').filter(|(name, _)| !name.is_empty());
        let (name, value) = parts
            .ok_or_else(|| format!("invalid variable {}: expected NAME=VALUE", quote(variable)))?;
        command.env(name, value);
    }
    // No pause between two tries may outlast the time limit.
    let window = Duration::from_millis(options.retry_ms);
    let window = timeout(options).map_or(window, |limit| window.min(limit));
    command.retries(options.retries, window).shell_fallback(options.shell_fallback);
    for feature in options.without.features() {
        command.without(feature);
    }
    Ok(command)
}

/// Waits as long as it takes. Ctrl-C and the signals that ask curt to end go to the program.
fn wait(mut command: Command) -> (Result<End, Error>, Calls) {
    interrupt::pass_on();
    let mut child = match command.cancel(interrupt::token()).spawn() {
        Ok(child) => child,
        Err(error) => return (not_started(error, None), Calls::default()),
    };
    sys::pass_signals_to(child.id());
    let status = child.wait();
    sys::stop_passing_signals();
    (status.map(End::Status), child.calls())
}

/// Waits until the time is over or curt is told to end.
fn wait_until(mut command: Command, limit: Duration) -> (Result<End, Error>, Calls) {
    interrupt::listen();
    let begun = Instant::now();
    let left = || limit.saturating_sub(begun.elapsed());
    let mut child = match command.own_tree(true).cancel(interrupt::token()).spawn() {
        Ok(child) => child,
        Err(error) => return (not_started(error, Some(left())), Calls::default()),
    };
    let end = loop {
        let left = left();
        match child.wait_timeout(left.min(POLL)) {
            Ok(Some(status)) => break Ok(End::Status(status)),
            Ok(None) if interrupt::token().is_cancelled() => break Ok(End::Interrupted),
            Ok(None) if left.is_zero() => break Ok(End::TimedOut),
            Ok(None) => {}
            Err(error) => break Err(error),
        }
    };
    let end = match end {
        Ok(End::Status(status)) => Ok(End::Status(status)),
        end => child.kill_tree().and_then(|()| child.wait()).and(end),
    };
    (end, child.calls())
}

/// Returns why nothing was started. If the program was busy, that is what ended the retries.
fn not_started(error: Error, left: Option<Duration>) -> Result<End, Error> {
    if !matches!(error.cause(), Cause::Start(StartFailure::TextBusy, _)) {
        return Err(error);
    }
    match left {
        _ if interrupt::signal().is_some() => Ok(End::Interrupted),
        Some(left) if left.is_zero() => Ok(End::TimedOut),
        _ => Err(error),
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
