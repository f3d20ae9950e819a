//! User and group names from the C library's user database, whose own calls are not counted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

type Names = HashMap<u32, Option<Arc<OsString>>>;

pub(crate) type Shared = Arc<Mutex<Known>>;

#[derive(Debug, Default)]
pub(crate) struct Known {
    users: Names,
    groups: Names,
}

/// A worker's cache. Locks the shared cache only for numbers missing in `known`.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    known: Known,
    shared: Option<Shared>,
}

impl Accounts {
    pub(super) fn new(shared: Option<Shared>) -> Accounts {
        Accounts { known: Known::default(), shared }
    }

    /// Failures are not cached.
    pub(super) fn user(&mut self, id: u32) -> io::Result<Option<Arc<OsString>>> {
        let Accounts { known, shared } = self;
        cached(&mut known.users, id, |id| {
            look_up_shared(shared.as_ref(), |known| &mut known.users, id, user_name)
        })
    }

    pub(super) fn group(&mut self, id: u32) -> io::Result<Option<Arc<OsString>>> {
        let Accounts { known, shared } = self;
        cached(&mut known.groups, id, |id| {
            look_up_shared(shared.as_ref(), |known| &mut known.groups, id, group_name)
        })
    }
}

/// Holds the lock during the lookup: waiting workers mostly want the same number.
fn look_up_shared(
    shared: Option<&Shared>,
    names: impl FnOnce(&mut Known) -> &mut Names,
    id: u32,
    look_up: impl FnOnce(u32) -> io::Result<Option<OsString>>,
) -> io::Result<Option<Arc<OsString>>> {
    let look_up = |id| Ok(look_up(id)?.map(Arc::new));
    match shared {
        None => look_up(id),
        Some(shared) => {
            let mut known = shared.lock().unwrap_or_else(PoisonError::into_inner);
            cached(names(&mut known), id, look_up)
        }
    }
}

fn cached(
    known: &mut Names,
    id: u32,
    look_up: impl FnOnce(u32) -> io::Result<Option<Arc<OsString>>>,
) -> io::Result<Option<Arc<OsString>>> {
    Ok(match known.entry(id) {
        Entry::Occupied(known) => known.get().clone(),
        Entry::Vacant(unknown) => unknown.insert(look_up(id)?).clone(),
    })
}

pub(crate) fn user_name(id: u32) -> io::Result<Option<OsString>> {
    look_up(|buffer| user(id, buffer))
}

pub(crate) fn group_name(id: u32) -> io::Result<Option<OsString>> {
    look_up(|buffer| group(id, buffer))
}

/// Only groups with many members need a larger buffer.
const INITIAL_CAPACITY: usize = 1 << 10;
const MAX_CAPACITY: usize = 1 << 20;

fn look_up(
    query: impl Fn(&mut [u8]) -> Result<Option<OsString>, i32>,
) -> io::Result<Option<OsString>> {
    let mut capacity = INITIAL_CAPACITY;
    loop {
        match query(&mut vec![0; capacity]) {
            Ok(found) => return Ok(found),
            Err(libc::ERANGE) if capacity < MAX_CAPACITY => capacity *= 4,
            Err(libc::EINTR) => {}
            Err(fault @ (libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::EIO)) => {
                return Err(io::Error::from_raw_os_error(fault));
            }
            // Other errors depend on the database, and mostly mean that the entry does not exist.
            Err(_) => return Ok(None),
        }
    }
}

fn user(id: u32, buffer: &mut [u8]) -> Result<Option<OsString>, i32> {
    let name = |entry: &libc::passwd| entry.pw_name.cast_const();
    // SAFETY: `getpwuid_r` behaves as `entry` requires, and the name is null or in the buffer.
    unsafe { entry(libc::getpwuid_r, name, id, buffer) }
}

fn group(id: u32, buffer: &mut [u8]) -> Result<Option<OsString>, i32> {
    let name = |entry: &libc::group| entry.gr_name.cast_const();
    // SAFETY: as in `user`, but with `getgrgid_r`.
    unsafe { entry(libc::getgrgid_r, name, id, buffer) }
}

/// The empty name means this process's user.
pub(crate) fn home_of(user: &[u8]) -> Option<PathBuf> {
    let home = |entry: &libc::passwd| entry.pw_dir.cast_const();
    let found = if user.is_empty() {
        let id = rustix::process::getuid().as_raw();
        // SAFETY: as in `user`, but for the home directory.
        look_up(|buffer| unsafe { entry(libc::getpwuid_r, home, id, buffer) })
    } else {
        let name = CString::new(user).ok()?;
        // SAFETY: as in `user`. The key is NUL-terminated and outlives the call.
        look_up(|buffer| unsafe { entry(libc::getpwnam_r, home, name.as_ptr(), buffer) })
    };
    found.ok().flatten().map(PathBuf::from)
}

