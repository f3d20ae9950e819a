use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::fs::CWD;
use rustix::io::{Errno, Result};

use crate::sys::unix::syscalls::Syscalls;

/// Calls `call` with a descriptor's path in `/proc`, followed by `below`.
///
/// `/proc/self` shows the first thread's descriptors, but a thread may have its own table
/// (`unshare(CLONE_FILES)`), where the number may mean a different file. Linux before 3.17 lacks
/// `/proc/thread-self`; after `ENOENT`, one more call checks for that.
pub(super) fn by_path<T>(
    syscalls: &Syscalls,
    fd: BorrowedFd<'_>,
    below: &[u8],
    mut call: impl FnMut(&CStr) -> Result<T>,
) -> Result<T> {
    let path = |thread: &str| {
        let begin = format!("/proc/{thread}/fd/{}", fd.as_raw_fd());
        CString::new([begin.as_bytes(), below].concat()).map_err(|_| Errno::INVAL)
    };
    let answer = call(&path("thread-self")?);
    let is_missing = || syscalls.readlinkat(CWD, c"/proc/thread-self", &mut Vec::new()).is_err();
    if matches!(answer, Err(Errno::NOENT)) && is_missing() {
        return call(&path(&format!("self/task/{}", syscalls.thread_id()))?);
    }
    answer
}

/// The same for the descriptor itself. It is open, so `ENOENT` means that `/proc` is missing.
pub(super) fn itself_by_path<T>(
    syscalls: &Syscalls,
    fd: BorrowedFd<'_>,
    call: impl FnMut(&CStr) -> Result<T>,
) -> Result<T> {
    by_path(syscalls, fd, b"", call).map_err(|error| match error {
        Errno::NOENT => Errno::NOSYS,
        error => error,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::Arc;

    use rustix::fs::{CWD, Mode, OFlags};
    use rustix::io::Errno;
    use rustix::thread::{UnshareFlags, unshare_unsafe};

    use super::by_path;
    use crate::fields::Fields;
    use crate::name::Name;
    use crate::sys::beneath::{Beneath, Open};
    use crate::sys::fault::Faults;
    use crate::sys::unix::Unix;
    use crate::sys::unix::syscalls::Syscalls;
    use crate::sys::{Setup, Sys};

    fn read(syscalls: &Syscalls, fd: impl AsFd) -> (Result<Vec<u8>, Errno>, u64) {
        let mut target = Vec::new();
        let read = |path: &CStr| syscalls.readlinkat(CWD, path, &mut target);
        (by_path(syscalls, fd.as_fd(), b"", read).map(|()| target), syscalls.calls().total())
    }

    fn open() -> OwnedFd {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::open("/etc", flags, Mode::empty()).unwrap()
    }

    fn apart(ask: impl FnOnce() + Send) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: this thread uses only descriptors that are in its own table.
                unsafe { unshare_unsafe(UnshareFlags::FILES) }.unwrap();
                ask();
            });
        });
    }

    #[test]
    fn a_thread_with_its_own_descriptor_table_sees_its_files() {
        apart(|| {
            let faults = Faults::default().fail("readlinkat", 0, libc::ENOENT);
            let missing = faults.fail("readlinkat", 1, libc::ENOENT);
            for (faults, expected) in [(Faults::default(), 1), (missing, 4)] {
                let syscalls =
                    Syscalls::new(&Setup { faults: Some(Arc::new(faults)), ..Setup::default() });
                let (target, calls) = read(&syscalls, open());
                assert_eq!((target, calls), (Ok(b"/etc".to_vec()), expected));
            }
            let sys = Unix::start(&Setup::default());
            let dir = sys.open_for_lookup("/etc".as_ref()).unwrap();
            assert_eq!(sys.path_of(Open::Dir(&dir)).unwrap(), b"/etc");
            let name = Name::until_nul(b"passwd\0").unwrap();
            assert!(sys.extended(&dir, name, Fields::ACL, false, None).is_ok());
        });
    }
}
