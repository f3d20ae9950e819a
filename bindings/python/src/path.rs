//! Conversion of paths from and to Python.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::imported::imported;

pub(crate) struct PathArg<'py> {
    pub(crate) object: Bound<'py, PyAny>,
    encoded: Encoded<'py>,
    pub(crate) form: Form,
}

pub(crate) struct Encoded<'py> {
    _owner: Bound<'py, PyAny>,
    bytes: *const [u8],
}

impl<'py> Encoded<'py> {
    /// Encodes a `str` as `os.fsencode` does, or borrows `bytes`.
    pub(crate) fn new(object: &Bound<'py, PyAny>) -> PyResult<Encoded<'py>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Encoded::of(bytes));
        }
        if let Some(ascii) = object.cast::<PyString>().ok().and_then(|text| text.to_str().ok()) {
            if ascii.is_ascii() {
                // ASCII is the same in every filesystem encoding.
                return Ok(Encoded { _owner: object.clone(), bytes: ascii.as_bytes() });
            }
        }
        Ok(Encoded::of(&encode(object)?))
    }

    fn of(bytes: &Bound<'py, PyBytes>) -> Encoded<'py> {
        Encoded { _owner: bytes.clone().into_any(), bytes: bytes.as_bytes() }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        // SAFETY: `_owner` keeps the immutable object alive.
        unsafe { &*self.bytes }
    }

    pub(crate) fn as_os_str(&self) -> &OsStr {
        OsStr::from_bytes(self.as_bytes())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Bytes,
}

impl<'py> PathArg<'py> {
    /// Converts an argument to a path. Messages begin with `function`.
    pub(crate) fn new(argument: &Bound<'py, PyAny>, function: &str) -> PyResult<PathArg<'py>> {
        let object = fspath(argument, function)?;
        let encoded = Encoded::new(&object)?;
        if encoded.as_bytes().contains(&0) {
            return Err(PyValueError::new_err(format!(
                "{function}: embedded null character in path"
            )));
        }
        let form = Form::of(&object);
        Ok(PathArg { object, encoded, form })
    }

    pub(crate) fn as_path(&self) -> &Path {
        Path::new(self.encoded.as_os_str())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.encoded.as_bytes()
    }
}

/// Returns whether CPython must handle the path, because curt does not accept its type. CPython
/// raises an error, or accepts the type, such as `bytearray`.
pub(crate) fn is_foreign(path: &Bound<'_, PyAny>) -> bool {
    let has = |name: &str| path.get_type().hasattr(name).unwrap_or(false);
    !path.is_none()
        && !path.is_instance_of::<PyString>()
        && !path.is_instance_of::<PyBytes>()
        && !has("__fspath__")
        && !has("__index__")
}

/// Converts a path to `str` or `bytes`. Other types raise the error of `os` functions.
pub(crate) fn fspath<'py>(
    argument: &Bound<'py, PyAny>,
    function: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = argument.py();
    if argument.is_instance_of::<PyString>() || argument.is_instance_of::<PyBytes>() {
        return Ok(argument.clone());
    }
    if !argument.get_type().hasattr("__fspath__")? {
        let name = argument.get_type().getattr("__name__")?;
        let message =
            format!("{function}: path should be string, bytes or os.PathLike, not {name}");
        return Err(PyTypeError::new_err(message));
    }
    // SAFETY: `argument` is a live object.
    let path = unsafe { ffi::PyOS_FSPath(argument.as_ptr()) };
    // SAFETY: the call returned a new reference, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, path) }
}

fn encode<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    // SAFETY: `text` is a live object; the call checks its type.
    let encoded = unsafe { ffi::PyUnicode_EncodeFSDefault(text.as_ptr()) };
    // SAFETY: the call returned a new reference, or null with an error set.
    let encoded = unsafe { Bound::from_owned_ptr_or_err(py, encoded) };
    Ok(encoded?.cast_into::<PyBytes>()?)
}

impl Form {
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> Form {
        if object.is_instance_of::<PyBytes>() { Form::Bytes } else { Form::Text }
    }

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

pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let separator: &[u8] =
        if directory.is_empty() || directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, separator, name].concat()
}

pub(crate) fn decode<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let length = bytes.len() as ffi::Py_ssize_t;
    // SAFETY: the pointer and the length are those of one slice.
    let text = unsafe { ffi::PyUnicode_DecodeFSDefaultAndSize(bytes.as_ptr().cast(), length) };
    // SAFETY: the call returned a new reference, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, text) }
}

/// Returns a descriptor if the argument has `__index__`.
pub(crate) fn descriptor(argument: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
    if argument.is_instance_of::<PyString>() || argument.is_instance_of::<PyBytes>() {
        return Ok(None);
    }
    if argument.get_type().hasattr("__index__")? {
        return Ok(Some(argument.extract::<i32>()?));
    }
    Ok(None)
}

pub(crate) fn strerror<'py>(py: Python<'py>, number: i32) -> PyResult<Bound<'py, PyAny>> {
    imported(py)?.os.bind(py).call_method1("strerror", (number,))
}

pub(crate) fn audit<'py>(
    py: Python<'py>,
    event: &str,
    argument: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    imported(py)?.audit.bind(py).call1((event, argument)).map(drop)
}
