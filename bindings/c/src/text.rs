//! Texts and buffers.
//!
//!     curt_str name = curt_z("tree");
//!     printf("%.*s\n", (int)name.len, name.ptr);

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use std::slice;

use crate::guard::Failure;

/// A code unit of a path: a byte.
#[cfg(unix)]
pub type curt_char = std::ffi::c_char;

/// A code unit of a path in UTF-16.
#[cfg(windows)]
pub type curt_char = u16;

/// The Rust type for `curt_char`.
#[cfg(unix)]
pub(crate) type Unit = u8;
#[cfg(windows)]
pub(crate) type Unit = curt_char;

/// A path or a name, exactly as the system stores it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_str {
    /// The first code unit. Can be NULL if `len` is 0.
    pub ptr: *const curt_char,
    /// The length in code units, not counting a NUL after the text.
    pub len: usize,
}

impl curt_str {
    pub(crate) const NONE: curt_str = curt_str { ptr: std::ptr::null(), len: 0 };

    /// Borrows `units`, which must outlive the result.
    pub(crate) fn of(units: &[Unit]) -> curt_str {
        curt_str { ptr: units.as_ptr().cast(), len: units.len() }
    }

    /// # Safety
    ///
    /// The units can be read and do not change during `'a`.
    pub(crate) unsafe fn path<'a>(self) -> Result<Cow<'a, Path>, Failure> {
        // SAFETY: upheld by the caller.
        unsafe { units(self.ptr.cast(), self.len) }.map(path)
    }

    /// Like `path`, but leaves NULs to [`curt::Root`], which refuses them.
    ///
    /// # Safety
    ///
    /// As for [`curt_str::path`].
    pub(crate) unsafe fn untrusted_path<'a>(self) -> Result<Cow<'a, Path>, Failure> {
        // SAFETY: upheld by the caller.
        unsafe { array(self.ptr.cast(), self.len) }.map(path)
    }

    /// Like `path`, but returns `None` for NULL.
    ///
    /// # Safety
    ///
    /// As for [`curt_str::path`].
    pub(crate) unsafe fn optional_path<'a>(self) -> Result<Option<Cow<'a, Path>>, Failure> {
        // SAFETY: upheld by the caller.
        let path = unsafe { self.path() }?;
        Ok((!self.ptr.is_null()).then_some(path))
    }
}

/// # Safety
///
/// `count` elements at `ptr` and their texts can be read and do not change during `'a`.
pub(crate) unsafe fn paths<'a>(
    ptr: *const curt_str,
    count: usize,
) -> Result<Vec<Cow<'a, Path>>, Failure> {
    // SAFETY: upheld by the caller.
    let array = unsafe { array(ptr, count) }?;
    // SAFETY: as above.
    array.iter().map(|text| unsafe { text.path() }).collect()
}

/// Returns the units of a text, or an error if it contains a NUL.
///
/// # Safety
///
/// `len` units can be read at `ptr` and do not change during `'a`.
pub(crate) unsafe fn units<'a, U: Copy + PartialEq + Default>(
    ptr: *const U,
    len: usize,
) -> Result<&'a [U], Failure> {
    // SAFETY: upheld by the caller.
    let units = unsafe { array(ptr, len) }?;
    if units.contains(&U::default()) {
        return Err(Failure::Argument("a text contains a NUL"));
    }
    Ok(units)
}

/// # Safety
///
/// `len` elements can be read at `ptr` and do not change during `'a`.
pub(crate) unsafe fn array<'a, T>(ptr: *const T, len: usize) -> Result<&'a [T], Failure> {
    check(ptr, len, size_of::<T>())?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: `check` has passed; the rest is upheld by the caller.
    Ok(unsafe { slice::from_raw_parts(ptr, len) })
}

/// Checks a pointer to `len` elements of `size` bytes.
pub(crate) fn check<T>(ptr: *const T, len: usize, size: usize) -> Result<(), Failure> {
    if len > 0 && (ptr.is_null() || !ptr.is_aligned()) {
        return Err(Failure::Argument("the pointer to an array or a text is NULL or not aligned"));
    }
    if len > isize::MAX as usize / size.max(1) {
        return Err(Failure::Argument("a length or a capacity is larger than memory"));
    }
    Ok(())
}

#[cfg(unix)]
fn path(units: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt as _;
    Cow::Borrowed(Path::new(OsStr::from_bytes(units)))
}

#[cfg(windows)]
fn path(units: &[u16]) -> Cow<'_, Path> {
    use std::os::windows::ffi::OsStringExt as _;
    Cow::Owned(std::ffi::OsString::from_wide(units).into())
}

#[cfg(unix)]
pub(crate) fn to_units(text: &OsStr) -> Cow<'_, [Unit]> {
    use std::os::unix::ffi::OsStrExt as _;
    Cow::Borrowed(text.as_bytes())
}

#[cfg(windows)]
pub(crate) fn to_units(text: &OsStr) -> Cow<'_, [Unit]> {
    use std::os::windows::ffi::OsStrExt as _;
    Cow::Owned(text.encode_wide().collect())
}

/// An arena of texts, each followed by a NUL. Their addresses are stable until the arena is
/// cleared.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// Chunks never grow, because growing would move their texts.
    chunks: Vec<Vec<Unit>>,
}

