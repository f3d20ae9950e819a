//! Removing a tree, for `rmtree` and `curt.dask`.
//!
//! `curt.rmtree` in `_remove.py` calls [`remove`], which sets the options of a [`Remove`] and runs
//! it without the interpreter's lock: `Remove::run`, or `run_below` with a descriptor. Failures
//! come back to this thread, to the closure `failed`.

use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use curt::os::unix::RemoveBelow;
use curt::remove::{DirectoryOperands, Kept};
use curt::{Cause, Next, Remove, Threads};
use pyo3::prelude::*;

use crate::error::{exception, system};
use crate::open::duplicate;
use crate::path::{Form, PathArg};
use crate::signals::Signals;
use crate::text::original;
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
    let operand = Operand { path: operand, dir_fd, given: &given_path };
    let failed = |error: &curt::Error| -> Next {
        let Some(on_error) = &on_error else {
            // The first failure is raised at the end, or all are ignored.
            return if raises { Next::Stop } else { Next::Continue };
        };
        let called = Python::attach(|py| -> PyResult<()> {
            let (exception, names, shown) = operand.failed(py, error)?;
            let exception = exception.into_value(py);
            names
                .split(' ')
                .try_for_each(|name| on_error.bind(py).call1((name, &shown, &exception)).map(drop))
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
        None => removal.run(operand.path),
        Some(dir) => removal.run_below(dir.as_fd(), operand.path),
    });
    drop(removal);
    // The library does not say it at the end of a removal that was stopped.
    signals.set_done(done.files + done.directories);
    signals.into_result()?;
    match done.errors.first().filter(|_| raises) {
        None => Ok((done.files + done.directories, done.stopped)),
        Some(error) => Err(operand.failed(py, error)?.0),
    }
}

/// The path or name that is removed, and how it was passed.
struct Operand<'a> {
    path: &'a Path,
    dir_fd: Option<i32>,
    given: &'a Path,
}

impl Operand<'_> {
    /// The exception of a failure, the functions of CPython that report it, and the path.
    fn failed<'py>(
        &self,
        py: Python<'py>,
        error: &curt::Error,
    ) -> PyResult<(PyErr, &'static str, Bound<'py, PyAny>)> {
        let failed = below(self.given, self.path.as_os_str(), error.path());
        let shown = Form::Text.wrap_path(py, &failed)?;
        let is_operand = failed == self.given;
        let is_file = error.errno() == libc::ENOTDIR;
        let names = match (error.operation().function(), error.cause()) {
            // CPython follows a link before it notices, at the latest when it opens it.
            (_, Cause::Kept(kept @ (Kept::IsALink | Kept::DotOrDotDot))) if is_operand => {
                if let Err(exception) = self.stat(py, true) {
                    exception.value(py).setattr("filename", &shown)?;
                    let is_link = *kept == Kept::IsALink && !self.is_directory_path();
                    return Ok((exception, if is_link { "open" } else { "lstat" }, shown));
                }
                if *kept == Kept::IsALink { "islink" } else { "rmdir" }
            }
            (_, Cause::Kept(Kept::IsALink)) => "islink",
            // CPython empties it before it notices.
            (_, Cause::Kept(_)) => "rmdir",
            // CPython asks about the operand before it opens it. That it is a file is noticed
            // when it is listed; then it is removed as any directory that could not be listed.
            (name, Cause::Os(_)) if is_operand && (is_file || name == "open") => {
                match (self.stat(py, false).is_ok(), is_file) {
                    (false, _) => "lstat",
                    (true, true) => "scandir rmdir",
                    (true, false) => "open",
                }
            }
            (name, _) => name,
        };
        Ok((exception(py, error, &shown), names, shown))
    }

    /// Asks CPython about the operand.
    fn stat(&self, py: Python<'_>, follow: bool) -> PyResult<()> {
        let mut name = self.path.as_os_str().to_owned();
        if self.dir_fd.is_some() && self.is_directory_path() {
            name.push("/");
        }
        let name = Form::Text.wrap_path(py, Path::new(&name))?;
        original(py, "entry_stat")?.call1((name, self.dir_fd, follow)).map(drop)
    }

    fn is_directory_path(&self) -> bool {
        self.given.as_os_str().as_bytes().ends_with(b"/")
    }
}

/// The path of a failure below `given`, which was removed as `operand`.
fn below(given: &Path, operand: &OsStr, failed: &Path) -> PathBuf {
    match failed.strip_prefix(operand) {
        Ok(below) if !below.as_os_str().is_empty() => given.join(below),
        // Joining with nothing would append a separator.
        _ => given.to_owned(),
    }
}
