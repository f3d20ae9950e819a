//! Full paths, by their text alone.

use std::ffi::c_void;

use curt::paths::{DotDot, Env, Expander, Flavor, PathText, Style, ThisProcess, Unit, Verbatim};

use crate::error::curt_error;
use crate::guard::{Failure, caught, length};
use crate::results::of_expansion;
use crate::structs::{self, Versioned};
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
    /// The working directory, a full path; or NULL: it is unset.
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
    unsafe { handle::open("curt_expander_open", expander, error, body) }
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
        let path = unsafe { text::array(path, len) }?;
        let full = expander.0.expand(path).map_err(|error| Failure::Result(of_expansion(error)))?;
        // SAFETY: as required of the caller.
        unsafe { text::write(&full, buffer, capacity) }
    };
    length(caught(body).map_err(|failure| failure.result()))
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

#[cfg(test)]
mod tests {
    use std::ptr::{null, null_mut};

    use super::*;
    use crate::results::*;

    const OPTIONS: curt_expand_options = curt_expand_options {
        size: size_of::<curt_expand_options>(),
        flavor: CURT_FLAVOR_NATIVE,
        style: CURT_STYLE_NATIVE,
        dot_dot: CURT_DOT_DOT_DEFAULT,
        flags: 0,
        width: 0,
        reserved: 0,
        base: null(),
        base_len: 0,
        cwd: null(),
        cwd_len: 0,
        home: null(),
        home_len: 0,
    };

    /// An expander that is closed when it is dropped.
    struct Opened(*mut curt_expander);

    impl Opened {
        fn new(options: &curt_expand_options) -> Opened {
            let mut expander = null_mut();
            // SAFETY: all are valid.
            let result = unsafe { curt_expander_open(options, &raw mut expander, null_mut()) };
            assert_eq!(result, 0);
            Opened(expander)
        }

        /// The full path, or the result.
        fn bytes(&self, text: &[u8]) -> Result<Vec<u8>, i32> {
            let (mut buffer, room) = ([9; 256], 256);
            let (ptr, to) = (text.as_ptr(), buffer.as_mut_ptr());
            // SAFETY: all are valid.
            let length = unsafe { curt_expand_bytes(self.0, ptr, text.len(), to, room) };
            let length = usize::try_from(length).map_err(|_| length as i32)?;
            assert_eq!((buffer[length], buffer[length + 1]), (0, 9));
            Ok(buffer[..length].to_vec())
        }

        fn units(&self, text: &[u16]) -> Result<Vec<u16>, i32> {
            let (mut buffer, room) = ([9; 256], 256);
            let (ptr, to) = (text.as_ptr(), buffer.as_mut_ptr());
            // SAFETY: all are valid.
            let length = unsafe { curt_expand_units(self.0, ptr, text.len(), to, room) };
            let length = usize::try_from(length).map_err(|_| length as i32)?;
            assert_eq!((buffer[length], buffer[length + 1]), (0, 9));
            Ok(buffer[..length].to_vec())
        }
    }

    impl Drop for Opened {
        fn drop(&mut self) {
            // SAFETY: it is not used any more.
            unsafe { curt_expander_close(self.0) };
        }
    }

    fn wide(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    /// Options with a working directory and a home of bytes.
    fn with<'a>(cwd: &'a str, home: &'a str, flavor: u32) -> curt_expand_options {
        curt_expand_options {
            flavor,
            width: 1,
            cwd: cwd.as_ptr().cast(),
            cwd_len: cwd.len(),
            home: home.as_ptr().cast(),
            home_len: home.len(),
            ..OPTIONS
        }
    }

    #[test]
    fn every_flavor_expands_in_both_widths() {
        let posix = || with("/w", "/home/me", CURT_FLAVOR_POSIX);
        let windows = || with(r"C:\w", r"C:\me", CURT_FLAVOR_WINDOWS);
        let (clamp, refuse) = (CURT_DOT_DOT_CLAMP, CURT_DOT_DOT_REFUSE);
        let (ruby, tilde) = (CURT_STYLE_RUBY, CURT_EXPAND_TILDE);
        let verbatim = CURT_EXPAND_VERBATIM;
        for (options, text, full) in [
            (posix(), "/a/b", Ok("/a/b")),
            (posix(), "a//./../b", Ok("/w/a/../b")),
            (curt_expand_options { dot_dot: clamp, ..posix() }, "a/../b", Ok("/w/b")),
            (curt_expand_options { dot_dot: refuse, ..posix() }, "/..", Err(CURT_E_EXPAND_ESCAPE)),
            (
                curt_expand_options { dot_dot: CURT_DOT_DOT_KEEP, style: ruby, ..posix() },
                "..",
                Ok("/w/.."),
            ),
            (posix(), "~/x", Ok("/w/~/x")),
            (curt_expand_options { flags: tilde, ..posix() }, "~/x", Ok("/home/me/x")),
            (curt_expand_options { style: ruby, ..posix() }, "~/x/", Ok("/w/~/x")),
            (curt_expand_options { style: ruby, flags: tilde, ..posix() }, "~/", Ok("/home/me")),
            (curt_expand_options { flags: tilde, ..posix() }, "~me", Err(CURT_E_EXPAND_NO_USER)),
            (posix(), "", Err(CURT_E_EXPAND_EMPTY)),
            (posix(), "a\0b", Err(CURT_E_EXPAND_NUL)),
            (windows(), r"..\a.\b. ", Ok(r"C:\a\b")),
            (windows(), "D:x", Ok(r"D:\x")),
            (windows(), r"\\?\C:\a\.\b", Ok(r"\\?\C:\a\.\b")),
            (
                curt_expand_options { flags: verbatim, ..windows() },
                r"\\?\C:\a\.\b",
                Ok(r"\\?\C:\a\b"),
            ),
            (curt_expand_options { style: ruby, flags: tilde, ..windows() }, r"~\x", Ok("C:/me/x")),
            (
                curt_expand_options { flavor: CURT_FLAVOR_POSIX, ..OPTIONS },
                "x",
                Err(CURT_E_EXPAND_NO_START),
            ),
        ] {
            let expander = Opened::new(&options);
            let found = expander.bytes(text.as_bytes());
            assert_eq!(found, full.map(|full| full.as_bytes().to_vec()), "{text}");
            assert_eq!(expander.units(&wide(text)), full.map(wide), "{text}");
        }
    }

