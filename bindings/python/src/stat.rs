//! Metadata as `os.stat_result`.

use curt::fields::{Follow, Time};
use curt::{Fields, Kind, Metadata, Plan};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::{IntoPyObjectExt, ffi};

use crate::error::exception;
use crate::imported::imported;
use crate::path::{PathArg, descriptor, is_foreign};
use crate::text::original;

pub(crate) const FIELDS: Fields = Fields::KIND
    .union(Fields::MODE)
    .union(Fields::ID)
    .union(Fields::DEVICE)
    .union(Fields::LINKS)
    .union(Fields::USER_ID)
    .union(Fields::GROUP_ID)
    .union(Fields::SIZE)
    .union(Fields::ACCESSED)
    .union(Fields::MODIFIED)
    .union(Fields::CHANGED)
    .union(Fields::BLOCK_SIZE)
    .union(Fields::ALLOCATED)
    .union(Fields::DEVICE_NUMBER);

pub(crate) fn plan(follow: bool) -> Plan {
    Plan::new(FIELDS).follow(if follow { Follow::Links } else { Follow::Never })
}

/// Returns whether a symlink to follow is broken. If so, only CPython's function raises the right
/// exception.
pub(crate) fn is_broken_symlink(metadata: &Metadata, follow: bool) -> bool {
    follow && metadata.kind() == Kind::Symlink
}

/// Returns the metadata of a path, as `os.stat` does.
#[pyfunction]
#[pyo3(
    signature = (path, *, dir_fd=None, follow_symlinks=None),
    text_signature = "(path, *, dir_fd=None, follow_symlinks=True)"
)]
pub(crate) fn stat<'py>(
    path: &Bound<'py, PyAny>,
    dir_fd: Option<&Bound<'py, PyAny>>,
    follow_symlinks: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = path.py();
    let follow = follow_symlinks.map_or(Ok(true), PyAnyMethods::is_truthy)?;
    let is_path = !path.is_none() && !is_foreign(path) && descriptor(path)?.is_none();
    if dir_fd.is_none() && is_path {
        let path = PathArg::new(path, "stat")?;
        let std_path = path.as_path();
        match py.detach(|| curt::stat(std_path, plan(follow))) {
            Err(error) => return Err(exception(py, &error, &path.object)),
            Ok(metadata) if !is_broken_symlink(&metadata, follow) => return result(py, &metadata),
            Ok(_) => {}
        }
    }
    original(py, "entry_stat")?.call1((path, dir_fd, follow))
}

pub(crate) fn result<'py>(py: Python<'py>, metadata: &Metadata) -> PyResult<Bound<'py, PyAny>> {
    let layout = &imported(py)?.stat_result;
    let missing = || PyRuntimeError::new_err("the system did not answer everything");
    // SAFETY: the class is a struct sequence.
    let sequence = unsafe { ffi::PyStructSequence_New(layout.class.as_ptr().cast()) };
    // SAFETY: the call returned a new reference, or null with an error set.
    let sequence = unsafe { Bound::from_owned_ptr_or_err(py, sequence) }?;
    let set = |position: ffi::Py_ssize_t, value: Bound<'py, PyAny>| {
        debug_assert!(position < layout.fields, "a position within the struct sequence");
        // SAFETY: the sequence is new and unshared; the call takes the reference.
        unsafe { ffi::PyStructSequence_SetItem(sequence.as_ptr(), position, value.into_ptr()) };
    };
    let number = |value: Option<u64>| value.ok_or_else(missing)?.into_bound_py_any(py);
    set(0, metadata.mode().known().ok_or_else(missing)?.into_bound_py_any(py)?);
    let inode = metadata.id().known().ok_or_else(missing)?;
    set(
        1,
        match u64::try_from(inode) {
            Ok(inode) => inode.into_bound_py_any(py)?,
            Err(_) => inode.into_bound_py_any(py)?,
        },
    );
    set(2, number(metadata.device().known())?);
    set(3, number(metadata.links().known())?);
    set(4, metadata.user_id().known().ok_or_else(missing)?.into_bound_py_any(py)?);
    set(5, metadata.group_id().known().ok_or_else(missing)?.into_bound_py_any(py)?);
    set(6, number(metadata.size().known())?);
    let times = [metadata.accessed(), metadata.modified(), metadata.changed()];
    let mut last: Option<(Time, [Bound<'py, PyAny>; 3])> = None;
    for (index, time) in times.into_iter().enumerate() {
        let time = time.known().ok_or_else(missing)?;
        let values = match last.take() {
            // Most files were written once, so their times are equal and can share objects.
            Some((same, values)) if same == time => values,
            _ => [
                time.seconds.into_bound_py_any(py)?,
                seconds(time).into_bound_py_any(py)?,
                nanoseconds(py, time)?,
            ],
        };
        set(7 + index as ffi::Py_ssize_t, values[0].clone());
        set(layout.positions[index], values[1].clone());
        set(layout.positions[3 + index], values[2].clone());
        last = Some((time, values));
    }
    set(layout.positions[6], number(metadata.block_size().known())?);
    set(layout.positions[7], number(metadata.allocated().known().map(|bytes| bytes / 512))?);
    set(layout.positions[8], number(Some(metadata.device_number().known().unwrap_or(0)))?);
    Ok(sequence)
}

fn seconds(time: Time) -> f64 {
    time.seconds as f64 + 1e-9 * f64::from(time.nanoseconds)
}

fn nanoseconds<'py>(py: Python<'py>, time: Time) -> PyResult<Bound<'py, PyAny>> {
    let scaled = time.seconds.checked_mul(1_000_000_000);
    match scaled.and_then(|scaled| scaled.checked_add(time.nanoseconds.into())) {
        Some(nanoseconds) => nanoseconds.into_bound_py_any(py),
        None => (i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds))
            .into_bound_py_any(py),
    }
}
