//! Copying trees and files, for `copytree` and `copy2`.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use curt::copy::{Existing, Preserve};
use curt::fields::Follow;
use curt::{Cause, Copy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::exception_in;
use crate::path::PathArg;
use crate::signals::Signals;
use crate::threads::ThreadLimit;

/// Whether the source failed, not the destination; the path below it; the refusal; the exception.
type Failure<'py> = (bool, Bound<'py, PyAny>, Option<&'static str>, Py<PyAny>);

const EXISTING: &[(&str, Existing)] = &[("fail", Existing::Fail), ("replace", Existing::Replace)];
const FOLLOW: &[(&str, Follow)] =
    &[("never", Follow::Never), ("operands", Follow::CommandLine), ("links", Follow::Links)];

/// Copies `source`, which becomes `destination`, with the metadata of `shutil.copystat`.
///
/// Returns the number of entries copied, and the failures.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn copy<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    destination: &Bound<'py, PyAny>,
    existing: &str,
    follow: &str,
    recursive: bool,
    special_files: bool,
    threads: Option<ThreadLimit>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(u64, Vec<Failure<'py>>)> {
    let source = PathArg::new(source, "copy")?;
    let destination = PathArg::new(destination, "copy")?;
    let (from, to) = (source.as_path(), destination.as_path());
    let signals = Signals::new(progress, None)?;
    let mut copy = Copy::new()
        .existing(named(EXISTING, existing)?)
        .follow(named(FOLLOW, follow)?)
        .preserve(Preserve::MODE | Preserve::TIMES | Preserve::ATTRIBUTES)
        .recursive(recursive)
        .special_files(special_files)
        .threads(threads.unwrap_or_default().0)
        .poll(|| signals.check());
    if signals.shows_progress() {
        copy = copy.on_progress(|done| signals.set_done(done.files + done.directories));
    }
    let report = py.detach(|| copy.run(from, to));
    drop(copy);
    let copied = report.files + report.directories;
    signals.set_done(copied);
    signals.into_result()?;
    let failure = |error: &curt::Error| {
        let (of_source, of_target) = (below(error.path(), from), below(error.path(), to));
        // One operand may begin with the other, as `a` and `a/../b`. The longer one is meant.
        let of_source =
            of_source.filter(|path| of_target.is_none_or(|rest| path.len() < rest.len()));
        let path = of_source.or(of_target).unwrap_or_default();
        let refusal = match error.cause() {
            Cause::CopyRefused(refusal, _) => Some(refusal.name()),
            _ => None,
        };
        let exception = exception_in(py, error, source.form).into_value(py).into_any();
        Ok((of_source.is_some(), source.form.wrap(py, path)?, refusal, exception))
    };
    Ok((copied, report.errors.iter().map(failure).collect::<PyResult<_>>()?))
}

fn named<T: std::marker::Copy>(values: &[(&str, T)], name: &str) -> PyResult<T> {
    let found = values.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| PyValueError::new_err(format!("no {name}")))
}

/// Returns the part of a reported path below an operand.
fn below<'a>(path: &'a Path, operand: &Path) -> Option<&'a [u8]> {
    let operand = operand.as_os_str().as_bytes();
    let rest = path.as_os_str().as_bytes().strip_prefix(operand)?;
    let separators = rest.iter().take_while(|&&byte| byte == b'/').count();
    let is_below = rest.is_empty() || separators > 0 || operand.ends_with(b"/");
    is_below.then_some(&rest[separators..])
}
