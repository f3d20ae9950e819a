//! `os.walk` and `os.fwalk`, one directory at a time.
//!
//! Top-down, the caller may edit the list of subdirectories after each directory. So the next call
//! takes the subdirectories from that list (`choose_next`), not from the directory. Old versions of
//! CPython read the list lazily, so that edits counted until the last subdirectory; newer ones take
//! the whole list at once. An item that is not a plain name (`a/b`, `..`) gets a separate walk,
//! because CPython joins it to the path.
//!
//! Bottom-up, a directory is listed before its contents and yielded after them. It remains in
//! `waiting` until the walk lists a directory outside of it, then in `done` until it is yielded.
//!
//! `fwalk` shows our descriptors, which the caller may close. Another file can then get the number,
//! so we must neither use nor close it (`forget_closed`).

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, ErrorKind::NotADirectory};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

use curt::fields::Follow;
use curt::list::{DirectoryWalk, List, NameBlock};
use curt::os::unix::Units;
use curt::{Error, Fields, Next, Plan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::error::{exception, exception_in, system};
use crate::open::{check_open, to_list};
use crate::path::{Encoded, Form, PathArg, audit, fspath};
use crate::signals::Signals;

#[pyclass(frozen, module = "curt_fs._curt")]
pub(crate) struct Directories(Mutex<State>);

struct State {
    walk: DirectoryWalk,
    top: Option<PathBuf>,
    operand: Py<PyAny>,
    form: Form,
    topdown: bool,
    shows_descriptors: bool,
    onerror: Option<Py<PyAny>>,
    /// Top-down: the last directory, whose list of subdirectories the caller may edit.
    yielded: Option<(List, Py<PyList>, PathBuf)>,
    reads_lazily: bool,
    levels: Vec<Level>,
    waiting: Vec<Waiting>,
    done: VecDeque<Waiting>,
    last_descriptor: Option<OwnedFd>,
    is_at_end: bool,
    directories: NameBlock<u8>,
    files: NameBlock<u8>,
    nested: Option<Py<Directories>>,
    item: Option<Py<PyAny>>,
}

struct Level {
    path: PathBuf,
    directories: Py<PyList>,
    seen: usize,
}

struct Waiting {
    path: PathBuf,
    shown: Py<PyAny>,
    directories: Py<PyList>,
    others: Py<PyList>,
    descriptor: Option<OwnedFd>,
}

struct Listed {
    list: List,
    path: PathBuf,
    error: Option<Error>,
}

#[pymethods]
impl Directories {
    #[new]
    fn new(
        top: &Bound<'_, PyAny>,
        topdown: bool,
        onerror: Option<Py<PyAny>>,
        shows_descriptors: bool,
        reads_lazily: bool,
    ) -> PyResult<Directories> {
        let operand = PathArg::new(top, "walk")?;
        Ok(Directories(Mutex::new(State {
            walk: DirectoryWalk::new().revisable(topdown),
            top: Some(operand.as_path().to_owned()),
            operand: operand.object.clone().unbind(),
            form: operand.form,
            topdown,
            shows_descriptors,
            onerror,
            yielded: None,
            reads_lazily,
            levels: Vec::new(),
            waiting: Vec::new(),
            done: VecDeque::new(),
            last_descriptor: None,
            is_at_end: false,
            directories: NameBlock::default(),
            files: NameBlock::default(),
            nested: None,
            item: None,
        })))
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        // Must not wait: a callback of this walk, or another thread, may hold the lock.
        let mut walk = match self.0.try_lock() {
            Ok(walk) => walk,
            Err(TryLockError::Poisoned(walk)) => walk.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyValueError::new_err("walk is already running"));
            }
        };
        walk.next(py)
    }

    /// `onerror` or an edited list may refer to the walk, which makes a cycle.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(walk) = self.0.try_lock() else { return Ok(()) };
        visit.call(&walk.onerror)?;
        visit.call(&walk.nested)?;
        visit.call(&walk.item)?;
        visit.call(walk.yielded.as_ref().map(|(_, directories, _)| directories))?;
        walk.levels.iter().try_for_each(|level| visit.call(&level.directories))
    }

    fn __clear__(&self) {
        if let Ok(mut walk) = self.0.try_lock() {
            walk.onerror = None;
            walk.item = None;
            walk.end();
        }
    }

    fn close(&self) {
        if let Ok(mut walk) = self.0.try_lock() {
            walk.end();
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        let _ = self.forget_closed();
    }
}

