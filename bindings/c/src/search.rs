//! Finding programs.
//!
//!     char path[4096];
//!     ptrdiff_t length;
//!     curt_search_options options = CURT_SEARCH_OPTIONS_INIT;
//!     options.flags = CURT_SEARCH_ENVIRONMENT;
//!     length = curt_find_once(&options, curt_z("sh"), path, sizeof path, NULL, NULL);
//!     if (length > 0 && (size_t)length < sizeof path) // otherwise `path` was not written
//!         puts(path);

use std::ffi::{c_int, c_void};

use curt::Search;
use curt::paths::Flavor;
use curt::which::{Found, FoundIn, Policy, Program};

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int, length};
use crate::structs::{self, Versioned};
use crate::text::{Buffer, Unit, curt_char, curt_str, to_units};
use crate::{control, handle};

/// Searches as `cmd.exe` does on Windows and `execvp` elsewhere, but searches the working directory
/// only if `PATH` names it.
pub const CURT_POLICY_NATIVE: u32 = 0;
/// `execvp` of the C library.
pub const CURT_POLICY_POSIX: u32 = 1;
/// `cmd.exe`: the working directory first, then `PATH`.
pub const CURT_POLICY_CMD: u32 = 2;
/// Python's `shutil.which`.
pub const CURT_POLICY_CPYTHON: u32 = 3;
/// Go's `exec.LookPath`.
pub const CURT_POLICY_GO: u32 = 4;
/// libuv on Windows: tries the extension `.com`, then `.exe`.
pub const CURT_POLICY_LIBUV: u32 = 5;
/// Node's `child_process`: libuv on Windows, `execvp` elsewhere.
pub const CURT_POLICY_NODE: u32 = 6;
/// Zig's `std.process`.
pub const CURT_POLICY_ZIG: u32 = 7;

/// Takes unset options from this process: `PATH`, `PATHEXT`, the working directory, and on Windows
/// `NoDefaultCurrentDirectoryInExePath`.
pub const CURT_SEARCH_ENVIRONMENT: u32 = 1;
/// Applies the policy's POSIX rules, if it has any. By default the rules of this system apply.
pub const CURT_SEARCH_POSIX: u32 = 2;
/// Applies the policy's Windows rules, if it has any.
pub const CURT_SEARCH_WINDOWS: u32 = 4;

/// How to search. By default the process is not queried, even for `PATH`. NULL means not set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_search_options {
    /// Size of this struct.
    pub size: usize,
    /// `CURT_POLICY_…`. A policy with rules for only one system always applies these.
    pub policy: u32,
    /// `CURT_SEARCH_…`.
    pub flags: u32,
    /// `PATH`, separated by `:`, or by `;` under Windows rules. If not set, it is empty under
    /// Windows rules and with `CURT_POLICY_GO`; otherwise it is the C library's default,
    /// `/bin:/usr/bin` on Linux.
    pub path: curt_str,
    /// `PATHEXT`, for Windows rules. If not set, the policy's default applies.
    pub pathext: curt_str,
    /// The directory where relative names and `PATH` entries start. Policies that search the
    /// working directory search this one instead. A relative `base` starts at the real working
    /// directory. If not set, relative names and entries are not found.
    pub base: curt_str,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_search_options {}

/// An executable file, whose contents were not read.
pub const CURT_PROGRAM_EXECUTABLE: u32 = 0;
/// An image that Windows runs directly, judging by its extension.
pub const CURT_PROGRAM_IMAGE: u32 = 1;
/// A batch file, judging by its extension. `cmd.exe` runs it, so quote its arguments with care.
pub const CURT_PROGRAM_BATCH: u32 = 2;
/// A file opened by the program registered for its extension.
pub const CURT_PROGRAM_ASSOCIATION: u32 = 3;

/// Found in an entry of `PATH`.
pub const CURT_ORIGIN_PATH: u32 = 0;
/// Found in the working directory, which the policy searches.
pub const CURT_ORIGIN_CWD: u32 = 1;
/// Found in the directory that the name contains.
pub const CURT_ORIGIN_GIVEN: u32 = 2;

