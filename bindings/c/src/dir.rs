//! One directory, in batches of entries with the metadata that is wanted.

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

/// An open directory whose entries are read in batches. It may move between threads; one uses it
/// at a time.
#[derive(Debug)]
pub struct curt_dir {
    list: List,
    wanted: Wanted,
    /// The texts of the batch that was handed over last.
    texts: Texts,
}

/// One entry of a directory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct curt_entry {
    /// The name, as the directory has it. It lies in the buffer of the listing, and a NUL follows
    /// it.
    pub name: curt_str,
    /// What is known of the entry: see `curt_metadata`.
    pub metadata: curt_metadata,
}

/// Opens a directory for listing, with these fields of each entry (`CURT_FIELD_…`, or 0: names
/// only) and flags (`CURT_FOLLOW`, `CURT_EXACT`). Links in the path are followed.
///
/// Cost: 1 call; on Windows 2. The caller closes `*dir` by `curt_dir_close`.
///
/// Returns 0, `CURT_E_OS`, or `CURT_E_ARGUMENT`; then `*dir` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_open(
    path: curt_str,
    fields: u32,
    flags: u32,
    dir: *mut *mut curt_dir,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: the caller's text can be read.
        let path = unsafe { path.path() }?;
        let wanted = Wanted::new(fields)?;
        let plan = wanted.plan(flags)?;
        let list = Directory::open(path)?.list(plan);
        Ok(curt_dir { list, wanted, texts: Texts::default() })
    };
    // SAFETY: as required of the caller.
    unsafe { error::open("curt_dir_open", dir, error, body) }
}

/// Reads the next entries, at most `capacity` of them, and fills in as many of `entries`, each of
/// `entry_size` bytes: `sizeof(curt_entry)` as the caller was compiled. `.` and `..` are left out.
/// The order is the system's.
///
/// The entries of one call were read together: names lie in the buffer of the listing, and live
/// until the next call of this function with this handle. So do the texts of their metadata. What
/// could not be asked about an entry is in its metadata, and is no failure of this function; an
/// entry that vanished meanwhile has `failed` fields.
///
/// Cost: 1 call for 64 KiB of entries (about 2,000), later 1 MiB, and 1 at the end. For each entry
/// nothing more for names and kinds, and on Windows for sizes, times and attributes; else 1 call
/// for all that `stat` knows, and what `CURT_FIELD_TARGET`, `CURT_FIELD_USER` and
/// `CURT_FIELD_GROUP` say.
///
/// Returns the number of entries, which is less than `capacity` in most cases; 0 at the end. Or
/// `CURT_E_OS` if the directory cannot be read further, which ends the listing: 0 from then on; or
/// `CURT_E_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_next(
    dir: *mut curt_dir,
    entries: *mut curt_entry,
    entry_size: usize,
    capacity: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
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
            // SAFETY: the array has room for `capacity` entries of this size.
            let to = unsafe { entries.byte_add(count as usize * entry_size) };
            // SAFETY: as above.
            let place = unsafe { put(to, curt_str::of(name.units())) };
            place.fill(entry.metadata(), *wanted, texts);
            count += 1;
            if count == most { Next::Stop } else { Next::Continue }
        })?;
        Ok(count)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_dir_next", error, body) })
}

/// Writes the name of an entry, and returns the place for its metadata.
///
/// # Safety
///
/// An entry can be written at the pointer, as long as the place is used.
unsafe fn put(to: *mut curt_entry, name: curt_str) -> Place {
    // SAFETY: there is room, as required of the caller.
    let place = unsafe { &raw mut (*to).name };
    // SAFETY: as above.
    unsafe { place.write(name) };
    // SAFETY: as above.
    let metadata = unsafe { &raw mut (*to).metadata };
    // SAFETY: as above.
    unsafe { Place::new(metadata) }
}

/// Closes a directory: its names and texts are gone. NULL is fine. 1 call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_close(dir: *mut curt_dir) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(dir) };
}
