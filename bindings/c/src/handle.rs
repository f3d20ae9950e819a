//! Objects of the library that the caller holds by a pointer, until it closes them.

use crate::guard::{Failure, caught};

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
