//! Reading and writing structs that begin with their size.
//!
//! New fields are added at the end, so callers and libraries of different versions work together.

use std::mem::MaybeUninit;
use std::ptr;

use crate::guard::Failure;

/// A struct whose first field is its size in the caller's version of the header.
///
/// # Safety
///
/// The type is `repr(C)`, its first field is the size as a `usize`, and all zero bytes are a valid
/// value.
pub(crate) unsafe trait Versioned: Copy {
    /// The size in the struct's first version. Smaller sizes are errors.
    const FIRST: usize = size_of::<Self>();
}

/// Copies the caller's optional struct. Fields missing in the caller's version become zero. Fields
/// unknown to this version must be zero.
///
/// # Safety
///
/// `from` is NULL, or points to a struct whose size field states how many bytes of it are readable.
pub(crate) unsafe fn read<T: Versioned>(from: *const T) -> Result<Option<T>, Failure> {
    if from.is_null() {
        return Ok(None);
    }
    // SAFETY: upheld by the caller.
    let size = unsafe { size(from) }?;
    let known = size.min(size_of::<T>());
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the caller's struct and `value` both have `known` bytes.
    unsafe { ptr::copy_nonoverlapping(from.cast::<u8>(), value.as_mut_ptr().cast(), known) };
    for at in known..size {
        // SAFETY: `at` is less than the size.
        let byte = unsafe { from.cast::<u8>().add(at) };
        // SAFETY: as above.
        if unsafe { byte.read() } != 0 {
            return Err(Failure::Argument("a struct has fields that this version does not know"));
        }
    }
    // SAFETY: zeros are valid, and the caller has set the copied bytes.
    Ok(Some(unsafe { value.assume_init() }))
}

/// Fills in the caller's optional struct up to its size, except the size field. Fields unknown to
/// this version become zero.
///
/// # Safety
///
/// `to` is NULL, or points to a struct whose size field states how many bytes of it can be read and
/// written.
pub(crate) unsafe fn write<T: Versioned>(to: *mut T, value: T) -> Result<(), Failure> {
    if to.is_null() {
        return Ok(());
    }
    // SAFETY: upheld by the caller.
    let size = unsafe { size(to) }?;
    let (from, known) = (size_of::<usize>(), size.min(size_of::<T>()));
    let bytes = to.cast::<u8>();
    // SAFETY: a struct is at least as large as its size field.
    let source = unsafe { (&raw const value).cast::<u8>().add(from) };
    // SAFETY: as above.
    let target = unsafe { bytes.add(from) };
    // SAFETY: both structs have `known` bytes, and they do not overlap.
    unsafe { ptr::copy_nonoverlapping(source, target, known - from) };
    // SAFETY: `known` is at most the caller's size.
    let rest = unsafe { bytes.add(known) };
    // SAFETY: the bytes from `known` up to the caller's size are writable.
    unsafe { ptr::write_bytes(rest, 0, size - known) };
    Ok(())
}

/// Checks the size of an output struct before the work starts.
///
/// # Safety
///
/// `to` is NULL, or a `usize` can be read there.
pub(crate) unsafe fn check<T: Versioned>(to: *const T) -> Result<(), Failure> {
    // SAFETY: upheld by the caller.
    if to.is_null() { Ok(()) } else { unsafe { size(to) }.map(drop) }
}

/// Checks an output array whose structs have `size` bytes in the caller's version. The library
/// leaves fields that it does not know unchanged.
pub(crate) fn check_array<T>(to: *const T, size: usize, count: usize) -> Result<(), Failure> {
    if size < size_of::<T>() || size > 4096 || size % align_of::<T>() != 0 {
        return Err(Failure::Argument("the size of a struct is not its `sizeof`"));
    }
    crate::text::check(to, count, size)
}

