//! `curt run`: starts a program and exits with its status.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use curt::fields::Follow;
use curt::process::StartFailure;
use curt::which::FindCause;
use curt::{Calls, Cause, Command, Error, Fields, Kind, Plan};

use super::which;
use crate::args::RunOptions;
use crate::exit::Exit;
use crate::out::failure::Failure;
use crate::out::text;
use crate::quote::{for_terminal, quote};
use crate::session::{Outcome, Session};
use crate::sys::{self, Event, Watch};

pub(crate) fn run(options: &RunOptions) -> Exit {
    let session = Session::new("curt run", false, options.stats);
    let ready = command(options).and_then(|command| Ok((command, signal(options)?)));
    let (mut command, signal) = match ready {
        Ok(ready) => ready,
        Err(message) => return session.usage(&message),
    };
    if let Some(directory) = &options.chdir {
        if let Err(error) = sys::change_directory(directory.as_os_str()) {
            let (name, reason) = (quote(directory), sys::error_text(&error));
            let message = format!("cannot change directory to {name}: {reason}");
            session.fail_as(Failure::os("enter", &error).path(directory), &message);
            session.worsen(Exit::NOT_STARTED);
            return session.close(false);
        }
    }
    if options.explain {
        let name = command.get_program();
        session.message(&which::explanation_lines(name, &command.explain()));
    }
    // Without a time limit or statistics, `exec` replaces curt with the program, as in env.
    let is_last = options.timeout.is_none() && !options.stats;
    let failed = if is_last { sys::replace_by(&command) } else { None };
    let (ended, calls) = match failed {
        Some(error) => (Err(error), Calls::default()),
        None => watch(options, &session, &mut command, signal),
    };
    let outcome = Outcome { calls, ..Outcome::default() };
    match ended {
        Ok((status, false)) => {
            session.finish(&outcome);
            return sys::end_as(status);
        }
        Ok((status, true)) if options.preserve_status || sys::is_killed(status) => {
            session.finish(&outcome);
            return sys::exit_of(status);
        }
        Ok((_, true)) => session.worsen(Exit::TIMED_OUT),
        Err(error) => {
            match denial(&error) {
                Some(reason) => {
                    let message = format!("cannot start {}: {reason}", quote(error.path()));
                    session.fail_as(&error, &message);
                }
                None => session.fail_as(&error, &(text::failure(&error) + &hint(&error))),
            }
            let exit = exit(&error);
            if let Some(limit) = options.likely_limit().filter(|_| exit == Exit::NOT_FOUND) {
                session.note(&format!("use -t {limit} for a time limit"));
            }
            session.worsen(exit);
        }
    }
    session.finish(&outcome)
}

fn signal(options: &RunOptions) -> Result<i32, String> {
    match (&options.signal, options.kill_after) {
        (Some(word), _) => sys::signal_named(word),
        (None, Some(_)) => sys::signal_named("TERM"),
        (None, None) => Ok(sys::TERMINATE),
    }
}

/// Runs a program. Forwards termination signals to it, and sends the signal of `--signal` when the
/// time limit expires. The first signal starts the `--kill-after` timer. Returns the status, and
/// whether the limit expired.
fn watch(
    options: &RunOptions,
    session: &Session,
    command: &mut Command,
    mut signal: i32,
) -> (Result<(ExitStatus, bool), Error>, Calls) {
    // As in GNU timeout, 0 means no limit.
    let is_limit = |time: &Duration| !time.is_zero();
    let is_foreground = options.foreground || options.timeout.is_none();
    let mut watch = Watch::begin(is_foreground, signal);
    let mut child = match watch.start(command) {
        Ok(child) => child,
        Err(error) => return (Err(error), Calls::default()),
    };
    if let Some(limit) = options.timeout.filter(is_limit) {
        watch.set_limit(limit);
    }
    let mut kill_after = options.kill_after.filter(is_limit);
    let mut is_over = false;
    let ended = loop {
        let (sent, is_typed) = match watch.next(&mut child) {
            Ok(Event::Ended(status)) => break Ok((status, is_over)),
            Ok(Event::TimeOver) => {
                is_over = true;
                (signal, false)
            }
            Ok(Event::Signal { number, is_typed }) => (number, is_typed),
            Err(error) => break Err(error),
        };
        if options.verbose {
            let (name, program) = (sys::signal_name(sent), quote(command.get_program()));
            session.warn(&format!("sending signal {name} to command {program}"));
        }
        if let Err(error) = watch.send(&mut child, sent, is_typed) {
            break Err(error);
        }
        // Start this timer only after sending. Sending SIGALRM discards a pending SIGALRM, which
        // could be the timer's.
        if let Some(after) = kill_after.take() {
            signal = sys::KILL;
            watch.set_limit(after);
        }
    };
    (ended, child.calls())
}

