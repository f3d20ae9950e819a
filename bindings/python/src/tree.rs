//! `os.walk` and `os.fwalk`: a directory at a time.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

use curt::fields::Follow;
use curt::list::{Descent, List};
use curt::{Error, Fields, Next, Plan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::error::{exception, exception_in, number, system};
use crate::open::{Names, is_open};
use crate::path::{Encoded, Form, PathArg, audit, fspath};
use crate::signals::Signals;

/// Iterates over the directories of a tree, as `os.walk` and `os.fwalk` do.
#[pyclass(frozen, module = "curt._curt")]
pub(crate) struct Directories(Mutex<Walk>);

struct Walk {
    descent: Descent,
    top: Option<PathBuf>,
    /// The operand as it was passed: the first path that is yielded.
    operand: Py<PyAny>,
    form: Form,
    topdown: bool,
    shows_descriptors: bool,
    onerror: Option<Py<PyAny>>,
    /// From the top down: the directory that was yielded, whose list of subdirectories the caller
    /// may have changed.
    yielded: Option<(List, Py<PyList>, PathBuf)>,
    /// Whether changes of a list count until its last subdirectory was walked, as in old versions of
    /// CPython; and the lists of the directories on the way.
    heeds_late: bool,
    lists: Vec<Chosen>,
    /// From the bottom up: directories whose contents are on the way, and the one that was yielded,
    /// with its descriptor.
    waiting: Vec<Waiting>,
    /// Those whose contents were yielded, in order.
    done: VecDeque<Waiting>,
    left: Option<OwnedFd>,
    is_at_end: bool,
    /// The names of the directory that is listed, in one place for all.
    directories: Names,
    files: Names,
    /// Subdirectories that the caller added by a path and not by a name: CPython walks them.
    others: Vec<Py<PyAny>>,
    /// Whether this is the walk of such a subdirectory.
    is_other: bool,
}

/// An item of a list of subdirectories, and its bytes if it is a name and not a path.
type Item = (Py<PyAny>, Option<Vec<u8>>);

/// The list of a directory whose subdirectories are on the way.
struct Chosen {
    path: PathBuf,
    directories: Py<PyList>,
    /// What the list has held, and how much of that was walked.
    items: Vec<Item>,
    next: usize,
}

struct Waiting {
    path: PathBuf,
    shown: Py<PyAny>,
    directories: Py<PyList>,
    others: Py<PyList>,
    descriptor: Option<OwnedFd>,
}

/// A directory that was listed.
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
        heeds_late: bool,
    ) -> PyResult<Directories> {
        let operand = PathArg::new(top, "walk")?;
        Ok(Directories(Mutex::new(Walk {
            descent: Descent::new().revisable(heeds_late && topdown),
            top: Some(operand.as_path().to_owned()),
            operand: operand.object.clone().unbind(),
            form: operand.form,
            topdown,
            shows_descriptors,
            onerror,
            yielded: None,
            heeds_late: heeds_late && topdown,
            lists: Vec::new(),
            waiting: Vec::new(),
            done: VecDeque::new(),
            left: None,
            is_at_end: false,
            directories: Names::default(),
            files: Names::default(),
            others: Vec::new(),
            is_other: false,
        })))
    }

    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        // Never waits: a callback of this walk, or another thread, may have it.
        let mut walk = match self.0.try_lock() {
            Ok(walk) => walk,
            Err(TryLockError::Poisoned(walk)) => walk.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyValueError::new_err("walk is already running"));
            }
        };
        walk.next(py)
    }

    /// The caller's function may hold the walk, so that only the collector finds both.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(walk) = self.0.try_lock() else { return Ok(()) };
        visit.call(&walk.onerror)?;
        walk.others.iter().try_for_each(|other| visit.call(other))
    }

    fn __clear__(&self) {
        if let Ok(mut walk) = self.0.try_lock() {
            walk.onerror = None;
            walk.end();
        }
    }

    /// Closes what is open. The walk is at its end.
    fn close(&self) {
        if let Ok(mut walk) = self.0.try_lock() {
            walk.end();
        }
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        let _ = self.give_up_closed();
    }
}

impl Walk {
    /// Forgets a descriptor that the caller has closed, which may only be looked at: another file
    /// may get its number at any time. Only then there is an error, and the walk is at its end.
    fn give_up_closed(&mut self) -> io::Result<()> {
        if !self.shows_descriptors {
            return Ok(());
        }
        let closed = |fd: BorrowedFd<'_>| !is_open(fd);
        let list = self.yielded.take_if(|(list, ..)| closed(list.as_fd()));
        let left = self.left.take_if(|left| closed(left.as_fd()));
        if list.is_none() && left.is_none() {
            return Ok(());
        }
        std::mem::forget((list, left));
        self.end();
        Err(io::Error::from_raw_os_error(libc::EBADF))
    }

