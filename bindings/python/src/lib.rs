//! The module `curt_fs._curt`: what Python cannot do in Python. The functions that users call are
//! in `python/curt_fs`.

mod entries;
mod error;
mod imported;
mod open;
mod path;
mod remove;
mod root;
mod signals;
mod stat;
mod text;
mod threads;
mod tree;
mod usage;
mod which;

use pyo3::ffi;
use pyo3::prelude::*;

/// Whether this runs in the interpreter that a process begins with.
fn is_main_interpreter(_py: Python<'_>) -> bool {
    // SAFETY: the caller is attached to an interpreter, whose state this returns.
    let state = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: the state of a live interpreter.
    unsafe { ffi::PyInterpreterState_GetID(state) == 0 }
}

/// Nothing here expects the GIL: the state of each class lies in mutexes and in cells that are set
/// once.
#[pyo3::pymodule(gil_used = false)]
mod _curt {
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::entries::{DirEntry, ScandirIterator, listdir, scandir};
    #[pymodule_export]
    use crate::open::identity;
    #[pymodule_export]
    use crate::remove::remove;
    #[pymodule_export]
    use crate::root::Root;
    #[pymodule_export]
    use crate::stat::stat;
    #[pymodule_export]
    use crate::text::{abspath, expanduser, windows_abspath};
    #[pymodule_export]
    use crate::tree::Directories;
    #[pymodule_export]
    use crate::usage::usage;
    #[pymodule_export]
    use crate::which::which;

    /// Python 3.12 refuses only interpreters with a GIL of their own, and older ones none.
    #[pymodule_init]
    fn begin(module: &Bound<'_, PyModule>) -> PyResult<()> {
        if crate::is_main_interpreter(module.py()) {
            crate::imported::import(module.py())?;
            return module.add("__version__", env!("CARGO_PKG_VERSION"));
        }
        let message = "curt_fs cannot be imported in a subinterpreter: its objects are those of \
                       the main one";
        Err(PyImportError::new_err(message))
    }
}
