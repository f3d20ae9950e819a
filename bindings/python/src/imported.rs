//! Python objects that `import curt_fs` looks up once.
//!
//! A cell filled at first use can deadlock: if another thread forks then, the child waits for a
//! thread that exists only in the parent. So the import fills the only cell. `clippy.toml` forbids
//! other cells, and `intern!`, which contains one.

use curt::paths::{DotDot, Env, Expander, Flavor};
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

pub(crate) struct Imported {
    pub(crate) abspath: Expander,
    pub(crate) os: Py<PyModule>,
    pub(crate) audit: Py<PyAny>,
    pub(crate) stat_result: Layout,
}

#[allow(clippy::disallowed_types, reason = "filled by `import curt_fs`")]
static IMPORTED: pyo3::sync::PyOnceLock<Imported> = pyo3::sync::PyOnceLock::new();

pub(crate) fn import(py: Python<'_>) -> PyResult<()> {
    IMPORTED.get_or_try_init(py, || {
        let os = py.import("os")?;
        let audit = py.import("sys")?.getattr("audit")?.unbind();
        let stat_result = Layout::of(&os.getattr("stat_result")?)?;
        let abspath = Expander::new(Env::none()).flavor(Flavor::Posix).dot_dot(DotDot::Clamp);
        Ok::<_, PyErr>(Imported { abspath, os: os.unbind(), audit, stat_result })
    })?;
    // PyO3 itself has such cells, for attaching threads and for type errors. Fill them now.
    py.detach(|| Python::attach(|_| ()));
    let _ = py.None().extract::<bool>(py).map_err(|error| error.into_value(py));
    Ok(())
}

pub(crate) fn imported(py: Python<'_>) -> PyResult<&Imported> {
    IMPORTED.get(py).ok_or_else(|| PyRuntimeError::new_err("curt_fs is not imported"))
}

pub(crate) struct Layout {
    pub(crate) class: Py<PyType>,
    pub(crate) fields: ffi::Py_ssize_t,
    /// The positions of `NAMES`.
    pub(crate) positions: [ffi::Py_ssize_t; 9],
}

const NAMES: [&str; 9] = [
    "st_atime",
    "st_mtime",
    "st_ctime",
    "st_atime_ns",
    "st_mtime_ns",
    "st_ctime_ns",
    "st_blksize",
    "st_blocks",
    "st_rdev",
];

impl Layout {
    fn of(class: &Bound<'_, PyAny>) -> PyResult<Layout> {
        let fields: ffi::Py_ssize_t = class.getattr("n_fields")?.extract()?;
        // Each field of this instance contains its position.
        let numbered = class.call1(((0..fields).collect::<Vec<_>>(),))?;
        let mut positions = [0; 9];
        for (position, name) in positions.iter_mut().zip(NAMES) {
            *position = numbered.getattr(name)?.extract()?;
        }
        let class = class.cast::<PyType>()?.clone().unbind();
        Ok(Layout { class, fields, positions })
    }
}
