//! Canonical names.

use curt::canonical::{Canonicalizer, Missing};

use crate::error::curt_error;
use crate::guard::{Failure, guard, length};
use crate::text::{self, curt_char, curt_str, to_units};

/// The last name may be missing, or that which a link at the end leads to.
pub const CURT_CANONICAL_MISSING_LAST: u32 = 1;
/// Any name may be missing, and one that is followed by others may be no directory.
pub const CURT_CANONICAL_MISSING_ANY: u32 = 2;

/// Writes the canonical name of `path`: absolute, without links, `.` and `..`. The path must lead
/// to something, unless `flags` is one of `CURT_CANONICAL_…`. On Unix the name is that of GNU
/// `realpath`; on Windows names are spelled as on the disk, and `\\?\` is left out where the path
/// means the same without it.
///
/// Returns the length of the name, also if the buffer is too small for it, or `CURT_E_…`. The name
/// is true at one moment, and for people: open untrusted paths by `curt_root_open_file`.
///
/// Costs 5 calls on Linux, also those that only ask for the length; 7 if the last name is missing,
/// and one for each name if others are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_canonical(
    path: curt_str,
    flags: u32,
    buffer: *mut curt_char,
    capacity: usize,
    error: *mut *mut curt_error,
) -> isize {
    let body = || {
        // SAFETY: as required of the caller.
        let path = unsafe { path.path() }?;
        let missing = match flags {
            0 => Missing::Nothing,
            CURT_CANONICAL_MISSING_LAST => Missing::LastName,
            CURT_CANONICAL_MISSING_ANY => Missing::Anything,
            _ => return Err(Failure::Argument("`flags` is not one of those that there are")),
        };
        let found = Canonicalizer::new().missing(missing).find(&path)?;
        // SAFETY: as required of the caller.
        unsafe { text::write(&to_units(found.as_os_str()), buffer, capacity) }
    };
    // SAFETY: as required of the caller.
    length(unsafe { guard("curt_canonical", error, body) })
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::{CURT_CANONICAL_MISSING_ANY, CURT_CANONICAL_MISSING_LAST, curt_canonical};
    use crate::results::{CURT_E_ARGUMENT, CURT_E_OS};
    use crate::text::{curt_char, curt_str, to_units};

    #[test]
    fn names_are_written_where_there_is_room() {
        let scratch = tempfile::tempdir().unwrap();
        let find = |below: &str, flags, buffer: &mut [curt_char]| {
            let path = scratch.path().join(below);
            let units = to_units(path.as_os_str());
            let (path, error) = (curt_str::of(&units), ptr::null_mut());
            // SAFETY: the path and the buffer live here; the error is not wanted.
            unsafe { curt_canonical(path, flags, buffer.as_mut_ptr(), buffer.len(), error) }
        };
        let expected = curt::canonical::Canonicalizer::new().find(scratch.path()).unwrap();
        let expected = to_units(expected.as_os_str()).into_owned();
        let length = isize::try_from(expected.len()).unwrap();
        let mut buffer = vec![1; expected.len() + 1];
        for room in [0, 1, expected.len()] {
            assert_eq!(find(".", 0, &mut buffer[..room]), length);
            assert!(buffer.iter().all(|&unit| unit == 1));
        }
        assert_eq!(find(".", 0, &mut buffer), length);
        assert!(buffer.starts_with(&expected) && buffer.ends_with(&[0]));
        let (last, any) = (CURT_CANONICAL_MISSING_LAST, CURT_CANONICAL_MISSING_ANY);
        for (below, flags, more) in
            [("a", 0, None), ("a", last, Some(2)), ("a/b", last, None), ("a/b", any, Some(4))]
        {
            let expected = more.map_or(CURT_E_OS as isize, |more| length + more);
            assert_eq!(find(below, flags, &mut []), expected, "{below} {flags}");
        }
        assert_eq!(find("a", last | any, &mut []), CURT_E_ARGUMENT as isize);
    }
}
