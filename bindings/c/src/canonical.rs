//! Canonical paths.

use curt::canonical::{Canonicalizer, Links, Missing};

use crate::error::{curt_error, guard};
use crate::guard::{Failure, length};
use crate::text::{Buffer, curt_char, curt_str, to_units};

/// The last name may be missing, as may the target of a final symlink.
pub const CURT_CANONICAL_MISSING_LAST: u32 = 1;
/// Any name may be missing, and names before others need not be directories.
pub const CURT_CANONICAL_MISSING_ANY: u32 = 2;
/// The path must exist. On Unix it may go through at most 40 symlinks, as with `realpath(3)`.
pub const CURT_CANONICAL_FEW_LINKS: u32 = 3;

/// Writes the canonical path of `path`: absolute, without symlinks, `.` and `..`. The path must
/// exist, unless `flags` is one of `CURT_CANONICAL_MISSING_…`. On Unix the result is that of GNU
/// `realpath`; on Windows names are spelled as on disk, and `\\?\` is left out where the path means
/// the same without it.
///
/// Returns the length of the path, even if the buffer is too small, or `CURT_E_…`. The path may be
/// outdated as soon as it is returned, and is meant for display: open untrusted paths with
/// `curt_root_open_file`.
///
/// Cost on Linux: 5 calls, also to get only the length; 7 if the last name is missing, and 1 for
/// each name if others are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_canonical(
    path: curt_str,
    flags: u32,
    buffer: *mut curt_char,
    capacity: usize,
    error: *mut *mut curt_error,
) -> isize {
    let body = || {
        // SAFETY: upheld by the caller.
        let buffer = unsafe { Buffer::new(buffer, capacity) }?;
        // SAFETY: upheld by the caller.
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
    // SAFETY: upheld by the caller.
    length(unsafe { guard("curt_canonical", error, body) })
}
