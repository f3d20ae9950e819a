//! Opening untrusted paths beneath a directory.
//!
//!     curt_root *root;
//!     curt_fd file;
//!     if (curt_root_open(curt_z("tree"), 0, &root, NULL) == 0) {
//!         int result = curt_root_open_file(root, curt_z("../x"), NULL, &file, NULL);
//!         if (result == CURT_E_REFUSED_ESCAPE)
//!             puts("refused");
//!         curt_root_close(root);
//!     }

use std::fs::File;

use curt::Root;
use curt::beneath::{Aliases, OpenOptions, Scope};
use curt::fields::Follow;

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int};
use crate::handle;
use crate::remove::curt_fd;
use crate::results::CURT_E_ARGUMENT;
use crate::structs::{self, Versioned};
use crate::text::curt_str;

/// Resolves paths as after `chroot`: absolute paths and links start at the root, and `..` stops
/// there. By default a path is refused if it leaves the root.
pub const CURT_ROOT_IN_ROOT: u32 = 1;
/// Also refuses links, and every spelling that means a different name on some system.
pub const CURT_ROOT_STRICT: u32 = 2;

/// Opens for reading.
pub const CURT_OPEN_READ: u32 = 1;
/// Opens for writing.
pub const CURT_OPEN_WRITE: u32 = 2;
/// Opens for writing, always at the end.
pub const CURT_OPEN_APPEND: u32 = 4;
/// Truncates an existing file.
pub const CURT_OPEN_TRUNCATE: u32 = 8;
/// Creates a missing file.
pub const CURT_OPEN_CREATE: u32 = 16;
/// Creates the file, which must not exist.
pub const CURT_OPEN_CREATE_NEW: u32 = 32;
/// Fails if the last component is a symlink. By default the symlink is followed within the root.
pub const CURT_OPEN_NO_FOLLOW: u32 = 64;
/// Opens with `O_NONBLOCK`, so neither opening a FIFO nor reading from it waits.
pub const CURT_OPEN_NONBLOCKING: u32 = 128;
/// Opens without waiting, but lets reads wait. Costs 1 more call on Unix.
pub const CURT_OPEN_NONBLOCKING_OPEN: u32 = 256;
/// Opens with `system_flags`, and takes a `mode` of 0 literally. The only other flag allowed is
/// `CURT_OPEN_NONBLOCKING_OPEN`.
pub const CURT_OPEN_SYSTEM: u32 = 512;

/// A directory that confines the paths opened beneath it. Threads may share it.
#[derive(Debug)]
pub struct curt_root {
    root: Root,
}

/// How to open a file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_open_options {
    /// Size of this struct.
    pub size: usize,
    /// `CURT_OPEN_…`, including at least one of `CURT_OPEN_READ`, `CURT_OPEN_WRITE`,
    /// `CURT_OPEN_APPEND` and `CURT_OPEN_SYSTEM`.
    pub flags: u32,
    /// Permissions of a new file, before the umask is applied. 0 means 0666.
    pub mode: u32,
    /// With `CURT_OPEN_SYSTEM`, flags of `open(2)` (of `_open` on Windows), which the system
    /// validates; otherwise 0. `O_PATH`, `O_DIRECTORY` and `O_TMPFILE` are errors, because only
    /// files can be opened.
    pub system_flags: i32,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_open_options {}

/// Opens a directory as a root. `flags` is 0 or `CURT_ROOT_…`. Symlinks in `path` are followed.
/// Costs 1 call (2 on Windows).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_root_open(
    path: curt_str,
    flags: u32,
    root: *mut *mut curt_root,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `path` is readable.
        let path = unsafe { path.path() }?;
        if flags & !(CURT_ROOT_IN_ROOT | CURT_ROOT_STRICT) != 0 {
            return Err(Failure::Argument("`flags` has an unknown bit"));
        }
        let (in_root, strict) = (flags & CURT_ROOT_IN_ROOT != 0, flags & CURT_ROOT_STRICT != 0);
        let root = Root::open(&path)?
            .scope(if in_root { Scope::InRoot } else { Scope::Beneath })
            .aliases(if strict { Aliases::Strict } else { Aliases::Open });
        Ok(curt_root { root })
    };
    // SAFETY: `root` and `error` are NULL or writable.
    unsafe { error::open("curt_root_open", root, error, body) }
}

