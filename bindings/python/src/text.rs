//! `abspath`, `expanduser`, and Windows rules on any system.

use std::borrow::Cow;

use curt::paths::{Env, ExpandError, Expander, Flavor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::imported::imported;
use crate::path::{Encoded, Form, fspath, join};

/// Makes a path absolute and normal, as `os.path.abspath` does.
#[pyfunction]
pub(crate) fn abspath<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = path.py();
    let object = fspath(path, "abspath")?;
    let Ok(encoded) = Encoded::new(&object) else {
        // CPython handles a path with a surrogate that stands for no byte.
        return original(py, "abspath")?.call1((object,));
    };
    let text = encoded.as_bytes();
    let form = Form::of(&object);
    let joined;
    let text = if text.starts_with(b"/") {
        text
    } else {
        // Call Python's function, which raises the right exception if the directory is gone.
        let call = match form {
            Form::Bytes => "getcwdb",
            Form::Text => "getcwd",
        };
        let directory = imported(py)?.os.bind(py).call_method0(call)?;
        joined = join(Encoded::new(&directory)?.as_bytes(), text);
        &joined
    };
    match imported(py)?.abspath.expand(text) {
        Ok(Cow::Borrowed(full)) if full.len() == encoded.as_bytes().len() && is_exact(&object) => {
            Ok(object)
        }
        Ok(full) => form.wrap(py, &full),
        // The path has a NUL, which is an ordinary character to Python.
        Err(_) => original(py, "abspath")?.call1((object,)),
    }
}

/// Returns whether CPython would return the object itself: it copies instances of subclasses.
fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>() || object.is_exact_instance_of::<PyBytes>()
}

/// Replaces `~` and `~user` as `os.path.expanduser` does.
#[pyfunction]
pub(crate) fn expanduser<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = path.py();
    let object = fspath(path, "expanduser")?;
    let Ok(encoded) = Encoded::new(&object) else {
        return original(py, "expanduser")?.call1((object,));
    };
    let Some(after) = encoded.as_bytes().strip_prefix(b"~") else { return Ok(object) };
    if !matches!(after.first(), None | Some(b'/')) {
        return original(py, "expanduser")?.call1((object,));
    }
    // Read Python's mapping, which a program may have replaced.
    let environment = imported(py)?.os.bind(py).getattr("environ")?;
    let home = environment.call_method1("get", ("HOME",))?;
    let Ok(encoded_home) = Encoded::new(&home) else {
        return original(py, "expanduser")?.call1((object,));
    };
    let home = encoded_home.as_bytes();
    let end = home.iter().rposition(|&unit| unit != b'/').map_or(0, |at| at + 1);
    let full = [&home[..end], after].concat();
    Form::of(&object).wrap(py, if full.is_empty() { b"/" } else { &full })
}

#[pyfunction]
#[pyo3(signature = (path, cwd=None))]
pub(crate) fn windows_abspath<'py>(
    path: &Bound<'py, PyAny>,
    cwd: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = path.py();
    let object = fspath(path, "abspath")?;
    let mut env = Env::none();
    if let Some(cwd) = cwd {
        env = env.cwd(wide(&fspath(cwd, "abspath")?)?);
    }
    let full = Expander::new(env).flavor(Flavor::Windows).expand(&wide(&object)?).map(Vec::from);
    let full = full.map_err(|error| {
        PyValueError::new_err(match error {
            ExpandError::Drive => {
                "abspath: a relative path needs cwd, which must be a full path".to_owned()
            }
            error => format!("abspath: {error}"),
        })
    })?;
    let bytes: Vec<u8> = full.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let text = PyBytes::new(py, &bytes).call_method1("decode", ("utf-16-le", "surrogatepass"))?;
    if object.is_instance_of::<PyBytes>() {
        return text.call_method1("encode", ("utf-8", "surrogatepass"));
    }
    Ok(text)
}

fn wide(object: &Bound<'_, PyAny>) -> PyResult<Vec<u16>> {
    let text = match object.cast::<PyString>() {
        Ok(text) => text.clone().into_any(),
        Err(_) => object.call_method1("decode", ("utf-8", "surrogatepass"))?,
    };
    let units = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let units = units.cast::<PyBytes>()?.as_bytes();
    Ok(units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect())
}

pub(crate) fn original<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("curt_fs._originals")?.getattr(name)
}