/// A program found.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_found {
    /// Size of this struct.
    pub size: usize,
    /// How it starts: `CURT_PROGRAM_…`.
    pub program: u32,
    /// Where it was found: `CURT_ORIGIN_…`.
    pub origin: u32,
    /// The index of the `PATH` entry, counting empty entries; 0 for other origins.
    pub entry: usize,
    /// 1 if the program's directory came from a relative path or from the policy, so that the
    /// search might find a different program after `chdir`; otherwise 0.
    pub relative: u32,
    /// Always 0.
    pub reserved: u32,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_found {}

/// A search for many names. Threads may share it.
#[derive(Debug)]
pub struct curt_search(Search);

/// Prepares a search. Makes no system call. The first look-up splits `PATH`. Later ones reuse its
/// entries and, with `CURT_SEARCH_ENVIRONMENT`, its environment and working directory. Contents of
/// directories are not cached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_search_open(
    options: *const curt_search_options,
    search: *mut *mut curt_search,
    error: *mut *mut curt_error,
) -> i32 {
    // SAFETY: `options` is NULL or readable.
    let body = || unsafe { configured(options) }.map(curt_search);
    // SAFETY: `search` and `error` are NULL or writable.
    unsafe { error::open("curt_search_open", search, error, body) }
}

/// Finds the first program with this name and writes its path into `buffer`. `found` can be NULL. A
/// name that is a path is not looked up in `PATH`.
///
/// Cost on Linux: 1 call per `PATH` entry searched, and 2 for the entry with the program. On
/// Windows, with k candidates (the name with each extension), an entry costs at most k calls if k
/// is 1 or 2. Otherwise it costs at most 3, or 4 if it has the program, or 5 + k if more names
/// share the candidates' prefix than one listing holds.
///
/// Fails with `CURT_E_FIND_…`; the error has the path that caused the failure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_search_find(
    search: *const curt_search,
    name: curt_str,
    buffer: *mut curt_char,
    capacity: usize,
    found: *mut curt_found,
    error: *mut *mut curt_error,
) -> isize {
    let body = || {
        // SAFETY: `search` is NULL or an open object.
        let search = unsafe { handle::shared(search) }?;
        // SAFETY: `name`, `buffer` and `found` are as `find` requires.
        unsafe { find(&search.0, name, buffer, capacity, found) }
    };
    // SAFETY: `error` is NULL or writable.
    length(unsafe { guard("curt_search_find", error, body) })
}

/// Calls `each` for every program with this name, in search order. The path and `found` live until
/// `each` returns; any result but 0 ends the search. `each` can use the same object for other
/// names, but must not close it.
///
/// Each `PATH` entry costs as much as in `curt_search_find`.
///
/// Returns the number of programs, or the first failure: `CURT_E_FIND_…` if there is no program,
/// `CURT_E_OS` if an entry could not be searched, `CURT_E_STOPPED` if `each` ended the search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_search_all(
    search: *const curt_search,
    name: curt_str,
    each: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            path: curt_str,
            found: *const curt_found,
        ) -> c_int,
    >,
    context: *mut c_void,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `search` is NULL or an open object.
        let search = unsafe { handle::shared(search) }?;
        let each = each.ok_or(Failure::Argument("the callback is NULL"))?;
        // SAFETY: `name` is readable.
        let name = unsafe { name.path() }?;
        let mut count: i32 = 0;
        let mut failed = None;
        for program in search.0.find_all(name.as_os_str()) {
            let program = match program {
                Ok(program) => program,
                Err(error) => {
                    failed.get_or_insert(Failure::Library(error));
                    continue;
                }
            };
            count = count.saturating_add(1);
            let mut path = to_units(program.path().as_os_str()).into_owned();
            path.push(0);
            let path = curt_str { len: path.len() - 1, ..curt_str::of(&path) };
            let found = curt_found { size: size_of::<curt_found>(), ..described(&program) };
            // SAFETY: `each` takes `context`, and the path and `found` outlive the call.
            let answer = unsafe { each(context, path, &raw const found) };
            if control::next(answer) == curt::Next::Stop {
                return Err(failed.unwrap_or(Failure::Stopped));
            }
        }
        failed.map_or(Ok(count), Err)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_search_all", error, body) })
}

/// Closes a search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_search_close(search: *mut curt_search) {
    // SAFETY: `search` is NULL or an object, unused afterwards.
    unsafe { handle::close(search) };
}

