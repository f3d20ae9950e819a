//! Why a function failed.
//!
//!     curt_error *error;
//!     if (curt_remove(CURT_CWD, curt_z("missing"), NULL, NULL, NULL, &error) < 0) {
//!         curt_error_info info = CURT_ERROR_INFO_INIT;
//!         curt_error_get(error, &info);
//!         puts(info.text);
//!         curt_error_free(error);
//!     }

use std::ffi::c_char;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use curt::Cause;

use crate::guard::{Failure, caught, int, plain};
use crate::handle;
use crate::structs::{self, Versioned};
use crate::text::{Unit, curt_str, to_units};

/// A failure. It is immutable, so threads may share it.
#[derive(Debug)]
pub struct curt_error {
    result: i32,
    what: What,
    /// Null until requested, because formatting takes longer than some system calls. Not a
    /// `OnceLock`: after a fork, the child could wait for a thread that exists only in the parent.
    texts: AtomicPtr<Texts>,
}

#[derive(Debug)]
enum What {
    Library(curt::Error),
    /// The message of a failure without operation and path.
    Other(String),
}

#[derive(Debug)]
struct Texts {
    /// The operation. It ends in a NUL, as do the other texts.
    operation: Option<Box<[u8]>>,
    path: Box<[Unit]>,
    destination: Box<[Unit]>,
    text: Box<[u8]>,
    reason: Option<Box<[u8]>>,
}

/// The contents of an error. The texts live as long as the error.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_error_info {
    /// Size of this struct.
    pub size: usize,
    /// `CURT_E_…`.
    pub result: i32,
    /// `errno`, or `GetLastError` on Windows. If curt itself refused, the number that the system
    /// would use, such as `EXDEV` for a path that leaves the root. 0 if no operation had begun.
    pub os_error: i32,
    /// The failed operation in one word, such as `"remove"`, `"remove_file"`, `"remove_directory"`,
    /// `"open_directory"`, `"read_directory"`, `"stat"`, `"read_link"`, `"open"`, `"canonicalize"`
    /// or `"find"`. NULL if no operation had begun.
    pub operation: *const c_char,
    /// The path given to the function, extended to the entry that failed; or empty. For a copy,
    /// that of the source or of the destination, whichever failed.
    pub path: curt_str,
    /// A message in UTF-8 for people, with operation, path and cause.
    pub text: *const c_char,
    /// Bytes in `text`.
    pub text_len: usize,
    /// The cause in curt's words, or NULL if the system's text for `os_error` explains it. Append
    /// it to a message that already has the system's text, such as an exception's.
    pub reason: *const c_char,
    /// The destination, if a copy to it was refused (`CURT_E_COPY_…`); or empty.
    pub destination: curt_str,
}

// SAFETY: the struct begins with its size, and zeros are valid.
unsafe impl Versioned for curt_error_info {}

impl curt_error {
    pub(crate) fn new(function: &str, failure: &Failure) -> curt_error {
        let text = match failure {
            Failure::Library(error) => return curt_error::of(error),
            Failure::Argument(why) => format!("{function}: {why}"),
            Failure::Glob(error) => format!("{function}: {error}"),
            Failure::Panic(message) => format!("{function}: internal error: {message}"),
            Failure::Stopped => format!("{function}: stopped"),
            Failure::Result(result) => format!("{function}: result {result}"),
        };
        curt_error {
            result: failure.result(),
            what: What::Other(text),
            texts: AtomicPtr::default(),
        }
    }

    pub(crate) fn of(error: &curt::Error) -> curt_error {
        let result = crate::results::result_of(error);
        curt_error { result, what: What::Library(error.clone()), texts: AtomicPtr::default() }
    }

    fn info(&self) -> curt_error_info {
        let os_error = match &self.what {
            What::Library(error) => error.errno(),
            What::Other(_) => 0,
        };
        let pointer = |text: &Option<Box<[u8]>>| {
            text.as_ref().map_or(ptr::null(), |text| text.as_ptr().cast())
        };
        let Texts { operation, path, destination, text, reason } = self.texts();
        curt_error_info {
            size: 0,
            result: self.result,
            os_error,
            operation: pointer(operation),
            path: curt_str::of(&path[..path.len() - 1]),
            text: text.as_ptr().cast(),
            text_len: text.len() - 1,
            reason: pointer(reason),
            destination: curt_str::of(&destination[..destination.len() - 1]),
        }
    }

