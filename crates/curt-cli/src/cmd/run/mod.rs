//! `curt run`: starts a program and ends as it ends.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use curt::{Calls, Cause, Command, Error, FindCause, StartFailure};

use crate::args::RunOptions;
use crate::exit::Exit;
use crate::out::{self, text};
use crate::quote::quote;
use crate::{interrupt, sys};

/// What messages begin with.
const PROGRAM: &str = "curt run";

/// How soon an interrupt is noticed while the time of a program is limited.
const SLICE: Duration = Duration::from_millis(50);

/// How the waiting ended.
enum End {
    Status(ExitStatus),
    /// It was ended: the time was over.
    Late,
    /// It was ended: curt was told to stop.
    Interrupted(usize),
}

/// Starts what the options say.
pub(crate) fn run(options: &RunOptions) -> Exit {
    let command = match command(options) {
        Ok(command) => command,
        Err(message) => return out::usage(PROGRAM, &message, false),
    };
    if options.explain {
        explain(options, &command);
    }
    let (ended, calls) = match options.timeout {
        None => whole(command),
        Some(limit) => limited(command, limit),
    };
    if options.stats {
        out::complain(&format!("{PROGRAM}: {} calls\n{}", calls.total(), text::calls(&calls)));
    }
    match ended {
        Ok(End::Status(status)) => sys::end_as(status),
        Ok(End::Late) => Exit::LATE,
        Ok(End::Interrupted(signal)) => interrupt::end(signal),
        Err(error) => {
            out::complain(&complaint(&error));
            exit(&error)
        }
    }
}

/// What is to be started; the error is what is wrong with the options.
fn command(options: &RunOptions) -> Result<Command, String> {
    let (program, arguments) = options.words.split_first().ok_or("there is no program")?;
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
        let (name, value) = parts.ok_or("--env wants NAME=VALUE")?;
        command.env(name, value);
    }
    // No pause outlasts the time that there is for all.
    let window = Duration::from_millis(options.retry_ms);
    let window = options.timeout.map_or(window, |limit| window.min(limit));
    command.retries(options.retries, window).shell_fallback(options.shell_fallback);
    for feature in options.without() {
        command.without(feature);
    }
    Ok(command)
}

/// Says how the program is looked for.
fn explain(options: &RunOptions, command: &Command) {
    if let Some(name) = options.words.first() {
        let explanation = command.explain();
        out::complain(&super::which::explained(name, &explanation));
    }
}

/// Waits as long as it takes. Ctrl-C is the program's to answer, and so is what asks curt to end.
fn whole(mut command: Command) -> (Result<End, Error>, Calls) {
    let mut child = match command.cancel(interrupt::pass_on()).spawn() {
        Ok(child) => child,
        Err(error) => return (not_started(error, None), Calls::default()),
    };
    sys::leave_signals(child.id());
    let status = child.wait();
    sys::take_signals_back();
    (status.map(End::Status), child.calls())
}

/// Waits no longer than the limit, and no longer than curt is to go on itself.
fn limited(mut command: Command, limit: Duration) -> (Result<End, Error>, Calls) {
    let cancel = interrupt::listen();
    let begun = Instant::now();
    let mut child = match command.own_tree(true).cancel(cancel).spawn() {
        Ok(child) => child,
        Err(error) => {
            let left = limit.saturating_sub(begun.elapsed());
            return (not_started(error, Some(left)), Calls::default());
        }
    };
    let end = loop {
        let left = limit.saturating_sub(begun.elapsed());
        match child.wait_timeout(left.min(SLICE)) {
            Ok(Some(status)) => break Ok(End::Status(status)),
            Ok(None) if cancel.is_cancelled() => {
                break Ok(End::Interrupted(interrupt::signal().unwrap_or(2)));
            }
            Ok(None) if left.is_zero() => break Ok(End::Late),
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

/// Why nothing was started. What ended the pauses between two tries is the reason then.
fn not_started(error: Error, left: Option<Duration>) -> Result<End, Error> {
    if !matches!(error.cause(), Cause::Start(StartFailure::TextBusy, _)) {
        return Err(error);
    }
    match interrupt::signal() {
        Some(signal) => Ok(End::Interrupted(signal)),
        None if left.is_some_and(|left| left.is_zero()) => Ok(End::Late),
        None => Err(error),
    }
}

fn complaint(error: &Error) -> String {
    let (verb, path) = (error.operation().verb(), quote(error.path()));
    let reason = match error.cause() {
        Cause::Find(error) => return format!("{PROGRAM}: {}\n", super::which::not_found(error)),
        cause => text::reason(cause),
    };
    format!("{PROGRAM}: cannot {verb} {path}: {reason}\n")
}

/// The code for a program that did not start.
fn exit(error: &Error) -> Exit {
    match error.cause() {
        Cause::Start(StartFailure::ProgramMissing, _) => Exit::NOT_FOUND,
        Cause::Find(error) => match error.cause() {
            FindCause::NotExecutable | FindCause::PermissionDenied => Exit::NOT_EXECUTABLE,
            FindCause::Os(_) => Exit::OTHER,
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
        _ => Exit::OTHER,
    }
}