    fn end(&mut self) {
        let _ = self.give_up_closed();
        self.descent = Descent::new();
        self.yielded = None;
        self.lists.clear();
        self.waiting.clear();
        self.done.clear();
        self.others.clear();
        self.left = None;
        self.top = None;
        self.is_at_end = true;
    }

    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.give_up_closed().map_err(|error| system(self.operand.bind(py), &error))?;
        self.left = None;
        if let Some((list, directories, path)) = self.yielded.take() {
            self.enter_chosen(py, list, directories.bind(py), &path)?;
        }
        while !self.is_at_end {
            self.heed_late_changes(py)?;
            if let Some(other) = self.next_of_others(py)? {
                return Ok(Some(other));
            }
            if let Some(done) = self.done.pop_front() {
                return self.leave(py, done).map(Some);
            }
            let first = self.top.take();
            let is_first = first.is_some();
            let signals = Signals::default();
            let shows_descriptors = self.shows_descriptors;
            let Walk { descent, directories, files, .. } = self;
            let listed = py.detach(|| {
                let opened = match first {
                    Some(top) => Some(descent.open(top)),
                    None => descent.next(),
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
            self.note_walked(listed.as_ref().map_or_else(Error::path, |listed| &listed.path));
            // A link that is not followed is no error. The top is followed. A relative path is
            // broken after the caller has changed the working directory: probably it was a link.
            if let Err(error) = &listed {
                if !is_first && is_no_directory(error) && is_link(py, error.path()) != Some(false) {
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
                // `os.fwalk` raises what it finds at the beginning, unless that is no directory.
                Err(error) if is_first && self.shows_descriptors && !self.is_other => {
                    self.is_at_end = true;
                    if number(&error) == libc::ENOTDIR && is_link(py, error.path()).is_some() {
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
            let directories = self.directories.to_list(py, self.form)?.unbind();
            let others = self.files.to_list(py, self.form)?.unbind();
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
            Some(done) => self.leave(py, done).map(Some),
            None => Ok(None),
        }
    }

    /// Raises the audit event of `os.scandir`, which CPython calls for each directory.
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

    fn leave<'py>(&mut self, py: Python<'py>, done: Waiting) -> PyResult<Bound<'py, PyTuple>> {
        let fd = done.descriptor.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        self.left = done.descriptor;
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

    /// Enters the subdirectories that are in the list after the caller has seen it.
    fn enter_chosen(
        &mut self,
        py: Python<'_>,
        list: List,
        directories: &Bound<'_, PyList>,
        path: &Path,
    ) -> PyResult<()> {
        let items = self.choose(py, directories.iter(), path)?;
        if self.heeds_late {
            let (directories, path) = (directories.clone().unbind(), path.to_owned());
            self.lists.push(Chosen { path, directories, items, next: 0 });
        }
        self.enter(py, list)
    }

    /// Notes which subdirectories of a directory are to be walked: names in `directories`, and paths
    /// in `others`.
    fn choose<'py>(
        &mut self,
        py: Python<'py>,
        chosen: impl Iterator<Item = Bound<'py, PyAny>>,
        path: &Path,
    ) -> PyResult<Vec<Item>> {
        self.directories.clear();
        let mut items = Vec::new();
        for item in chosen {
            let name = self.named(&item, path)?;
            let encoded = Encoded::new(&name)?;
            let bytes = encoded.as_bytes();
            let is_path =
                bytes.contains(&b'/') || bytes.contains(&0) || matches!(bytes, b"" | b"." | b"..");
            if is_path {
                self.add_other(py, &path.join(encoded.as_os_str()))?;
            } else {
                self.directories.push(bytes);
            }
            if self.heeds_late {
                items.push((item.unbind(), (!is_path).then(|| bytes.to_vec())));
            }
        }
        Ok(items)
    }

    /// Returns an item of a list of subdirectories, as text or bytes. What the path cannot be joined
    /// with is the error of CPython.
    fn named<'py>(&self, item: &Bound<'py, PyAny>, path: &Path) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = fspath(item, "walk") {
            if Form::of(&name) == self.form {
                return Ok(name);
            }
        }
        let py = item.py();
        let path = self.form.wrap_path(py, path)?;
        py.import("posixpath")?.call_method1("join", (path, item))
    }

    fn add_other(&mut self, py: Python<'_>, path: &Path) -> PyResult<()> {
        if is_link(py, path) == Some(true) {
            return Ok(());
        }
        let onerror = self.onerror.as_ref().map(|onerror| onerror.clone_ref(py));
        let path = self.form.wrap_path(py, path)?;
        let mut other =
            Directories::new(&path, true, onerror, self.shows_descriptors, self.heeds_late)?;
        other.0.get_mut().unwrap_or_else(PoisonError::into_inner).is_other = true;
        self.others.push(Py::new(py, other)?.into_any());
        Ok(())
    }

    /// Looks whether the caller has changed a list since its directory was entered. Only the next
    /// item of the innermost list counts now.
    fn heed_late_changes(&mut self, py: Python<'_>) -> PyResult<()> {
        while let Some(mut last) = self.lists.pop() {
            let directories = last.directories.bind(py);
            // Paths are walked before the others.
            let is_path =
                |item: Option<&(_, Option<Vec<u8>>)>| item.is_some_and(|(_, name)| name.is_none());
            while is_path(last.items.get(last.next)) {
                last.next += 1;
            }
            let (known, now) = (last.items.get(last.next), directories.get_item(last.next).ok());
            let is_same = match (known, &now) {
                (Some((known, _)), Some(now)) => known.is(now),
                (None, None) => true,
                _ => false,
            };
            if !is_same {
                last.items.truncate(last.next);
                let rest = directories.iter().skip(last.next);
                last.items.extend(self.choose(py, rest, &last.path)?);
                let Walk { descent, directories, .. } = self;
                let revised =
                    py.detach(|| descent.revise(directories.iter().map(OsStr::from_bytes)));
                revised.map_err(|error| exception_in(py, &error, self.form))?;
            }
            if now.is_some() {
                self.lists.push(last);
                break;
            }
            self.descent.leave();
        }
        Ok(())
    }

    /// Notes that a subdirectory of this path was opened, or could not be.
    fn note_walked(&mut self, path: &Path) {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        while self.lists.last().is_some_and(|last| last.path != parent) {
            self.lists.pop();
        }
        if let Some(last) = self.lists.last_mut() {
            let is_name =
                |(_, known): &(_, Option<Vec<u8>>)| known.as_deref() == Some(name.as_bytes());
            let at = last.items[last.next..].iter().position(is_name);
            last.next += at.map_or(0, |at| at + 1);
        }
    }

    /// Enters the subdirectories whose names are in `directories`.
    fn enter(&mut self, py: Python<'_>, list: List) -> PyResult<()> {
        let Walk { descent, directories, .. } = self;
        let entered = py.detach(|| descent.enter(list, directories.iter().map(OsStr::from_bytes)));
        entered.map_err(|error| exception_in(py, &error, self.form))
    }

    fn next_of_others<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        while let Some(other) = self.others.first() {
            let next = other.bind(py).try_iter()?.next();
            match next {
                Some(found) => return Ok(Some(found?.cast_into::<PyTuple>()?)),
                None => drop(self.others.remove(0)),
            }
        }
        Ok(None)
    }

    /// Passes an error to the caller's function.
    fn report(&self, py: Python<'_>, error: &Error, is_top: bool) -> PyResult<()> {
        let Some(onerror) = &self.onerror else { return Ok(()) };
        let exception = match error.path().file_name() {
            // As `os.fwalk`, which opens it by its name alone.
            Some(name) if self.shows_descriptors && !is_top => {
                exception(py, error, &self.form.wrap(py, name.as_bytes())?)
            }
            _ => exception_in(py, error, self.form),
        };
        onerror.bind(py).call1((exception.into_value(py),)).map(drop)
    }
}

/// Whether what was opened is no directory, but perhaps a link.
fn is_no_directory(error: &Error) -> bool {
    matches!(number(error), libc::ENOTDIR | libc::ELOOP)
}

/// Whether there is a link at a path; `None` if there is nothing.
fn is_link(py: Python<'_>, path: &Path) -> Option<bool> {
    let metadata = py.detach(|| curt::list::stat(path, Fields::KIND));
    metadata.ok().map(|metadata| metadata.is_symlink())
}

/// Lists a directory: what is a directory or leads to one, and the rest.
fn list(
    directory: curt::list::Directory,
    directories: &mut Names,
    files: &mut Names,
    signals: &Signals,
    rewinds: bool,
) -> Listed {
    directories.clear();
    files.clear();
    let path = directory.path().to_owned();
    let mut list = directory.list(Plan::new(Fields::KIND).follow(Follow::Links));
    let mut count = 0_u32;
    let visited = list.visit(|entry| {
        let names = if entry.kind().is_dir() { &mut *directories } else { &mut *files };
        names.push(entry.name().as_bytes());
        count = count.wrapping_add(1);
        if count % 1024 == 0 { signals.look() } else { Next::Continue }
    });
    let mut error = visited.err();
    if rewinds && error.is_none() {
        // The caller may list it by its descriptor, which has one position with this one.
        error = list.reset().err();
    }
    Listed { list, path, error }
}
