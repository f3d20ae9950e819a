//! Paths as text: `abspath`, `expanduser`, and Windows' rules on any system.

use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use curt::paths::{DotDot, Env, Expander, Flavor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString};

use crate::path::{Form, encode, fspath};

/// Makes a path absolute and normal, as `os.path.abspath` does.
#[pyfunction]
pub(crate) fn abspath<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static ABSOLUTE: OnceLock<Expander> = OnceLock::new();
    let py = path.py();
    let object = fspath(path, "abspath")?;
    let Ok((bytes, form)) = bytes_of(&object) else {
        return original(py, "abspath")?.call1((object,));
    };
    let text = bytes.as_bytes();
    let full = if text.starts_with(b"/") {
        ABSOLUTE.get_or_init(|| normal(Env::none())).expand(text)
    } else {
        // Python's own call, for its exception if the directory is gone.
        let call = if form == Form::Bytes { "getcwdb" } else { "getcwd" };
        let (directory, _) = bytes_of(&py.import("os")?.call_method0(call)?)?;
        let expander = normal(Env::none().cwd(directory.as_bytes().to_vec()));
        expander.expand(if text.is_empty() { b".".as_slice() } else { text })
    };
    match full {
        Ok(full) if *full == *text => Ok(object),
        Ok(full) => form.wrap(py, &full),
        // A NUL, which Python takes for a character.
        Err(_) => original(py, "abspath")?.call1((object,)),
    }
}

fn normal(env: Env) -> Expander {
    Expander::new(env).flavor(Flavor::Posix).dot_dot(DotDot::Clamp)
}

/// Replaces `~` and `~user` as `os.path.expanduser` does.
#[pyfunction]
pub(crate) fn expanduser<'py>(path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = path.py();
    let object = fspath(path, "expanduser")?;
    let Ok((bytes, form)) = bytes_of(&object) else {
        return original(py, "expanduser")?.call1((object,));
    };
    let Some(after) = bytes.as_bytes().strip_prefix(b"~") else { return Ok(object) };
    if !matches!(after.first(), None | Some(b'/')) {
        // `~user`: the user database is Python's module `pwd`.
        return original(py, "expanduser")?.call1((object,));
    }
    // Reading the environment needs the GIL, under which Python changes it.
    let Some(home) = std::env::var_os("HOME") else {
        return original(py, "expanduser")?.call1((object,));
    };
    let home = home.as_bytes();
    let end = home.iter().rposition(|&unit| unit != b'/').map_or(0, |at| at + 1);
    let full = [&home[..end], after].concat();
    form.wrap(py, if full.is_empty() { b"/" } else { &full })
}

/// Makes a Windows path full, as `GetFullPathNameW` does, on any system.
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
    let full = full.map_err(|error| PyValueError::new_err(format!("abspath: {error}")))?;
    let bytes: Vec<u8> = full.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let text = PyBytes::new(py, &bytes).call_method1("decode", ("utf-16-le", "surrogatepass"))?;
    if object.is_instance_of::<PyBytes>() {
        return text.call_method1("encode", ("utf-8", "surrogatepass"));
    }
    Ok(text)
}

/// The bytes of a `str` or `bytes`, which may contain NULs: no call is made with them. A surrogate
/// that stands for no byte is an error.
fn bytes_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyBytes>, Form)> {
    match object.cast::<PyBytes>() {
        Ok(bytes) => Ok((bytes.clone(), Form::Bytes)),
        Err(_) => Ok((encode(object)?, Form::Text)),
    }
}

/// The 16-bit units of a text; bytes are UTF-8, as they are for Python on Windows.
fn wide(object: &Bound<'_, PyAny>) -> PyResult<Vec<u16>> {
    let text = match object.cast::<PyString>() {
        Ok(text) => text.clone().into_any(),
        Err(_) => object.call_method1("decode", ("utf-8", "surrogatepass"))?,
    };
    let units = text.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let units = units.cast::<PyBytes>()?.as_bytes();
    Ok(units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect())
}

/// Returns CPython's own function, which answers what curt cannot.
pub(crate) fn original<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static ORIGINALS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let import = || py.import("curt._originals").map(|module| module.into_any().unbind());
    ORIGINALS.get_or_try_init(py, import)?.bind(py).getattr(name)
}
