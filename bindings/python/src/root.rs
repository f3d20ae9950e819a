//! Untrusted paths beneath a directory.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::fd::{AsFd, AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use curt::beneath::{OpenOptions, Scope};
use curt::list::NameBlock;
use curt::remove::DirectoryOperands;
use curt::{Error, Next, Remove};
use pyo3::exceptions::{PyNotImplementedError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::entries::{Directory, ScandirIterator};
use crate::error::{exception, exception_in, system, with_second};
use crate::open::{Open, duplicate, to_list};
use crate::path::{Form, PathArg, descriptor};
use crate::signals::Signals;
use crate::stat::{plan, result};
use crate::threads::ThreadLimit;

/// An open directory for untrusted paths.
#[pyclass(frozen, subclass, module = "curt_fs._curt")]
pub(crate) struct Root {
    operand: Py<PyAny>,
    /// `None` once closed. Methods hold the lock only to clone the `Arc`, and hold the GIL as well:
    /// while a method works, a signal handler may close the root, and another thread may fork.
    root: RwLock<Option<Arc<curt::Root>>>,
}

#[pymethods]
impl Root {
    #[new]
    #[pyo3(signature = (path, *, in_root=false))]
    fn new(path: &Bound<'_, PyAny>, in_root: bool) -> PyResult<Root> {
        let py = path.py();
        let (root, operand) = if let Some(fd) = descriptor(path)? {
            let fd = py.detach(|| duplicate(fd)).map_err(|error| system(path, &error))?;
            let root = curt::Root::try_from(fd).map_err(|error| exception(py, &error, path))?;
            (root, path.clone())
        } else {
            let path = PathArg::new(path, "Root")?;
            let std_path = path.as_path();
            let opened = py.detach(|| curt::Root::open(std_path));
            (opened.map_err(|error| exception(py, &error, &path.object))?, path.object.clone())
        };
        let root = root.scope(if in_root { Scope::InRoot } else { Scope::Beneath });
        Ok(Root { operand: operand.unbind(), root: RwLock::new(Some(Arc::new(root))) })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let closed = if self.with(py, |_| ()).is_ok() { "" } else { " closed" };
        Ok(format!("<curt_fs.Root {}{closed}>", self.operand.bind(py).repr()?.to_str()?))
    }

    /// Closes the directory.
    fn close(&self, py: Python<'_>) {
        let root = self.root.write().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(root));
    }

    /// Returns the descriptor of the directory.
    fn fileno(&self, py: Python<'_>) -> PyResult<i32> {
        self.with(py, |root| root.as_fd().as_raw_fd())
    }

    /// Opens a file, and returns its descriptor, which the caller closes.
    #[pyo3(signature = (path, flags, mode=0o777))]
    fn open_fd(&self, path: &Bound<'_, PyAny>, flags: i32, mode: i32) -> PyResult<i32> {
        self.open_with(path, &options(flags, mode)?)
    }

    /// Opens a file for the built-in `open`. Does not wait for the other end of a FIFO.
    fn _opener(&self, path: &Bound<'_, PyAny>, flags: i32) -> PyResult<i32> {
        self.open_with(path, options(flags, 0o666)?.nonblocking_open(true))
    }

    /// Returns the metadata.
    #[pyo3(signature = (path, *, follow_symlinks=true))]
    fn stat<'py>(
        &self,
        path: &Bound<'py, PyAny>,
        follow_symlinks: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plan = plan(follow_symlinks);
        result(path.py(), &self.call(path, "stat", |root, path| root.stat(path, plan))?)
    }

    /// Lists the names in a directory.
    #[pyo3(signature = (path=None))]
    fn listdir<'py>(
        &self,
        py: Python<'py>,
        path: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let dot = pyo3::types::PyString::new(py, ".").into_any();
        let path = path.unwrap_or(&dot);
        let signals = Signals::default();
        let names = self.call(path, "listdir", |root, path| {
            let mut list = root.read_dir(path)?.list(curt::Fields::KIND);
            let mut names = NameBlock::default();
            while let Some(entry) = list.next() {
                names.push(entry?.name().as_bytes());
                if names.iter().len() % 1024 == 0 && signals.check() == Next::Stop {
                    break;
                }
            }
            Ok(names)
        })?;
        signals.into_result()?;
        to_list(py, &names, PathArg::new(path, "listdir")?.form)
    }

    /// Lists a directory entry by entry. The entries query beneath the root, too.
    #[pyo3(signature = (path=None))]
    fn scandir(
        this: &Bound<'_, Self>,
        path: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ScandirIterator> {
        let py = this.py();
        let dot = pyo3::types::PyString::new(py, ".").into_any();
        let path = path.unwrap_or(&dot);
        let open = |root: &curt::Root, path: &Path| root.read_dir(path).map(Open::of);
        let opened = this.get().call(path, "scandir", open)?;
        let (path, root) = (PathArg::new(path, "scandir")?, this.clone().unbind());
        Ok(ScandirIterator::of(Directory::beneath(&path, opened, root)))
    }

    /// Creates a directory.
    #[pyo3(signature = (path, mode=0o777))]
    fn mkdir(&self, path: &Bound<'_, PyAny>, mode: i32) -> PyResult<()> {
        self.call(path, "mkdir", |root, path| root.create_dir_with_mode(path, mode as u32))
    }

    /// Removes a file or a symlink.
    fn unlink(&self, path: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(path, "unlink", |root, path| root.remove_file(path))
    }

    /// Removes an empty directory.
    fn rmdir(&self, path: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call(path, "rmdir", |root, path| root.remove_dir(path))
    }

    /// Removes a tree, and raises the first failure. Uses as many threads as make it faster, but at
    /// most `threads`.
    #[pyo3(signature = (path, *, threads=None))]
    fn rmtree(&self, path: &Bound<'_, PyAny>, threads: Option<ThreadLimit>) -> PyResult<()> {
        let py = path.py();
        let path = PathArg::new(path, "rmtree")?;
        let std_path = path.as_path();
        let signals = Signals::default();
        let removal = Remove::new()
            .threads(threads.unwrap_or_default().0)
            .directories(DirectoryOperands::Required)
            .on_error(|_| Next::Stop)
            .poll(|| signals.check());
        let report = self.with(py, |root| root.remove_tree(std_path, &removal))?;
        drop(removal);
        signals.into_result()?;
        report.errors.first().map_or(Ok(()), |error| Err(exception_in(py, error, Form::Text)))
    }

    /// Renames an entry, replacing an existing one.
    fn replace(&self, src: &Bound<'_, PyAny>, dst: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call_pair(src, dst, "replace", |root, from, to| root.rename(from, to))
    }

    /// Renames an entry, unless the new name exists.
    fn rename(&self, src: &Bound<'_, PyAny>, dst: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call_pair(src, dst, "rename", |root, from, to| root.rename_new(from, to))
    }

    /// Makes a hard link. Links a symlink itself, not its target.
    fn link(&self, src: &Bound<'_, PyAny>, dst: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call_pair(src, dst, "link", |root, original, link| root.hard_link(original, link))
    }

    /// Creates a symlink.
    fn symlink(&self, src: &Bound<'_, PyAny>, dst: &Bound<'_, PyAny>) -> PyResult<()> {
        self.call_pair(src, dst, "symlink", |root, target, link| root.symlink(target, link))
    }

    /// Returns the target of a symlink.
    fn readlink<'py>(&self, path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let target = self.call(path, "readlink", |root, path| root.read_link(path))?;
        PathArg::new(path, "readlink")?.form.wrap_path(path.py(), &target)
    }

    /// Changes the permissions.
    #[pyo3(signature = (path, mode, *, follow_symlinks=true))]
    fn chmod(&self, path: &Bound<'_, PyAny>, mode: i32, follow_symlinks: bool) -> PyResult<()> {
        require_following("chmod", follow_symlinks)?;
        let permissions = Permissions::from_mode(mode as u32);
        self.call(path, "chmod", |root, path| root.set_permissions(path, permissions))
    }

    /// Sets the times of last access and modification, from nanoseconds.
    #[pyo3(signature = (path, accessed, modified, follow_symlinks))]
    fn _utime(
        &self,
        path: &Bound<'_, PyAny>,
        accessed: i128,
        modified: i128,
        follow_symlinks: bool,
    ) -> PyResult<()> {
        require_following("utime", follow_symlinks)?;
        let (accessed, modified) = (time(accessed)?, time(modified)?);
        self.call(path, "utime", |root, path| root.set_times(path, Some(accessed), Some(modified)))
    }

    /// Returns the path relative to the root, without symlinks and dots.
    fn realpath<'py>(&self, path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let canonical = self.call(path, "realpath", |root, path| {
            // Like `os.path.realpath`, ignores slashes and dots after the last name.
            let mut name = path.as_os_str().as_bytes();
            while let Some(rest) = name.strip_suffix(b"/").or_else(|| name.strip_suffix(b"/.")) {
                if rest.is_empty() {
                    break;
                }
                name = rest;
            }
            root.canonical(OsStr::from_bytes(name))
        })?;
        PathArg::new(path, "realpath")?.form.wrap_path(path.py(), &canonical.path)
    }
}

