//! Error objects.

use std::ffi::c_char;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use curt::Operation;

use crate::guard::{Failure, int, plain};
use crate::handle;
use crate::structs::{self, Versioned};
use crate::text::{curt_char, curt_str, to_units};

/// What failed, on which path, and why. Nothing changes it, so any thread may read it.
#[derive(Debug)]
pub struct curt_error {
    result: i32,
    what: What,
    /// Null until the caller asks: many callers need the result alone, and a text takes longer than
    /// some calls. Not a `OnceLock`, in which the child of a fork could wait for a thread that it
    /// does not have.
    texts: AtomicPtr<Texts>,
}

#[derive(Debug)]
enum What {
    Library(curt::Error),
    /// A failure without an operation and a path, in words.
    Other(String),
}

#[derive(Debug)]
struct Texts {
    /// Both end in NUL.
    path: Box<[curt_char]>,
    text: Box<[u8]>,
}

/// What an error object says. The texts live as long as the object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_error_info {
    /// `sizeof(curt_error_info)`, set by the caller.
    pub size: usize,
    /// The result: `CURT_E_…`.
    pub result: i32,
    /// The operation that failed: `CURT_OP_…`, or 0 if none was begun.
    pub operation: i32,
    /// The system's number if it failed, or 0.
    pub os_error: i32,
    /// Always 0.
    pub reserved: i32,
    /// The path: the operand as it was given, and the names below it. Empty if there is none. A NUL
    /// follows it.
    pub path: curt_str,
    /// A sentence for people, in UTF-8: operation, path and cause. It ends in NUL.
    pub text: *const c_char,
    /// The length of the sentence in bytes, without the NUL.
    pub text_len: usize,
}

// SAFETY: it begins with its size; zeros are valid.
unsafe impl Versioned for curt_error_info {}

impl curt_error {
    /// Makes the object for a failure of this function.
    pub(crate) fn new(function: &str, failure: &Failure) -> curt_error {
        let text = match failure {
            Failure::Library(error) => return curt_error::of(error),
            Failure::Argument(why) => format!("{function}: {why}"),
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

    /// Makes the object for a failure of the library.
    pub(crate) fn of(error: &curt::Error) -> curt_error {
        let result = crate::results::result_of(error);
        curt_error { result, what: What::Library(error.clone()), texts: AtomicPtr::default() }
    }

    fn info(&self) -> curt_error_info {
        let (operation, os_error) = match &self.what {
            What::Library(error) => (number(error.operation()), error.raw_os_error().unwrap_or(0)),
            What::Other(_) => (0, 0),
        };
        let Texts { path, text } = self.texts();
        curt_error_info {
            size: 0,
            result: self.result,
            operation,
            os_error,
            reserved: 0,
            path: curt_str::of(&path[..path.len() - 1]),
            text: text.as_ptr().cast(),
            text_len: text.len() - 1,
        }
    }
}

impl curt_error {
    fn texts(&self) -> &Texts {
        let mut texts = self.texts.load(Ordering::Acquire);
        if texts.is_null() {
            texts = Box::into_raw(Box::new(self.what.texts()));
            let (set, seen) = (Ordering::Release, Ordering::Acquire);
            let old = self.texts.compare_exchange(ptr::null_mut(), texts, set, seen);
            if let Err(others) = old {
                // SAFETY: it comes from the box above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(texts) });
                texts = others;
            }
        }
        // SAFETY: it comes from a box, which is freed with this object and does not change.
        unsafe { &*texts }
    }
}

impl Drop for curt_error {
    fn drop(&mut self) {
        let texts = *self.texts.get_mut();
        if !texts.is_null() {
            // SAFETY: it comes from a box, and the object that has lent it is gone.
            drop(unsafe { Box::from_raw(texts) });
        }
    }
}

impl What {
    fn texts(&self) -> Texts {
        match self {
            What::Library(error) => Texts {
                path: [&*to_units(error.path().as_os_str()), &[0]].concat().into(),
                text: with_nul(&error.to_string()),
            },
            What::Other(text) => Texts { path: Box::new([0]), text: with_nul(text) },
        }
    }
}

/// Returns the bytes with a NUL behind them. A name cannot contain one, and no text of the library
/// does.
fn with_nul(text: &str) -> Box<[u8]> {
    text.bytes().filter(|&byte| byte != 0).chain([0]).collect()
}

/// Fills in `info`, whose `size` is set. Costs no call.
///
/// Returns 0, or `CURT_E_ARGUMENT` if a pointer is NULL or the size is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_error_get(
    error: *const curt_error,
    info: *mut curt_error_info,
) -> i32 {
    let body = || {
        // SAFETY: the caller passes NULL or an object.
        let error = unsafe { handle::shared(error) }?;
        if info.is_null() {
            return Err(Failure::Argument("`info` is NULL"));
        }
        // SAFETY: the caller passes a struct.
        unsafe { structs::write(info, error.info()) }.map(|()| 0)
    };
    int(plain(body))
}

/// Frees an error object. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_error_free(error: *mut curt_error) {
    // SAFETY: the caller passes an object, once.
    unsafe { handle::close(error) };
}

/// Removing an entry: finding it, or a refusal before or between the steps below.
pub const CURT_OP_REMOVE: i32 = 1;
/// Removing an entry that is not a directory.
pub const CURT_OP_REMOVE_FILE: i32 = 2;
/// Removing an empty directory.
pub const CURT_OP_REMOVE_DIRECTORY: i32 = 3;
/// Opening a directory to list it.
pub const CURT_OP_OPEN_DIRECTORY: i32 = 4;
/// Reading the entries of a directory.
pub const CURT_OP_READ_DIRECTORY: i32 = 5;
/// Reading the metadata of an entry.
pub const CURT_OP_STAT: i32 = 6;
/// Reading the target of a link.
pub const CURT_OP_READ_LINK: i32 = 7;
/// Checking the access rights to an entry.
pub const CURT_OP_ACCESS: i32 = 8;
/// Reading the owner of an entry.
pub const CURT_OP_READ_OWNER: i32 = 9;
/// Opening a file.
pub const CURT_OP_OPEN: i32 = 10;
/// Finding the canonical name.
pub const CURT_OP_CANONICALIZE: i32 = 11;
/// Searching for a program.
pub const CURT_OP_FIND: i32 = 12;

fn number(operation: Operation) -> i32 {
    match operation {
        Operation::Remove => CURT_OP_REMOVE,
        Operation::RemoveFile => CURT_OP_REMOVE_FILE,
        Operation::RemoveDirectory => CURT_OP_REMOVE_DIRECTORY,
        Operation::OpenDirectory => CURT_OP_OPEN_DIRECTORY,
        Operation::ReadDirectory => CURT_OP_READ_DIRECTORY,
        Operation::Stat => CURT_OP_STAT,
        Operation::ReadLink => CURT_OP_READ_LINK,
        Operation::Access => CURT_OP_ACCESS,
        Operation::ReadOwner => CURT_OP_READ_OWNER,
        Operation::Open => CURT_OP_OPEN,
        Operation::Canonicalize => CURT_OP_CANONICALIZE,
        Operation::Find => CURT_OP_FIND,
        _ => 0,
    }
}
