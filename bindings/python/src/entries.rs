//! `os.listdir` and `os.scandir`.

use std::ffi::CString;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use curt::{Error, Kind, Metadata};
use pyo3::exceptions::{PyFileNotFoundError, PyResourceWarning};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyGenericAlias, PyList, PyString, PyTuple, PyType};

use crate::error::{exception, system};
use crate::open::{Entries, Open, duplicate};
use crate::path::{Encoded, Form, PathArg, audit, descriptor, is_foreign, join};
use crate::root::Root;
use crate::stat::{is_broken_symlink, plan, result};
use crate::text::original;

enum Target<'py> {
    Path(PathArg<'py>),
    Descriptor(i32),
}

impl<'py> Target<'py> {
    fn new(
        path: Option<&Bound<'py, PyAny>>,
        py: Python<'py>,
        function: &str,
    ) -> PyResult<Target<'py>> {
        let Some(path) = path else {
            return Ok(Target::Path(PathArg::new(PyString::new(py, ".").as_any(), function)?));
        };
        if let Some(fd) = descriptor(path)? {
            return Ok(Target::Descriptor(fd));
        }
        PathArg::new(path, function).map(Target::Path)
    }

    fn open(&self, py: Python<'py>) -> PyResult<Box<Open>> {
        match self {
            Target::Path(path) => {
                let std_path = path.as_path();
                let opened = py.detach(|| Open::path(std_path));
                opened.map_err(|error| exception(py, &error, &path.object))
            }
            Target::Descriptor(fd) => {
                let duplicated = py.detach(|| duplicate(*fd));
                let duplicated = duplicated.map_err(|error| system(py.None().bind(py), &error))?;
                let opened = py.detach(|| Open::descriptor(duplicated));
                opened.map_err(|error| self.failed(py, &error))
            }
        }
    }

    fn form(&self) -> Form {
        match self {
            Target::Path(path) => path.form,
            Target::Descriptor(_) => Form::Text,
        }
    }

    fn object(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Target::Path(path) => Ok(path.object.clone()),
            Target::Descriptor(fd) => Ok(fd.into_pyobject(py)?.into_any()),
        }
    }

    fn failed(&self, py: Python<'py>, error: &Error) -> PyErr {
        match self.object(py) {
            Ok(object) => exception(py, error, &object),
            Err(error) => error,
        }
    }
}

/// Lists the names of a directory.
#[pyfunction]
#[pyo3(signature = (path=None))]
pub(crate) fn listdir<'py>(
    py: Python<'py>,
    path: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    if let Some(path) = path.filter(|path| is_foreign(path)) {
        return Ok(original(py, "listdir")?.call1((path,))?.cast_into()?);
    }
    let target = Target::new(path, py, "listdir")?;
    audit(py, "os.listdir", path)?;
    let mut open = target.open(py)?;
    let names = PyList::empty(py);
    let form = target.form();
    let mut entries = Entries::default();
    let listed = loop {
        let read = py.detach(|| open.read(&mut entries));
        for name in entries.names.iter() {
            names.append(form.wrap(py, name)?)?;
        }
        match read {
            Err(error) => break Err(target.failed(py, &error)),
            Ok(()) if !entries.is_full() => break Ok(names),
            Ok(()) => py.check_signals()?,
        }
    };
    let is_descriptor = matches!(target, Target::Descriptor(_));
    py.detach(|| {
        if is_descriptor {
            open.rewind();
        }
        drop(open);
    });
    listed
}

/// Lists a directory entry by entry.
#[pyfunction]
#[pyo3(signature = (path=None))]
pub(crate) fn scandir<'py>(
    py: Python<'py>,
    path: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(path) = path.filter(|path| is_foreign(path)) {
        return original(py, "scandir")?.call1((path,));
    }
    let target = Target::new(path, py, "scandir")?;
    audit(py, "os.scandir", path)?;
    let open = target.open(py)?;
    let (path, fd) = match &target {
        Target::Path(path) => (path.as_bytes().to_vec(), None),
        Target::Descriptor(fd) => (Vec::new(), Some(*fd)),
    };
    let directory = Directory {
        object: target.object(py)?.unbind(),
        path,
        form: target.form(),
        fd,
        root: None,
        open: Mutex::new(Some(open)),
        is_closed: AtomicBool::new(false),
    };
    Ok(Bound::new(py, ScandirIterator::of(directory))?.into_any())
}

pub(crate) struct Directory {
    object: Py<PyAny>,
    path: Vec<u8>,
    form: Form,
    fd: Option<i32>,
    /// The root to query beneath, if any. The caller may close it at any time.
    root: Option<Py<Root>>,
    /// The open directory, until the iterator ends; entries then query by path. Only `read` may
    /// wait for the lock: if another thread held it during a fork, the child lacks that thread, and
    /// the lock is never released.
    open: Mutex<Option<Box<Open>>>,
    /// Whether `close` was called. Whoever holds the lock at that time then closes the directory.
    is_closed: AtomicBool,
}

