use curt::Threads;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

#[derive(Default)]
pub(crate) struct AtMost(pub(crate) Threads);

impl<'a, 'py> FromPyObject<'a, 'py> for AtMost {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<AtMost> {
        let number = match object.extract::<usize>() {
            Err(error) if !error.is_instance_of::<PyOverflowError>(object.py()) => {
                return Err(error);
            }
            number => number.unwrap_or(usize::MAX),
        };
        let threads = Threads::try_from(number);
        threads.map(AtMost).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
