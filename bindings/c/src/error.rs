//! Error objects.

use std::ffi::c_char;

use curt::Operation;

use crate::guard::{Failure, caught, int};
use crate::structs::{self, Versioned};
use crate::text::{curt_char, curt_str, to_units};

/// What failed, on which path, and why. Nothing changes it, so any thread may read it.
#[derive(Debug)]
pub struct curt_error {
    result: i32,
    operation: i32,
    os_error: i32,
    path: Box<[curt_char]>,
    /// Ends in NUL.
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
    /// The path: the operand as it was given, and the names below it. Empty if there is none.
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
        match failure {
            Failure::Library(error) => curt_error::of(error),
            Failure::Argument(why) => bare(failure, &format!("{function}: {why}")),
            Failure::Panic(message) => {
                bare(failure, &format!("{function}: internal error: {message}"))
            }
            Failure::Stopped => bare(failure, &format!("{function}: stopped")),
            Failure::Result(result) => bare(failure, &format!("{function}: result {result}")),
        }
    }

    /// Makes the object for a failure of the library.
    pub(crate) fn of(error: &curt::Error) -> curt_error {
        curt_error {
            result: crate::results::result_of(error),
            operation: number(error.operation()),
            os_error: error.raw_os_error().unwrap_or(0),
            path: to_units(error.path().as_os_str()).into(),
            text: with_nul(&error.to_string()),
        }
    }
}

/// An object without an operation and a path.
fn bare(failure: &Failure, text: &str) -> curt_error {
    let (result, text) = (failure.result(), with_nul(text));
    curt_error { result, operation: 0, os_error: 0, path: Box::default(), text }
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
        let error = unsafe { error.as_ref() };
        let Some(error) = error.filter(|_| !info.is_null()) else {
            return Err(Failure::Argument("a pointer is NULL"));
        };
        let filled = curt_error_info {
            size: 0,
            result: error.result,
            operation: error.operation,
            os_error: error.os_error,
            reserved: 0,
            path: curt_str::of(&error.path),
            text: error.text.as_ptr().cast(),
            text_len: error.text.len() - 1,
        };
        // SAFETY: the caller passes a struct.
        unsafe { structs::write(info, filled) }.map(|()| 0)
    };
    int(caught(body).map_err(|failure| failure.result()))
}

/// Frees an error object. NULL is fine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_error_free(error: *mut curt_error) {
    if !error.is_null() {
        // SAFETY: the caller passes an object, once.
        drop(unsafe { Box::from_raw(error) });
    }
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
