//! Library objects that the caller holds by pointer until it closes them.

use crate::guard::{Failure, caught};

/// Writes a pointer into the caller's variable.
///
/// # Safety
///
/// `place` is NULL, or a value can be written there.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::Argument("the place for what is opened is NULL or not aligned"));
    }
    // SAFETY: upheld by the caller.
    unsafe { place.write(value) };
    Ok(())
}

/// Borrows an object that threads may share.
///
/// # Safety
///
/// The pointer is NULL or an object that is not closed during `'a`.
pub(crate) unsafe fn shared<'a, T: Sync>(object: *const T) -> Result<&'a T, Failure> {
    if !object.is_aligned() {
        return Err(Failure::Argument("the object is not aligned"));
    }
    // SAFETY: upheld by the caller.
    unsafe { object.as_ref() }.ok_or(Failure::Argument("the object is NULL"))
}

/// Borrows an object for one thread.
///
/// # Safety
///
/// The pointer is NULL or an object without other users during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(object: *mut T) -> Result<&'a mut T, Failure> {
    if !object.is_aligned() {
        return Err(Failure::Argument("the object is not aligned"));
    }
    // SAFETY: upheld by the caller.
    unsafe { object.as_mut() }.ok_or(Failure::Argument("the object is NULL"))
}

/// Frees an object. NULL is fine.
///
/// # Safety
///
/// The pointer is NULL or an object that is not used afterwards.
pub(crate) unsafe fn close<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: `error::open` made it from a box.
        let object = unsafe { Box::from_raw(object) };
        // The caller could not handle a panic.
        let _ = caught(|| {
            drop(object);
            Ok(())
        });
    }
}