type Lookup<K, T> =
    unsafe extern "C" fn(K, *mut T, *mut libc::c_char, libc::size_t, *mut *mut T) -> libc::c_int;

/// Looks up an account and returns one of its strings.
///
/// # Safety
///
/// `query` must accept the key, fill in the entry with strings in the buffer, and set the result to
/// the entry or to null. `chosen` must return one of those strings, or null.
unsafe fn entry<K, T>(
    query: Lookup<K, T>,
    chosen: impl Fn(&T) -> *const libc::c_char,
    key: K,
    buffer: &mut [u8],
) -> Result<Option<OsString>, i32> {
    let mut entry = std::mem::MaybeUninit::<T>::uninit();
    let mut found = std::ptr::null_mut();
    // SAFETY: all pointers are valid for writes, and the length is the buffer's.
    let error = unsafe {
        query(key, entry.as_mut_ptr(), buffer.as_mut_ptr().cast(), buffer.len(), &raw mut found)
    };
    if error != 0 {
        return Err(error);
    }
    // SAFETY: the result is null or points to the filled entry.
    let Some(found) = (unsafe { found.as_ref() }) else {
        return Ok(None);
    };
    // SAFETY: the string is null or lies in the borrowed buffer.
    Ok(unsafe { text(chosen(found)) })
}

/// Copies a C string.
///
/// # Safety
///
/// The pointer must be null or point to a C string.
unsafe fn text(name: *const libc::c_char) -> Option<OsString> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller guarantees a C string.
    let name = unsafe { CStr::from_ptr(name) };
    Some(OsStr::from_bytes(name.to_bytes()).to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Accounts, Shared, cached, home_of, look_up, look_up_shared};
    use std::collections::HashMap;
    use std::ffi::OsString;
    use std::io;

    #[test]
    fn user_and_group_names_are_found() {
        let mut accounts = Accounts::default();
        assert_eq!(*accounts.user(0).unwrap().unwrap(), *"root");
        assert!(accounts.group(0).unwrap().is_some());
        assert_eq!(accounts.user(3_999_999_999).unwrap(), None);
        assert_eq!(accounts.group(3_999_999_999).unwrap(), None);
        assert_eq!(accounts.known.users.len(), 2);
    }

    #[test]
    fn a_shortage_is_a_failure_and_is_not_remembered() {
        for shortage in [libc::EMFILE, libc::ENFILE, libc::ENOMEM] {
            let answer = look_up(|_| Err(shortage));
            assert_eq!(answer.unwrap_err().raw_os_error(), Some(shortage));
        }
        for unknown in [libc::ENOENT, libc::ESRCH, libc::EPERM, libc::EBADF, libc::ECONNREFUSED] {
            assert_eq!(look_up(|_| Err(unknown)).unwrap(), None);
        }
        let mut known = HashMap::new();
        let failed = |_| Err(io::Error::from_raw_os_error(libc::EMFILE));
        assert!(cached(&mut known, 7, failed).is_err());
        let found = cached(&mut known, 7, |_| Ok(Some(OsString::from("seven").into()))).unwrap();
        assert_eq!(*found.unwrap(), *"seven");
        assert!(cached(&mut known, 7, failed).unwrap().is_some(), "asked again");
    }

    #[test]
    fn workers_share_the_names_of_owners() {
        let shared = Shared::default();
        let query = |look_up: &dyn Fn() -> io::Result<Option<OsString>>| {
            look_up_shared(Some(&shared), |known| &mut known.groups, 7, |_| look_up())
        };
        assert!(query(&|| Err(io::ErrorKind::Other.into())).is_err());
        for look_up in
            [&|| Ok(Some("seven".into())), &|| panic!("known already")] as [&dyn Fn() -> _; 2]
        {
            assert_eq!(*query(look_up).unwrap().unwrap(), *"seven");
        }
        let mut worker = Accounts::new(Some(shared.clone()));
        assert_eq!(*worker.group(7).unwrap().unwrap(), *"seven");
        assert_eq!(*worker.user(0).unwrap().unwrap(), *"root");
        assert!(shared.lock().unwrap().users.contains_key(&0));
    }

    #[test]
    fn the_buffer_grows_for_long_answers() {
        let wants =
            |least| {
                look_up(move |buffer| {
                    if buffer.len() < least { Err(libc::ERANGE) } else { Ok(Some("long".into())) }
                })
            };
        assert_eq!(wants(super::INITIAL_CAPACITY * 60).unwrap().unwrap(), "long");
        assert_eq!(wants(usize::MAX).unwrap(), None);
    }

    #[test]
    fn homes_are_found_by_name() {
        assert!(home_of(b"root").unwrap().is_absolute());
        assert_eq!(home_of(b"no-such-user-anywhere"), None);
        assert_eq!(home_of(b"root\0"), None);
        if rustix::process::getuid().is_root() {
            assert_eq!(home_of(b""), home_of(b"root"));
        }
    }
}
