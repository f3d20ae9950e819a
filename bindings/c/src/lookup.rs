//! Files by relative names in many roots.

use curt::lookup::{Lookup, Order};

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int, length, plain};
use crate::handle;
use crate::text::{self, Buffer, curt_char, curt_str, to_units};

/// All extensions are tried in the first root, then in the second, as Python and Node do. Without
/// this flag the first extension is tried in all roots, as Ruby does.
pub const CURT_LOOKUP_ROOT_FIRST: u32 = 1;

/// Root directories in which files are looked up by relative names, and what is known of them.
#[derive(Debug)]
pub struct curt_lookup(Lookup);

/// Prepares to look in these roots, in this order. The texts are copied. No call. A relative root
/// begins at the working directory of each call. `flags` is `CURT_LOOKUP_…`, or 0.
///
/// Returns 0 and the object, which `curt_lookup_close` frees, or `CURT_E_ARGUMENT`. Any thread may
/// use it, one at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_open(
    roots: *const curt_str,
    count: usize,
    flags: u32,
    lookup: *mut *mut curt_lookup,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let roots = unsafe { text::paths(roots, count) }?;
        let order = match flags {
            0 => Order::ExtensionFirst,
            CURT_LOOKUP_ROOT_FIRST => Order::RootFirst,
            _ => return Err(Failure::Argument("`flags` is not one of those that there are")),
        };
        Ok(curt_lookup(Lookup::new(roots).order(order)))
    };
    // SAFETY: as required of the caller.
    unsafe { error::open("curt_lookup_open", lookup, error, body) }
}

/// Looks in other roots from now on, and keeps what is known of those that stay. No call. Returns 0
/// or `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_set_roots(
    lookup: *mut curt_lookup,
    roots: *const curt_str,
    count: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let lookup = unsafe { handle::exclusive(lookup) }?;
        // SAFETY: as required of the caller.
        lookup.0.set_roots(unsafe { text::paths(roots, count) }?);
        Ok(0)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_lookup_set_roots", error, body) })
}

/// Lets what is found from now on depend on nothing that was asked before. Without this a directory
/// is asked about once, and changes are not seen. No call. Returns 0 or `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_revalidate(lookup: *mut curt_lookup) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        unsafe { handle::exclusive(lookup) }?.0.revalidate();
        Ok(0)
    };
    int(plain(body))
}

/// Finds the first file of this name with one of the extensions, and writes its path and a NUL into
/// `buffer`: the root, the name and the extension, each as it was given. What has the name may be
/// anything but a directory. An extension may be empty.
///
/// Costs, after `curt_lookup_revalidate`, 1 call for each root up to the one that has the file, and
/// on Linux 4 more for a directory that is new or was changed; 1 more for a link.
///
/// Returns the length of the path in units, without the NUL, or 0 if no root has it. If that is not
/// less than `capacity`, the buffer was too small and is unchanged. Otherwise `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_find(
    lookup: *mut curt_lookup,
    name: curt_str,
    extensions: *const curt_str,
    count: usize,
    buffer: *mut curt_char,
    capacity: usize,
    error: *mut *mut curt_error,
) -> isize {
    let body = || {
        // SAFETY: as required of the caller.
        let lookup = unsafe { handle::exclusive(lookup) }?;
        // SAFETY: as required of the caller.
        let buffer = unsafe { Buffer::new(buffer, capacity) }?;
        // SAFETY: as required of the caller.
        let name = unsafe { name.path() }?;
        // SAFETY: as required of the caller.
        let extensions = unsafe { text::paths(extensions, count) }?;
        let extensions = extensions.iter().map(|extension| extension.as_os_str());
        let Some(found) = lookup.0.find(name, extensions) else { return Ok(0) };
        Ok(buffer.write(&to_units(found.as_os_str())))
    };
    // SAFETY: as required of the caller.
    length(unsafe { guard("curt_lookup_find", error, body) })
}

/// Closes it. NULL is fine. No other thread may use it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_close(lookup: *mut curt_lookup) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(lookup) };
}
