//! Standard output and standard error, shared by the threads of a command. Each write contains
//! whole lines.

use std::io::{self, IsTerminal};
use std::process::Output;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use curt::Cancel;

use crate::quote::shield;
use crate::sys;

/// The size of the output buffer. Larger data is written directly, without copying.
pub(crate) const BUFFER: usize = 64 * 1024;
const STDOUT: i32 = 1;
/// The longest time that output to a terminal waits in the buffer.
const TERMINAL_DELAY: Duration = Duration::from_millis(50);
/// The delays before the first progress line, with and without `--progress`, and the interval
/// between lines.
const PROGRESS_DELAY: Duration = Duration::from_millis(500);
const UNREQUESTED_PROGRESS_DELAY: Duration = Duration::from_secs(2);
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn is_colored() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    io::stdout().is_terminal() && !refuses_color() && !is_dumb
}

/// Returns whether the terminal cannot move the cursor back to the beginning of a line.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Returns whether the user disabled colors by default (<https://no-color.org>).
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
    written: Instant,
    error: Option<io::Error>,
    progress: Option<Progress>,
}

struct Progress {
    next: Instant,
    events: u8,
    is_terminal: Option<bool>,
    shown: usize,
}

impl Screen {
    /// Creates a screen that cancels the command if standard output has lost its reader.
    pub(crate) fn new(cancel: &'static Cancel) -> Self {
        let inner =
            Inner { data: Vec::new(), written: Instant::now(), error: None, progress: None };
        Screen { inner: Mutex::new(inner), is_terminal: OnceLock::new(), cancel }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows progress lines if standard error is a terminal. Unless requested, they appear only if
    /// the command takes long.
    pub(crate) fn allow_progress(&self, is_requested: bool) {
        let delay = if is_requested { PROGRESS_DELAY } else { UNREQUESTED_PROGRESS_DELAY };
        let next = Instant::now() + delay;
        self.lock().progress = Some(Progress { next, events: 0, is_terminal: None, shown: 0 });
    }

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
            // Reserve all at once: growing step by step would copy data and touch pages that are
            // then unused.
            inner.data.reserve(BUFFER + BUFFER / 2);
        }
        inner.data.extend_from_slice(data);
        let is_full = inner.data.len() >= BUFFER;
        if is_full || self.is_terminal() && inner.written.elapsed() >= TERMINAL_DELAY {
            self.flush_inner(&mut inner);
        }
    }

    /// Writes the buffered data, and then the output of other programs, unchanged and
    /// uninterrupted.
    pub(crate) fn outputs(&self, outputs: &[Output]) {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        for output in outputs {
            if !output.stdout.is_empty() {
                self.write(&mut inner, &output.stdout);
            }
            if !output.stderr.is_empty() {
                inner.clear_progress();
                // An error could only be reported to standard error itself.
                let _ = sys::write_stderr(&output.stderr);
            }
        }
    }

    /// Writes the buffered data, and then a text to standard error. Escapes control characters.
    pub(crate) fn message(&self, text: &str) {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        inner.clear_progress();
        write_stderr(&shield(text));
    }

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
        // Check for a terminal at the second event even if progress is not due, so that the number
        // of system calls does not depend on the machine's speed.
        if progress.events == 1 && !is_due {
            return;
        }
        let is_capable = || !is_dumb() && io::stderr().is_terminal();
        if !*progress.is_terminal.get_or_insert_with(is_capable) {
            inner.progress = None;
            return;
        }
        if !is_due {
            return;
        }
        progress.next = now + PROGRESS_INTERVAL;
        let mut line = line();
        // Shorten the line, because a wrapped line could not be overwritten.
        let most = sys::message_width().map_or(usize::MAX, |columns| columns.saturating_sub(1));
        if let Some((end, _)) = line.char_indices().nth(most) {
            line.truncate(end);
        }
        let erase = progress.erase();
        progress.shown = line.chars().count();
        write_stderr(&format!("{erase}{line}\r"));
    }

    /// Writes the buffered data. Returns whether a signal interrupted a write that waited for the
    /// reader.
    pub(crate) fn is_cut(&self) -> bool {
        let mut inner = self.lock();
        self.flush_inner(&mut inner);
        inner.error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::Interrupted)
    }

    /// Writes the remaining data. Returns the first error from writing to standard output.
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
    /// Returns the text that erases the progress line. The cursor must be at its beginning. If a
    /// narrowed terminal has wrapped the line, the escape sequence erases the rest, too. Windows
    /// consoles do not support that sequence.
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
    // An error could only be reported to standard error itself.
    let _ = sys::write_stderr(text.as_bytes());
}