impl Root {
    pub(crate) fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&curt::Root) -> T + Send,
    ) -> PyResult<T> {
        let root = self.root.read().unwrap_or_else(PoisonError::into_inner).clone();
        let root = root.ok_or_else(closed)?;
        Ok(py.detach(|| work(&root)))
    }

    fn open_with(&self, path: &Bound<'_, PyAny>, options: &OpenOptions) -> PyResult<i32> {
        self.call(path, "open", |root, path| {
            root.open_file(path, options).map(|file| OwnedFd::from(file).into_raw_fd())
        })
    }

    fn call<T: Send>(
        &self,
        path: &Bound<'_, PyAny>,
        function: &str,
        work: impl FnOnce(&curt::Root, &Path) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let py = path.py();
        let path = PathArg::new(path, function)?;
        let std_path = path.as_path();
        let done = self.with(py, |root| work(root, std_path))?;
        done.map_err(|error| exception(py, &error, &path.object))
    }

    /// Calls a method with two paths. Exceptions have both, as in `os`.
    fn call_pair(
        &self,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        function: &str,
        work: impl FnOnce(&curt::Root, &Path, &Path) -> Result<(), Error> + Send,
    ) -> PyResult<()> {
        let py = src.py();
        let (src, dst) = (PathArg::new(src, function)?, PathArg::new(dst, function)?);
        let (from, to) = (src.as_path(), dst.as_path());
        let done = self.with(py, |root| work(root, from, to))?;
        done.map_err(|error| with_second(&exception(py, &error, &src.object), &dst.object))
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the root is closed")
}

fn require_following(function: &str, follow_symlinks: bool) -> PyResult<()> {
    if follow_symlinks {
        return Ok(());
    }
    let message = format!("{function}: follow_symlinks unavailable on this platform");
    Err(PyNotImplementedError::new_err(message))
}

fn time(nanoseconds: i128) -> PyResult<SystemTime> {
    let length = u64::try_from(nanoseconds.unsigned_abs() / 1_000_000_000).ok();
    let rest = (nanoseconds.unsigned_abs() % 1_000_000_000) as u32;
    let length = length.map(|seconds| Duration::new(seconds, rest));
    let time = length.and_then(|length| match nanoseconds {
        0.. => SystemTime::UNIX_EPOCH.checked_add(length),
        _ => SystemTime::UNIX_EPOCH.checked_sub(length),
    });
    time.ok_or_else(|| PyOverflowError::new_err("timestamp out of range for platform time_t"))
}

fn options(flags: i32, mode: i32) -> PyResult<OpenOptions> {
    let options = OpenOptions::from_flags(flags);
    let mut options = options.map_err(|error| PyValueError::new_err(error.to_string()))?;
    options.mode(mode as u32);
    Ok(options)
}
