use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) fn note(text: &str) {
    let clear = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    write(&format!("{clear}{text}\n"));
}

/// Rewrites one line on a terminal, and otherwise adds a line.
pub(crate) fn stage(text: &str) {
    if std::io::stderr().is_terminal() {
        write(&format!("\r\x1b[K{text}"));
    } else if !text.is_empty() {
        note(text);
    }
}

pub(crate) fn step(text: &str) {
    if std::io::stderr().is_terminal() {
        stage(text);
    }
}

fn write(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// On Windows, catches nothing: the process ends at once and leaves its directory, whose name
    /// it has printed.
    pub(crate) fn catch() -> Self {
        let interrupt = Self::default();
        #[cfg(unix)]
        for signal in
            [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            let value = signal.unsigned_abs() as usize;
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(&interrupt.0), value);
        }
        interrupt
    }

    pub(crate) fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    pub(crate) fn end(&self) {
        #[cfg(unix)]
        if let Ok(signal @ 1..) = i32::try_from(self.0.load(Ordering::Relaxed)) {
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
