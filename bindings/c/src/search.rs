//! The search for programs.

use std::ffi::{c_int, c_void};

use curt::Search;
use curt::paths::Flavor;
use curt::which::{Found, FoundIn, Policy, Program};

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int, length};
use crate::structs::{self, Versioned};
use crate::text::{Buffer, curt_char, curt_str, to_units};
use crate::{control, handle};

/// curt's own rules for this system: as `cmd.exe` or `execvp`, but the working directory is only
/// searched if `PATH` names it.
pub const CURT_POLICY_NATIVE: u32 = 0;
/// As `execvp` of the C library.
pub const CURT_POLICY_POSIX: u32 = 1;
/// As `cmd.exe`: the working directory first, then `PATH`.
pub const CURT_POLICY_CMD: u32 = 2;
/// As Python's `shutil.which`.
pub const CURT_POLICY_CPYTHON: u32 = 3;
/// As Go's `exec.LookPath`.
pub const CURT_POLICY_GO: u32 = 4;
/// As libuv on Windows: `.com`, then `.exe`.
pub const CURT_POLICY_LIBUV: u32 = 5;
/// As Node's `child_process`: as libuv on Windows, as `execvp` elsewhere.
pub const CURT_POLICY_NODE: u32 = 6;
/// As Zig's `std.process`.
pub const CURT_POLICY_ZIG: u32 = 7;

/// What the options leave unset is taken from this process: `PATH`, `PATHEXT`, the variable
/// `NoDefaultCurrentDirectoryInExePath` of Windows, and the working directory. Without this flag
/// neither the environment nor the working directory is read.
pub const CURT_SEARCH_ENVIRONMENT: u32 = 1;
/// The rules of POSIX, where the policy has them: those of this system by default.
pub const CURT_SEARCH_POSIX: u32 = 2;
/// The rules of Windows, where the policy has them.
pub const CURT_SEARCH_WINDOWS: u32 = 4;

/// What a search is given. NULL in its place: all zero, so nothing of the process is read, not even
/// its `PATH`. The texts are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_search_options {
    /// `sizeof(curt_search_options)`, set by the caller.
    pub size: usize,
    /// Whose rules are followed: `CURT_POLICY_…`. A policy without rules for the system has those
    /// of the other one.
    pub policy: u32,
    /// `CURT_SEARCH_…`, or 0.
    pub flags: u32,
    /// `PATH`: entries end at `:`, by Windows' rules at `;`. If the pointer is NULL, it is unset:
    /// there is no entry, or by the rules of POSIX those of the system's default, if the policy has
    /// one.
    pub path: curt_str,
    /// `PATHEXT`, for Windows' rules. If the pointer is NULL, it is unset: the policy has a
    /// default.
    pub pathext: curt_str,
    /// The directory that relative names and entries begin at, and that is searched where a policy
    /// searches the working directory. If it is relative, it begins at the working directory. If
    /// the pointer is NULL, it is unset: nothing relative is found.
    pub base: curt_str,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_search_options {}

/// A file that may be executed; its contents were not read.
pub const CURT_PROGRAM_EXECUTABLE: u32 = 0;
/// By its extension an image that Windows runs itself.
pub const CURT_PROGRAM_IMAGE: u32 = 1;
/// By its extension a batch file, run by `cmd.exe`. Mind the quoting of its arguments.
pub const CURT_PROGRAM_BATCH: u32 = 2;
/// A file that is started by the program registered for its extension.
pub const CURT_PROGRAM_ASSOCIATION: u32 = 3;

/// An entry of `PATH`.
pub const CURT_ORIGIN_PATH: u32 = 0;
/// The working directory, which the policy searches.
pub const CURT_ORIGIN_CWD: u32 = 1;
/// The directory that the name itself contains.
pub const CURT_ORIGIN_GIVEN: u32 = 2;

/// What is known of a program that was found.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_found {
    /// `sizeof(curt_found)`, set by the caller.
    pub size: usize,
    /// How it is started: `CURT_PROGRAM_…`.
    pub program: u32,
    /// Where it was found: `CURT_ORIGIN_…`.
    pub origin: u32,
    /// The number of the entry of `PATH`, counted from 0, empty ones included; 0 for other origins.
    pub entry: usize,
    /// 1 if its directory was named by a relative path only or searched by the policy, so that
    /// another program may be found from another directory; else 0.
    pub relative: u32,
    /// Always 0.
    pub reserved: u32,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_found {}

/// A search that is used for many names. Threads may share it.
#[derive(Debug)]
pub struct curt_search(Search);

