use std::path::PathBuf;

use curt::Usage;
use curt::fields::Follow;
use pyo3::prelude::*;

use crate::error::exception_in;
use crate::path::PathArg;
use crate::signals::Signals;
use crate::threads::ThreadLimit;

/// Path, depth, kind, apparent and allocated bytes, entries.
type Record<'py> = (Bound<'py, PyAny>, usize, &'static str, u64, u64, u64);

#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn usage<'py>(
    py: Python<'py>,
    paths: Vec<Bound<'py, PyAny>>,
    max_depth: Option<usize>,
    files: bool,
    same_file_system: bool,
    follow_operands: bool,
    count_links: bool,
    threads: Option<ThreadLimit>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Vec<Record<'py>>, Vec<Bound<'py, PyAny>>)> {
    let operands: Vec<PathArg<'_>> =
        paths.iter().map(|path| PathArg::new(path, "usage")).collect::<PyResult<_>>()?;
    let std_paths: Vec<PathBuf> = operands.iter().map(|path| path.as_path().to_owned()).collect();
    let signals = Signals::new(progress.as_ref(), None)?;
    let usage = Usage::new()
        .max_depth(max_depth.unwrap_or(usize::MAX))
        .files(files)
        .same_file_system(same_file_system)
        .follow(if follow_operands { Follow::CommandLine } else { Follow::Never })
        .count_links(count_links)
        .threads(threads.unwrap_or_default().0)
        .on_progress(|entries| {
            signals.set_done(entries);
            signals.check()
        });
    let report = py.detach(|| usage.measure(&std_paths));
    drop(usage);
    signals.set_done(report.total().entries);
    signals.into_result()?;
    let form = |index: usize| operands[index].form;
    let mut records = Vec::with_capacity(report.records.len());
    for record in &report.records {
        let path = form(record.operand).wrap_path(py, &record.path)?;
        let sizes = record.sizes;
        let kind = record.kind.name();
        records.push((path, record.depth, kind, sizes.apparent, sizes.allocated, sizes.entries));
    }
    let form = operands.first().map_or(crate::path::Form::Text, |path| path.form);
    let errors = report
        .errors
        .iter()
        .map(|error| exception_in(py, error, form).into_value(py).into_bound(py).into_any());
    Ok((records, errors.collect()))
}