impl State {
    /// Forgets descriptors that the caller has closed, without closing them again. Ends the walk if
    /// there are any.
    fn forget_closed(&mut self) -> io::Result<()> {
        if !self.shows_descriptors {
            return Ok(());
        }
        let mut checked = Ok(());
        let mut is_closed =
            |fd: BorrowedFd<'_>| check_open(fd).map_err(|error| checked = Err(error)).is_err();
        let list = self.yielded.take_if(|(list, ..)| is_closed(list.as_fd()));
        let last_descriptor =
            self.last_descriptor.take_if(|last_descriptor| is_closed(last_descriptor.as_fd()));
        std::mem::forget((list, last_descriptor));
        if checked.is_err() {
            self.end();
        }
        checked
    }

    fn end(&mut self) {
        let _ = self.forget_closed();
        self.walk = DirectoryWalk::new();
        self.yielded = None;
        self.levels.clear();
        self.waiting.clear();
        self.done.clear();
        self.nested = None;
        self.last_descriptor = None;
        self.top = None;
        self.is_at_end = true;
    }

    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.forget_closed().map_err(|error| system(self.operand.bind(py), &error))?;
        self.last_descriptor = None;
        if let Some((list, directories, path)) = self.yielded.take() {
            self.enter_chosen(py, list, directories, path)?;
        }
        while !self.is_at_end {
            if let Some(found) = self.next_of_nested(py)? {
                return Ok(Some(found));
            }
            if let Some(done) = self.done.pop_front() {
                return self.finish(py, done).map(Some);
            }
            let first = self.top.take();
            let is_first = first.is_some();
            if self.topdown && !is_first {
                if !self.choose_next(py)? {
                    self.is_at_end = true;
                    break;
                }
                if self.nested.is_some() {
                    continue;
                }
            }
            let signals = Signals::default();
            let shows_descriptors = self.shows_descriptors;
            let State { walk, directories, files, .. } = self;
            let listed = py.detach(|| {
                let opened = match first {
                    Some(top) => Some(walk.open(top)),
                    None => walk.next(),
                };
                Some(match opened? {
                    Ok(directory) => {
                        Ok(list(directory, directories, files, &signals, shows_descriptors))
                    }
                    Err(error) => Err(error),
                })
            });
            signals.into_result()?;
            let Some(listed) = listed else {
                self.is_at_end = true;
                break;
            };
            if let Err(error) = &listed {
                // If an ancestor could not be reopened, leave its level and all below.
                while self.levels.last().is_some_and(|last| last.path.starts_with(error.path())) {
                    self.leave_level();
                }
            }
            // Skips a symlink, except as the top. `is_link` returns `None` if the caller changed
            // the working directory of a relative walk; the entry then probably was a symlink.
            if let Err(error) = &listed {
                let is_no_directory = error.kind() == NotADirectory;
                if !is_first && is_no_directory && is_link(py, error.path()) != Some(false) {
                    continue;
                }
            }
            let path = listed.as_ref().map_or_else(Error::path, |listed| &listed.path);
            let shown = if is_first {
                self.operand.clone_ref(py)
            } else {
                self.form.wrap_path(py, path)?.unbind()
            };
            self.audit(py, &listed, shown.bind(py))?;
            let listed = match listed {
                // If the top cannot be opened, `os.fwalk` raises the error, but it ignores a file.
                Err(error) if is_first && self.shows_descriptors && self.item.is_none() => {
                    self.is_at_end = true;
                    if error.kind() == NotADirectory && is_link(py, error.path()).is_some() {
                        return Ok(None);
                    }
                    return Err(exception(py, &error, self.operand.bind(py)));
                }
                Ok(Listed { error: Some(error), .. }) | Err(error) => {
                    self.report(py, &error, is_first)?;
                    continue;
                }
                Ok(listed) => listed,
            };
            let directories = to_list(py, &self.directories, self.form)?.unbind();
            let others = to_list(py, &self.files, self.form)?.unbind();
            if self.topdown {
                let fd = listed.list.as_fd().as_raw_fd();
                let result = self.tuple(py, &shown, &directories, &others, fd)?;
                self.yielded = Some((listed.list, directories, listed.path));
                return Ok(Some(result));
            }
            while self.waiting.last().is_some_and(|last| !listed.path.starts_with(&last.path)) {
                self.done.extend(self.waiting.pop());
            }
            let descriptor = if self.shows_descriptors {
                let descriptor = listed.list.as_fd().try_clone_to_owned();
                Some(descriptor.map_err(|error| system(shown.bind(py), &error))?)
            } else {
                None
            };
            self.enter(py, listed.list)?;
            self.waiting.push(Waiting {
                path: listed.path,
                shown,
                directories,
                others,
                descriptor,
            });
        }
        match self.done.pop_front().or_else(|| self.waiting.pop()) {
            Some(done) => self.finish(py, done).map(Some),
            None => Ok(None),
        }
    }

    fn audit(
        &self,
        py: Python<'_>,
        listed: &Result<Listed, Error>,
        shown: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        match listed {
            Ok(listed) if self.shows_descriptors => {
                let fd = listed.list.as_fd().as_raw_fd().into_pyobject(py)?;
                audit(py, "os.scandir", Some(fd.as_any()))
            }
            Err(_) if self.shows_descriptors => Ok(()),
            _ => audit(py, "os.scandir", Some(shown)),
        }
    }

    fn finish<'py>(&mut self, py: Python<'py>, done: Waiting) -> PyResult<Bound<'py, PyTuple>> {
        let fd = done.descriptor.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        self.last_descriptor = done.descriptor;
        self.tuple(py, &done.shown, &done.directories, &done.others, fd)
    }

    fn tuple<'py>(
        &self,
        py: Python<'py>,
        path: &Py<PyAny>,
        directories: &Py<PyList>,
        others: &Py<PyList>,
        fd: i32,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if self.shows_descriptors {
            (path, directories, others, fd).into_pyobject(py)
        } else {
            (path, directories, others).into_pyobject(py)
        }
    }

    /// Continues with the subdirectories in the caller's list.
    fn enter_chosen(
        &mut self,
        py: Python<'_>,
        list: List,
        mut directories: Py<PyList>,
        path: PathBuf,
    ) -> PyResult<()> {
        if !self.reads_lazily {
            let items = directories.bind(py).iter();
            let name_of: Vec<_> =
                items.map(|item| self.name_of(&item, &path)).collect::<PyResult<_>>()?;
            directories = PyList::new(py, name_of)?.unbind();
        }
        self.directories.clear();
        self.enter(py, list)?;
        self.levels.push(Level { path, directories, seen: 0 });
        Ok(())
    }

    /// Chooses the next item of the lists. Returns false at their end.
    fn choose_next(&mut self, py: Python<'_>) -> PyResult<bool> {
        while let Some(level) = self.levels.last_mut() {
            let Ok(item) = level.directories.bind(py).get_item(level.seen) else {
                self.leave_level();
                continue;
            };
            level.seen += 1;
            let path = level.path.clone();
            let name = self.name_of(&item, &path)?;
            let encoded = Encoded::new(&name)?;
            let bytes = encoded.as_bytes();
            if bytes.contains(&b'/') || bytes.contains(&0) || matches!(bytes, b"" | b"." | b"..") {
                // `os.fwalk` opens the item itself, `os.walk` the joined path.
                let is_empty_item = self.shows_descriptors && bytes.is_empty();
                let path =
                    if is_empty_item { PathBuf::new() } else { path.join(encoded.as_os_str()) };
                self.nested = self.nested_walk(&item, &path)?;
                if self.nested.is_none() {
                    continue;
                }
            } else {
                let revised = self.walk.revise([encoded.as_os_str()]);
                revised.map_err(|error| exception_in(py, &error, self.form))?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn leave_level(&mut self) {
        self.levels.pop();
        self.walk.leave();
    }

    /// Returns the name of an item. For types other than `str` and `bytes`, `join` raises CPython's
    /// error.
    fn name_of<'py>(&self, item: &Bound<'py, PyAny>, path: &Path) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = fspath(item, "walk") {
            if Form::of(&name) == self.form {
                return Ok(name);
            }
        }
        let py = item.py();
        let path = self.form.wrap_path(py, path)?;
        py.import("posixpath")?.call_method1("join", (path, item))
    }

    fn nested_walk(
        &self,
        item: &Bound<'_, PyAny>,
        path: &Path,
    ) -> PyResult<Option<Py<Directories>>> {
        let py = item.py();
        if is_link(py, path) == Some(true) {
            return Ok(None);
        }
        let onerror = self.onerror.as_ref().map(|onerror| onerror.clone_ref(py));
        let path = self.form.wrap_path(py, path)?;
        let mut nested =
            Directories::new(&path, true, onerror, self.shows_descriptors, self.reads_lazily)?;
        nested.0.get_mut().unwrap_or_else(PoisonError::into_inner).item =
            Some(item.clone().unbind());
        Py::new(py, nested).map(Some)
    }

    fn enter(&mut self, py: Python<'_>, list: List) -> PyResult<()> {
        let State { walk, directories, .. } = self;
        let entered = py.detach(|| walk.enter(list, directories.iter().map(OsStr::from_bytes)));
        entered.map_err(|error| exception_in(py, &error, self.form))
    }

    fn next_of_nested<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let found = match &self.nested {
            Some(nested) => nested.get().__next__(py)?,
            None => None,
        };
        if found.is_none() {
            self.nested = None;
        }
        Ok(found)
    }

    fn report(&self, py: Python<'_>, error: &Error, is_top: bool) -> PyResult<()> {
        let Some(onerror) = &self.onerror else { return Ok(()) };
        let exception = match (&self.item, error.path().file_name()) {
            // `os.fwalk` opens the item by name alone, so the error has only the name.
            (Some(item), _) if self.shows_descriptors && is_top => {
                exception(py, error, item.bind(py))
            }
            (_, Some(name)) if self.shows_descriptors && !is_top => {
                exception(py, error, &self.form.wrap(py, name.as_bytes())?)
            }
            _ => exception_in(py, error, self.form),
        };
        onerror.bind(py).call1((exception.into_value(py),)).map(drop)
    }
}

