//! `shutil.rmtree`.

use std::os::fd::AsFd;
use std::path::Path;

use curt::os::unix::RemoveBelow;
use curt::{Cause, Next, Remove, Threads};
use pyo3::prelude::*;

use crate::error::{exception, function, number, system};
use crate::open::duplicate;
use crate::path::{Form, PathArg};
use crate::signals::Signals;

/// Removes a tree: the path or, with a descriptor, the entry of that name.
///
/// `report` is called with the name of the function that failed, the path and the exception, on
/// this thread. Without it the first failure ends the removal and is raised, if `raises` says so;
/// otherwise failures are ignored. `progress` is called with the number of entries removed since it
/// was called last, on this thread, too.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn remove<'py>(
    path: &Bound<'py, PyAny>,
    dir_fd: Option<i32>,
    prefix: &str,
    threads: usize,
    raises: bool,
    report: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let py = path.py();
    let path = PathArg::new(path, "rmtree")?;
    let place = path.as_path();
    let dir = match dir_fd.map(duplicate).transpose() {
        Ok(dir) => dir,
        Err(error) => {
            // Where CPython notices it.
            let error = system(&path.object, &error);
            return match report {
                Some(report) => {
                    report.call1(("lstat", &path.object, error.into_value(py))).map(drop)
                }
                None if raises => Err(error),
                None => Ok(()),
            };
        }
    };
    let signals = Signals::with_progress(progress);
    let report = report.map(|report| report.clone().unbind());
    let failed = |error: &curt::Error| -> Next {
        let called = Python::attach(|py| -> PyResult<()> {
            let shown = if prefix.is_empty() {
                error.path().to_owned()
            } else {
                Path::new(prefix).join(error.path())
            };
            let shown = Form::Text.wrap_path(py, &shown)?;
            let exception = exception(py, error, &shown);
            let is_operand = error.path() == place;
            let name = match error.cause() {
                Cause::IsALink => "islink",
                // CPython finds it out by listing it.
                Cause::Os(_) if is_operand && number(error) == libc::ENOTDIR => "scandir",
                _ => function(error.operation()),
            };
            match &report {
                Some(report) => {
                    report.bind(py).call1((name, shown, exception.into_value(py))).map(drop)
                }
                None => Err(exception),
            }
        });
        match called {
            Ok(()) => Next::Continue,
            Err(error) => signals.stop(error),
        }
    };
    let mut removal = Remove::new()
        .threads(Threads::AtMost(threads.max(1)))
        .directories_only(true)
        .keep_errors(0)
        .callbacks_on_caller_thread(true)
        .poll(|| signals.look());
    if signals.shows_progress() {
        removal = removal.on_progress(|done| signals.set_done(done.files + done.directories));
    }
    if raises || report.is_some() {
        removal = removal.stop_at_first_failure(raises).on_error(failed);
    }
    // Failures were reported, or are ignored.
    let _ = py.detach(|| match &dir {
        None => removal.run(place),
        Some(dir) => removal.run_below(dir.as_fd(), place),
    });
    drop(removal);
    signals.into_result()
}