    #[test]
    fn a_base_has_either_width_and_units_need_not_be_unicode() {
        let base: [u16; 4] = [b'/'.into(), b'b'.into(), 0xD800, b'b'.into()];
        let (width, flavor, base_len) = (2, CURT_FLAVOR_POSIX, base.len());
        let base_ptr = base.as_ptr().cast();
        let options = curt_expand_options { width, flavor, base: base_ptr, base_len, ..OPTIONS };
        let expander = Opened::new(&options);
        assert_eq!(expander.bytes(b"x\xff"), Ok(b"/b\xED\xA0\x80b/x\xff".to_vec()));
        let slash = u16::from(b'/');
        assert_eq!(expander.units(&[0xDC00]), Ok([&base[..], &[slash, 0xDC00]].concat()));
    }

    #[test]
    fn the_working_directory_is_read_only_if_asked_for_and_wanted() {
        let expander = Opened::new(&OPTIONS);
        assert_eq!(expander.bytes(b"x"), Err(CURT_E_EXPAND_NO_START));
        let expander =
            Opened::new(&curt_expand_options { flags: CURT_EXPAND_ENVIRONMENT, ..OPTIONS });
        let here = std::env::current_dir().unwrap().join("x");
        assert_eq!(expander.bytes(b"x"), Ok(here.to_str().unwrap().as_bytes().to_vec()));
        let cwd = if cfg!(unix) { "/w" } else { r"C:\w" };
        let given = with(cwd, "", CURT_FLAVOR_NATIVE);
        let expander =
            Opened::new(&curt_expand_options { flags: CURT_EXPAND_ENVIRONMENT, ..given });
        let given = std::path::Path::new(cwd).join("x").to_str().unwrap().as_bytes().to_vec();
        assert_eq!(expander.bytes(b"x"), Ok(given));
    }

    #[test]
    fn a_small_buffer_is_told_the_length() {
        let expander = Opened::new(&with("/w", "", CURT_FLAVOR_POSIX));
        for text in ["/w/x", "x"] {
            for room in 0..6 {
                let mut buffer = [9; 6];
                let to = if room == 0 { null_mut() } else { buffer.as_mut_ptr() };
                let (text, len) = (text.as_ptr(), text.len());
                // SAFETY: all are valid.
                let length = unsafe { curt_expand_bytes(expander.0, text, len, to, room) };
                assert_eq!(length, 4);
                let written = if room > 4 { *b"/w/x\0\x09" } else { [9; 6] };
                assert_eq!(buffer, written);
            }
        }
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for change in [
            (|options| options.flags = 8) as fn(&mut curt_expand_options),
            |options| options.reserved = 1,
            |options| options.flavor = 3,
            |options| options.style = 2,
            |options| options.dot_dot = 4,
            |options| options.width = 3,
            |options| options.size -= 1,
            |options| options.cwd_len = 1,
            |options| (options.home, options.home_len) = (c"/h".as_ptr().cast(), 2),
            |options| {
                options.width = 1;
                (options.base, options.base_len) = (c"/h".as_ptr().cast(), 3);
            },
            |options| {
                options.width = 2;
                (options.base, options.base_len) = (null::<c_void>().wrapping_add(9), 1);
            },
        ] {
            let mut options = OPTIONS;
            change(&mut options);
            let (mut expander, mut error) = (std::ptr::dangling_mut(), null_mut());
            // SAFETY: all are valid; no text is read.
            let result = unsafe {
                curt_expander_open(&raw const options, &raw mut expander, &raw mut error)
            };
            assert_eq!(result, CURT_E_ARGUMENT);
            assert!(expander.is_null() && !error.is_null());
            // SAFETY: it is not used any more.
            unsafe { crate::error::curt_error_free(error) };
        }
        // SAFETY: NULL is refused.
        let nothing = unsafe { curt_expand_bytes(null(), null(), 0, null_mut(), 0) };
        assert_eq!(nothing, CURT_E_ARGUMENT as isize);
        let posix = curt_expand_options { flavor: CURT_FLAVOR_POSIX, ..OPTIONS };
        let expander = Opened::new(&posix);
        // SAFETY: NULL is refused.
        let nothing = unsafe { curt_expand_units(expander.0, null(), 1, null_mut(), 0) };
        assert_eq!(nothing, CURT_E_ARGUMENT as isize);
        let text = c"/x".as_ptr().cast();
        // SAFETY: a buffer that is NULL is refused.
        let nothing = unsafe { curt_expand_bytes(expander.0, text, 2, null_mut(), 9) };
        assert_eq!(nothing, CURT_E_ARGUMENT as isize);
        // SAFETY: NULL is fine.
        unsafe { curt_expander_close(null_mut()) };
    }
}