/// Returns the number of leading `NAME=VALUE` words. NAME has ASCII letters, digits and
/// underscores.
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

fn command(options: &RunOptions) -> Result<Command, String> {
    let (variables, words) = options.words.split_at(assignments(&options.words));
    let (program, arguments) = words.split_first().ok_or("missing program")?;
    let mut command = sys::program(program);
    command.args(arguments).search(options.look_up.search()?);
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
    for &feature in &options.without.features {
        command.without(feature);
    }
    Ok(command)
}

/// Explains ENOEXEC for a script, ENOENT for a broken symlink, and EACCES: a parent directory
/// denies search, or the file must not be executed although its mode has an `x` bit.
fn denial(error: &Error) -> Option<String> {
    if matches!(error.cause(), Cause::Start(StartFailure::BadFormat, _)) {
        let mut start = Vec::new();
        sys::open_list(error.path()).ok()?.take(64).read_to_end(&mut start).ok()?;
        let is_script = !start.contains(&0) && !start.starts_with(b"#!");
        let path = for_terminal(error.path(), "");
        return is_script.then(|| format!("it has no '#!' line; use sh {path}"));
    }
    if matches!(error.cause(), Cause::Start(StartFailure::ProgramMissing, _)) {
        let is_link = curt::stat(error.path(), Fields::KIND).ok()?.kind().is_link();
        return is_link.then(|| "it is a broken symlink".to_owned());
    }
    if !matches!(error.cause(), Cause::Start(StartFailure::NotExecutable, _)) {
        return None;
    }
    let path = error.path();
    let plan = Plan::new(Fields::MODE | Fields::KIND).follow(Follow::Links);
    let denies = |path: &Path| {
        curt::stat(path, plan).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    if denies(path) {
        let closed = path.ancestors().skip(1).find(|above| !denies(above))?;
        let closed = if closed.as_os_str().is_empty() { Path::new(".") } else { closed };
        return Some(format!("no permission to search {}", quote(closed)));
    }
    let metadata = curt::stat(path, plan).ok()?;
    let has_right = metadata.mode().known().is_some_and(|mode| mode & 0o111 != 0);
    (has_right && metadata.kind() == Kind::File).then(|| {
        "no permission to execute it, its interpreter, or anything on its filesystem".to_owned()
    })
}

/// Returns a hint if the program exists in the working directory, which is not searched.
fn hint(error: &Error) -> String {
    let here = Path::new(".").join(error.path());
    let is_missing = matches!(error.cause(), Cause::Find(_)) && exit(error) == Exit::NOT_FOUND;
    let plan = Plan::new(Fields::EXECUTABLE | Fields::KIND).follow(Follow::Links);
    let found = curt::stat(&here, plan).ok().filter(|it| is_missing && it.kind() == Kind::File);
    match found.and_then(|it| it.executable().known()) {
        Some(true) => format!("; {} is a program here", quote(&here)),
        _ => String::new(),
    }
}

/// Returns the exit code for a program that could not be started. As in env, 127 means a missing
/// program, and 126 other problems with it.
fn exit(error: &Error) -> Exit {
    match error.cause() {
        Cause::Start(StartFailure::ProgramMissing, _) => Exit::NOT_FOUND,
        Cause::Find(why) => match why.cause() {
            FindCause::InvalidName(_) if !error.path().as_os_str().is_empty() => {
                Exit::NOT_EXECUTABLE
            }
            FindCause::NotExecutable
            | FindCause::NameTooLong
            | FindCause::LinkLoop
            | FindCause::PermissionDenied
            | FindCause::Os(_) => Exit::NOT_EXECUTABLE,
            _ => Exit::NOT_FOUND,
        },
        // The limit on the number of processes was reached.
        Cause::Start(_, error) if error.kind() == ErrorKind::WouldBlock => Exit::NOT_STARTED,
        Cause::Start(StartFailure::Directory | StartFailure::InvalidVariable { .. }, _) => {
            Exit::NOT_STARTED
        }
        Cause::Start(..) => Exit::NOT_EXECUTABLE,
        _ => Exit::NOT_STARTED,
    }
}