impl Directory {
    pub(crate) fn beneath(path: &PathArg<'_>, open: Box<Open>, root: Py<Root>) -> Directory {
        Directory {
            object: path.object.clone().unbind(),
            path: path.as_bytes().to_vec(),
            form: path.form,
            fd: None,
            root: Some(root),
            open: Mutex::new(Some(open)),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Waits for the lock. Must be called without the GIL: the lock's holder may wait for the GIL.
    fn lock(&self) -> MutexGuard<'_, Option<Box<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, into: &mut Entries) -> Result<(), Error> {
        let read = match self.lock().as_mut() {
            Some(open) => open.read(into),
            None => {
                into.clear();
                Ok(())
            }
        };
        self.close_if_due();
        read
    }

    /// Returns `None` if the directory is closed or another thread holds the lock.
    fn stat(&self, name: &Path, follow: bool) -> Option<Result<Metadata, Error>> {
        let stat = self.open.try_lock().ok()?.as_mut().map(|open| open.stat(name, follow));
        self.close_if_due();
        stat
    }

    fn close(&self) -> bool {
        let was_closed = self.is_closed.swap(true, Ordering::SeqCst);
        self.close_if_due();
        !was_closed
    }

    fn close_if_due(&self) {
        if !self.is_closed.load(Ordering::SeqCst) {
            return;
        }
        let Ok(mut open) = self.open.try_lock() else { return };
        if let (Some(open), true) = (open.as_mut(), self.fd.is_some()) {
            open.rewind();
        }
        *open = None;
    }
}

/// Iterates over the entries of a directory.
#[pyclass(frozen, module = "curt_fs")]
pub(crate) struct ScandirIterator {
    directory: Arc<Directory>,
    batch: Mutex<Batch>,
}

#[derive(Default)]
struct Batch {
    entries: Entries,
    next: usize,
    error: Option<Error>,
    is_at_end: bool,
}

impl ScandirIterator {
    pub(crate) fn of(directory: Directory) -> ScandirIterator {
        ScandirIterator { directory: Arc::new(directory), batch: Mutex::default() }
    }
}

#[pymethods]
impl ScandirIterator {
    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<DirEntry>> {
        if self.directory.is_closed.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let mut batch = self.batch.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Batch { entries, next, error, is_at_end } = &mut *batch;
        if *next >= entries.len() {
            *next = 0;
            if *is_at_end {
                entries.clear();
            } else {
                *error = py.detach(|| self.directory.read(entries)).err();
                *is_at_end = !entries.is_full();
            }
            if entries.len() == 0 {
                let error = error.take();
                drop(batch);
                py.detach(|| self.directory.close());
                return match error {
                    Some(error) => Err(exception(py, &error, self.directory.object.bind(py))),
                    None => Ok(None),
                };
            }
        }
        let Some((name, listed)) = entries.get(*next) else { return Ok(None) };
        *next += 1;
        Ok(Some(DirEntry {
            name: self.directory.form.wrap(py, name)?.unbind(),
            kind: listed.kind,
            inode: listed.inode,
            directory: Arc::clone(&self.directory),
            path: OnceLock::new(),
            stats: [OnceLock::new(), OnceLock::new()],
        }))
    }

    /// Closes the directory.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.directory.close());
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyTuple>) {
        self.close(py);
    }
}

impl Drop for ScandirIterator {
    fn drop(&mut self) {
        if !self.directory.close() {
            return;
        }
        // Warn as CPython's iterator does, and restore an exception in flight.
        let _ = Python::try_attach(|py| {
            let raised = PyErr::take(py);
            let path = self.directory.object.bind(py).repr();
            let message = path.and_then(|path| {
                let message = format!("unclosed scandir iterator {}", path.to_str()?);
                Ok(CString::new(message)?)
            });
            let class = py.get_type::<PyResourceWarning>();
            let warned = message.and_then(|message| PyErr::warn(py, class.as_any(), &message, 1));
            if let Err(error) = warned {
                error.write_unraisable(py, None);
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}

struct Truth(bool);

impl<'a, 'py> FromPyObject<'a, 'py> for Truth {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Truth> {
        object.is_truthy().map(Truth)
    }
}

/// An entry of a directory.
#[pyclass(frozen, module = "curt_fs")]
pub(crate) struct DirEntry {
    /// The entry's base filename.
    #[pyo3(get)]
    name: Py<PyAny>,
    kind: Kind,
    inode: u64,
    directory: Arc<Directory>,
    path: OnceLock<Py<PyAny>>,
    /// The cached metadata of the entry itself, and of a symlink's target.
    stats: [OnceLock<Py<PyAny>>; 2],
}

#[pymethods]
impl DirEntry {
    /// The entry's full path name.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(path) = self.path.get() {
            return Ok(path.bind(py).clone());
        }
        let path = join(&self.directory.path, self.encoded(py)?.as_bytes());
        let path = self.directory.form.wrap(py, &path)?.unbind();
        Ok(self.path.get_or_init(|| path).bind(py).clone())
    }

    /// Returns the inode number from the listing.
    fn inode(&self) -> u64 {
        self.inode
    }

    /// Returns whether the entry is a directory or a symlink to a directory.
    #[pyo3(signature = (*, follow_symlinks=Truth(true)), text_signature = "($self, *, follow_symlinks=True)")]
    fn is_dir(&self, py: Python<'_>, follow_symlinks: Truth) -> PyResult<bool> {
        self.is_kind(py, Kind::Directory, follow_symlinks.0)
    }

    /// Returns whether the entry is a regular file or a symlink to a regular file.
    #[pyo3(signature = (*, follow_symlinks=Truth(true)), text_signature = "($self, *, follow_symlinks=True)")]
    fn is_file(&self, py: Python<'_>, follow_symlinks: Truth) -> PyResult<bool> {
        self.is_kind(py, Kind::File, follow_symlinks.0)
    }

    /// Returns whether the entry is a symlink.
    fn is_symlink(&self, py: Python<'_>) -> PyResult<bool> {
        self.is_kind(py, Kind::Symlink, false)
    }

    /// Returns false: only Windows has junctions.
    fn is_junction(&self) -> bool {
        false
    }

    /// Returns the metadata, which is queried once.
    #[pyo3(signature = (*, follow_symlinks=Truth(true)), text_signature = "($self, *, follow_symlinks=True)")]
    fn stat<'py>(&self, py: Python<'py>, follow_symlinks: Truth) -> PyResult<Bound<'py, PyAny>> {
        self.cached_stat(py, follow_symlinks.0)
    }