    fn texts(&self) -> &Texts {
        let mut texts = self.texts.load(Ordering::Acquire);
        if texts.is_null() {
            texts = Box::into_raw(Box::new(self.what.texts()));
            let (set, seen) = (Ordering::Release, Ordering::Acquire);
            let old = self.texts.compare_exchange(ptr::null_mut(), texts, set, seen);
            if let Err(others) = old {
                // SAFETY: `texts` comes from the box above, and no other thread has seen it.
                drop(unsafe { Box::from_raw(texts) });
                texts = others;
            }
        }
        // SAFETY: `texts` comes from a box that is immutable and freed with this object.
        unsafe { &*texts }
    }
}

impl Drop for curt_error {
    fn drop(&mut self) {
        let texts = *self.texts.get_mut();
        if !texts.is_null() {
            // SAFETY: `texts` comes from a box, and all borrows of it have ended.
            drop(unsafe { Box::from_raw(texts) });
        }
    }
}

impl What {
    fn texts(&self) -> Texts {
        match self {
            What::Library(error) => Texts {
                operation: Some(with_nul(error.operation().name())),
                path: units_with_nul(error.path()),
                destination: units_with_nul(match error.cause() {
                    Cause::CopyRefused(_, destination) => destination,
                    _ => Path::new(""),
                }),
                text: with_nul(&error.to_string()),
                reason: error.reason().map(|reason| with_nul(&reason)),
            },
            What::Other(text) => {
                let text = with_nul(text);
                let [path, destination] = [Box::new([0]), Box::new([0])];
                Texts { operation: None, path, destination, reason: Some(text.clone()), text }
            }
        }
    }
}

pub(crate) fn units_with_nul(path: &Path) -> Box<[Unit]> {
    [&*to_units(path.as_os_str()), &[0]].concat().into()
}

/// Removes NULs, which panic messages can contain, and appends one.
fn with_nul(text: &str) -> Box<[u8]> {
    text.bytes().filter(|&byte| byte != 0).chain([0]).collect()
}

/// Runs the body of the C function named `function`. Writes an error object to `error`, or NULL on
/// success.
///
/// # Safety
///
/// `error` is NULL, or a pointer can be written there.
pub(crate) unsafe fn guard<T>(
    function: &str,
    error: *mut *mut curt_error,
    body: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, i32> {
    let answer = caught(body);
    if !error.is_null() && error.is_aligned() {
        let object = answer.as_ref().err().map(|failure| curt_error::new(function, failure));
        let object = object.map_or(ptr::null_mut(), |object| Box::into_raw(Box::new(object)));
        // SAFETY: upheld by the caller.
        unsafe { error.write(object) };
    }
    answer.map_err(|failure| failure.result())
}

/// Runs the body of a function that makes an object. Writes its pointer to `object`, or NULL on
/// failure.
///
/// # Safety
///
/// `object` and `error` are NULL, or pointers can be written there.
pub(crate) unsafe fn open<T>(
    function: &str,
    object: *mut *mut T,
    error: *mut *mut curt_error,
    body: impl FnOnce() -> Result<T, Failure>,
) -> i32 {
    let body = || {
        // SAFETY: upheld by the caller.
        unsafe { handle::put(object, ptr::null_mut()) }?;
        let made = Box::into_raw(Box::new(body()?));
        // SAFETY: as above.
        unsafe { handle::put(object, made) }?;
        Ok(0)
    };
    // SAFETY: as above.
    int(unsafe { guard(function, error, body) })
}

/// Fills in `info`. Makes no system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_error_get(
    error: *const curt_error,
    info: *mut curt_error_info,
) -> i32 {
    let body = || {
        // SAFETY: `error` is NULL or an open object.
        let error = unsafe { handle::shared(error) }?;
        if info.is_null() {
            return Err(Failure::Argument("`info` is NULL"));
        }
        // SAFETY: `info` is a writable struct.
        unsafe { structs::write(info, error.info()) }.map(|()| 0)
    };
    int(plain(body))
}

/// Frees an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_error_free(error: *mut curt_error) {
    // SAFETY: `error` is NULL or an object, unused afterwards.
    unsafe { handle::close(error) };
}
