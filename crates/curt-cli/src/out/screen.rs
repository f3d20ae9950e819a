//! Standard output and standard error, shared by the threads of one command. Whole lines are
//! written in single calls.

use std::io::{self, IsTerminal};
use std::process::Output;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use curt::Cancel;

use crate::quote::shield;
use crate::sys;

/// How much output is buffered before it is written. A caller that collects as much itself saves a
/// copy.
pub(crate) const BUFFER: usize = 64 * 1024;
/// The number of standard output where descriptors have numbers.
const STDOUT: i32 = 1;
/// How long output for a terminal may stay in the buffer.
const TERMINAL_DELAY: Duration = Duration::from_millis(50);
/// How long work goes on before progress is shown, if it was asked for and if not, and how much
/// time is between two progress lines.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);
const UNASKED_PROGRESS_DELAY: Duration = Duration::from_secs(2);
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Whether help on standard output may have colors.
pub(crate) fn is_colored() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    io::stdout().is_terminal() && !refuses_color() && !is_dumb
}

/// Whether the terminal cannot go back to the beginning of a line.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Whether the user wants no colors unless an option says so (<https://no-color.org>).
pub(crate) fn refuses_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

pub(crate) struct Screen {
    inner: Mutex<Inner>,
    is_terminal: OnceLock<bool>,
    cancel: &'static Cancel,
}

struct Inner {
    data: Vec<u8>,
    /// When standard output was last written.
    written: Instant,
    error: Option<io::Error>,
    progress: Option<Progress>,
}

struct Progress {
    next: Instant,
    /// How many times there was progress.
    events: u8,
    /// Whether standard error is a terminal, if that is known.
    is_terminal: Option<bool>,
    /// The width of the line that is shown now.
    shown: usize,
}

impl Screen {
    /// The token is set if the reader of the data goes away.
    pub(crate) fn new(cancel: &'static Cancel) -> Self {
        let inner =
            Inner { data: Vec::new(), written: Instant::now(), error: None, progress: None };
        Screen { inner: Mutex::new(inner), is_terminal: OnceLock::new(), cancel }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows progress lines if standard error is a terminal: soon if they were asked for,
    /// otherwise when the work turns out to be long.
    pub(crate) fn allow_progress(&self, is_asked: bool) {
        let delay = if is_asked { PROGRESS_DELAY } else { UNASKED_PROGRESS_DELAY };
        let next = Instant::now() + delay;
        self.lock().progress = Some(Progress { next, events: 0, is_terminal: None, shown: 0 });
    }

    /// Whether standard output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        *self.is_terminal.get_or_init(|| io::stdout().is_terminal())
    }

    pub(crate) fn data(&self, data: &[u8]) {
        let mut inner = self.lock();
        if data.len() >= BUFFER {
            self.flush_inner(&mut inner);
            return self.write(&mut inner, data);
        }
        if inner.data.capacity() == 0 {
            // Growing step by step would copy, and touch memory that is not used later.
            inner.data.reserve(BUFFER + BUFFER / 2);
        }
        inner.data.extend_from_slice(data);
        let is_full = inner.data.len() >= BUFFER;
        if is_full || self.is_terminal() && inner.written.elapsed() >= TERMINAL_DELAY {
            self.flush_inner(&mut inner);
        }
    }

    /// Writes the output of other programs unchanged and without gaps, after the data so far.
    pub(crate) fn outputs(&self, outputs: &[Output]) {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        for output in outputs {
            if !output.stdout.is_empty() {
                self.write(&mut inner, &output.stdout);
            }
            if !output.stderr.is_empty() {
                inner.clear_progress();
                // Where standard error cannot be written, there is nobody to tell.
                let _ = sys::write_stderr(&output.stderr);
            }
        }
    }

    /// Writes text to standard error at once, after the data so far. Nothing in it that a terminal
    /// would act upon is written as it is.
    pub(crate) fn message(&self, text: &str) {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        inner.clear_progress();
        write_stderr(&shield(text));
    }

    /// Shows progress if it is time. A thread that finds another one writing does not wait.
    pub(crate) fn progress(&self, line: impl FnOnce() -> String) {
        let Ok(mut inner) = self.inner.try_lock() else {
            return;
        };
        let Some(progress) = &mut inner.progress else {
            return;
        };
        progress.events = progress.events.saturating_add(1);
        let now = Instant::now();
        let is_due = now >= progress.next;
        // Work with more than one event asks in any case, so that a busy machine adds no call.
        if progress.events == 1 && !is_due {
            return;
        }
        let ask = || !is_dumb() && io::stderr().is_terminal();
        if !*progress.is_terminal.get_or_insert_with(ask) {
            inner.progress = None;
            return;
        }
        if !is_due {
            return;
        }
        progress.next = now + PROGRESS_INTERVAL;
        let mut line = line();
        // A line that the terminal wraps could not be overwritten.
        let most = sys::message_width().map_or(usize::MAX, |columns| columns.saturating_sub(1));
        if let Some((end, _)) = line.char_indices().nth(most) {
            line.truncate(end);
        }
        let erase = progress.erase();
        progress.shown = line.chars().count();
        write_stderr(&format!("{erase}{line}\r"));
    }

    /// Writes the data so far. Returns whether a signal came when its reader took nothing more.
    pub(crate) fn is_cut(&self) -> bool {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        inner.error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::Interrupted)
    }

    /// Writes the rest. The error is the first that standard output had.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        inner.clear_progress();
        inner.error.take().map_or(Ok(()), Err)
    }

    fn flush_inner(&self, inner: &mut Inner) {
        if inner.data.is_empty() {
            return;
        }
        let mut data = std::mem::take(&mut inner.data);
        self.write(inner, &data);
        data.clear();
        inner.data = data;
    }

    fn write(&self, inner: &mut Inner, data: &[u8]) {
        inner.clear_progress();
        if inner.error.is_none() {
            if let Err(error) = write_stdout(data) {
                if error.kind() == io::ErrorKind::BrokenPipe {
                    self.cancel.cancel();
                }
                inner.error = Some(error);
            }
        }
        inner.written = Instant::now();
    }
}

impl Progress {
    /// Returns the sequence that erases the line, at whose beginning the cursor stays. Where a
    /// terminal that became narrower has wrapped it, the rest is below; a Windows console knows no
    /// such sequence.
    fn erase(&self) -> String {
        match std::env::var_os("TERM") {
            Some(_) => "\r\x1b[J".to_owned(),
            None => format!("\r{:1$}\r", "", self.shown),
        }
    }
}

impl Inner {
    fn clear_progress(&mut self) {
        if let Some(progress) = &mut self.progress {
            if progress.shown > 0 {
                write_stderr(&progress.erase());
                progress.shown = 0;
            }
        }
    }
}

fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    if sys::was_closed(STDOUT) {
        return Err(sys::closed());
    }
    sys::write_stdout(bytes)
}

fn write_stderr(text: &str) {
    // Where standard error cannot be written, there is nobody to tell.
    let _ = sys::write_stderr(text.as_bytes());
}
