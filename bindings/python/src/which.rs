//! Finding programs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use curt::Search;
use curt::paths::Flavor;
use curt::which::{Found, FoundIn, Policy};
use pyo3::prelude::*;

use crate::path::PathArg;

/// Finds a program by the rules of `shutil.which`, in the search path `path`.
#[pyfunction]
pub(crate) fn which<'py>(
    command: &Bound<'py, PyAny>,
    path: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = command.py();
    let command = PathArg::new(command, "which")?;
    let mut search = Search::new().policy(Policy::cpython(Flavor::Posix));
    let path = path.map(|path| PathArg::new(path, "which")).transpose()?;
    if let Some(path) = &path {
        search = search.path(OsStr::from_bytes(path.as_bytes()));
    }
    let name = OsStr::from_bytes(command.as_bytes());
    match py.detach(|| search.find(name)) {
        Ok(found) => {
            let found = spelled(&found, command.as_bytes(), path.as_ref().map(PathArg::as_bytes));
            command.form.wrap(py, &found).map(Some)
        }
        Err(_) => Ok(None),
    }
}

/// Spells the path of a program as CPython does: the entry of the search path as it is written,
/// and the name. curt makes it absolute.
fn spelled(found: &Found, command: &[u8], path: Option<&[u8]>) -> Vec<u8> {
    let directory = match found.origin() {
        FoundIn::Path(index) => path.and_then(|path| path.split(|&unit| unit == b':').nth(index)),
        FoundIn::Cwd => Some(b"".as_slice()),
        _ => {
            let end = command.iter().rposition(|&unit| unit == b'/').map_or(0, |at| at + 1);
            let (directory, name) = command.split_at(end);
            let kept = directory.iter().rposition(|&unit| unit != b'/').map(|at| at + 1);
            return join(kept.map_or(directory, |kept| &directory[..kept]), name);
        }
    };
    match directory {
        Some(directory) => join(directory, command),
        None => found.path().as_os_str().as_bytes().to_vec(),
    }
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let separator: &[u8] =
        if directory.is_empty() || directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, separator, name].concat()
}
