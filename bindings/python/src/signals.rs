//! Signals: Python's handlers run on the main thread, when something asks for them.

use std::sync::Mutex;
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
    deadline: Option<Instant>,
}

impl Signals {
    /// Also stops the operation after this time.
    pub(crate) fn with_deadline(seconds: Option<f64>) -> PyResult<Signals> {
        let Some(seconds) = seconds else { return Ok(Signals::default()) };
        let time = Duration::try_from_secs_f64(seconds)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        // A time that no clock reaches is no deadline.
        Ok(Signals { deadline: Instant::now().checked_add(time), ..Signals::default() })
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
                if let Err(error) = Python::attach(|py| py.check_signals()) {
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

    /// Returns the exception that stopped the operation, as an error.
    pub(crate) fn into_result(self) -> PyResult<()> {
        match self.raised.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => Ok(()),
        }
    }
}
