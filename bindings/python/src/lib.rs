//! The module `curt._curt`: what Python cannot do in Python. The functions that users call are in
//! `python/curt`.

mod entries;
mod error;
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

/// Nothing here expects the GIL: the state of each class lies in mutexes and in cells that are set
/// once.
#[pyo3::pymodule(gil_used = false)]
mod _curt {
    #[pymodule_export]
    use crate::entries::{DirEntry, ScandirIterator, listdir, scandir};
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
}
