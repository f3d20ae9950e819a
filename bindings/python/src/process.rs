//! Starting programs for `subprocess.Popen`, which waits for them itself.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::OnceLock;

use curt::os::unix::{CommandExtras, SpawnBorrowed};
use curt::process::StartFailure;
use curt::which::{FindCause, Policy};
use curt::{Cause, Command, Error, Search};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::open::is_open;
use crate::path::strerror;

/// The longest name of a file, and the longest path.
const NAME_MAX: usize = 255;
const PATH_MAX: usize = 4096;

/// Whether curt starts programs without a copy of this process, which takes the longer the larger
/// it is. CPython needs none either (`vfork`), so it starts them where curt would make one: on old
/// kernels, and where a container forbids the call.
#[pyfunction]
pub(crate) fn starts_without_copy() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        // SAFETY: the kernel refuses arguments of this size, and does not read them.
        let answer = unsafe { libc::syscall(libc::SYS_clone3, ptr::null::<u8>(), 0_usize) };
        answer == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EINVAL)
    })
}

/// Starts a program, and returns its process number; `None` if CPython has to do it, or to say why
/// it cannot.
///
/// A program without a `/` is looked up in `search`, whose entries are absolute; `is_whole` says
/// that the search path has no others. `descriptors` are pairs of a descriptor and its number in
/// the program. Without `variables` the environment is copied, for which the caller must hold the
/// GIL: free-threaded builds of Python have to pass them.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python has named them; this is their order")]
pub(crate) fn start<'py>(
    py: Python<'py>,
    executable: &Bound<'py, PyAny>,
    program: &Bound<'py, PyBytes>,
    arguments: Vec<Bound<'py, PyBytes>>,
    search: &Bound<'py, PyBytes>,
    is_whole: bool,
    variables: Option<Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>>,
    cwd: Option<&Bound<'py, PyAny>>,
    directory: Option<&Bound<'py, PyBytes>>,
    descriptors: Vec<(RawFd, RawFd)>,
    close_others: bool,
    restore_signals: bool,
    new_session: bool,
    process_group: Option<i32>,
    umask: Option<u32>,
) -> PyResult<Option<u32>> {
    let Some((zeroth, arguments)) = arguments.split_first() else { return Ok(None) };
    let (name, search) = (program.as_bytes(), search.as_bytes());
    let mut command = Command::new(text(name));
    command.arg0(text(zeroth.as_bytes()));
    command.args(arguments.iter().map(|argument| text(argument.as_bytes())));
    // The rules of CPython: every failure leads to the next directory.
    command.search(Search::new().policy(Policy::posix_sh()).path(text(search)));
    if let Some(directory) = directory {
        command.current_dir(text(directory.as_bytes()));
    }
    command.close_others(close_others).new_session(new_session);
    // Those that CPython ignores itself.
    command.default_signals(if restore_signals { &[libc::SIGPIPE, libc::SIGXFSZ] } else { &[] });
    if let Some(group) = process_group {
        command.process_group(group);
    }
    if let Some(umask) = umask {
        command.umask(umask);
    }
    if descriptors.iter().any(|&(from, to)| from < 0 || to < 0) {
        return Ok(None);
    }
    let lent: Vec<(BorrowedFd<'_>, RawFd)> = descriptors
        .iter()
        .map(|&(from, to)| {
            // SAFETY: not -1. Python's descriptors are numbers that the program keeps open, as
            // `subprocess` asks of it; one that is closed fails in the child.
            (unsafe { BorrowedFd::borrow_raw(from) }, to)
        })
        .collect();
    // A copy in any case: without the GIL another thread may change the environment.
    let variables: Vec<(Cow<'_, OsStr>, Cow<'_, OsStr>)> = match &variables {
        Some(given) => given
            .iter()
            .map(|(name, value)| (text(name.as_bytes()).into(), text(value.as_bytes()).into()))
            .collect(),
        None => std::env::vars_os().map(|(name, value)| (name.into(), value.into())).collect(),
    };
    let error = match py.detach(|| command.spawn_borrowed(&lent, Some(&variables))) {
        Ok(id) => return Ok(Some(id)),
        Err(error) => error,
    };
    let is_path = name.contains(&b'/');
    let is_text = executable.is_instance_of::<PyString>() || executable.is_instance_of::<PyBytes>();
    let (number, filename) = match error.cause() {
        Cause::Start(StartFailure::Directory, _) => (error.raw_os_error(), cwd),
        // For a path object, versions of CPython differ in the type of `filename`.
        Cause::Start(why, _) if is_path && is_text && is_of_program(why) => {
            (error.raw_os_error(), Some(executable))
        }
        // CPython takes the steps before that first, and reports what fails there.
        Cause::Find(_)
            if is_whole
                && is_text
                && cwd.is_none()
                && process_group.is_none()
                && lent.iter().all(|(fd, _)| is_open(*fd)) =>
        {
            (not_found(&error, name, search), Some(executable))
        }
        _ => (None, None),
    };
    let (Some(number), Some(filename)) = (number, filename) else { return Ok(None) };
    Err(PyOSError::new_err((number, strerror(py, number)?.unbind(), filename.clone().unbind())))
}

fn text(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// Whether it is the program that cannot be executed, and not a step before it that failed.
fn is_of_program(why: &StartFailure) -> bool {
    matches!(
        why,
        StartFailure::ProgramMissing
            | StartFailure::InterpreterMissing { .. }
            | StartFailure::NotExecutable
            | StartFailure::BadFormat
            | StartFailure::TextBusy
    )
}

/// The number of the error of a program that no directory has. CPython reports the first that is
/// neither `ENOENT` nor `ENOTDIR`, or else the last; `None` if it may be another one than the last.
fn not_found(error: &Error, name: &[u8], search: &[u8]) -> Option<i32> {
    let Cause::Find(why) = error.cause() else { return None };
    let is_plain = matches!(why.cause(), FindCause::NotFound)
        && why.path().is_none()
        && why.unsearchable().is_empty();
    let is_long = |entry: &[u8]| {
        entry.len() + name.len() + 1 >= PATH_MAX
            || entry.split(|&byte| byte == b'/').any(|name| name.len() > NAME_MAX)
    };
    let mut entries = search.split(|&byte| byte == b':');
    if !is_plain || name.len() > NAME_MAX || entries.clone().any(is_long) {
        return None;
    }
    let last = [entries.next_back()?, b"/", name].concat();
    let asked = curt::list::stat(std::path::Path::new(text(&last)), curt::Fields::KIND);
    asked.err()?.raw_os_error()
}
