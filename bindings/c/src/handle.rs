//! Objects of the library that the caller holds by a pointer, until it closes them.

use crate::error::curt_error;
use crate::guard::{Failure, caught, guard, int};

/// Runs the body of a function that makes an object, and hands that to the caller. After a failure
/// the caller has NULL.
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
        // SAFETY: as required of the caller.
        unsafe { put(object, std::ptr::null_mut()) }?;
        let made = Box::into_raw(Box::new(body()?));
        // SAFETY: as above.
        unsafe { put(object, made) }?;
        Ok(0)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard(function, error, body) })
}

/// Writes what is handed over into the place that the caller has for it.
///
/// # Safety
///
/// The place is NULL, or a value can be written there.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::Argument("the place for what is opened is NULL or not aligned"));
    }
    // SAFETY: as required of the caller.
    unsafe { place.write(value) };
    Ok(())
}

/// Returns an object that threads share.
///
/// # Safety
///
/// The pointer is NULL or an object, which is not closed during `'a`.
pub(crate) unsafe fn shared<'a, T: Sync>(object: *const T) -> Result<&'a T, Failure> {
    if !object.is_aligned() {
        return Err(Failure::Argument("the object is not aligned"));
    }
    // SAFETY: as required of the caller.
    unsafe { object.as_ref() }.ok_or(Failure::Argument("the object is NULL"))
}

/// Returns an object that one thread uses at a time.
///
/// # Safety
///
/// The pointer is NULL or an object, which nobody else uses during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(object: *mut T) -> Result<&'a mut T, Failure> {
    if !object.is_aligned() {
        return Err(Failure::Argument("the object is not aligned"));
    }
    // SAFETY: as required of the caller.
    unsafe { object.as_mut() }.ok_or(Failure::Argument("the object is NULL"))
}

/// Closes an object. NULL is fine.
///
/// # Safety
///
/// The pointer is NULL or an object, which nobody uses from now on.
pub(crate) unsafe fn close<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: it was made by `open`.
        let object = unsafe { Box::from_raw(object) };
        // The caller cannot do anything about a panic.
        let _ = caught(|| {
            drop(object);
            Ok(())
        });
    }
}
