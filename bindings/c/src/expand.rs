//! Expanding paths.
//!
//! Full paths are computed from the text, without access to files. Open untrusted paths with
//! `curt_root_open_file`.
//!
//!     char path[4096];
//!     curt_expander *expander;
//!     curt_expand_options options = CURT_EXPAND_OPTIONS_INIT;
//!     options.flags = CURT_EXPAND_ENVIRONMENT;
//!     if (curt_expander_open(&options, &expander, NULL) == 0) {
//!         ptrdiff_t length = curt_expand_bytes(expander, "a/../b", 6, path, sizeof path);
//!         if (length > 0 && (size_t)length < sizeof path) // otherwise `path` was not written
//!             puts(path);
//!         curt_expander_close(expander);
//!     }

use std::ffi::{c_char, c_void};

use curt::paths::{DotDot, Env, Expander, Flavor, PathText, Style, ThisProcess, Unit, Verbatim};

use crate::error::{self, curt_error};
use crate::guard::{Failure, length, plain};
use crate::results::of_expansion;
use crate::structs::{self, Versioned};
use crate::text::Buffer;
use crate::{handle, text};

/// Paths of the current system.
pub const CURT_FLAVOR_NATIVE: u32 = 0;
/// POSIX paths.
pub const CURT_FLAVOR_POSIX: u32 = 1;
/// Windows paths.
pub const CURT_FLAVOR_WINDOWS: u32 = 2;

/// Expands Windows paths as `GetFullPathNameW` does. Joins POSIX paths to their starting directory,
/// and removes `.` and repeated slashes.
pub const CURT_STYLE_NATIVE: u32 = 0;
/// Expands paths as Ruby's `File.absolute_path` does, or with `CURT_EXPAND_TILDE` as
/// `File.expand_path`. Trailing separators are removed, and Windows paths are written with slashes.
pub const CURT_STYLE_RUBY: u32 = 1;

/// Keeps `..` in POSIX paths of the native style, because the name before it might be a symlink.
/// Treats `..` in other paths like `CURT_DOT_DOT_CLAMP`.
pub const CURT_DOT_DOT_DEFAULT: u32 = 0;
/// Keeps `..`.
pub const CURT_DOT_DOT_KEEP: u32 = 1;
/// Removes `..` and the name before it; at the root, removes only `..`.
pub const CURT_DOT_DOT_CLAMP: u32 = 2;
/// Like `CURT_DOT_DOT_CLAMP`, but `..` at the root is an error.
pub const CURT_DOT_DOT_REFUSE: u32 = 3;

/// Takes unset options from this process. The working directory (or a drive's) is read once, on
/// first use, so open another expander after `chdir(2)`. The home directory comes from environment
/// variables; `~user`, and `~` without `HOME`, query the user database each time. Without this flag
/// the process is not queried, and Windows paths follow the rules of Windows 11.
pub const CURT_EXPAND_ENVIRONMENT: u32 = 1;
/// Expands a leading `~` to a home directory.
pub const CURT_EXPAND_TILDE: u32 = 2;
/// Expands Windows paths with the prefix `\\?\` like other paths, as `GetFullPathNameW` does. By
/// default they are unchanged, because Windows takes them literally.
pub const CURT_EXPAND_VERBATIM: u32 = 4;

/// How to expand paths. NULL means not set.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_expand_options {
    /// Size of this struct.
    pub size: usize,
    /// `CURT_FLAVOR_…`. Every flavor works on every system.
    pub flavor: u32,
    /// `CURT_STYLE_…`.
    pub style: u32,
    /// `CURT_DOT_DOT_…`.
    pub dot_dot: u32,
    /// `CURT_EXPAND_…`.
    pub flags: u32,
    /// Bytes per code unit of the texts below: 1, or 2 for UTF-16. Can be 0 if they are all NULL.
    pub width: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The directory where relative paths start, instead of the working directory. A relative
    /// `base` itself starts at the working directory.
    pub base: *const c_void,
    /// Length in code units.
    pub base_len: usize,
    /// The working directory, a full path of this flavor. If not set, relative paths fail with
    /// `CURT_E_EXPAND_NO_START`.
    pub cwd: *const c_void,
    /// Length in code units.
    pub cwd_len: usize,
    /// The home directory, a full path.
    pub home: *const c_void,
    /// Length in code units.
    pub home_len: usize,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_expand_options {}

/// An expander of paths. Threads may share it.
#[derive(Debug)]
pub struct curt_expander(Expander);

/// Makes an expander. Makes no system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expander_open(
    options: *const curt_expand_options,
    expander: *mut *mut curt_expander,
    error: *mut *mut curt_error,
) -> i32 {
    // SAFETY: `options` is NULL or readable.
    let body = || unsafe { configured(options) }.map(curt_expander);
    // SAFETY: `expander` and `error` are NULL or writable.
    unsafe { error::open("curt_expander_open", expander, error, body) }
}

