//! What the user sees while the bench works, on stderr, and how it hears that it should stop.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One line that is rewritten on a terminal; elsewhere a line per stage.
#[derive(Debug)]
pub(crate) struct Progress {
    terminal: bool,
}

impl Progress {
    /// Progress on this process's stderr.
    pub(crate) fn new() -> Self {
        Self { terminal: std::io::stderr().is_terminal() }
    }

    /// A new stage, worth a line in a log.
    pub(crate) fn stage(&self, text: &str) {
        if self.terminal {
            Self::write(&format!("\r\x1b[K{text}"));
        } else {
            Self::write(&format!("{text}\n"));
        }
    }

    /// A step within a stage, worth showing only where it can be taken away again.
    pub(crate) fn step(&self, text: &str) {
        if self.terminal {
            self.stage(text);
        }
    }

    /// A line that stays.
    pub(crate) fn note(&self, text: &str) {
        self.clear();
        Self::write(&format!("{text}\n"));
    }

    /// Takes the last line away.
    pub(crate) fn clear(&self) {
        if self.terminal {
            Self::write("\r\x1b[K");
        }
    }

    // Nobody is to lose a measurement because stderr is closed.
    fn write(text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Remembers the signal that asked us to stop, so that the bench can clean up first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Catches interrupt, termination and hang-up where there are signals. Elsewhere the process
    /// ends at once and leaves its folder, which it has named, behind.
    #[cfg(unix)]
    pub(crate) fn catch() -> Self {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // A signal that cannot be caught ends the process at once: no worse than on Windows.
            let value = signal.unsigned_abs() as usize;
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.0), value);
        }
        interrupt
    }

    /// See the Unix form.
    #[cfg(not(unix))]
    pub(crate) fn catch() -> Self {
        Self::default()
    }

    /// Whether to stop.
    pub(crate) fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Ends as the signal would have, if there was one: a shell then sees the interrupt.
    #[cfg(unix)]
    pub(crate) fn end(&self) {
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Relaxed)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }

    /// See the Unix form.
    #[cfg(not(unix))]
    #[allow(clippy::unused_self, reason = "used where processes end by signals")]
    pub(crate) fn end(&self) {}
}
