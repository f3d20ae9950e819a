//! Canonical paths.
//!
//!     char path[4096];
//!     ptrdiff_t length = curt_canonical(curt_z("tree/sub/.."), 0, path, sizeof path, NULL);
//!     if (length >= 0 && (size_t)length < sizeof path)
//!         puts(path);

use curt::canonical::{Canonicalizer, Links, Missing};

use crate::error::{curt_error, guard};
use crate::guard::{Failure, length};
use crate::text::{Buffer, Unit, curt_char, curt_str, to_units};

/// The last component can be missing. If it is a symlink, its target can be missing, too.
pub const CURT_CANONICAL_MISSING_LAST: u32 = 1;
/// Any component can be missing, or be a file although other components follow it.
pub const CURT_CANONICAL_MISSING_ANY: u32 = 2;
/// The path must exist. On Unix it can go through at most 40 symlinks, as for `realpath(3)`.
pub const CURT_CANONICAL_FEW_LINKS: u32 = 3;

/// Writes the canonical path: absolute, without symlinks, `.` and `..`. `flags` is one of
/// `CURT_CANONICAL_…`, or 0 if the path must exist. On Unix the result is that of GNU `realpath`;
/// on Windows names are spelled as on disk, and the prefix `\\?\` is omitted if the path means the
/// same without it.
///
/// The result is for display, because it might be outdated at once. Open untrusted paths with
/// `curt_root_open_file`.
///
/// Cost on Linux: 5 calls, even for the length alone; 7 if the last component is missing, and 1 per
/// component if others are missing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_canonical(
    path: curt_str,
    flags: u32,
    buffer: *mut curt_char,
    capacity: usize,
    error: *mut *mut curt_error,
) -> isize {
    let body = || {
        // SAFETY: `buffer` has `capacity` writable units.
        let buffer = unsafe { Buffer::new(buffer.cast::<Unit>(), capacity) }?;
        // SAFETY: `path` is readable.
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
    // SAFETY: `error` is NULL or writable.
    length(unsafe { guard("curt_canonical", error, body) })
}
