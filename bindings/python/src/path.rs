//! Paths from Python, and back.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};
use pyo3::{PyTypeInfo, ffi};

/// A path that a caller passed: `str`, `bytes`, or an object with `__fspath__`.
pub(crate) struct PathArg<'py> {
    /// The `str` or `bytes` itself, for results and errors.
    pub(crate) object: Bound<'py, PyAny>,
    /// The bytes of the system.
    bytes: Bound<'py, PyBytes>,
    pub(crate) form: Form,
}

/// The type of the paths that a caller passed, and that it gets back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Bytes,
}

impl<'py> PathArg<'py> {
    /// Converts an argument. `what` begins the message of the `TypeError`.
    pub(crate) fn new(argument: &Bound<'py, PyAny>, what: &str) -> PyResult<PathArg<'py>> {
        let object = fspath(argument, what)?;
        let (bytes, form) = match object.cast::<PyBytes>() {
            Ok(bytes) => (bytes.clone(), Form::Bytes),
            Err(_) => (encode(&object)?, Form::Text),
        };
        if bytes.as_bytes().contains(&0) {
            return Err(PyValueError::new_err(format!("{what}: embedded null character in path")));
        }
        Ok(PathArg { object, bytes, form })
    }

    pub(crate) fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.bytes.as_bytes()))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }
}

/// Calls `os.fspath`, with the message of the functions of `os` for other types.
pub(crate) fn fspath<'py>(argument: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = argument.py();
    if argument.is_instance_of::<PyString>() || argument.is_instance_of::<PyBytes>() {
        return Ok(argument.clone());
    }
    if !argument.get_type().hasattr("__fspath__")? {
        let name = argument.get_type().name()?;
        let message = format!("{what}: path should be string, bytes or os.PathLike, not {name}");
        return Err(PyTypeError::new_err(message));
    }
    // SAFETY: `argument` is a live object.
    let path = unsafe { ffi::PyOS_FSPath(argument.as_ptr()) };
    // SAFETY: a new reference, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, path) }
}

/// Encodes a `str` as `os.fsencode` does.
pub(crate) fn encode<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    // SAFETY: `text` is a live object; a wrong type is an error of the call.
    let encoded = unsafe { ffi::PyUnicode_EncodeFSDefault(text.as_ptr()) };
    // SAFETY: a new reference, or null with an error set.
    let encoded = unsafe { Bound::from_owned_ptr_or_err(py, encoded) };
    Ok(encoded?.cast_into::<PyBytes>()?)
}

impl Form {
    /// Makes a `str` or `bytes` of a name or path.
    pub(crate) fn wrap<'py>(self, py: Python<'py>, name: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Form::Bytes => Ok(PyBytes::new(py, name).into_any()),
            Form::Text => decode(py, name),
        }
    }

    pub(crate) fn wrap_path<'py>(
        self,
        py: Python<'py>,
        path: &Path,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.wrap(py, path.as_os_str().as_bytes())
    }
}

/// Decodes bytes of the system as `os.fsdecode` does.
pub(crate) fn decode<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let length = bytes.len() as ffi::Py_ssize_t;
    // SAFETY: pointer and length are of one slice, which the call only reads.
    let text = unsafe { ffi::PyUnicode_DecodeFSDefaultAndSize(bytes.as_ptr().cast(), length) };
    // SAFETY: a new reference, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, text) }
}

/// Returns a descriptor if the argument is one: an `int`, but no `bool`-like path.
pub(crate) fn descriptor(argument: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
    if argument.is_instance_of::<PyString>() || argument.is_instance_of::<PyBytes>() {
        return Ok(None);
    }
    if argument.get_type().hasattr("__index__")? {
        return Ok(Some(argument.extract::<i32>()?));
    }
    Ok(None)
}

/// Calls `os.strerror`.
pub(crate) fn strerror<'py>(py: Python<'py>, number: i32) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: any number has a text.
    let text = unsafe { libc::strerror(number) };
    // SAFETY: the text ends in a NUL, and lives until the next call on this thread.
    let text = unsafe { CStr::from_ptr(text) };
    PyString::type_object(py).call1((PyBytes::new(py, text.to_bytes()), "utf-8", "surrogateescape"))
}

/// Raises an audit event.
pub(crate) fn audit<'py>(
    py: Python<'py>,
    event: &str,
    argument: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    static AUDIT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let find = || Ok::<_, PyErr>(py.import("sys")?.getattr("audit")?.unbind());
    AUDIT.get_or_try_init(py, find)?.bind(py).call1((event, argument)).map(drop)
}
