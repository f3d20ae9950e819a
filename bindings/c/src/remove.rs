//! Removing trees.
//!
//!     curt_remove_options options = CURT_REMOVE_OPTIONS_INIT;
//!     curt_remove_report report = CURT_REMOVE_REPORT_INIT;
//!     options.flags = CURT_REMOVE_MISSING_OK;
//!     if (curt_remove(CURT_CWD, curt_z("tree"), &options, NULL, &report, NULL) == 0)
//!         printf("%lu files removed\n", (unsigned long)report.files);

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::time::Duration;

use curt::filters::Globs;
use curt::remove::{DirectoryOperands, Report, Totals};
use curt::{Kind, Next, Remove, SameFileSystem};

use crate::control::{Control, curt_control, excludes, next, outcome};
use crate::error::{curt_error, guard};
use crate::guard::{Failure, int};
use crate::structs::{self, Versioned};
use crate::text::{self, curt_str};

/// A file descriptor.
#[cfg(unix)]
pub type curt_fd = c_int;

/// A `HANDLE`.
#[cfg(windows)]
pub type curt_fd = *mut c_void;

/// Defined and documented in `top.h`.
#[cfg(unix)]
const CURT_CWD: curt_fd = -100;
#[cfg(windows)]
const CURT_CWD: curt_fd = std::ptr::null_mut();

/// Accepts a missing path, as `rm -f` does. On Unix also accepts a path through a file (`file/`,
/// `file/x`), and does not remove the file.
pub const CURT_REMOVE_MISSING_OK: u32 = 1;
/// Empties mounts, too. The mount points remain and count as failures.
pub const CURT_REMOVE_CROSS_MOUNTS: u32 = 2;
/// Gives the caller's own directories in the tree `u+rwx` where they refuse a step. Those that
/// remain get back their permissions, unless the process is killed.
pub const CURT_REMOVE_MAKE_WRITABLE: u32 = 4;
/// Uses `retries` and `retry_ms`.
pub const CURT_REMOVE_RETRIES: u32 = 8;

/// Removes directories with everything below them.
pub const CURT_DIRECTORIES_RECURSIVE: u32 = 0;
/// Like `CURT_DIRECTORIES_RECURSIVE`, but refuses anything else, even a link to a directory.
pub const CURT_DIRECTORIES_REQUIRED: u32 = 1;
/// Empties directories without removing them. Refuses anything else.
pub const CURT_DIRECTORIES_CONTENTS: u32 = 2;
/// Removes only empty directories, as `rmdir` does.
pub const CURT_DIRECTORIES_ONLY_EMPTY: u32 = 3;
/// Refuses directories, as `unlink` does.
pub const CURT_DIRECTORIES_REFUSE: u32 = 4;

/// How to remove. By default a missing path fails, mounts are not crossed, and directories are
/// removed recursively.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_remove_options {
    /// Size of this struct.
    pub size: usize,
    /// `CURT_REMOVE_…`.
    pub flags: u32,
    /// One of `CURT_DIRECTORIES_…`, for paths to directories.
    pub directories: u32,
    /// NULL, or a callback that gets the totals every few hundred entries, and at the end unless
    /// the removal was stopped. Any result but 0 stops the removal. With several threads the totals
    /// might repeat or decrease.
    pub on_progress:
        Option<unsafe extern "C" fn(context: *mut c_void, files: u64, directories: u64) -> c_int>,
    /// Passed to `exclude` and `on_progress`.
    pub context: *mut c_void,
    /// NULL, or a callback that is asked for each entry below `path` and keeps it, with its
    /// contents and parents, by any result but 0. `kind` is one of `CURT_KIND_…`.
    pub exclude:
        Option<unsafe extern "C" fn(context: *mut c_void, path: curt_str, kind: u32) -> c_int>,
    /// With `CURT_REMOVE_RETRIES`, how often a directory to which others add entries is emptied
    /// again. By default 100 times.
    pub retries: u32,
    /// With `CURT_REMOVE_RETRIES`, the milliseconds after which that ends. 0 stands for 1000.
    pub retry_ms: u32,
    /// Globs of entries to keep, in addition to those of `exclude`. A glob without a slash matches
    /// names at any depth, one with a slash the path below `path`, and one that ends with a slash
    /// only directories. An invalid glob is `CURT_E_ARGUMENT`.
    pub exclude_globs: *const curt_str,
    /// The number of `exclude_globs`.
    pub exclude_globs_count: usize,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_remove_options {}

