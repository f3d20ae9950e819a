//! The check of untrusted paths by their text alone.

use curt::beneath::Aliases;
use curt::paths::{Flavor, PathCheck, Unit};

use crate::guard::{Failure, int, plain};
use crate::results::of_refusal;
use crate::text;

/// The path will be used by a system with the rules of POSIX.
pub const CURT_CHECK_POSIX: u32 = 1;
/// The path will be used by Windows.
pub const CURT_CHECK_WINDOWS: u32 = 2;
/// Every spelling that means another name on some system is refused too.
pub const CURT_CHECK_STRICT: u32 = 4;
/// A root, and `..` above it, stay inside, as with `chroot`.
pub const CURT_CHECK_IN_ROOT: u32 = 8;

/// Checks whether the text of an untrusted path stays beneath the directory that it is meant for,
/// by `CURT_CHECK_POSIX` or `CURT_CHECK_WINDOWS`, and the other rules. No call; nothing is
/// allocated. A link can still lead out: open the path by `curt_root_open_file`.
///
/// Returns 0, a reason `CURT_E_REFUSED_…`, or `CURT_E_ARGUMENT`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_check_bytes(path: *const u8, len: usize, rules: u32) -> i32 {
    // SAFETY: as required of the caller.
    unsafe { check(path, len, rules) }
}

/// The same for UTF-16, on any system.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_check_units(path: *const u16, len: usize, rules: u32) -> i32 {
    // SAFETY: as required of the caller.
    unsafe { check(path, len, rules) }
}

unsafe fn check<U: Unit>(path: *const U, len: usize, rules: u32) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let path = unsafe { text::array(path, len) }?;
        let (strict, in_root) = (rules & CURT_CHECK_STRICT != 0, rules & CURT_CHECK_IN_ROOT != 0);
        let flavor = match rules & !(CURT_CHECK_STRICT | CURT_CHECK_IN_ROOT) {
            CURT_CHECK_POSIX => Flavor::Posix,
            CURT_CHECK_WINDOWS => Flavor::Windows,
            _ => return Err(Failure::Argument("the rules are not those of one system")),
        };
        let aliases = if strict { Aliases::Strict } else { Aliases::Open };
        let check = PathCheck::new(flavor).aliases(aliases).in_root(in_root);
        check.check(path).map_err(|refusal| Failure::Result(of_refusal(refusal)))?;
        Ok(0)
    };
    int(plain(body))
}
