//! Full paths, computed from their text alone.

use std::ffi::c_void;

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

/// As the system does: `GetFullPathNameW` on Windows; on POSIX, names are joined, and `.` and
/// repeated slashes removed.
pub const CURT_STYLE_NATIVE: u32 = 0;
/// As Ruby's `File.absolute_path`, or `File.expand_path` with `CURT_EXPAND_TILDE`: trailing
/// separators are dropped, and Windows paths are written with slashes.
pub const CURT_STYLE_RUBY: u32 = 1;

/// Keeps `..` in POSIX paths of the native style, because the name before it may be a symlink;
/// otherwise clamps it.
pub const CURT_DOT_DOT_DEFAULT: u32 = 0;
/// Keeps `..`.
pub const CURT_DOT_DOT_KEEP: u32 = 1;
/// Removes `..` and the name before it; at the root, removes `..` alone.
pub const CURT_DOT_DOT_CLAMP: u32 = 2;
/// As `CURT_DOT_DOT_CLAMP`, but `..` at the root is an error.
pub const CURT_DOT_DOT_REFUSE: u32 = 3;

/// Takes unset options from this process. The working directory, including those of other drives,
/// is read once, when first needed. The home directory comes from the system's variables; `~user`,
/// and `~` without `HOME`, query the user database each time. Without this flag the process is not
/// queried, and Windows 11 rules apply instead of those of the running release.
pub const CURT_EXPAND_ENVIRONMENT: u32 = 1;
/// Expands a leading `~` to a home directory.
pub const CURT_EXPAND_TILDE: u32 = 2;
/// Expands Windows paths with the prefix `\\?\` like others, as `GetFullPathNameW` does. Without
/// this flag they are unchanged, because Windows takes them literally.
pub const CURT_EXPAND_VERBATIM: u32 = 4;

/// Options of an expander. NULL means all zero. The texts are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_expand_options {
    /// `sizeof(curt_expand_options)`, set by the caller.
    pub size: usize,
    /// The kind of paths: `CURT_FLAVOR_…`. Each works on every system.
    pub flavor: u32,
    /// The style of expansion: `CURT_STYLE_…`.
    pub style: u32,
    /// How to treat `..`: `CURT_DOT_DOT_…`.
    pub dot_dot: u32,
    /// `CURT_EXPAND_…`, or 0.
    pub flags: u32,
    /// The width of a unit in the texts below: 1 for bytes, 2 for UTF-16. May be 0 if all of them
    /// are NULL.
    pub width: u32,
    /// Must be 0.
    pub reserved: u32,
    /// NULL, or the directory from which relative paths start instead of the working directory. If
    /// it is relative, it starts at the working directory.
    pub base: *const c_void,
    /// Its length in units.
    pub base_len: usize,
    /// NULL if unset, or the working directory, a full path of this flavor. Without one, relative
    /// paths are `CURT_E_EXPAND_NO_START`.
    pub cwd: *const c_void,
    /// Its length in units.
    pub cwd_len: usize,
    /// NULL if unset, or the home directory, a full path.
    pub home: *const c_void,
    /// Its length in units.
    pub home_len: usize,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_expand_options {}

/// Expands paths. Threads may share it.
#[derive(Debug)]
pub struct curt_expander(Expander);

/// Makes an expander. No call.
///
/// With `CURT_EXPAND_ENVIRONMENT` it reads the working directory once, when a path first needs it.
/// After `chdir(2)`, open another expander.
///
/// Returns 0 and the expander, which `curt_expander_close` frees, or `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expander_open(
    options: *const curt_expand_options,
    expander: *mut *mut curt_expander,
    error: *mut *mut curt_error,
) -> i32 {
    // SAFETY: upheld by the caller.
    let body = || unsafe { configured(options) }.map(curt_expander);
    // SAFETY: upheld by the caller.
    unsafe { error::open("curt_expander_open", expander, error, body) }
}

/// Writes the full path of a text and a NUL into `buffer`, which must not overlap the text. Units
/// that are not valid Unicode are preserved. No call, except as `CURT_EXPAND_ENVIRONMENT` says; a
/// path that is already full and clean allocates no memory.
///
/// Expansion does not check a path: open untrusted paths with `curt_root_open_file`.
///
/// Returns the length of the path without the NUL. If that is not less than `capacity`, the buffer
/// was too small and is unchanged. On failure returns `CURT_E_EXPAND_…` or `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expand_bytes(
    expander: *const curt_expander,
    text: *const u8,
    len: usize,
    buffer: *mut u8,
    capacity: usize,
) -> isize {
    // SAFETY: upheld by the caller.
    unsafe { expand(expander, text, len, buffer, capacity) }
}

/// As `curt_expand_bytes`, for UTF-16, on any system. The texts in the options may have another
/// width.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expand_units(
    expander: *const curt_expander,
    text: *const u16,
    len: usize,
    buffer: *mut u16,
    capacity: usize,
) -> isize {
    // SAFETY: upheld by the caller.
    unsafe { expand(expander, text, len, buffer, capacity) }
}

/// Closes an expander. NULL is fine. No thread may use it afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expander_close(expander: *mut curt_expander) {
    // SAFETY: upheld by the caller.
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
        // SAFETY: upheld by the caller.
        let expander = unsafe { handle::shared(expander) }?;
        // SAFETY: upheld by the caller.
        let buffer = unsafe { Buffer::new(buffer, capacity) }?;
        // SAFETY: upheld by the caller.
        let path = unsafe { text::array(path, len) }?;
        let full = expander.0.expand(path).map_err(|error| Failure::Result(of_expansion(error)))?;
        Ok(buffer.write(&full))
    };
    length(plain(body))
}

/// # Safety
///
/// The struct and its texts can be read.
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
    // SAFETY: upheld by the caller.
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

/// Copies a text of units of this width. Returns `None` for NULL.
///
/// # Safety
///
/// The units can be read.
unsafe fn wide_or_not(
    text: *const c_void,
    len: usize,
    width: u32,
) -> Result<Option<PathText>, Failure> {
    let copied = match (text.is_null(), width) {
        (true, 0..=2) if len == 0 => return Ok(None),
        // SAFETY: upheld by the caller.
        (false, 1) => PathText::from_units(unsafe { text::units(text.cast::<u8>(), len) }?),
        // SAFETY: upheld by the caller.
        (false, 2) => PathText::from_units(unsafe { text::units(text.cast::<u16>(), len) }?),
        _ => return Err(Failure::Argument("a text is NULL but not empty, or `width` is wrong")),
    };
    Ok(Some(copied))
}
