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
/// `CURT_E_OS` if the directory cannot be read further, and `CURT_E_ARGUMENT`.
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
        check_array(entries, entry_size)?;
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
        check_array(metadata, metadata_size)?;
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

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;
    use std::path::Path;
    use std::ptr::null_mut;

    use super::*;
    use crate::error::{curt_error_free, curt_error_get, curt_error_info};
    use crate::metadata::*;
    use crate::results::{CURT_E_ARGUMENT, CURT_E_OS};
    use crate::text::to_units;

    const SIZE: usize = size_of::<curt_entry>();

    /// Opens a directory, which must succeed.
    fn open(path: &Path, fields: u32, flags: u32) -> *mut curt_dir {
        let (units, mut dir, mut error) = (to_units(path.as_os_str()), null_mut(), null_mut());
        let path = curt_str::of(&units);
        // SAFETY: the text and the places live during the call.
        let result = unsafe { curt_dir_open(path, fields, flags, &raw mut dir, &raw mut error) };
        assert!(result == 0 && !dir.is_null() && error.is_null());
        dir
    }

    fn text(text: curt_str) -> Vec<u16> {
        // SAFETY: a text that the library lent, and that still lives, with its NUL.
        let units = unsafe { std::slice::from_raw_parts(text.ptr, text.len + 1) };
        assert_eq!(units[text.len], 0, "a NUL follows it");
        units[..text.len].iter().map(|&unit| unit.into()).collect()
    }

    fn units(path: impl AsRef<Path>) -> Vec<u16> {
        to_units(path.as_ref().as_os_str()).iter().map(|&unit| unit.into()).collect()
    }

    /// Entries in elements of this size.
    struct Entries(Vec<u64>, usize);

    impl Entries {
        fn new(capacity: usize, size: usize) -> Entries {
            Entries(vec![u64::MAX; capacity * size / 8], size)
        }

        fn next(&mut self, dir: *mut curt_dir) -> (i32, *mut curt_error) {
            let mut error = null_mut();
            let (to, capacity) = (self.0.as_mut_ptr().cast(), self.0.len() * 8 / self.1);
            // SAFETY: the directory is open, and there is room for the entries.
            (unsafe { curt_dir_next(dir, to, self.1, capacity, &raw mut error) }, error)
        }

        fn get(&self, index: usize) -> curt_entry {
            let at = index * self.1 / 8;
            assert!(self.0[at..at + self.1 / 8][SIZE / 8..].iter().all(|&word| word == u64::MAX));
            // SAFETY: it was filled in, and any bits are valid in what was not.
            unsafe { self.0[at..].as_ptr().cast::<curt_entry>().read() }
        }
    }

    fn directory(count: usize) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        for number in 0..count {
            std::fs::write(scratch.path().join(format!("name-{number}")), &[7; 99][number % 99..])
                .unwrap();
        }
        scratch
    }

    fn number(error: *mut curt_error) -> i32 {
        // SAFETY: all zero is valid.
        let mut info: curt_error_info = unsafe { MaybeUninit::zeroed().assume_init() };
        info.size = size_of::<curt_error_info>();
        // SAFETY: the error is one.
        assert_eq!(unsafe { curt_error_get(error, &raw mut info) }, 0);
        // SAFETY: as above.
        unsafe { curt_error_free(error) };
        info.os_error
    }

    #[test]
    fn batches_are_what_the_library_lists() {
        let scratch = directory(3_000);
        let mut expected = Vec::new();
        for entry in curt::list(scratch.path()).unwrap().fields(curt::Fields::SIZE) {
            let entry = entry.unwrap();
            expected.push((units(entry.name()), entry.metadata.size().known().unwrap()));
        }
        for (capacity, size) in [(1, SIZE), (7, SIZE + 16), (4_000, SIZE)] {
            let dir = open(scratch.path(), CURT_FIELD_KIND | CURT_FIELD_SIZE, 0);
            let (mut entries, mut found) = (Entries::new(capacity, size), Vec::new());
            loop {
                let (count, error) = entries.next(dir);
                assert!(error.is_null() && count as usize <= capacity, "{count}");
                if count == 0 {
                    break;
                }
                // All names of the batch live.
                for index in 0..count as usize {
                    let curt_entry { name, metadata } = entries.get(index);
                    assert_eq!(metadata.known, CURT_FIELD_KIND | CURT_FIELD_SIZE);
                    assert_eq!((metadata.failed, metadata.result), (0, 0));
                    assert_eq!(metadata.kind, CURT_KIND_FILE);
                    assert_eq!(metadata.links, u64::MAX, "what was not asked for is left");
                    found.push((text(name), metadata.length));
                }
            }
            assert!(found == expected, "{capacity}");
            // SAFETY: it is open.
            unsafe { curt_dir_close(dir) };
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_texts_of_a_batch_live_together() {
        let scratch = tempfile::tempdir().unwrap();
        for number in 0..1_500 {
            let target = format!("{number}-{}", "x".repeat(number % 300));
            std::os::unix::fs::symlink(target, scratch.path().join(number.to_string())).unwrap();
        }
        let dir = open(scratch.path(), CURT_FIELD_TARGET | CURT_FIELD_USER, 0);
        let mut entries = Entries::new(2_000, SIZE);
        let (count, _) = entries.next(dir);
        assert!(count > 1_000, "{count}");
        for index in 0..count as usize {
            let entry = entries.get(index);
            assert_eq!(entry.metadata.known, CURT_FIELD_TARGET | CURT_FIELD_USER);
            let name = String::from_utf16(&text(entry.name)).unwrap();
            let target = String::from_utf16(&text(entry.metadata.target)).unwrap();
            assert_eq!(target.split('-').next(), Some(&name[..]));
            assert_eq!(target.len(), name.len() + 1 + name.parse::<usize>().unwrap() % 300);
            assert!(!text(entry.metadata.user).is_empty());
        }
        // SAFETY: it is open.
        unsafe { curt_dir_close(dir) };
    }

    #[test]
    fn an_entry_is_asked_about_by_its_name_in_the_batch() {
        let scratch = directory(10);
        let dir = open(scratch.path(), 0, 0);
        let mut entries = Entries::new(20, SIZE);
        assert_eq!(entries.next(dir).0, 10);
        for index in 0..10 {
            let name = entries.get(index).name;
            let mut found = Entries::new(1, SIZE);
            let metadata = found.0.as_mut_ptr().cast();
            let ask = |path, fields, error: *mut *mut curt_error| {
                let size = size_of::<curt_metadata>();
                // SAFETY: the directory is open, the name lives, and there is room.
                unsafe { curt_dir_stat(dir, path, fields, 0, metadata, size, error) }
            };
            assert_eq!(ask(name, CURT_FIELD_SIZE | CURT_FIELD_LINKS, null_mut()), 0);
            // SAFETY: it was filled in, and any bits are valid in what was not.
            let metadata = unsafe { metadata.read() };
            let path = scratch.path().join(String::from_utf16(&text(name)).unwrap());
            assert_eq!(metadata.length, std::fs::metadata(path).unwrap().len());
            assert_eq!((metadata.known, metadata.links), (CURT_FIELD_SIZE | CURT_FIELD_LINKS, 1));
            let (missing, mut error) = (to_units("missing".as_ref()), null_mut());
            let missing = curt_str::of(&missing);
            assert_eq!(ask(missing, CURT_FIELD_KIND, &raw mut error), CURT_E_OS);
            assert_eq!(number(error), 2, "ENOENT, ERROR_FILE_NOT_FOUND");
        }
        // SAFETY: it is open.
        unsafe { curt_dir_close(dir) };
    }

    #[cfg(unix)]
    #[test]
    fn a_descriptor_is_adopted_unless_the_arguments_are_wrong() {
        use std::os::fd::{AsRawFd, IntoRawFd};
        let scratch = directory(5);
        let opened = std::fs::File::open(scratch.path()).unwrap();
        let adopt = |fd, fields, flags| {
            let mut dir = null_mut();
            // SAFETY: the places live during the call, and the descriptor is open.
            (unsafe { curt_dir_from_fd(fd, fields, flags, &raw mut dir, null_mut()) }, dir)
        };
        for (fd, fields, flags) in [(-1, 0, 0), (opened.as_raw_fd(), 1 << 19, 0)]
            .into_iter()
            .chain([(opened.as_raw_fd(), 0, 4), (-100, 0, 0)])
        {
            assert_eq!(adopt(fd, fields, flags), (CURT_E_ARGUMENT, null_mut()));
        }
        opened.metadata().unwrap();
        let (result, dir) = adopt(opened.into_raw_fd(), 0, 0);
        assert_eq!(result, 0);
        assert_eq!(Entries::new(9, SIZE).next(dir).0, 5);
        // SAFETY: it is open.
        unsafe { curt_dir_close(dir) };
        let file = std::fs::File::open(scratch.path().join("name-0")).unwrap();
        let (result, dir) = adopt(file.into_raw_fd(), 0, 0);
        assert_eq!(result, 0, "no call is made");
        let (result, error) = Entries::new(9, SIZE).next(dir);
        assert_eq!((result, number(error)), (CURT_E_OS, 20), "ENOTDIR");
        assert_eq!(Entries::new(9, SIZE).next(dir).0, 0, "it has ended");
        // SAFETY: it is open.
        unsafe { curt_dir_close(dir) };
    }

    #[test]
    fn wrong_arguments_are_refused() {
        let scratch = directory(1);
        let dir = open(scratch.path(), 0, 0);
        let mut entries = Entries::new(2, SIZE);
        let to = entries.0.as_mut_ptr().cast::<curt_entry>();
        for (dir, to, size, capacity) in [
            (null_mut(), to, SIZE, 2),
            (dir, null_mut(), SIZE, 2),
            (dir, to, 0, 2),
            (dir, to, SIZE - 8, 2),
            (dir, to, SIZE + 1, 2),
            (dir, to, 8_192, 2),
            (dir, to, SIZE, 0),
        ] {
            let mut error = null_mut();
            // SAFETY: what is wrong is looked at before it is used.
            let result = unsafe { curt_dir_next(dir, to, size, capacity, &raw mut error) };
            assert_eq!((result, number(error)), (CURT_E_ARGUMENT, 0));
        }
        assert_eq!(entries.next(dir).0, 1, "nothing was read");
        // SAFETY: it is open, and then there is none.
        unsafe { curt_dir_close(dir) };
        // SAFETY: as above.
        unsafe { curt_dir_close(null_mut()) };
        let path = to_units(scratch.path().as_os_str());
        for (path, fields, flags) in [
            (curt_str { ptr: std::ptr::null(), len: 3 }, 0, 0),
            (curt_str::of(&to_units("a\0".as_ref())), 0, 0),
            (curt_str::of(&path), 1 << 19, 0),
            (curt_str::of(&path), 0, 4),
        ] {
            let mut dir = std::ptr::dangling_mut();
            // SAFETY: what is wrong is looked at before it is used.
            let result = unsafe { curt_dir_open(path, fields, flags, &raw mut dir, null_mut()) };
            assert_eq!((result, dir), (CURT_E_ARGUMENT, null_mut()));
        }
        let (missing, mut dir, mut error) = (to_units("missing".as_ref()), null_mut(), null_mut());
        let missing = curt_str::of(&missing);
        // SAFETY: the text and the places live during the call.
        let result = unsafe { curt_dir_open(missing, 0, 0, &raw mut dir, &raw mut error) };
        assert_eq!((result, dir, number(error)), (CURT_E_OS, null_mut(), 2));
    }
}
