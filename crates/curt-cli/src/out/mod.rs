//! What the command says: data on standard output, everything else on standard error, whole lines
//! in single writes, whichever thread says them.

pub(crate) mod blocks;
pub(crate) mod column;
pub(crate) mod entry;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod path_text;
pub(crate) mod text;

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use curt::Cancel;

use crate::exit::Exit;
use crate::quote::shield;
use crate::sys;

/// How much output is gathered before it is written. What gathers as much itself spares a copy.
pub(crate) const ENOUGH: usize = 64 * 1024;
/// Standard output, where descriptors have numbers.
const STDOUT: i32 = 1;
/// How long output for a terminal waits for more.
const SOON: Duration = Duration::from_millis(50);
/// How long work goes on before progress is shown, and between two lines of it.
const PATIENCE: Duration = Duration::from_millis(500);
const BETWEEN: Duration = Duration::from_millis(100);

/// Writes whole lines to standard error, before there is a [`Screen`]. Names in them are quoted;
/// nothing else in them reaches a terminal that it would act upon, either.
pub(crate) fn complain(lines: &str) {
    write_stderr(&shield(lines));
}

fn write_stderr(text: &str) {
    // Where standard error cannot be written there is nobody to tell.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether data goes to a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Says what is wrong with the command line of a command, in JSON where that was asked for.
pub(crate) fn usage(program: &str, message: &str, is_json: bool) -> Exit {
    if is_json {
        return print_failure(program, json::Failure::usage(message.to_owned()), Exit::USAGE);
    }
    complain(&format!("{program}: {message}\n"));
    try_help(program)
}

/// Writes a failure as the only object of a command that ends with it.
pub(crate) fn print_failure(program: &str, failure: json::Failure, exit: Exit) -> Exit {
    match write_stdout(failure.alone().line().as_bytes()) {
        Ok(()) => exit,
        Err(error) => unwritten(program, &error, exit),
    }
}

/// Says where to read more, behind what is wrong with the command line.
pub(crate) fn try_help(program: &str) -> Exit {
    complain(&format!("Try '{program} --help' for more information.\n"));
    Exit::USAGE
}

/// Writes all that a command has to say; `failure` is for what cannot be written.
pub(crate) fn print(program: &str, text: &[u8], failure: Exit) -> Exit {
    match write_stdout(text) {
        Ok(()) => Exit::SUCCESS,
        Err(error) => unwritten(program, &error, failure),
    }
}

/// Ends a command whose standard output failed. Where its reader went away, that is as a program
/// ends that never asked not to be told of it.
pub(crate) fn unwritten(program: &str, error: &io::Error, failure: Exit) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe && !sys::ignores_broken_pipes() {
        return sys::end_by_broken_pipe();
    }
    complain(&format!("{program}: write error: {}\n", sys::error_text(error)));
    failure
}

/// Whether help on standard output may have colours.
pub(crate) fn is_colored() -> bool {
    let is_refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    is_terminal() && !is_refused && !is_dumb
}

/// Both outputs, shared by the threads of one command.
pub(crate) struct Screen {
    inner: Mutex<Inner>,
    cancel: &'static Cancel,
}

struct Inner {
    data: Vec<u8>,
    /// Set where standard output is a terminal: when it was last written.
    written: Option<Instant>,
    error: Option<io::Error>,
    progress: Option<Progress>,
}

struct Progress {
    next: Instant,
    /// The width of the line that is shown now.
    shown: usize,
}

impl Screen {
    /// `data` says whether there will be lines of data, `progress` whether progress is wanted. A
    /// reader of the data that goes away sets the token.
    pub(crate) fn new(data: bool, progress: bool, cancel: &'static Cancel) -> Self {
        let written = (data && io::stdout().is_terminal()).then(Instant::now);
        let progress = (progress && io::stderr().is_terminal())
            .then(|| Progress { next: Instant::now() + PATIENCE, shown: 0 });
        let inner = Inner { data: Vec::new(), written, error: None, progress };
        Screen { inner: Mutex::new(inner), cancel }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether progress is shown.
    pub(crate) fn shows_progress(&self) -> bool {
        self.lock().progress.is_some()
    }

    /// Whether the data goes to a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.lock().written.is_some()
    }

    /// Adds a line of data.
    pub(crate) fn data(&self, line: &[u8]) {
        let mut inner = self.lock();
        if line.len() >= ENOUGH {
            self.write(&mut inner);
            return self.put(&mut inner, line);
        }
        if inner.data.capacity() == 0 {
            // Growing step by step copies, and leaves memory behind that was touched for nothing.
            inner.data.reserve(ENOUGH + ENOUGH / 2);
        }
        inner.data.extend_from_slice(line);
        let is_due = inner.written.is_some_and(|then| then.elapsed() >= SOON);
        if is_due || inner.data.len() >= ENOUGH {
            self.write(&mut inner);
        }
    }

    /// Writes the data so far.
    pub(crate) fn flush(&self) {
        self.write(&mut self.lock());
    }

    /// Writes a message to standard error at once, behind the data so far.
    pub(crate) fn message(&self, line: &str) {
        let mut inner = self.lock();
        self.write(&mut inner);
        inner.clear_progress();
        complain(line);
    }

    /// Shows progress, if it is time; a thread that finds another one writing leaves it at that.
    pub(crate) fn progress(&self, line: impl FnOnce() -> String) {
        let Ok(mut inner) = self.inner.try_lock() else {
            return;
        };
        let Some(progress) = &mut inner.progress else {
            return;
        };
        let now = Instant::now();
        if now < progress.next {
            return;
        }
        progress.next = now + BETWEEN;
        let line = line();
        let width = line.chars().count();
        let padded = format!("\r{line}{:1$}", "", progress.shown.saturating_sub(width));
        progress.shown = width;
        write_stderr(&padded);
    }

    /// Writes what is left. The error is the first that standard output had; [`unwritten`] says
    /// what comes of it.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut inner = self.lock();
        self.write(&mut inner);
        inner.clear_progress();
        inner.error.take().map_or(Ok(()), Err)
    }

    /// Writes what is left, and turns an error of standard output into the exit code for it.
    pub(crate) fn end(&self, program: &str, exit: Exit, failure: Exit) -> Exit {
        match self.finish() {
            Ok(()) => exit,
            Err(error) => unwritten(program, &error, failure),
        }
    }

    fn write(&self, inner: &mut Inner) {
        if inner.data.is_empty() {
            return;
        }
        let mut data = std::mem::take(&mut inner.data);
        self.put(inner, &data);
        data.clear();
        inner.data = data;
    }

    /// Writes data, behind all that was written so far.
    fn put(&self, inner: &mut Inner, data: &[u8]) {
        inner.clear_progress();
        if inner.error.is_none() {
            if let Err(error) = write_stdout(data) {
                if error.kind() == io::ErrorKind::BrokenPipe {
                    self.cancel.cancel();
                }
                inner.error = Some(error);
            }
        }
        if let Some(written) = &mut inner.written {
            *written = Instant::now();
        }
    }
}

fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    if sys::was_closed(STDOUT) {
        return Err(sys::closed());
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

impl Inner {
    fn clear_progress(&mut self) {
        if let Some(progress) = &mut self.progress {
            if progress.shown > 0 {
                write_stderr(&format!("\r{:1$}\r", "", progress.shown));
                progress.shown = 0;
            }
        }
    }
}