    fn __fspath__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.path(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<DirEntry {}>", self.name.bind(py).repr()?.to_str()?))
    }

    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        PyGenericAlias::new(class.py(), class, item).map(Bound::into_any)
    }
}

impl DirEntry {
    fn cached_stat<'py>(
        &self,
        py: Python<'py>,
        follow_symlinks: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let may_be_link = matches!(self.kind, Kind::Symlink | Kind::Unknown);
        let cell = &self.stats[usize::from(follow_symlinks && may_be_link)];
        if let Some(stat) = cell.get() {
            return Ok(stat.bind(py).clone());
        }
        let stat = self.query(py, follow_symlinks)?.unbind();
        Ok(cell.get_or_init(|| stat).bind(py).clone())
    }

    fn encoded<'py>(&self, py: Python<'py>) -> PyResult<Encoded<'py>> {
        Encoded::new(self.name.bind(py))
    }

    fn is_kind(&self, py: Python<'_>, kind: Kind, follow: bool) -> PyResult<bool> {
        let must_query = self.kind == Kind::Unknown || (follow && self.kind == Kind::Symlink);
        if !must_query {
            return Ok(self.kind == kind);
        }
        let stat = match self.cached_stat(py, follow) {
            Ok(stat) => stat,
            Err(error) if error.is_instance_of::<PyFileNotFoundError>(py) => return Ok(false),
            Err(error) => return Err(error),
        };
        let mode: libc::mode_t = stat.getattr("st_mode")?.extract()?;
        Ok(match mode & libc::S_IFMT {
            libc::S_IFDIR => kind == Kind::Directory,
            libc::S_IFREG => kind == Kind::File,
            libc::S_IFLNK => kind == Kind::Symlink,
            _ => false,
        })
    }

    /// Queries relative to the directory, or by path once the directory is closed.
    fn query<'py>(&self, py: Python<'py>, follow: bool) -> PyResult<Bound<'py, PyAny>> {
        if let Some(root) = &self.directory.root {
            return self.query_beneath(py, root, follow);
        }
        let Directory { fd, .. } = *self.directory;
        let encoded = self.encoded(py)?;
        let name = encoded.as_os_str();
        let found = py.detach(|| {
            let stat = self.directory.stat(Path::new(name), follow);
            if stat.is_some() || fd.is_some() {
                return stat;
            }
            let path = join(&self.directory.path, name.as_bytes());
            Some(curt::stat(OsStr::from_bytes(&path), plan(follow)))
        });
        match found {
            Some(Ok(metadata)) if !is_broken_symlink(&metadata, follow) => result(py, &metadata),
            Some(Err(error)) => Err(exception(py, &error, &self.path(py)?)),
            // CPython queries by descriptor, or raises the right error for a broken symlink.
            _ => original(py, "entry_stat")?.call1((self.path(py)?, fd, follow)),
        }
    }

    /// Queries an entry of a listing beneath a root. Only the root follows symlinks safely.
    fn query_beneath<'py>(
        &self,
        py: Python<'py>,
        root: &Py<Root>,
        follow: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let encoded = self.encoded(py)?;
        let name = encoded.as_os_str();
        let follow = follow && matches!(self.kind, Kind::Symlink | Kind::Unknown);
        let stat = || self.directory.stat(Path::new(name), false);
        let opened = if follow { None } else { py.detach(stat) };
        let found = match opened {
            Some(found) => found,
            None => {
                let path = join(&self.directory.path, name.as_bytes());
                let path = Path::new(OsStr::from_bytes(&path));
                root.get().with(py, |root| root.stat(path, plan(follow)))?
            }
        };
        match found {
            Ok(metadata) => result(py, &metadata),
            Err(error) => Err(exception(py, &error, &self.path(py)?)),
        }
    }
}