/// Prepares a search for many names. No call; the first look-up splits `PATH`, and what it found
/// out is kept: the entries, and with `CURT_SEARCH_ENVIRONMENT` the environment and the working
/// directory as they were then. What directories contain is not kept.
///
/// Returns 0 and the search, which `curt_search_close` frees, or `CURT_E_ARGUMENT`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_search_open(
    options: *const curt_search_options,
    search: *mut *mut curt_search,
    error: *mut *mut curt_error,
) -> i32 {
    // SAFETY: as required of the caller.
    let body = || unsafe { configured(options) }.map(curt_search);
    // SAFETY: as required of the caller.
    unsafe { error::open("curt_search_open", search, error, body) }
}

/// Finds the first program of this name, and writes its path and a NUL into `buffer`; what else is
/// known goes to `found`, which may be NULL. A name that is a path is not searched for in `PATH`.
///
/// Cost: on Linux 1 call for each entry of `PATH`, and 2 for the one that has the program. On
/// Windows, with k candidates (names with an extension), at most k for an entry if k is 1 or 2,
/// else 3, and 4 for the one that has the program; 5 + k at most where more names begin like the
/// candidates than one listing holds.
///
/// Returns the length of the path in units, without the NUL. If that is not less than `capacity`,
/// the buffer was too small and is unchanged; calling again searches again. Otherwise
/// `CURT_E_FIND_…`, `CURT_E_OS` or `CURT_E_ARGUMENT`; the error object names what is to blame. Any
/// thread.
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
        // SAFETY: as required of the caller.
        let search = unsafe { handle::shared(search) }?;
        // SAFETY: as required of the caller.
        unsafe { find(&search.0, name, buffer, capacity, found) }
    };
    // SAFETY: as required of the caller.
    length(unsafe { guard("curt_search_find", error, body) })
}

/// Finds all programs of this name, best first, and calls `each` with the path of each, on the
/// caller's thread. The path ends in a NUL, which is not part of its length; it and `found` live
/// until `each` returns. A result of `each` other than 0 ends the search. `each` must return (no
/// `longjmp`, no exception), may use the search for other names, and must not close it.
///
/// Costs what `curt_search_find` does, for each entry of `PATH`.
///
/// Returns how many programs there are, or the first failure: `CURT_E_FIND_…` if there is none,
/// `CURT_E_OS` if an entry could not be searched, `CURT_E_STOPPED` if `each` ended the search, or
/// `CURT_E_ARGUMENT`. Any thread.
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
        // SAFETY: as required of the caller.
        let search = unsafe { handle::shared(search) }?;
        let each = each.ok_or(Failure::Argument("the callback is NULL"))?;
        // SAFETY: as required of the caller.
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
            // SAFETY: the caller's function, with the caller's context; the path and what is known
            // of it live until it returns.
            let answer = unsafe { each(context, path, &raw const found) };
            if control::next(answer) == curt::Next::Stop {
                return Err(failed.unwrap_or(Failure::Stopped));
            }
        }
        failed.map_or(Ok(count), Err)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_search_all", error, body) })
}

/// Closes a search. NULL is fine. No other thread may use it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_search_close(search: *mut curt_search) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(search) };
}

/// Finds the first program of this name, as `curt_search_find` does with a search of these options
/// that is closed again. Nothing stays allocated. Any thread.
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
        // SAFETY: as required of the caller.
        let search = unsafe { configured(options) }?;
        // SAFETY: as required of the caller.
        unsafe { find(&search, name, buffer, capacity, found) }
    };
    // SAFETY: as required of the caller.
    length(unsafe { guard("curt_find_once", error, body) })
}

/// Makes a search with these options.
///
/// # Safety
///
/// The struct and the texts in it can be read.
unsafe fn configured(options: *const curt_search_options) -> Result<Search, Failure> {
    // SAFETY: as required of the caller.
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
    // SAFETY: as required of the caller.
    if let Some(path) = unsafe { options.path.optional_path() }? {
        search = search.path(path.as_os_str());
    }
    // SAFETY: as required of the caller.
    if let Some(pathext) = unsafe { options.pathext.optional_path() }? {
        search = search.pathext(pathext.as_os_str());
    }
    // SAFETY: as required of the caller.
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

/// Finds a program, and hands it to the caller.
///
/// # Safety
///
/// The name can be read, `capacity` units can be written at `buffer`, and `found` is NULL or a
/// struct.
unsafe fn find(
    search: &Search,
    name: curt_str,
    buffer: *mut curt_char,
    capacity: usize,
    found: *mut curt_found,
) -> Result<isize, Failure> {
    // SAFETY: as required of the caller.
    unsafe { structs::check(found) }?;
    // SAFETY: as required of the caller.
    let buffer = unsafe { Buffer::new(buffer, capacity) }?;
    // SAFETY: as required of the caller.
    let name = unsafe { name.path() }?;
    let program = search.find(name.as_os_str())?;
    let length = buffer.write(&to_units(program.path().as_os_str()));
    // SAFETY: as required of the caller.
    unsafe { structs::write(found, described(&program)) }?;
    Ok(length)
}

/// What is known of a program. The size is to be set.
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