/// What a removal has done, even if it failed or was stopped.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_remove_report {
    /// Size of this struct.
    pub size: usize,
    /// Entries removed, except directories.
    pub files: u64,
    /// Directories removed.
    pub directories: u64,
    /// Entries that another process removed or moved after they were listed.
    pub vanished: u64,
    /// Failures.
    pub errors: u64,
    /// System calls made.
    pub calls: u64,
    /// Threads used, including the caller's.
    pub threads: u32,
    /// 1 if `cancel`, `poll` or a callback stopped the removal, else 0.
    pub stopped: u32,
    /// Entries that `exclude` or `exclude_globs` kept.
    pub skipped: u64,
    /// How often a directory got permissions.
    pub made_writable: u64,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_remove_report {}

/// Removes `path`: a file, a directory with everything below it, or a link, never its target.
/// `report` can be NULL. The root directory is refused. With a trailing slash, `path` must be a
/// directory, not a link to one.
///
/// If `dir` is `CURT_CWD`, `path` can be any path. If `dir` is an open directory (`O_PATH`
/// suffices), `path` starts there, as in `unlinkat(2)`: symlinks and `..` can lead out of it, and
/// `path` must not end in `.` or `..`. On Windows `dir` needs `FILE_TRAVERSE` and
/// `FILE_READ_ATTRIBUTES`, and `path` must be a single name.
///
/// Not atomic: continues after a failure. Returns 0 if everything is gone, `CURT_E_STOPPED` if
/// stopped before any failure, or the result of the first failure, which `error` describes;
/// `on_error` gets every failure. Fills in `report`, except after `CURT_E_ARGUMENT` and
/// `CURT_E_INTERNAL`.
///
/// Cost on Linux: 1 call per file, 5 per directory, at most 6 for the path itself, and 2 more with
/// an open `dir`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_remove(
    dir: curt_fd,
    path: curt_str,
    options: *const curt_remove_options,
    control: *const curt_control,
    report: *mut curt_remove_report,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `path` is readable.
        let path = unsafe { path.path() }?;
        let run = |removal: &Remove<'_>| {
            if dir == CURT_CWD {
                return Ok(removal.run(&*path));
            }
            // SAFETY: `dir` remains open during the call.
            unsafe { run_below(removal, dir, &path) }
        };
        // SAFETY: `options`, `control` and `report` are NULL or valid during the call.
        unsafe { remove(options, control, report, run) }
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_remove", error, body) })
}

/// Removes `count` paths as `curt_remove` does with `CURT_CWD`. One thread removes them in order.
/// Several threads divide them, unless one path lies below another: then one thread removes them
/// all. Consecutive paths in the same directory share the call that opens it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_remove_many(
    paths: *const curt_str,
    count: usize,
    options: *const curt_remove_options,
    control: *const curt_control,
    report: *mut curt_remove_report,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `paths` points to `count` readable texts.
        let paths = unsafe { text::paths(paths, count) }?;
        let run = |removal: &Remove<'_>| Ok(removal.run(&paths));
        // SAFETY: `options`, `control` and `report` are NULL or valid during the call.
        unsafe { remove(options, control, report, run) }
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_remove_many", error, body) })
}

