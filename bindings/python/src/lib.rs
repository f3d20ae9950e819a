//! The native module `curt_fs._curt`. The public functions are in `python/curt_fs`.

mod copy;
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

fn is_main_interpreter(_py: Python<'_>) -> bool {
    // SAFETY: the caller is attached to an interpreter.
    let state = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: `state` belongs to a live interpreter.
    unsafe { ffi::PyInterpreterState_GetID(state) == 0 }
}

/// No code relies on the GIL: the state of each class is in mutexes and in cells set once.
#[pyo3::pymodule(gil_used = false)]
mod _curt {
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::copy::copy;
    #[pymodule_export]
    use crate::entries::{DirEntry, ScandirIterator, listdir, scandir};
    #[pymodule_export]
    use crate::open::identity;
    #[pymodule_export]
    use crate::remove::{remove, remove_paths};
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

    /// Refuses all subinterpreters. Python itself refuses, since 3.12, only those with a separate
    /// GIL.
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
