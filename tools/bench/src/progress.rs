//! What the user sees while the bench works, on stderr, and how it hears that it should stop.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A line that stays.
pub(crate) fn note(text: &str) {
    let clear = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    write(&format!("{clear}{text}\n"));
}

/// What happens now: on a terminal one line that is rewritten, elsewhere a line for each.
pub(crate) fn stage(text: &str) {
    if std::io::stderr().is_terminal() {
        write(&format!("\r\x1b[K{text}"));
    } else if !text.is_empty() {
        note(text);
    }
}

/// A step within a stage, worth showing only where it can be taken away again.
pub(crate) fn step(text: &str) {
    if std::io::stderr().is_terminal() {
        stage(text);
    }
}

/// Nobody is to lose a measurement because stderr is closed.
fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Remembers the signal that asked us to stop, so that the bench can clean up first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Catches interrupt, termination and hang-up where there are signals. Elsewhere the process
    /// ends at once and leaves its folder, which it has named, behind.
    pub(crate) fn catch() -> Self {
        let interrupt = Self::default();
        #[cfg(unix)]
        for signal in
            [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            // A signal that cannot be caught ends the process at once: no worse than on Windows.
            let value = signal.unsigned_abs() as usize;
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.0), value);
        }
        interrupt
    }

    pub(crate) fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Ends as the signal would have, if there was one: a shell then sees the interrupt.
    pub(crate) fn end(&self) {
        #[cfg(unix)]
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Relaxed)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