/// # Safety
///
/// The pointers, and those in the structs, are NULL or valid until `run` returns.
unsafe fn remove(
    options: *const curt_remove_options,
    control: *const curt_control,
    report: *mut curt_remove_report,
    run: impl FnOnce(&Remove<'_>) -> Result<Report, Failure>,
) -> Result<i32, Failure> {
    // SAFETY: upheld by the caller.
    let control = unsafe { Control::new(control) }?;
    // SAFETY: as above.
    let options = unsafe { structs::read(options) }?;
    // SAFETY: as above.
    unsafe { structs::check(report) }?;
    let callbacks = Callbacks(options);
    let mut removal = Remove::new()
        .threads(control.threads())
        // Set `on_error` even if the caller has none, so that the report stores only one failure.
        .on_error(|error| control.report(error))
        .callbacks_on_caller_thread(control.reports() || callbacks.are_wanted());
    if control.polls() {
        removal = removal.poll(|| control.poll());
    }
    if let Some(options) = options {
        removal = set(removal, &options)?;
        if options.on_progress.is_some() {
            removal = removal.on_progress(|totals| callbacks.show(totals));
        }
        // SAFETY: as above.
        let globs = unsafe { text::paths(options.exclude_globs, options.exclude_globs_count) }?;
        let globs = Globs::new(globs.iter().map(|glob| glob.as_os_str()))?;
        if options.exclude.is_some() || !globs.is_empty() {
            let callbacks = &callbacks;
            removal = removal.exclude(move |entry| {
                let kind = entry.kind();
                globs.matches(entry.relative_path(), kind) || callbacks.excludes(entry.path(), kind)
            });
        }
    }
    let done = run(&removal)?;
    let filled = curt_remove_report {
        size: 0,
        files: done.files,
        directories: done.directories,
        vanished: done.vanished,
        errors: done.error_count,
        calls: done.calls.total(),
        threads: u32::try_from(done.threads).unwrap_or(u32::MAX),
        stopped: done.stopped.into(),
        skipped: done.skipped,
        made_writable: done.made_writable,
    };
    // SAFETY: as above.
    unsafe { structs::write(report, filled) }?;
    outcome(done.errors.into_iter().next(), done.stopped)
}

const FLAGS: u32 = CURT_REMOVE_MISSING_OK
    | CURT_REMOVE_CROSS_MOUNTS
    | CURT_REMOVE_MAKE_WRITABLE
    | CURT_REMOVE_RETRIES;

fn set<'a>(removal: Remove<'a>, options: &curt_remove_options) -> Result<Remove<'a>, Failure> {
    if options.flags & !FLAGS != 0 {
        return Err(Failure::Argument("`flags` of the options has an unknown bit"));
    }
    let directories = match options.directories {
        CURT_DIRECTORIES_RECURSIVE => DirectoryOperands::Recursive,
        CURT_DIRECTORIES_REQUIRED => DirectoryOperands::Required,
        CURT_DIRECTORIES_CONTENTS => DirectoryOperands::Contents,
        CURT_DIRECTORIES_ONLY_EMPTY => DirectoryOperands::OnlyEmpty,
        CURT_DIRECTORIES_REFUSE => DirectoryOperands::Refuse,
        _ => return Err(Failure::Argument("`directories` of the options is unknown")),
    };
    let crosses = options.flags & CURT_REMOVE_CROSS_MOUNTS != 0;
    let removal = if options.flags & CURT_REMOVE_RETRIES != 0 {
        let window = match options.retry_ms {
            0 => Remove::RETRY_WINDOW,
            milliseconds => Duration::from_millis(milliseconds.into()),
        };
        removal.retries(options.retries, window)
    } else {
        removal
    };
    Ok(removal
        .make_writable(options.flags & CURT_REMOVE_MAKE_WRITABLE != 0)
        .missing_is_fine(options.flags & CURT_REMOVE_MISSING_OK != 0)
        .same_file_system(if crosses { SameFileSystem::No } else { SameFileSystem::Mount })
        .directories(directories))
}