fn is_link(py: Python<'_>, path: &Path) -> Option<bool> {
    let metadata = py.detach(|| curt::list::stat(path, Fields::KIND));
    metadata.ok().map(|metadata| metadata.kind().is_symlink())
}

/// Lists a directory. Symlinks to directories count as subdirectories.
fn list(
    directory: curt::list::Directory,
    directories: &mut NameBlock<u8>,
    files: &mut NameBlock<u8>,
    signals: &Signals,
    rewinds: bool,
) -> Listed {
    directories.clear();
    files.clear();
    let path = directory.path().to_owned();
    let mut list = directory.list(Plan::new(Fields::KIND).follow(Follow::Links));
    let (mut count, mut next) = (0_u32, Next::Continue);
    let mut error = loop {
        let more = list.visit_batch(|name, entry| {
            let names = if entry.kind().is_dir() { &mut *directories } else { &mut *files };
            names.push(name.units());
            count = count.wrapping_add(1);
            if count % 1024 == 0 {
                next = signals.check();
            }
            next
        });
        if next != Next::Continue || !matches!(more, Ok(true)) {
            break more.err();
        }
    };
    if rewinds && error.is_none() {
        // The caller may list by the descriptor, which shares its position with this listing.
        error = list.reset().err();
    }
    Listed { list, path, error }
}
