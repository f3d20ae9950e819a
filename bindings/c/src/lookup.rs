//! Finding files in many directories.
//!
//!     char path[4096];
//!     curt_lookup *lookup;
//!     curt_str roots[] = { curt_z("tree/sub"), curt_z("tree") };
//!     curt_str extension = curt_z(".txt");
//!     if (curt_lookup_open(roots, 2, 0, &lookup, NULL) == 0) {
//!         ptrdiff_t length =
//!             curt_lookup_find(lookup, curt_z("note"), &extension, 1, path, sizeof path, NULL);
//!         if (length > 0 && (size_t)length < sizeof path) // 0: not found
//!             puts(path);
//!         curt_lookup_close(lookup);
//!     }

use curt::lookup::{Lookup, Order};

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int, length, plain};
use crate::handle;
use crate::text::{self, Buffer, Unit, curt_char, curt_str, to_units};

/// Tries all extensions in the first root, then in the second, as Python and Node do. The default
/// tries the first extension in all roots, then the second, as Ruby does.
pub const CURT_LOOKUP_ROOT_FIRST: u32 = 1;

/// Root directories, and a cache of their contents.
#[derive(Debug)]
pub struct curt_lookup(Lookup);

/// Prepares look-ups in these roots, in this order. Makes no system call. Each look-up resolves
/// relative roots against its current working directory. `flags` is `CURT_LOOKUP_…` or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_open(
    roots: *const curt_str,
    count: usize,
    flags: u32,
    lookup: *mut *mut curt_lookup,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `roots` points to `count` readable texts.
        let roots = unsafe { text::paths(roots, count) }?;
        let order = match flags {
            0 => Order::ExtensionFirst,
            CURT_LOOKUP_ROOT_FIRST => Order::RootFirst,
            _ => return Err(Failure::Argument("`flags` is not one of those that there are")),
        };
        Ok(curt_lookup(Lookup::new(roots).order(order)))
    };
    // SAFETY: `lookup` and `error` are NULL or writable.
    unsafe { error::open("curt_lookup_open", lookup, error, body) }
}

/// Replaces the roots. Roots that remain keep their cached contents. Makes no system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_set_roots(
    lookup: *mut curt_lookup,
    roots: *const curt_str,
    count: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `lookup` is NULL or an unshared object.
        let lookup = unsafe { handle::exclusive(lookup) }?;
        // SAFETY: `roots` points to `count` readable texts.
        lookup.0.set_roots(unsafe { text::paths(roots, count) }?);
        Ok(0)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_lookup_set_roots", error, body) })
}

/// Makes later look-ups check directories for changes again. Otherwise each directory is queried
/// once, and later changes are missed. Makes no system call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_revalidate(lookup: *mut curt_lookup) -> i32 {
    let body = || {
        // SAFETY: `lookup` is NULL or an unshared object.
        unsafe { handle::exclusive(lookup) }?.0.revalidate();
        Ok(0)
    };
    int(plain(body))
}

/// Finds the first file with this name and one of the extensions, and writes its path: root, name
/// and extension, each as given. The file can be of any kind except a directory. An extension can
/// be empty. Returns 0 if no root has the file.
///
/// Cost after `curt_lookup_revalidate`: 1 call per root, up to the one with the file. On Linux 4
/// more per directory that is new or has changed, and 1 more for a link.
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
        // SAFETY: `lookup` is NULL or an unshared object.
        let lookup = unsafe { handle::exclusive(lookup) }?;
        // SAFETY: `buffer` has `capacity` writable units.
        let buffer = unsafe { Buffer::new(buffer.cast::<Unit>(), capacity) }?;
        // SAFETY: `name` is readable.
        let name = unsafe { name.path() }?;
        // SAFETY: `extensions` points to `count` readable texts.
        let extensions = unsafe { text::paths(extensions, count) }?;
        let extensions = extensions.iter().map(|extension| extension.as_os_str());
        let Some(found) = lookup.0.find(name, extensions) else { return Ok(0) };
        Ok(buffer.write(&to_units(found.as_os_str())))
    };
    // SAFETY: `error` is NULL or writable.
    length(unsafe { guard("curt_lookup_find", error, body) })
}

/// Closes the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_lookup_close(lookup: *mut curt_lookup) {
    // SAFETY: `lookup` is NULL or an object, unused afterwards.
    unsafe { handle::close(lookup) };
}