/// # Safety
///
/// `dir` remains open during the call.
#[cfg(unix)]
unsafe fn run_below(removal: &Remove<'_>, dir: curt_fd, path: &Path) -> Result<Report, Failure> {
    use curt::os::unix::RemoveBelow as _;
    use std::os::fd::BorrowedFd;

    if dir < 0 {
        return Err(Failure::Argument("`dir` is neither a descriptor nor CURT_CWD"));
    }
    // SAFETY: `dir` is not negative, and the caller keeps it open.
    let dir = unsafe { BorrowedFd::borrow_raw(dir) };
    Ok(removal.run_below(dir, path))
}

/// # Safety
///
/// `dir` remains open during the call.
#[cfg(windows)]
unsafe fn run_below(removal: &Remove<'_>, dir: curt_fd, name: &Path) -> Result<Report, Failure> {
    use curt::os::windows::RemoveBelow as _;
    use std::os::windows::io::BorrowedHandle;

    // SAFETY: upheld by the caller.
    let dir = unsafe { BorrowedHandle::borrow_raw(dir) };
    Ok(removal.run_below(dir, name))
}

struct Callbacks(Option<curt_remove_options>);

// SAFETY: `remove` requests callbacks on the caller's thread.
unsafe impl Send for Callbacks {}
// SAFETY: as above.
unsafe impl Sync for Callbacks {}

impl Callbacks {
    fn are_wanted(&self) -> bool {
        let wants = |it: curt_remove_options| it.on_progress.is_some() || it.exclude.is_some();
        self.0.is_some_and(wants)
    }

    /// Must be called on the caller's thread.
    fn excludes(&self, path: &Path, kind: Kind) -> bool {
        // SAFETY: `exclude` accepts the caller's `context`.
        self.0.is_some_and(|it| unsafe { excludes(it.exclude, it.context, path, kind) })
    }

    /// Must be called on the caller's thread.
    fn show(&self, totals: &Totals) -> Next {
        let Some(options) = self.0 else { return Next::Continue };
        let Some(on_progress) = options.on_progress else { return Next::Continue };
        // SAFETY: `on_progress` accepts the caller's `context`.
        next(unsafe { on_progress(options.context, totals.files, totals.directories) })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::ptr::{null, null_mut};

    use curt::{Remove, Threads};

    use super::{CURT_CWD, curt_remove, curt_remove_report};
    use crate::text::{curt_str, to_units};

    fn tree(at: &Path, directories: u32) {
        fs::create_dir(at).unwrap();
        for directory in 0..directories {
            let directory = at.join(directory.to_string());
            fs::create_dir(&directory).unwrap();
            (0..300).for_each(|file| fs::write(directory.join(file.to_string()), "").unwrap());
        }
    }

    #[test]
    fn a_removal_costs_the_calls_of_the_library() {
        let scratch = tempfile::tempdir().unwrap();
        let theirs = |at: &Path| Remove::new().threads(Threads::AtMost(1)).run(at);
        // The first removal in a process makes additional calls, so leave it out.
        tree(&scratch.path().join("first"), 0);
        theirs(&scratch.path().join("first"));
        for directories in [0, 1, 4] {
            let [ours, other] = ["ours", "other"].map(|name| scratch.path().join(name));
            tree(&ours, directories);
            tree(&other, directories);
            let expected = theirs(&other);
            let units = to_units(ours.as_os_str());
            // SAFETY: a report of zeros is valid.
            let mut report: curt_remove_report = unsafe { std::mem::zeroed() };
            report.size = size_of::<curt_remove_report>();
            let (path, to) = (curt_str::of(&units), &raw mut report);
            // SAFETY: the path and the report live here, and NULL is allowed for the rest.
            let result = unsafe { curt_remove(CURT_CWD, path, null(), null(), to, null_mut()) };
            assert_eq!((result, ours.exists()), (0, false));
            assert_eq!((report.files, report.directories), (expected.files, expected.directories));
            assert_eq!((report.calls, report.threads), (expected.calls.total(), 1));
        }
    }
}
