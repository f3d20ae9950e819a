//! An open directory, listed and queried.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use curt::fields::Time;
use curt::list::{Directory, List, NameBlock, Stat};
use curt::os::unix::Units;
use curt::{Error, Fields, Kind, Metadata, Next};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::{exception, system};
use crate::path::{Form, PathArg};
use crate::stat::plan;

const BATCH_SIZE: usize = 1024;
/// The initial capacity in entries, enough for most directories. Growing from zero would more than
/// double the instructions for a small directory.
const FIRST_ENTRIES: usize = 64;
const BYTES_PER_NAME: usize = 16;

pub(crate) struct Open {
    list: List,
    /// One query that does not follow symlinks, and one that does.
    stats: [Option<Stat>; 2],
}

pub(crate) fn to_list<'py>(
    py: Python<'py>,
    names: &NameBlock<u8>,
    form: Form,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, names.iter().map(|name| Wrapped { name, form }))
}

struct Wrapped<'a> {
    name: &'a [u8],
    form: Form,
}

impl<'py> IntoPyObject<'py> for Wrapped<'_> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.form.wrap(py, self.name)
    }
}

#[derive(Default)]
pub(crate) struct Entries {
    pub(crate) names: NameBlock<u8>,
    listed: Vec<Listed>,
}

#[derive(Clone, Copy)]
pub(crate) struct Listed {
    at: usize,
    pub(crate) kind: Kind,
    pub(crate) inode: u64,
}

impl Entries {
    pub(crate) fn len(&self) -> usize {
        self.listed.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() >= BATCH_SIZE
    }

    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.listed.clear();
    }

    fn reserve(&mut self, entries: usize) {
        self.names.reserve(entries * BYTES_PER_NAME);
        self.listed.reserve(entries);
    }

    pub(crate) fn get(&self, index: usize) -> Option<(&[u8], Listed)> {
        let listed = *self.listed.get(index)?;
        Some((self.names.get(listed.at)?, listed))
    }
}

impl Open {
    pub(crate) fn path(path: &Path) -> Result<Box<Open>, Error> {
        Ok(Open::of(Directory::open(path)?))
    }

    pub(crate) fn descriptor(fd: OwnedFd) -> Result<Box<Open>, Error> {
        Ok(Open::of(Directory::try_from(fd)?))
    }

    /// Returns a box, because moving more than 2,000 bytes to the owner is slow.
    pub(crate) fn of(directory: Directory) -> Box<Open> {
        let list = directory.list(Fields::KIND | Fields::ID);
        Box::new(Open { list, stats: [None, None] })
    }

    /// Reads the next entries into `into`, which is empty at the end of the directory.
    pub(crate) fn read(&mut self, into: &mut Entries) -> Result<(), Error> {
        into.clear();
        into.reserve(FIRST_ENTRIES);
        let mut more = true;
        while more && !into.is_full() {
            more = self.list.visit_batch(|name, entry| {
                let inode = entry.metadata().id().known().unwrap_or(0);
                let inode = u64::try_from(inode).unwrap_or(u64::MAX);
                let at = into.names.push(name.units());
                into.listed.push(Listed { at, kind: entry.kind(), inode });
                if into.is_full() { Next::Stop } else { Next::Continue }
            })?;
        }
        Ok(())
    }

    pub(crate) fn stat(&mut self, name: &Path, follow: bool) -> Result<Metadata, Error> {
        let stat = self.stats[usize::from(follow)].get_or_insert_with(|| Stat::new(plan(follow)));
        self.list.stat(stat, name)
    }

    /// Rewinds, so that the caller can list its descriptor again.
    pub(crate) fn rewind(&mut self) {
        let _ = self.list.reset();
    }
}

#[pyfunction]
pub(crate) fn identity(fd: i32, name: &Bound<'_, PyAny>) -> PyResult<(u128, Option<i128>)> {
    let py = name.py();
    let path = PathArg::new(name, "identity")?;
    let std_path = path.as_path();
    let fd = duplicate(fd).map_err(|error| system(&path.object, &error))?;
    let fields = Fields::ID | Fields::CREATED;
    let queried = py.detach(|| curt::Root::try_from(fd)?.stat(std_path, fields));
    let metadata = queried.map_err(|error| exception(py, &error, &path.object))?;
    let nanoseconds =
        |time: Time| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds);
    let missing = || PyRuntimeError::new_err("the system did not answer everything");
    let number = metadata.id().known().ok_or_else(missing)?;
    Ok((number, metadata.created().known().map(nanoseconds)))
}

/// Fails if the caller has closed the descriptor.
pub(crate) fn check_open(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the call accepts any number, and fails for a closed descriptor.
    match unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Borrows a descriptor for one system call. The call fails if the descriptor is closed.
pub(crate) fn borrow<'fd>(fd: i32) -> BorrowedFd<'fd> {
    // Replace a negative number with an unused one, which fails like a closed descriptor.
    let fd = if fd < 0 { i32::MAX } else { fd };
    // SAFETY: `fd` is not -1. It may be closed, but only a call that checks it uses it.
    unsafe { BorrowedFd::borrow_raw(fd) }
}

pub(crate) fn duplicate(fd: i32) -> io::Result<OwnedFd> {
    borrow(fd).try_clone_to_owned()
}
