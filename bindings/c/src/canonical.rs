//! Canonical names.

use curt::canonical::{Canonicalizer, Links, Missing};

use crate::error::{curt_error, guard};
use crate::guard::{Failure, length};
use crate::text::{Buffer, curt_char, curt_str, to_units};

/// The last name may be missing, or that which a link at the end leads to.
pub const CURT_CANONICAL_MISSING_LAST: u32 = 1;
/// Any name may be missing, and one that is followed by others may be no directory.
pub const CURT_CANONICAL_MISSING_ANY: u32 = 2;
/// The path must lead to something, on Unix by at most 40 links, as for `realpath(3)`.
pub const CURT_CANONICAL_FEW_LINKS: u32 = 3;

/// Writes the canonical name of `path`: absolute, without links, `.` and `..`. The path must lead
/// to something, unless `flags` is one of `CURT_CANONICAL_MISSING_…`. On Unix the name is that of
/// GNU `realpath`; on Windows names are spelled as on the disk, and `\\?\` is left out where the
/// path means the same without it.
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
        let buffer = unsafe { Buffer::new(buffer, capacity) }?;
        // SAFETY: as required of the caller.
        let path = unsafe { path.path() }?;
        let (missing, links) = match flags {
            0 => (Missing::Nothing, Links::Follow),
            CURT_CANONICAL_MISSING_LAST => (Missing::LastName, Links::Follow),
            CURT_CANONICAL_MISSING_ANY => (Missing::Anything, Links::Follow),
            CURT_CANONICAL_FEW_LINKS => (Missing::Nothing, Links::FollowFew),
            _ => return Err(Failure::Argument("`flags` is not one of those that there are")),
        };
        let found = Canonicalizer::new().missing(missing).links(links).find(&path)?;
        Ok(buffer.write(&to_units(found.as_os_str())))
    };
    // SAFETY: as required of the caller.
    length(unsafe { guard("curt_canonical", error, body) })
}
