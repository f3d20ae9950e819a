//! Signals, progress and deadlines of long operations.
//!
//! Python runs signal handlers only on the main thread, and only when code checks for them. So an
//! operation without the GIL takes the GIL now and then, and shows its progress at the same time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use curt::Next;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The shortest time between checks. Each check takes the GIL, and a busy thread releases the GIL
/// only after 5 ms, so shorter intervals would cost time.
const INTERVAL: Duration = Duration::from_millis(20);

#[derive(Default)]
pub(crate) struct Signals {
    last: Mutex<Option<Instant>>,
    raised: Mutex<Option<PyErr>>,
    progress: Option<Progress>,
    deadline: Option<Instant>,
}

struct Progress {
    update: Py<PyAny>,
    done: AtomicU64,
    shown: AtomicU64,
}

impl Progress {
    fn show(&self, py: Python<'_>) -> PyResult<()> {
        let done = self.done.load(Ordering::Relaxed);
        let more = done.saturating_sub(self.shown.swap(done, Ordering::Relaxed));
        if more == 0 { Ok(()) } else { self.update.bind(py).call1((more,)).map(drop) }
    }
}

impl Signals {
    pub(crate) fn new(
        update: Option<&Bound<'_, PyAny>>,
        seconds: Option<f64>,
    ) -> PyResult<Signals> {
        let progress = update.map(|update| Progress {
            update: update.clone().unbind(),
            done: AtomicU64::new(0),
            shown: AtomicU64::new(0),
        });
        let time = seconds
            .map(Duration::try_from_secs_f64)
            .transpose()
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        // A time beyond the clock's range is no deadline.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Ok(Signals { progress, deadline, ..Signals::default() })
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Records the number of finished entries. Numbers may arrive out of order.
    pub(crate) fn set_done(&self, entries: u64) {
        if let Some(progress) = &self.progress {
            progress.done.fetch_max(entries, Ordering::Relaxed);
        }
    }

    /// Stops the operation if a signal handler raises, or after the deadline.
    pub(crate) fn check(&self) -> Next {
        let Ok(mut last) = self.last.try_lock() else { return Next::Continue };
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Next::Stop;
        }
        match *last {
            None => *last = Some(now),
            Some(then) if now - then >= INTERVAL => {
                *last = Some(now);
                drop(last);
                let checked = Python::attach(|py| {
                    py.check_signals()?;
                    self.progress.as_ref().map_or(Ok(()), |progress| progress.show(py))
                });
                if let Err(error) = checked {
                    return self.stop(error);
                }
            }
            Some(_) => {}
        }
        Next::Continue
    }

    pub(crate) fn stop(&self, error: PyErr) -> Next {
        if let Ok(mut raised) = self.raised.lock() {
            raised.get_or_insert(error);
        }
        Next::Stop
    }

    /// Shows the final progress. Fails with the exception that stopped the operation.
    pub(crate) fn into_result(self) -> PyResult<()> {
        let progress = self.progress.as_ref();
        let shown = progress.map_or(Ok(()), |progress| Python::attach(|py| progress.show(py)));
        match self.raised.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => shown,
        }
    }
}