/// Finds one program as `curt_search_find` does, without an open search.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_find_once(
    options: *const curt_search_options,
    name: curt_str,
    buffer: *mut curt_char,
    capacity: usize,
    found: *mut curt_found,
    error: *mut *mut curt_error,
) -> isize {
    let body = || {
        // SAFETY: `options` is NULL or readable.
        let search = unsafe { configured(options) }?;
        // SAFETY: `name`, `buffer` and `found` are as `find` requires.
        unsafe { find(&search, name, buffer, capacity, found) }
    };
    // SAFETY: `error` is NULL or writable.
    length(unsafe { guard("curt_find_once", error, body) })
}

/// # Safety
///
/// `options` is NULL, or the struct and its texts can be read.
unsafe fn configured(options: *const curt_search_options) -> Result<Search, Failure> {
    // SAFETY: upheld by the caller.
    let options = unsafe { structs::read(options) }?.unwrap_or(curt_search_options {
        size: 0,
        policy: CURT_POLICY_NATIVE,
        flags: 0,
        path: curt_str::NONE,
        pathext: curt_str::NONE,
        base: curt_str::NONE,
    });
    let search = Search::new().policy(policy(options.policy)?);
    let mut search = match options.flags & !CURT_SEARCH_ENVIRONMENT {
        0 => search,
        CURT_SEARCH_POSIX => search.rules(Flavor::Posix),
        CURT_SEARCH_WINDOWS => search.rules(Flavor::Windows),
        _ => return Err(Failure::Argument("unknown flags, or the rules of two systems")),
    };
    if options.flags & CURT_SEARCH_ENVIRONMENT == 0 {
        search = search.environment::<&str, &str>([]).no_base();
    }
    // SAFETY: as above.
    if let Some(path) = unsafe { options.path.optional_path() }? {
        search = search.path(path.as_os_str());
    }
    // SAFETY: as above.
    if let Some(pathext) = unsafe { options.pathext.optional_path() }? {
        search = search.pathext(pathext.as_os_str());
    }
    // SAFETY: as above.
    if let Some(base) = unsafe { options.base.optional_path() }? {
        search = search.base(base);
    }
    Ok(search)
}

fn policy(number: u32) -> Result<Policy, Failure> {
    Ok(match number {
        CURT_POLICY_NATIVE => Policy::Native,
        CURT_POLICY_POSIX => Policy::Posix,
        CURT_POLICY_CMD => Policy::Cmd,
        CURT_POLICY_CPYTHON => Policy::CPython,
        CURT_POLICY_GO => Policy::Go,
        CURT_POLICY_LIBUV => Policy::Libuv,
        CURT_POLICY_NODE => Policy::Node,
        CURT_POLICY_ZIG => Policy::Zig,
        _ => return Err(Failure::Argument("no such policy")),
    })
}

/// # Safety
///
/// The name can be read, `capacity` units can be written at `buffer`, and `found` is NULL or a
/// writable struct.
unsafe fn find(
    search: &Search,
    name: curt_str,
    buffer: *mut curt_char,
    capacity: usize,
    found: *mut curt_found,
) -> Result<isize, Failure> {
    // SAFETY: upheld by the caller.
    unsafe { structs::check(found) }?;
    // SAFETY: as above.
    let buffer = unsafe { Buffer::new(buffer.cast::<Unit>(), capacity) }?;
    // SAFETY: as above.
    let name = unsafe { name.path() }?;
    let program = search.find(name.as_os_str())?;
    let length = buffer.write(&to_units(program.path().as_os_str()));
    // SAFETY: as above.
    unsafe { structs::write(found, described(&program)) }?;
    Ok(length)
}

/// Describes a program; the caller sets `size`.
fn described(program: &Found) -> curt_found {
    let (origin, entry) = match program.origin() {
        FoundIn::Path(entry) => (CURT_ORIGIN_PATH, entry),
        FoundIn::Cwd => (CURT_ORIGIN_CWD, 0),
        _ => (CURT_ORIGIN_GIVEN, 0),
    };
    curt_found {
        size: 0,
        program: match program.program() {
            Program::Image => CURT_PROGRAM_IMAGE,
            Program::Batch => CURT_PROGRAM_BATCH,
            Program::Association => CURT_PROGRAM_ASSOCIATION,
            _ => CURT_PROGRAM_EXECUTABLE,
        },
        origin,
        entry,
        relative: u32::from(program.is_relative()),
        reserved: 0,
    }
}
