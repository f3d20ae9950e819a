//! One directory, in batches of entries with the metadata that is wanted.

use curt::list::{Directory, List, Stat};
#[cfg(unix)]
use curt::os::unix::Units as _;
#[cfg(windows)]
use curt::os::windows::Units as _;
use curt::{Error, Next};

use crate::descriptor::curt_fd;
use crate::error::curt_error;
use crate::guard::{Failure, guard, int};
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
    /// What `curt_dir_stat` asks with, as long as it asks for the same.
    stat: Option<(Wanted, u32, Stat)>,
    /// The texts of its last answer.
    stat_texts: Texts,
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
        list(fields, flags, || Directory::open(path))
    };
    // SAFETY: as required of the caller.
    unsafe { handle::open("curt_dir_open", dir, error, body) }
}

/// Lists a directory that the caller has opened, as `curt_dir_open` does, from the position of its
/// descriptor. That must be open for reading; on Windows the handle needs `FILE_LIST_DIRECTORY`,
/// `FILE_TRAVERSE`, `FILE_READ_ATTRIBUTES` and `SYNCHRONIZE`. Paths in errors are the names alone.
///
/// The descriptor or handle is the library's from now on, also after a failure, except after
/// `CURT_E_ARGUMENT`. It is closed with `*dir`.
///
/// Cost: no call on Linux, where the descriptor of something else fails when it is listed; 2 on
/// other systems.
///
/// Returns 0, `CURT_E_OS`, or `CURT_E_ARGUMENT`; then `*dir` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_from_fd(
    fd: curt_fd,
    fields: u32,
    flags: u32,
    dir: *mut *mut curt_dir,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        if !is_open(fd) {
            return Err(Failure::Argument("this is the number of no descriptor or handle"));
        }
        // SAFETY: as required of the caller, who gives it up.
        list(fields, flags, || unsafe { adopt(fd) })
    };
    // SAFETY: as required of the caller.
    unsafe { handle::open("curt_dir_from_fd", dir, error, body) }
}

#[cfg(unix)]
fn is_open(fd: curt_fd) -> bool {
    fd >= 0
}

#[cfg(windows)]
fn is_open(handle: curt_fd) -> bool {
    // What `CreateFile` returns if it fails is also the pseudo handle of this process.
    !handle.is_null() && handle.addr() != usize::MAX
}

/// Makes a directory from a descriptor.
///
/// # Safety
///
/// It is open, and nobody else closes it.
#[cfg(unix)]
unsafe fn adopt(fd: curt_fd) -> Result<Directory, Error> {
    use std::os::fd::{FromRawFd as _, OwnedFd};
    // SAFETY: as required of the caller.
    Directory::try_from(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Makes a directory from a handle.
///
/// # Safety
///
/// It is open, and nobody else closes it.
#[cfg(windows)]
unsafe fn adopt(handle: curt_fd) -> Result<Directory, Error> {
    use std::os::windows::io::{FromRawHandle as _, OwnedHandle};
    // SAFETY: as required of the caller.
    Directory::try_from(unsafe { OwnedHandle::from_raw_handle(handle) })
}

fn list(
    fields: u32,
    flags: u32,
    open: impl FnOnce() -> Result<Directory, Error>,
) -> Result<curt_dir, Failure> {
    let wanted = Wanted::new(fields)?;
    let plan = wanted.plan(flags)?;
    let list = open()?.list(plan);
    let (texts, stat_texts) = (Texts::default(), Texts::default());
    Ok(curt_dir { list, wanted, texts, stat: None, stat_texts })
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
        let curt_dir { list, wanted, texts, .. } = dir;
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
pub(crate) unsafe fn put(to: *mut curt_entry, name: curt_str) -> Place {
    // SAFETY: there is room, as required of the caller.
    let place = unsafe { &raw mut (*to).name };
    // SAFETY: as above.
    unsafe { place.write(name) };
    // SAFETY: as above.
    let metadata = unsafe { &raw mut (*to).metadata };
    // SAFETY: as above.
    unsafe { Place::new(metadata) }
}

/// Asks about a path relative to the directory: mostly an entry of it, whose name may be that of
/// the batch. Fields and flags are as for `curt_dir_open`; `metadata_size` is
/// `sizeof(curt_metadata)` as the caller was compiled.
///
/// The texts of the metadata live until the next call of this function with this handle. Cost: 1
/// call for all that `stat` knows, and what `CURT_FIELD_TARGET`, `CURT_FIELD_USER` and
/// `CURT_FIELD_GROUP` say; on Windows 3 to follow a link.
///
/// Returns 0, `CURT_E_OS` if the path is missing or cannot be reached, or `CURT_E_ARGUMENT`; then
/// `metadata` is left as it was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_stat(
    dir: *mut curt_dir,
    path: curt_str,
    fields: u32,
    flags: u32,
    metadata: *mut curt_metadata,
    metadata_size: usize,
    error: *mut *mut curt_error,
) -> i32 {
    let body = || {
        // SAFETY: as required of the caller.
        let dir = unsafe { handle::exclusive(dir) }?;
        check_array(metadata, metadata_size, 1)?;
        // SAFETY: there is room for the struct, which was checked.
        let place = unsafe { Place::new(metadata) };
        // SAFETY: the caller's text can be read.
        let path = unsafe { path.path() }?;
        let wanted = Wanted::new(fields)?;
        let plan = wanted.plan(flags)?;
        let curt_dir { list, stat, stat_texts, .. } = dir;
        let kept = stat.take_if(|(before, with, _)| (*before, *with) == (wanted, flags));
        let asked = kept.unwrap_or_else(|| (wanted, flags, Stat::new(plan)));
        let (.., stat) = stat.insert(asked);
        let found = list.stat(stat, path)?;
        stat_texts.clear();
        place.fill(&found, wanted, stat_texts);
        Ok(0)
    };
    // SAFETY: as required of the caller.
    int(unsafe { guard("curt_dir_stat", error, body) })
}

/// Closes a directory: its names and texts are gone. NULL is fine. 1 call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curt_dir_close(dir: *mut curt_dir) {
    // SAFETY: as required of the caller.
    unsafe { handle::close(dir) };
}
