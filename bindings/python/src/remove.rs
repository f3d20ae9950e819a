//! Removing trees, for `rmtree`, `remove` and `curt_fs.dask`.

use std::io::ErrorKind::NotADirectory;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use curt::filters::Globs;
use curt::os::unix::RemoveBelow;
use curt::remove::DirectoryOperands;
use curt::remove::RemainReason::{DotOrDotDot, IsALink};
use curt::{Cause, Next, Remove};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{exception, exception_in};
use crate::open::borrow;
use crate::path::{Form, PathArg};
use crate::signals::Signals;
use crate::text::original;
use crate::threads::ThreadLimit;

/// Removes a tree.
///
/// `on_error` is called on this thread with the failed function's name, the path and the exception.
/// Without `on_error`, the first failure is raised if `raises` is set, otherwise ignored.
/// `progress` gets the number of entries removed since its last call. The removal stops after
/// `seconds`. Without `seconds`, as in CPython, a directory that remains because an entry in it
/// failed is reported as well, unless `on_error` emptied it.
///
/// Returns the number of entries removed, and whether the removal was stopped.
#[pyfunction]
#[pyo3(signature = (path, dir_fd, threads, raises, on_error, progress=None, seconds=None))]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn remove<'py>(
    path: &Bound<'py, PyAny>,
    dir_fd: Option<i32>,
    threads: Option<ThreadLimit>,
    raises: bool,
    on_error: Option<&Bound<'py, PyAny>>,
    progress: Option<&Bound<'py, PyAny>>,
    seconds: Option<f64>,
) -> PyResult<(u64, bool)> {
    let py = path.py();
    let path = PathArg::new(path, "rmtree")?;
    let signals = Signals::new(progress, seconds)?;
    let on_error = on_error.map(|on_error| on_error.clone().unbind());
    let operand = Operand { path: path.as_path(), dir_fd };
    let failed = |error: &curt::Error| -> Next {
        let Some(on_error) = &on_error else {
            return if raises { Next::Stop } else { Next::Continue };
        };
        let called = Python::attach(|py| -> PyResult<()> {
            let (exception, names, shown) = operand.failed(py, error)?;
            let exception = exception.into_value(py);
            names
                .iter()
                .try_for_each(|name| on_error.bind(py).call1((name, &shown, &exception)).map(drop))
        });
        match called {
            Ok(()) => Next::Continue,
            Err(error) => signals.stop(error),
        }
    };
    let mut removal = Remove::new()
        .threads(threads.unwrap_or_default().0)
        .try_parents(on_error.is_some() && seconds.is_none())
        .directories(DirectoryOperands::Required)
        .on_error(failed)
        .callbacks_on_caller_thread(on_error.is_some())
        .poll(|| signals.check());
    if signals.shows_progress() {
        removal = removal.on_progress(|done| signals.set_done(done.files + done.directories));
    }
    let done = py.detach(|| match dir_fd {
        None => removal.run(operand.path),
        Some(fd) => removal.run_below(borrow(fd), operand.path),
    });
    drop(removal);
    // A stopped removal does not call `on_progress` at its end, so record the total here.
    signals.set_done(done.files + done.directories);
    signals.into_result()?;
    match done.errors.first().filter(|_| raises) {
        None => Ok((done.files + done.directories, done.stopped)),
        Some(error) => Err(operand.failed(py, error)?.0),
    }
}

struct Operand<'a> {
    path: &'a Path,
    dir_fd: Option<i32>,
}

impl Operand<'_> {
    /// Returns the exception, the names of CPython's functions that report it, and the path.
    fn failed<'py>(
        &self,
        py: Python<'py>,
        error: &curt::Error,
    ) -> PyResult<(PyErr, Vec<&'static str>, Bound<'py, PyAny>)> {
        let shown = Form::Text.wrap_path(py, error.path())?;
        let is_operand = error.path() == self.path;
        let is_file = error.kind() == NotADirectory;
        let names = match (error.function(), error.cause()) {
            // CPython resolves a symlink before rejecting it. For a broken one, resolving fails.
            (_, Cause::Remains(reason @ (IsALink | DotOrDotDot))) if is_operand => {
                let is_link = *reason == IsALink;
                if let Err(exception) = self.stat(py, true) {
                    exception.value(py).setattr("filename", &shown)?;
                    let ends_in_slash = self.path.as_os_str().as_bytes().ends_with(b"/");
                    let name = if is_link && !ends_in_slash { "open" } else { "lstat" };
                    return Ok((exception, vec![name], shown));
                }
                vec![if is_link { "islink" } else { "rmdir" }]
            }
            // CPython calls `lstat`, opens the operand and lists it. If the operand is a file, only
            // the listing fails, and CPython still calls `rmdir`.
            (name, Cause::Os(_)) if is_operand && (is_file || name == "open") => {
                match (self.stat(py, false).is_ok(), is_file) {
                    (false, _) => vec!["lstat"],
                    (true, true) => vec!["scandir", "rmdir"],
                    (true, false) => vec!["open"],
                }
            }
            (name, _) => vec![name],
        };
        Ok((exception(py, error, &shown), names, shown))
    }

    fn stat(&self, py: Python<'_>, follow: bool) -> PyResult<()> {
        let path = Form::Text.wrap_path(py, self.path)?;
        original(py, "entry_stat")?.call1((path, self.dir_fd, follow)).map(drop)
    }
}

/// Files, directories, skipped entries, directories made writable, and failures.
type Counts<'py> = (u64, u64, u64, u64, Vec<Bound<'py, PyAny>>);

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn remove_paths<'py>(
    py: Python<'py>,
    paths: Vec<Bound<'py, PyAny>>,
    contents: bool,
    exclude: Vec<Bound<'py, PyAny>>,
    make_writable: bool,
    missing_ok: bool,
    retries: Option<u32>,
    threads: Option<ThreadLimit>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Counts<'py>> {
    let convert = |list: Vec<Bound<'py, PyAny>>| -> PyResult<Vec<PathArg<'py>>> {
        list.iter().map(|path| PathArg::new(path, "remove")).collect()
    };
    let (operands, patterns) = (convert(paths)?, convert(exclude)?);
    let std_paths: Vec<PathBuf> = operands.iter().map(|path| path.as_path().to_owned()).collect();
    let globs = Globs::new(patterns.iter().map(PathArg::as_path))
        .map_err(|error| PyValueError::new_err(format!("remove: {error}")))?;
    let signals = Signals::new(progress.as_ref(), None)?;
    let mut removal = Remove::new()
        .make_writable(make_writable)
        .missing_is_fine(missing_ok)
        .threads(threads.unwrap_or_default().0)
        .on_progress(|done| signals.set_done(done.files + done.directories))
        .poll(|| signals.check());
    if contents {
        removal = removal.directories(DirectoryOperands::Contents);
    }
    if !globs.is_empty() {
        removal = removal.exclude(|entry| globs.matches(entry.relative_path(), entry.kind()));
    }
    if let Some(retries) = retries {
        removal = removal.retries(retries, Remove::RETRY_WINDOW);
    }
    let report = py.detach(|| removal.run(&std_paths));
    drop(removal);
    signals.set_done(report.files + report.directories);
    signals.into_result()?;
    let form = operands.first().map_or(Form::Text, |path| path.form);
    let failure = |error| exception_in(py, error, form).into_value(py).into_bound(py).into_any();
    let errors = report.errors.iter().map(failure).collect();
    Ok((report.files, report.directories, report.skipped, report.made_writable, errors))
}
