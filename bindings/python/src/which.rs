//! Finding programs.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use curt::which::{Found, FoundIn, Policy};
use curt::{Error, Search};
use pyo3::prelude::*;

use crate::path::{PathArg, join};

#[pyfunction]
pub(crate) fn which<'py>(
    command: &Bound<'py, PyAny>,
    path: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = command.py();
    let command = PathArg::new(command, "which")?;
    let path = path.map(|path| PathArg::new(path, "which")).transpose()?;
    let (name, entries) = (command.as_bytes(), path.as_ref().map(PathArg::as_bytes));
    match py.detach(|| find(name, entries)) {
        Ok(found) => command.form.wrap(py, &spell_as_cpython(&found, name, entries)).map(Some),
        Err(_) => Ok(None),
    }
}

thread_local! {
    /// The last search path of this thread, already split.
    static LAST: RefCell<Option<(Vec<u8>, Search)>> = const { RefCell::new(None) };
}

fn find(name: &[u8], path: Option<&[u8]>) -> Result<Found, Error> {
    let look_up = |search: &Search| search.find(OsStr::from_bytes(name));
    let search = |path: &[u8]| Search::new().policy(Policy::CPython).path(OsStr::from_bytes(path));
    // `path` is `None` only for a command with a directory, which is not searched. Do not read the
    // environment: another thread may change it, because this one does not hold the GIL.
    let path = path.unwrap_or_default();
    // A search caches the working directory, so relative entries need a new search.
    let is_absolute = |entry: &[u8]| entry.starts_with(b"/");
    if name.contains(&b'/') || !path.split(|&unit| unit == b':').all(is_absolute) {
        return look_up(&search(path));
    }
    LAST.with_borrow_mut(|last| {
        if last.as_ref().is_none_or(|(known, _)| known != path) {
            *last = None;
        }
        look_up(&last.get_or_insert_with(|| (path.to_vec(), search(path))).1)
    })
}

/// Spells the path as CPython does, with the `PATH` entry as written. curt makes it absolute.
fn spell_as_cpython(found: &Found, command: &[u8], path: Option<&[u8]>) -> Vec<u8> {
    let directory = match found.origin() {
        FoundIn::Path(index) => path.and_then(|path| path.split(|&unit| unit == b':').nth(index)),
        FoundIn::Cwd => Some(b"".as_slice()),
        _ => {
            let end = command.iter().rposition(|&unit| unit == b'/').map_or(0, |at| at + 1);
            let (directory, name) = command.split_at(end);
            let length = directory.iter().rposition(|&unit| unit != b'/').map(|at| at + 1);
            return join(length.map_or(directory, |length| &directory[..length]), name);
        }
    };
    match directory {
        Some(directory) => join(directory, command),
        None => found.path().as_os_str().as_bytes().to_vec(),
    }
}