/// Writes the full path of `text` into `buffer`; the two must not overlap. Bytes that are not valid
/// Unicode are preserved. Makes no system call without `CURT_EXPAND_ENVIRONMENT`, and allocates no
/// memory for a path that is already in its full form. Fails with `CURT_E_EXPAND_…`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expand_bytes(
    expander: *const curt_expander,
    text: *const c_char,
    len: usize,
    buffer: *mut c_char,
    capacity: usize,
) -> isize {
    // SAFETY: the text is readable, and `capacity` bytes are writable at `buffer`.
    unsafe { expand::<u8>(expander, text.cast(), len, buffer.cast(), capacity) }
}

/// Does the same as `curt_expand_bytes` for UTF-16, on any system. The options' texts can have a
/// different width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expand_units(
    expander: *const curt_expander,
    text: *const u16,
    len: usize,
    buffer: *mut u16,
    capacity: usize,
) -> isize {
    // SAFETY: the text is readable, and `capacity` units are writable at `buffer`.
    unsafe { expand(expander, text, len, buffer, capacity) }
}

/// Closes an expander.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expander_close(expander: *mut curt_expander) {
    // SAFETY: `expander` is NULL or an object, unused afterwards.
    unsafe { handle::close(expander) };
}

unsafe fn expand<U: Unit + Default>(
    expander: *const curt_expander,
    path: *const U,
    len: usize,
    buffer: *mut U,
    capacity: usize,
) -> isize {
    let body = || {
        // SAFETY: `expander` is NULL or an open object.
        let expander = unsafe { handle::shared(expander) }?;
        // SAFETY: `buffer` has `capacity` writable units.
        let buffer = unsafe { Buffer::new(buffer, capacity) }?;
        // SAFETY: `len` units can be read at `path`.
        let path = unsafe { text::array(path, len) }?;
        let full = expander.0.expand(path).map_err(|error| Failure::Result(of_expansion(error)))?;
        Ok(buffer.write(&full))
    };
    length(plain(body))
}

/// # Safety
///
/// `options` is NULL, or the struct and its texts can be read.
unsafe fn configured(options: *const curt_expand_options) -> Result<Expander, Failure> {
    // SAFETY: upheld by the caller.
    let options = unsafe { structs::read(options) }?;
    let mut env = Env::none();
    let Some(options) = options else {
        return Ok(Expander::new(env).tilde(false));
    };
    let known = CURT_EXPAND_ENVIRONMENT | CURT_EXPAND_TILDE | CURT_EXPAND_VERBATIM;
    if options.flags & !known != 0 || options.reserved != 0 {
        return Err(Failure::Argument("unknown flags, or `reserved` is not 0"));
    }
    let has = |flag| options.flags & flag != 0;
    if has(CURT_EXPAND_ENVIRONMENT) {
        env = Env::of(ThisProcess::new());
    }
    // SAFETY: as above.
    let text = |text, len| unsafe { wide_or_not(text, len, options.width) };
    if let Some(cwd) = text(options.cwd, options.cwd_len)? {
        env = env.cwd(cwd);
    }
    if let Some(home) = text(options.home, options.home_len)? {
        env = env.home(home);
    }
    let mut expander = Expander::new(env).tilde(has(CURT_EXPAND_TILDE));
    if let Some(base) = text(options.base, options.base_len)? {
        expander = expander.base(base);
    }
    expander = match options.flavor {
        CURT_FLAVOR_NATIVE => expander,
        CURT_FLAVOR_POSIX => expander.flavor(Flavor::Posix),
        CURT_FLAVOR_WINDOWS => expander.flavor(Flavor::Windows),
        _ => return Err(Failure::Argument("no such flavor")),
    };
    expander = match options.style {
        CURT_STYLE_NATIVE => expander,
        CURT_STYLE_RUBY => expander.style(Style::Ruby),
        _ => return Err(Failure::Argument("no such style")),
    };
    expander = match options.dot_dot {
        CURT_DOT_DOT_DEFAULT => expander,
        CURT_DOT_DOT_KEEP => expander.dot_dot(DotDot::Keep),
        CURT_DOT_DOT_CLAMP => expander.dot_dot(DotDot::Clamp),
        CURT_DOT_DOT_REFUSE => expander.dot_dot(DotDot::Refuse),
        _ => return Err(Failure::Argument("no such way to treat `..`")),
    };
    let verbatim = if has(CURT_EXPAND_VERBATIM) { Verbatim::Normalize } else { Verbatim::Keep };
    Ok(expander.verbatim(verbatim))
}

/// Copies a text with code units of `width` bytes. Returns `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or points to `len` readable units of `width` bytes.
unsafe fn wide_or_not(
    text: *const c_void,
    len: usize,
    width: u32,
) -> Result<Option<PathText>, Failure> {
    let copied = match (text.is_null(), width) {
        (true, 0..=2) if len == 0 => return Ok(None),
        // SAFETY: upheld by the caller.
        (false, 1) => PathText::from_units(unsafe { text::units(text.cast::<u8>(), len) }?),
        // SAFETY: as above.
        (false, 2) => PathText::from_units(unsafe { text::units(text.cast::<u16>(), len) }?),
        _ => return Err(Failure::Argument("a text is NULL but not empty, or `width` is wrong")),
    };
    Ok(Some(copied))
}
