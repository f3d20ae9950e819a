//! Library errors as exceptions.

use std::io;

use curt::Error;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::path::{Form, strerror};

/// Returns the exception for an error, with the system's text, or curt's for a refusal.
pub(crate) fn exception(py: Python<'_>, error: &Error, filename: &Bound<'_, PyAny>) -> PyErr {
    let number = error.errno();
    let text = match error.reason() {
        None => strerror(py, number),
        Some(text) => {
            // The library's messages begin with the path; Python's end with it.
            let is_of_path = text.starts_with("is ") || text.starts_with("was ");
            let subject = if is_of_path { "the path " } else { "" };
            Ok(PyString::new(py, &format!("{subject}{text}")).into_any())
        }
    };
    text.map_or_else(|error| error, |text| os_error(number, &text, filename))
}

/// Creates the exception at once. Before Python 3.12, a lazy one would have class `OSError`, not
/// for example `FileNotFoundError`, until it is raised.
fn os_error(number: i32, text: &Bound<'_, PyAny>, filename: &Bound<'_, PyAny>) -> PyErr {
    let class = filename.py().get_type::<PyOSError>();
    class.call1((number, text, filename)).map_or_else(|error| error, PyErr::from_value)
}

pub(crate) fn with_second(error: &PyErr, second: &Bound<'_, PyAny>) -> PyErr {
    let value = error.value(second.py());
    let second = value.setattr("filename2", second);
    second.map_or_else(|error| error, |()| PyErr::from_value(value.clone().into_any()))
}

pub(crate) fn system(path: &Bound<'_, PyAny>, error: &io::Error) -> PyErr {
    let Some(number) = error.raw_os_error() else {
        return PyOSError::new_err(error.to_string());
    };
    let text = strerror(path.py(), number);
    text.map_or_else(|error| error, |text| os_error(number, &text, path))
}

pub(crate) fn exception_in(py: Python<'_>, error: &Error, form: Form) -> PyErr {
    match form.wrap_path(py, error.path()) {
        Ok(path) => exception(py, error, &path),
        Err(error) => error,
    }
}
