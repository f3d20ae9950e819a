use curt::Threads;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

#[derive(Default)]
pub(crate) struct ThreadLimit(pub(crate) Threads);

impl<'a, 'py> FromPyObject<'a, 'py> for ThreadLimit {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<ThreadLimit> {
        let number = match object.extract::<usize>() {
            Err(error) if !error.is_instance_of::<PyOverflowError>(object.py()) => {
                return Err(error);
            }
            number => number.unwrap_or(usize::MAX),
        };
        let threads = Threads::try_from(number);
        threads.map(ThreadLimit).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
