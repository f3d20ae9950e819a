//! Full paths, by their text alone.

use std::ffi::c_void;

use curt::paths::{DotDot, Env, Expander, Flavor, PathText, Style, ThisProcess, Unit, Verbatim};

use crate::error::{self, curt_error};
use crate::guard::{Failure, length, plain};
use crate::results::of_expansion;
use crate::structs::{self, Versioned};
use crate::text::Buffer;
use crate::{handle, text};

/// Paths of the system that the library runs on.
pub const CURT_FLAVOR_NATIVE: u32 = 0;
/// Paths of Linux and other systems of POSIX.
pub const CURT_FLAVOR_POSIX: u32 = 1;
/// Paths of Windows.
pub const CURT_FLAVOR_WINDOWS: u32 = 2;

/// As the system does it: `GetFullPathNameW` on Windows; on POSIX names are joined, and runs of
/// slashes and `.` removed.
pub const CURT_STYLE_NATIVE: u32 = 0;
/// As Ruby's `File.absolute_path`, and with `CURT_EXPAND_TILDE` as its `File.expand_path`: a
/// separator at the end is dropped, and Windows' paths are written with slashes.
pub const CURT_STYLE_RUBY: u32 = 1;

/// `..` is kept in POSIX paths of the native style, where a link may come before it; otherwise it
/// is clamped.
pub const CURT_DOT_DOT_DEFAULT: u32 = 0;
/// `..` stays.
pub const CURT_DOT_DOT_KEEP: u32 = 1;
/// `..` removes the name before it, and does nothing at the root.
pub const CURT_DOT_DOT_CLAMP: u32 = 2;
/// `..` removes the name before it, and is an error at the root.
pub const CURT_DOT_DOT_REFUSE: u32 = 3;

/// What the options leave unset is taken from this process: the working directory, once, when it is
/// first needed, and also those of other drives; the home directory by the variables of the
/// system, and for each `~user` and where `HOME` is not set by the user database; and the release
/// of Windows. Without this flag nothing of the process is read, and the release is Windows 11.
pub const CURT_EXPAND_ENVIRONMENT: u32 = 1;
/// `~` at the beginning is a home directory.
pub const CURT_EXPAND_TILDE: u32 = 2;
/// Windows' paths that begin with `\\?\` are expanded as others are, which `GetFullPathNameW` does,
/// too. Without this flag they stay, as they are literal for the system.
pub const CURT_EXPAND_VERBATIM: u32 = 4;

/// How paths are expanded. NULL in its place: all zero. The texts are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_expand_options {
    /// `sizeof(curt_expand_options)`, set by the caller.
    pub size: usize,
    /// Whose paths: `CURT_FLAVOR_…`. Each works on every system.
    pub flavor: u32,
    /// Whose expansion: `CURT_STYLE_…`.
    pub style: u32,
    /// What becomes of `..`: `CURT_DOT_DOT_…`.
    pub dot_dot: u32,
    /// `CURT_EXPAND_…`, or 0.
    pub flags: u32,
    /// The width of a unit of the texts below: 1 for bytes, 2 for UTF-16. May be 0 if all of them
    /// are NULL.
    pub width: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The directory that relative paths start from instead of the working directory, which it may
    /// itself start from; or NULL.
    pub base: *const c_void,
    /// Its length in units.
    pub base_len: usize,
    /// The working directory, a full path of that flavor, without which relative paths are
    /// `CURT_E_EXPAND_NO_START`; or NULL: it is unset.
    pub cwd: *const c_void,
    /// Its length in units.
    pub cwd_len: usize,
    /// The home directory, a full path; or NULL: it is unset.
    pub home: *const c_void,
    /// Its length in units.
    pub home_len: usize,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_expand_options {}

/// Expands paths. Threads may share it.
#[derive(Debug)]
pub struct curt_expander(Expander);

/// Prepares the expansion of paths. No call.
///
/// With `CURT_EXPAND_ENVIRONMENT` the working directory of the process is asked for once, when a
/// path first needs it, and kept, even if the process enters another one: a program that does opens
/// another expander.
///
/// Returns 0 and the expander, which `curt_expander_close` frees, or `CURT_E_ARGUMENT`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expander_open(
    options: *const curt_expand_options,
    expander: *mut *mut curt_expander,
    error: *mut *mut curt_error,
) -> i32 {
    // SAFETY: as required of the caller.
    let body = || unsafe { configured(options) }.map(curt_expander);
    // SAFETY: as required of the caller.
    unsafe { error::open("curt_expander_open", expander, error, body) }
}

/// Writes the full path of a text and a NUL into `buffer`, which must not overlap with the text.
/// Units that are not Unicode are kept. No call, but for what `CURT_EXPAND_ENVIRONMENT` says; a
/// path that is full and clean allocates nothing.
///
/// An expanded path is not a checked path: open paths of strangers by `curt_root_open_file`.
///
/// Returns the length of the path in units, without the NUL. If that is not less than `capacity`,
/// the buffer was too small and is unchanged. Otherwise `CURT_E_EXPAND_…` or `CURT_E_ARGUMENT`. Any
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expand_bytes(
    expander: *const curt_expander,
    text: *const u8,
    len: usize,
    buffer: *mut u8,
    capacity: usize,
) -> isize {
    // SAFETY: as required of the caller.
    unsafe { expand(expander, text, len, buffer, capacity) }
}

/// The same for UTF-16, on any system. The width of the options' texts may be another one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expand_units(
    expander: *const curt_expander,
    text: *const u16,
    len: usize,
    buffer: *mut u16,
    capacity: usize,
) -> isize {
    // SAFETY: as required of the caller.
    unsafe { expand(expander, text, len, buffer, capacity) }
}

/// Closes an expander. NULL is fine. No other thread may use it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_expander_close(expander: *mut curt_expander) {
    // SAFETY: as required of the caller.
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
        // SAFETY: as required of the caller.
        let expander = unsafe { handle::shared(expander) }?;
        // SAFETY: as required of the caller.
        let buffer = unsafe { Buffer::new(buffer, capacity) }?;
        // SAFETY: as required of the caller.
        let path = unsafe { text::array(path, len) }?;
        let full = expander.0.expand(path).map_err(|error| Failure::Result(of_expansion(error)))?;
        Ok(buffer.write(&full))
    };
    length(plain(body))
}

/// Makes an expander with these options.
///
/// # Safety
///
/// The struct and the texts in it can be read.
unsafe fn configured(options: *const curt_expand_options) -> Result<Expander, Failure> {
    // SAFETY: as required of the caller.
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
    // SAFETY: as required of the caller.
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

/// Copies a text of this width, or returns `None` for NULL.
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
        // SAFETY: as required of the caller.
        (false, 1) => PathText::from_units(unsafe { text::units(text.cast::<u8>(), len) }?),
        // SAFETY: as required of the caller.
        (false, 2) => PathText::from_units(unsafe { text::units(text.cast::<u16>(), len) }?),
        _ => return Err(Failure::Argument("a text is NULL but not empty, or `width` is wrong")),
    };
    Ok(Some(copied))
}
