//! Paths of strangers, which are opened beneath a directory.

use std::fs::File;

use curt::Root;
use curt::beneath::{Aliases, OpenOptions, Scope};
use curt::fields::Follow;

use crate::descriptor::curt_fd;
use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int};
use crate::handle;
use crate::results::CURT_E_ARGUMENT;
use crate::structs::{self, Versioned};
use crate::text::curt_str;

/// What would leave the root is kept inside, as after `chroot`: absolute paths and links begin at
/// the root, and `..` stays there. Otherwise it is refused.
pub const CURT_ROOT_IN_ROOT: u32 = 1;
/// Links are refused too, and every spelling that means another name on some system.
pub const CURT_ROOT_STRICT: u32 = 2;

/// To read.
pub const CURT_OPEN_READ: u32 = 1;
/// To write.
pub const CURT_OPEN_WRITE: u32 = 2;
/// To write, always at the end.
pub const CURT_OPEN_APPEND: u32 = 4;
/// What is there is emptied.
pub const CURT_OPEN_TRUNCATE: u32 = 8;
/// A missing file is created.
pub const CURT_OPEN_CREATE: u32 = 16;
/// The file is created, and must be missing.
pub const CURT_OPEN_CREATE_NEW: u32 = 32;
/// A link as the last name is an error. Otherwise it is followed, within the root.
pub const CURT_OPEN_NO_FOLLOW: u32 = 64;
/// Nothing waits (`O_NONBLOCK`): a FIFO in the place of a file, or reading from one.
pub const CURT_OPEN_NONBLOCKING: u32 = 128;
/// Only opening returns at once: reading and writing wait afterwards. 1 more call on Unix.
pub const CURT_OPEN_NONBLOCKING_OPEN: u32 = 256;
/// `system_flags` say how the file is opened, and the mode 0 is 0. Of the other flags only
/// `CURT_OPEN_NONBLOCKING_OPEN` may be set.
pub const CURT_OPEN_SYSTEM: u32 = 512;

/// A directory that nothing opened beneath it can leave. Threads may share it.
#[derive(Debug)]
pub struct curt_root {
    root: Root,
}

/// How a file is opened.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_open_options {
    /// `sizeof(curt_open_options)`, set by the caller.
    pub size: usize,
    /// `CURT_OPEN_…`, joined by `|`: at least one of READ, WRITE, APPEND and SYSTEM.
    pub flags: u32,
    /// The permissions of a new file, less what the process masks; 0 stands for 0666, unless
    /// `CURT_OPEN_SYSTEM` is set.
    pub mode: u32,
    /// With `CURT_OPEN_SYSTEM` the flags of `open(2)`, on Windows of `_open`, which the system
    /// judges; otherwise 0. Those for anything but files are errors: `O_PATH`, `O_DIRECTORY` and
    /// `O_TMPFILE`.
    pub system_flags: i32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_open_options {}

/// Opens a directory as a root, and hands over an object, to be closed by `curt_root_close`. Links
/// in `path` are followed. `flags`: `CURT_ROOT_…`, joined by `|`. 1 call, on Windows 2.
///
/// Returns 0 or `CURT_E_…`; `root` is NULL then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_root_open(
    path: curt_str,
    flags: u32,
    root: *mut *mut curt_root,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
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
    // SAFETY: as required of the caller.
    unsafe { error::open("curt_root_open", root, error, body) }
}

/// Opens a file beneath the root by an untrusted path, whatever others change meanwhile. `opened`
/// gets the descriptor or handle, which the caller closes, and which no program inherits. With NULL
/// as `options`, to read.
///
/// What has the name is opened, also a FIFO or a device, and on Unix a directory: look at its kind
/// before it is used. Opening a FIFO waits for its other end, so where others can create files,
/// `CURT_OPEN_NONBLOCKING` or `CURT_OPEN_NONBLOCKING_OPEN` is for you.
///
/// Returns 0, `CURT_E_REFUSED_…` if the path or a link in it leaves the root, `CURT_E_OS` and
/// others if it cannot be opened, or `CURT_E_ARGUMENT`, also if the flags contradict each other.
/// 1 call on Linux; for each name 2 where the system has no `openat2`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_root_open_file(
    root: *const curt_root,
    path: curt_str,
    options: *const curt_open_options,
    opened: *mut curt_fd,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let root = unsafe { handle::shared(root) }?;
        // SAFETY: as above.
        let path = unsafe { path.untrusted_path() }?;
        // SAFETY: as above.
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
        // SAFETY: as above.
        unsafe { opened.write(into_fd(file)) };
        Ok(0)
    };
    // SAFETY: as required of the caller.
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

/// Closes a root. What was opened beneath it stays open. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_root_close(root: *mut curt_root) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(root) };
}