/// Opens a file by an untrusted path, and writes its descriptor or handle to `opened`. Concurrent
/// renames and link swaps cannot lead the path out of the root. The caller closes the file; child
/// programs do not inherit it. NULL as `options` opens for reading.
///
/// The path can lead to a FIFO or a device, and on Unix to a directory: check the type before use.
/// Opening a FIFO waits for its other end, so set `CURT_OPEN_NONBLOCKING` or
/// `CURT_OPEN_NONBLOCKING_OPEN` if others can create files there.
///
/// Fails with `CURT_E_REFUSED_…` if the path or a link in it leaves the root, and with
/// `CURT_E_ARGUMENT` if flags contradict each other. Costs 1 call on Linux, or 2 per component
/// without `openat2(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_root_open_file(
    root: *const curt_root,
    path: curt_str,
    options: *const curt_open_options,
    opened: *mut curt_fd,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `root` is NULL or an open object.
        let root = unsafe { handle::shared(root) }?;
        // SAFETY: `path` is readable.
        let path = unsafe { path.untrusted_path() }?;
        // SAFETY: `options` is NULL or readable.
        let options = open_options(unsafe { structs::read(options) }?)?;
        if opened.is_null() || !opened.is_aligned() {
            return Err(Failure::Argument("the place for the file is NULL or not aligned"));
        }
        let file = root.root.open_file(&path, &options).map_err(|error| {
            let odd =
                "`flags` of the options contradict each other, or lack READ, WRITE and APPEND";
            let failure = Failure::from(error);
            if failure.result() == CURT_E_ARGUMENT { Failure::Argument(odd) } else { failure }
        })?;
        // SAFETY: `opened` is valid for writes.
        unsafe { opened.write(into_fd(file)) };
        Ok(0)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_root_open_file", error, body) })
}

fn open_options(given: Option<curt_open_options>) -> Result<OpenOptions, Failure> {
    let mut options = OpenOptions::new();
    let Some(curt_open_options { flags, mode, system_flags, reserved, .. }) = given else {
        options.read(true);
        return Ok(options);
    };
    let has = |flag| flags & flag != 0;
    let (known, is_system) = (CURT_OPEN_SYSTEM * 2 - 1, has(CURT_OPEN_SYSTEM));
    if flags & !known != 0 || mode > 0o7777 || reserved != 0 || !is_system && system_flags != 0 {
        return Err(Failure::Argument("a field of the options has an unknown bit"));
    }
    if is_system {
        if flags & !CURT_OPEN_NONBLOCKING_OPEN != CURT_OPEN_SYSTEM {
            return Err(Failure::Argument("`flags` of the options has others beside SYSTEM"));
        }
        options = OpenOptions::from_flags(system_flags)
            .map_err(|_| Failure::Argument("`system_flags` has a flag that is not for files"))?;
        options.nonblocking_open(has(CURT_OPEN_NONBLOCKING_OPEN)).mode(mode);
        return Ok(options);
    }
    options
        .read(has(CURT_OPEN_READ))
        .write(has(CURT_OPEN_WRITE))
        .append(has(CURT_OPEN_APPEND))
        .truncate(has(CURT_OPEN_TRUNCATE))
        .create(has(CURT_OPEN_CREATE))
        .create_new(has(CURT_OPEN_CREATE_NEW))
        .follow(if has(CURT_OPEN_NO_FOLLOW) { Follow::Never } else { Follow::Links })
        .nonblocking(has(CURT_OPEN_NONBLOCKING))
        .nonblocking_open(has(CURT_OPEN_NONBLOCKING_OPEN));
    if mode != 0 {
        options.mode(mode);
    }
    Ok(options)
}

#[cfg(unix)]
fn into_fd(file: File) -> curt_fd {
    std::os::fd::IntoRawFd::into_raw_fd(file)
}

#[cfg(windows)]
fn into_fd(file: File) -> curt_fd {
    std::os::windows::io::IntoRawHandle::into_raw_handle(file)
}

/// Closes a root. Files opened beneath it remain open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_root_close(root: *mut curt_root) {
    // SAFETY: `root` is NULL or an object, unused afterwards.
    unsafe { handle::close(root) };
}
