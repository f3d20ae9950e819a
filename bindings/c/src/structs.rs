//! Structs that begin with their size, so that fields can be added at their end: a caller and a
//! library of different age understand each other.

use std::mem::MaybeUninit;
use std::ptr;

use crate::guard::Failure;

/// A struct that begins with a `usize`, its size as the caller was compiled.
///
/// # Safety
///
/// It is `repr(C)`, its first field is the size, and it is valid if all its bytes are zero.
pub(crate) unsafe trait Versioned: Copy {
    /// Its size in the first version that had it: one that is smaller is an error.
    const FIRST: usize = size_of::<Self>();
}

/// Reads an optional struct of the caller. Fields that the caller does not know are zero; those
/// that this version does not know must be.
///
/// # Safety
///
/// The pointer is NULL, or as many bytes as the struct says can be read there.
pub(crate) unsafe fn read<T: Versioned>(from: *const T) -> Result<Option<T>, Failure> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: as required of the caller.
    let size = unsafe { size(from) }?;
    let known = size.min(size_of::<T>());
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the value has room for the known part, which can be read.
    unsafe { ptr::copy_nonoverlapping(from.cast::<u8>(), value.as_mut_ptr().cast(), known) };
    for at in known..size {
        // SAFETY: within the size.
        let byte = unsafe { from.cast::<u8>().add(at) };
        // SAFETY: as above.
        if unsafe { byte.read() } != 0 {
            return Err(Failure::Argument("a struct has fields that this version does not know"));
        }
    }
    // SAFETY: all zero is valid, and so is what the caller has filled in.
    Ok(Some(unsafe { value.assume_init() }))
}

/// Fills in an optional struct of the caller, as far as the caller knows it; its size stays. The
/// part that this version does not know becomes zero.
///
/// # Safety
///
/// The pointer is NULL, or as many bytes as the struct says can be read and written there.
pub(crate) unsafe fn write<T: Versioned>(to: *mut T, value: T) -> Result<(), Failure> {
    if to.is_null() {
        return Ok(());
    }
    // SAFETY: as required of the caller.
    let size = unsafe { size(to) }?;
    // SAFETY: as above.
    unsafe { write_sized(to.cast(), value, size, size_of::<usize>()) };
    Ok(())
}

/// Checks a struct that will be filled in, before the work is done.
///
/// # Safety
///
/// The pointer is NULL, or a `usize` can be read there.
pub(crate) unsafe fn check<T: Versioned>(to: *const T) -> Result<(), Failure> {
    // SAFETY: as required of the caller.
    if to.is_null() { Ok(()) } else { unsafe { size(to) }.map(drop) }
}

/// Checks an array of structs that will be filled in, each of this size as the caller was compiled.
/// What this version does not know is at their end, and is left as it is.
pub(crate) fn check_array<T>(to: *const T, size: usize) -> Result<(), Failure> {
    if to.is_null() || !to.is_aligned() {
        return Err(Failure::Argument("the pointer to a struct is NULL or not aligned"));
    }
    // More than a page is the size of no struct.
    if size < size_of::<T>() || size > 4096 || size % align_of::<T>() != 0 {
        return Err(Failure::Argument("the size of a struct is not its size"));
    }
    Ok(())
}

/// Copies `value` from the byte `from` on to a place of `size` bytes, and fills the rest with
/// zeros.
///
/// # Safety
///
/// `size` bytes can be written at `to`.
pub(crate) unsafe fn write_sized<T: Copy>(to: *mut u8, value: T, size: usize, from: usize) {
    let known = size.min(size_of::<T>());
    // SAFETY: `from` lies within the value.
    let source = unsafe { (&raw const value).cast::<u8>().add(from) };
    // SAFETY: and within the place.
    let target = unsafe { to.add(from) };
    // SAFETY: what is known of both, which overlap nowhere.
    unsafe { ptr::copy_nonoverlapping(source, target, known.saturating_sub(from)) };
    if size > known {
        // SAFETY: the rest of the place.
        let rest = unsafe { to.add(known) };
        // SAFETY: as above.
        unsafe { ptr::write_bytes(rest, 0, size - known) };
    }
}

/// Returns the size that the caller has filled in.
///
/// # Safety
///
/// A `usize` can be read at the pointer, which is not NULL.
unsafe fn size<T: Versioned>(of: *const T) -> Result<usize, Failure> {
    if !of.is_aligned() {
        return Err(Failure::Argument("the pointer to a struct is not aligned"));
    }
    // SAFETY: it is aligned, and as required of the caller.
    let size = unsafe { of.cast::<usize>().read() };
    // More than a page is the size of no struct: the field was not filled in.
    if size < T::FIRST || size > 4096 {
        return Err(Failure::Argument("`size` of a struct is not its size"));
    }
    Ok(size)
}
