//! Objects that the caller holds by pointer until it closes them.

use crate::guard::{Failure, caught};

/// Writes a pointer into the caller's variable.
///
/// # Safety
///
/// `place` is NULL, misaligned, or valid for writes of a `T`.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::Argument("the place for what is opened is NULL or not aligned"));
    }
    // SAFETY: upheld by the caller.
    unsafe { place.write(value) };
    Ok(())
}

/// # Safety
///
/// `object` is NULL or an object that is not closed during `'a`.
pub(crate) unsafe fn shared<'a, T: Sync>(object: *const T) -> Result<&'a T, Failure> {
    if !object.is_aligned() {
        return Err(Failure::Argument("the object is not aligned"));
    }
    // SAFETY: upheld by the caller.
    unsafe { object.as_ref() }.ok_or(Failure::Argument("the object is NULL"))
}

/// # Safety
///
/// `object` is NULL or an object without other users during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(object: *mut T) -> Result<&'a mut T, Failure> {
    if !object.is_aligned() {
        return Err(Failure::Argument("the object is not aligned"));
    }
    // SAFETY: upheld by the caller.
    unsafe { object.as_mut() }.ok_or(Failure::Argument("the object is NULL"))
}

/// Frees an object. Does nothing for NULL.
///
/// # Safety
///
/// `object` is NULL or an object that is not used afterwards.
pub(crate) unsafe fn close<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: `error::open` or `error::guard` got this pointer from a box.
        let object = unsafe { Box::from_raw(object) };
        // Catch a panic, because C callers cannot handle it.
        let _ = caught(|| {
            drop(object);
            Ok(())
        });
    }
}