/// # Safety
///
/// `of` is not NULL, and a `usize` can be read there.
unsafe fn size<T: Versioned>(of: *const T) -> Result<usize, Failure> {
    if !of.is_aligned() {
        return Err(Failure::Argument("the pointer to a struct is not aligned"));
    }
    // SAFETY: `of` is aligned, and the caller guarantees that a `usize` can be read there.
    let size = unsafe { of.cast::<usize>().read() };
    // No struct is larger than a page, so a larger size is garbage.
    if size < T::FIRST || size > 4096 {
        return Err(Failure::Argument("`size` of a struct is wrong: begin with its CURT_…_INIT"));
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Sample {
        size: usize,
        first: u32,
        second: u32,
        third: u64,
    }

    // SAFETY: the struct begins with its size, and zeros are valid.
    unsafe impl Versioned for Sample {
        const FIRST: usize = size_of::<usize>() + 8;
    }

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Newer {
        known: Sample,
        fourth: u64,
    }

    const SAMPLE: Sample = Sample { size: 0, first: 1, second: 2, third: 3 };

    fn newer(size: usize, fourth: u64) -> Newer {
        Newer { known: Sample { size, ..SAMPLE }, fourth }
    }

    fn message<T>(result: Result<T, Failure>) -> Result<T, &'static str> {
        result.map_err(|failure| match failure {
            Failure::Argument(why) => why,
            other => panic!("{}", other.result()),
        })
    }

    fn read_of(size: usize, fourth: u64) -> Result<Sample, &'static str> {
        let given = newer(size, fourth);
        // SAFETY: `Sample` is a prefix of `Newer`.
        message(unsafe { read((&raw const given).cast::<Sample>()) }).map(Option::unwrap)
    }

    #[test]
    fn a_struct_is_read_as_far_as_both_know_it() {
        let (whole, first) = (size_of::<Sample>(), Sample::FIRST);
        assert_eq!(read_of(whole, 9), Ok(Sample { size: whole, ..SAMPLE }));
        assert_eq!(read_of(first, 9), Ok(Sample { size: first, third: 0, ..SAMPLE }));
        let size = size_of::<Newer>();
        assert_eq!(read_of(size, 0), Ok(Sample { size, ..SAMPLE }));
        let unknown = "a struct has fields that this version does not know";
        for bit in 0..64 {
            assert_eq!(read_of(size, 1 << bit), Err(unknown));
        }
        let wrong = "`size` of a struct is wrong: begin with its CURT_…_INIT";
        for size in [0, 1, first - 1, 4097, usize::MAX] {
            assert_eq!(read_of(size, 0), Err(wrong), "{size}");
        }
        // SAFETY: NULL is allowed.
        assert!(message(unsafe { read::<Sample>(null_mut()) }).unwrap().is_none());
    }

    /// Writes `SAMPLE` to a struct of `size` bytes.
    fn write_to(size: usize) -> Result<Newer, &'static str> {
        let mut place = Newer { known: Sample { size, first: 7, second: 7, third: 7 }, fourth: 7 };
        let to = (&raw mut place).cast::<Sample>();
        // SAFETY: `Sample` is a prefix of `Newer`.
        let checked = message(unsafe { check(to) });
        // SAFETY: as above.
        let written = message(unsafe { write(to, SAMPLE) });
        assert_eq!(checked, written);
        let untouched = Sample { size, first: 7, second: 7, third: 7 };
        assert!(written.is_ok() || (place.known, place.fourth) == (untouched, 7));
        written.map(|()| place)
    }

    #[test]
    fn a_struct_is_filled_in_as_far_as_the_caller_knows_it() {
        let (whole, first) = (size_of::<Sample>(), Sample::FIRST);
        assert_eq!(write_to(whole), Ok(newer(whole, 7)));
        let older = Newer { known: Sample { size: first, third: 7, ..SAMPLE }, fourth: 7 };
        assert_eq!(write_to(first), Ok(older));
        assert_eq!(write_to(size_of::<Newer>()), Ok(newer(size_of::<Newer>(), 0)));
        for size in [0, 1, first - 1, 4097, usize::MAX] {
            assert_eq!(
                write_to(size),
                Err("`size` of a struct is wrong: begin with its CURT_…_INIT"),
                "{size}"
            );
        }
        // SAFETY: NULL is allowed.
        assert_eq!(message(unsafe { write(null_mut(), SAMPLE) }), Ok(()));
        // SAFETY: as above.
        assert_eq!(message(unsafe { check::<Sample>(null_mut()) }), Ok(()));
    }

    #[test]
    fn what_is_not_aligned_is_refused_before_it_is_read() {
        let wrong = Err("the pointer to a struct is not aligned");
        for odd in 1..align_of::<Sample>() {
            let nowhere = std::ptr::without_provenance_mut::<Sample>(4096 + odd);
            // SAFETY: a misaligned pointer is refused unread.
            assert_eq!(message(unsafe { read(nowhere) }), wrong);
            // SAFETY: as above.
            assert_eq!(message(unsafe { check(nowhere) }), wrong.map(drop));
            // SAFETY: as above.
            assert_eq!(message(unsafe { write(nowhere, SAMPLE) }), wrong.map(drop));
        }
    }

    #[test]
    fn an_array_of_structs_has_their_size_or_a_larger_one() {
        let place = [SAMPLE; 2];
        let (to, size) = (place.as_ptr(), size_of::<Sample>());
        for size in [size, size + 8, 4096] {
            assert_eq!(message(check_array(to, size, 2)), Ok(()));
        }
        for size in [0, 8, size - 8, size + 1, 4096 + 8, usize::MAX] {
            assert!(check_array(to, size, 2).is_err(), "{size}");
        }
        assert!(check_array(to, size, isize::MAX as usize / size + 1).is_err());
        assert!(check_array(null_mut::<Sample>(), size, 1).is_err());
        assert!(check_array(to.wrapping_byte_add(1), size, 1).is_err());
    }
}
