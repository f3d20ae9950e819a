//! Removing a tree, for `rmtree` and `curt.dask`.
//!
//! `curt.rmtree` in `_remove.py` calls [`remove`], which sets the options of a [`Remove`] and runs
//! it without the interpreter's lock: `Remove::run`, or `run_below` with a descriptor. Failures
//! come back to this thread, to the closure `failed`.

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use curt::os::unix::RemoveBelow;
use curt::remove::{DirectoryOperands, Kept};
use curt::{Cause, Fields, Next, Remove, Threads};
use pyo3::prelude::*;

use crate::error::{exception, function, number, system};
use crate::open::duplicate;
use crate::path::{Form, PathArg};
use crate::signals::Signals;
use crate::threads::AtMost;

/// Removes a tree: the path or, with a descriptor, the entry of that name. The caller passed it as
/// `given`, which errors have in its place.
///
/// `on_error` is called with the name of the function that failed, the path and the exception, on
/// this thread. Without it the first failure ends the removal and is raised, if `raises` says so;
/// otherwise failures are ignored. `progress` is called with the number of entries removed since it
/// was called last, on this thread, too. It ends early after `seconds`; without them directories
/// that stay because of a failure are reported as CPython does, unless `on_error` has removed what
/// failed. Returns how many entries were removed, and whether it ended early.
#[pyfunction]
#[pyo3(signature = (path, dir_fd, given, threads, raises, on_error, progress=None, seconds=None))]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn remove<'py>(
    path: &Bound<'py, PyAny>,
    dir_fd: Option<i32>,
    given: &Bound<'py, PyAny>,
    threads: Option<AtMost>,
    raises: bool,
    on_error: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
    seconds: Option<f64>,
) -> PyResult<(u64, bool)> {
    let py = path.py();
    let path = PathArg::new(path, "rmtree")?;
    let operand = path.as_path();
    let given_path = PathArg::new(given, "rmtree")?.as_path().to_owned();
    let dir = match dir_fd.map(duplicate).transpose() {
        Ok(dir) => dir,
        Err(error) => {
            // Where CPython notices it.
            let error = system(given, &error);
            match on_error {
                Some(on_error) => {
                    on_error.call1(("lstat", given, error.into_value(py)))?;
                }
                None if raises => return Err(error),
                None => {}
            }
            return Ok((0, false));
        }
    };
    let signals = Signals::new(progress, seconds)?;
    let on_error = on_error.map(|on_error| on_error.clone().unbind());
    let failed_at = |error: &curt::Error| match error.path().strip_prefix(operand) {
        Ok(below) if !below.as_os_str().is_empty() => given_path.join(below),
        // Joining with nothing would append a separator.
        _ => given_path.clone(),
    };
    let failed = |error: &curt::Error| -> Next {
        let Some(on_error) = &on_error else {
            // The first failure is raised at the end, or all are ignored.
            return if raises { Next::Stop } else { Next::Continue };
        };
        let called = Python::attach(|py| -> PyResult<()> {
            let failed = failed_at(error);
            let is_operand = failed == given_path;
            let shown = Form::Text.wrap_path(py, &failed)?;
            let exception = exception(py, error, &shown);
            let names: &[&str] = match error.cause() {
                Cause::Kept(Kept::IsALink) => &["islink"],
                // CPython finds it out by listing it, if there is something, and then tries to
                // remove it as any directory that it could not list.
                Cause::Os(_) if is_operand && number(error) == libc::ENOTDIR => {
                    let exists = match &dir {
                        Some(_) => !given_path.as_os_str().as_bytes().ends_with(b"/"),
                        None => curt::list::stat(operand, Fields::KIND).is_ok(),
                    };
                    if exists { &["scandir", "rmdir"] } else { &["lstat"] }
                }
                _ => &[function(error.operation())],
            };
            let exception = exception.into_value(py);
            names
                .iter()
                .try_for_each(|name| on_error.bind(py).call1((*name, &shown, &exception)).map(drop))
        });
        match called {
            Ok(()) => Next::Continue,
            Err(error) => signals.stop(error),
        }
    };
    let mut removal = Remove::new()
        .threads(threads.map_or(Threads::Automatic, |threads| threads.0))
        .try_parents(on_error.is_some() && seconds.is_none())
        .directories(DirectoryOperands::Required)
        .on_error(failed)
        .callbacks_on_caller_thread(on_error.is_some())
        .poll(|| signals.look());
    if signals.shows_progress() {
        removal = removal.on_progress(|done| signals.set_done(done.files + done.directories));
    }
    let done = py.detach(|| match &dir {
        None => removal.run(operand),
        Some(dir) => removal.run_below(dir.as_fd(), operand),
    });
    drop(removal);
    // The library does not say it at the end of a removal that was stopped.
    signals.set_done(done.files + done.directories);
    signals.into_result()?;
    match done.errors.first().filter(|_| raises) {
        None => Ok((done.files + done.directories, done.stopped)),
        Some(error) => {
            let shown = Form::Text.wrap_path(py, &failed_at(error))?;
            Err(exception(py, error, &shown))
        }
    }
}