impl Texts {
    /// The minimum capacity of a chunk, in code units.
    const CHUNK: usize = 4 << 10;

    pub(crate) fn add(&mut self, text: &[Unit]) -> curt_str {
        let length = text.len() + 1;
        let room = |chunk: &Vec<Unit>| chunk.capacity() - chunk.len();
        if self.chunks.last().is_none_or(|last| room(last) < length) {
            let before = self.chunks.last().map_or(0, Vec::capacity);
            self.chunks.push(Vec::with_capacity(length.max(2 * before).max(Texts::CHUNK)));
        }
        let Some(chunk) = self.chunks.last_mut() else { return curt_str::NONE };
        let at = chunk.len();
        chunk.extend_from_slice(text);
        chunk.push(0);
        curt_str::of(&chunk[at..at + text.len()])
    }

    /// Drops all texts, and keeps the largest chunk for reuse.
    pub(crate) fn clear(&mut self) {
        self.chunks.drain(..self.chunks.len().saturating_sub(1));
        if let Some(last) = self.chunks.last_mut() {
            last.clear();
        }
    }
}

/// The caller's buffer for a text, checked before the work starts.
pub(crate) struct Buffer<U> {
    units: *mut U,
    capacity: usize,
}

impl<U: Copy + Default> Buffer<U> {
    /// # Safety
    ///
    /// `capacity` elements can be written at `units` as long as the `Buffer` is used.
    pub(crate) unsafe fn new(units: *mut U, capacity: usize) -> Result<Self, Failure> {
        check(units, capacity, size_of::<U>())?;
        Ok(Buffer { units, capacity })
    }

    /// Writes the text and a NUL if both fit. Returns the length of the text in either case.
    pub(crate) fn write(&self, text: &[U]) -> isize {
        if text.len() < self.capacity {
            // SAFETY: the buffer has room for the text, and `copy` allows overlap.
            unsafe { std::ptr::copy(text.as_ptr(), self.units, text.len()) };
            // SAFETY: the text is shorter than the buffer.
            let end = unsafe { self.units.add(text.len()) };
            // SAFETY: as above.
            unsafe { end.write(U::default()) };
        }
        // Cannot fail: no slice is longer than `isize::MAX`.
        isize::try_from(text.len()).unwrap_or(isize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null;

    use super::*;

    fn is_refused<T>(result: Result<T, Failure>) -> bool {
        result.is_err_and(|failure| matches!(failure, Failure::Argument(_)))
    }

    #[test]
    fn null_is_a_text_without_units_only() {
        let of = |len| curt_str { ptr: null(), len };
        // SAFETY: an empty text is not read.
        assert_eq!(unsafe { of(0).path() }.ok(), Some(Path::new("").into()));
        // SAFETY: as above.
        assert!(unsafe { of(0).optional_path() }.is_ok_and(|path| path.is_none()));
        for len in [1, usize::MAX] {
            // SAFETY: NULL with a length is refused unread.
            assert!(is_refused(unsafe { of(len).path() }));
            // SAFETY: as above.
            assert!(is_refused(unsafe { of(len).optional_path() }));
            // SAFETY: as above.
            assert!(is_refused(unsafe { array(null::<curt_str>(), len) }));
        }
        let empty = curt_str::of(&[]);
        // SAFETY: an empty text is not read.
        assert!(unsafe { empty.optional_path() }.is_ok_and(|path| path.is_some()));
    }

    #[test]
    fn a_length_beyond_memory_and_an_odd_pointer_are_refused_before_they_are_read() {
        let largest = isize::MAX as usize;
        for len in [largest + 1, usize::MAX] {
            // SAFETY: a length beyond memory is refused unread.
            assert!(is_refused(unsafe { array([1_u8].as_ptr(), len) }));
        }
        for len in [largest / 2 + 1, largest, usize::MAX] {
            // SAFETY: as above.
            assert!(is_refused(unsafe { units([1_u16].as_ptr(), len) }));
        }
        let odd = std::ptr::without_provenance(4097);
        // SAFETY: a misaligned pointer is refused unread.
        assert!(is_refused(unsafe { units::<u16>(odd, 1) }));
        let odd = std::ptr::without_provenance(4097);
        // SAFETY: as above.
        assert!(is_refused(unsafe { paths(odd, 1) }));
    }

    #[test]
    fn added_texts_stay_until_they_are_cleared() {
        let mut texts = Texts::default();
        for _ in 0..2 {
            let sizes = [0, 1, 3, Texts::CHUNK - 1, Texts::CHUNK, 5, 3 * Texts::CHUNK, 2];
            let unit = |size: usize| (size % 200 + 1) as Unit;
            let added = sizes.map(|size| texts.add(&vec![unit(size); size]));
            for (text, size) in added.iter().zip(sizes) {
                // SAFETY: the text lives until `clear`, and ends in a NUL.
                let text = unsafe { array::<Unit>(text.ptr.cast(), text.len + 1) }.ok().unwrap();
                assert_eq!((text.len(), text.last()), (size + 1, Some(&0)));
                assert!(text[..size].iter().all(|&other| other == unit(size)));
            }
            texts.clear();
        }
    }
}
