//! The argument `threads`.

use curt::Threads;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// The most threads that may be asked for: a larger number is a mistake.
const MOST: usize = 1024;

/// The most threads that work, the caller's among them.
pub(crate) struct AtMost(pub(crate) Threads);

impl<'a, 'py> FromPyObject<'a, 'py> for AtMost {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<AtMost> {
        match object.extract::<usize>() {
            Ok(threads @ 1..=MOST) => Ok(AtMost(Threads::AtMost(threads))),
            Err(error) if !error.is_instance_of::<PyOverflowError>(object.py()) => Err(error),
            _ => {
                let given = object.str()?;
                let message = format!("threads must be from 1 to {MOST}, not {}", given.to_str()?);
                Err(PyValueError::new_err(message))
            }
        }
    }
}
