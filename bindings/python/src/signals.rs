//! Signals: Python's handlers run on the main thread, when something asks for them. Progress is
//! shown at the same times.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use curt::Next;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// How often signals are asked for. Each time takes the GIL, for which a busy program lets another
/// thread wait 5 ms, so that more often would cost time.
const INTERVAL: Duration = Duration::from_millis(20);

/// Asks for signals while an operation works without the GIL.
#[derive(Default)]
pub(crate) struct Signals {
    last: Mutex<Option<Instant>>,
    raised: Mutex<Option<PyErr>>,
    progress: Option<Progress>,
    deadline: Option<Instant>,
}

/// A function of the caller that is called with the number of entries since it was called last.
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
    /// Calls `update` with the progress, too, and stops the operation after this time.
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
        // A time that no clock reaches is no deadline.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Ok(Signals { progress, deadline, ..Signals::default() })
    }

    /// Whether anybody sees the progress.
    pub(crate) fn shows_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// Notes how many entries are done. The number may also come late: the largest counts.
    pub(crate) fn set_done(&self, entries: u64) {
        if let Some(progress) = &self.progress {
            progress.done.fetch_max(entries, Ordering::Relaxed);
        }
    }

    /// Runs the handlers of signals if it is time. Stops the operation if one of them raises, or
    /// after the deadline.
    pub(crate) fn look(&self) -> Next {
        let Ok(mut last) = self.last.try_lock() else { return Next::Continue };
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Next::Stop;
        }
        match *last {
            // At the beginning the interpreter has just looked.
            None => *last = Some(now),
            Some(then) if now - then >= INTERVAL => {
                *last = Some(now);
                drop(last);
                let asked = Python::attach(|py| {
                    py.check_signals()?;
                    self.progress.as_ref().map_or(Ok(()), |progress| progress.show(py))
                });
                if let Err(error) = asked {
                    return self.stop(error);
                }
            }
            Some(_) => {}
        }
        Next::Continue
    }

    /// Stops the operation because of an exception.
    pub(crate) fn stop(&self, error: PyErr) -> Next {
        if let Ok(mut raised) = self.raised.lock() {
            raised.get_or_insert(error);
        }
        Next::Stop
    }

    /// Returns the exception that stopped the operation, as an error. Shows the progress up to the
    /// end.
    pub(crate) fn into_result(self) -> PyResult<()> {
        let progress = self.progress.as_ref();
        let shown = progress.map_or(Ok(()), |progress| Python::attach(|py| progress.show(py)));
        match self.raised.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => shown,
        }
    }
}
