//! Listing a directory.
//!
//! Entries are read in batches, in the system's order, without `.` and `..`.
//!
//!     curt_dir *dir;
//!     curt_entry entries[64];
//!     int32_t count, i;
//!     if (curt_dir_open(curt_z("tree"), CURT_FIELD_KIND, 0, &dir, NULL) == 0) {
//!         while ((count = curt_dir_next(dir, entries, sizeof *entries, 64, NULL)) > 0)
//!             for (i = 0; i < count; i++)
//!                 puts(entries[i].name.ptr);
//!         curt_dir_close(dir);
//!     }

use curt::Next;
use curt::list::{Directory, List};
#[cfg(unix)]
use curt::os::unix::Units as _;
#[cfg(windows)]
use curt::os::windows::Units as _;

use crate::error::{self, curt_error, guard};
use crate::guard::{Failure, int};
use crate::handle;
use crate::metadata::{Place, Wanted, curt_metadata};
use crate::structs::check_array;
use crate::text::{Texts, curt_str};

/// An open directory.
#[derive(Debug)]
pub struct curt_dir {
    list: List,
    wanted: Wanted,
    texts: Texts,
}

/// An entry of a directory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_entry {
    /// The name.
    pub name: curt_str,
    /// The requested metadata.
    pub metadata: curt_metadata,
}

/// Opens a directory to list its entries with these `fields` (`CURT_FIELD_…`; 0 for names only).
/// `flags` can be `CURT_FOLLOW` and `CURT_EXACT`. Symlinks in the path are followed. Costs 1 call
/// (2 on Windows).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_open(
    path: curt_str,
    fields: u32,
    flags: u32,
    dir: *mut *mut curt_dir,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `path` is readable.
        let path = unsafe { path.path() }?;
        let wanted = Wanted::new(fields)?;
        let plan = wanted.plan(flags)?;
        let list = Directory::open(path)?.list(plan);
        Ok(curt_dir { list, wanted, texts: Texts::default() })
    };
    // SAFETY: `dir` and `error` are NULL or writable.
    unsafe { error::open("curt_dir_open", dir, error, body) }
}

/// Reads up to `capacity` entries; `capacity` must not be 0. `entry_size` is `sizeof(curt_entry)`.
/// Names and texts live until the next call with this `dir`. An entry that cannot be queried or has
/// just been removed has `failed` fields; the function does not fail.
///
/// Cost: 1 call per buffer of entries (first 64 KiB, about 2,000 entries; later 1 MiB), and 1 at
/// the end. Names and kinds cost no further call; nor do sizes, times and attributes on Windows.
/// Otherwise 1 call per entry gets everything that `stat(2)` returns; targets and names of owners
/// cost more.
///
/// Returns the number of entries, often fewer than `capacity`; 0 at the end or after a failed read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_next(
    dir: *mut curt_dir,
    entries: *mut curt_entry,
    entry_size: usize,
    capacity: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: `dir` is NULL or an unshared object.
        let dir = unsafe { handle::exclusive(dir) }?;
        check_array(entries, entry_size, capacity)?;
        let most = i32::try_from(capacity).unwrap_or(i32::MAX);
        if most == 0 {
            return Err(Failure::Argument("`capacity` is 0"));
        }
        let curt_dir { list, wanted, texts } = dir;
        texts.clear();
        let mut count: i32 = 0;
        list.visit_batch(|name, entry| {
            // SAFETY: the array has room for `capacity` entries of `entry_size` bytes.
            let to = unsafe { entries.byte_add(count as usize * entry_size) };
            // SAFETY: as above.
            let place = unsafe { put(to, curt_str::of(name.units())) };
            place.fill(entry.metadata(), *wanted, texts);
            count += 1;
            if count == most { Next::Stop } else { Next::Continue }
        })?;
        Ok(count)
    };
    // SAFETY: `error` is NULL or writable.
    int(unsafe { guard("curt_dir_next", error, body) })
}

/// Writes an entry's name. Returns the place for its metadata.
///
/// # Safety
///
/// An entry can be written at `to` as long as the place is used.
unsafe fn put(to: *mut curt_entry, name: curt_str) -> Place {
    // SAFETY: upheld by the caller.
    let place = unsafe { &raw mut (*to).name };
    // SAFETY: as above.
    unsafe { place.write(name) };
    // SAFETY: as above.
    let metadata = unsafe { &raw mut (*to).metadata };
    // SAFETY: as above.
    unsafe { Place::new(metadata) }
}

/// Closes a directory. Costs 1 call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_close(dir: *mut curt_dir) {
    // SAFETY: `dir` is NULL or an object, unused afterwards.
    unsafe { handle::close(dir) };
}
