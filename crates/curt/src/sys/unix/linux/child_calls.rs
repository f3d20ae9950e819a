//! System calls as the kernel takes them, for a child that shares the memory of its parent: no
//! error number in thread-local storage, no lazy binding, no lock, hardly any stack.

use std::ffi::{c_char, c_long};
use std::os::fd::RawFd;

use rustix::io::Errno;

use crate::sys::unix::child_calls::ChildCalls;

/// The kernel's set of signals: 64 of them, one bit each.
type SignalSet = u64;

/// A system call. Returns what the kernel returns: an error is its negated number.
///
/// # Safety
///
/// The arguments must be valid for the call, and so must the memory that they point to.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn syscall(number: c_long, words: [usize; 5]) -> isize {
    let result;
    // SAFETY: the instruction clobbers rcx and r11 and nothing else that the compiler uses; the
    // rest is the caller's promise.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") words[0],
            in("rsi") words[1],
            in("rdx") words[2],
            in("r10") words[3],
            in("r8") words[4],
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result
}

/// A system call. Returns what the kernel returns: an error is its negated number.
///
/// # Safety
///
/// The arguments must be valid for the call, and so must the memory that they point to.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn syscall(number: c_long, words: [usize; 5]) -> isize {
    let result;
    // SAFETY: the kernel keeps all registers but x0; the rest is the caller's promise.
    unsafe {
        std::arch::asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") words[0] => result,
            in("x1") words[1],
            in("x2") words[2],
            in("x3") words[3],
            in("x4") words[4],
            options(nostack),
        );
    }
    result
}

/// Converts an answer of the kernel.
pub(super) fn answer(result: isize) -> Result<usize, Errno> {
    /// Answers from here up to -1 are errors.
    const LAST: isize = -4095;
    if (LAST..0).contains(&result) {
        Err(Errno::from_raw_os_error(-result as i32))
    } else {
        Ok(result as usize)
    }
}

/// Converts an answer that is a descriptor.
fn number(answer: usize) -> Result<RawFd, Errno> {
    RawFd::try_from(answer).map_err(|_| Errno::BADF)
}

/// Makes a call whose arguments are plain numbers.
fn plain(call: c_long, words: [usize; 5]) -> Result<usize, Errno> {
    // SAFETY: the callers below pass pointers to static strings at most, and change nothing but the
    // groups and descriptors of this process, as they promise.
    answer(unsafe { syscall(call, words) })
}

/// An action in the form of the kernel, on x86-64 and aarch64. All zeros is the default action.
#[repr(C)]
struct Action {
    handler: usize,
    flags: usize,
    restorer: usize,
    mask: SignalSet,
}

/// The size of `struct sigaction` of the kernel.
const _: () = assert!(size_of::<Action>() == 32);

/// Has a descriptor closed when the program is executed. A number without a descriptor is no
/// failure.
fn mark(fd: RawFd) {
    let set = [fd as usize, libc::F_SETFD as usize, libc::FD_CLOEXEC as usize, 0, 0];
    let _ = plain(libc::SYS_fcntl, set);
}

/// Does the same for all descriptors from this one on, without `close_range`: those that `/proc`
/// lists, even above a limit that was lowered meanwhile; without `/proc` those below the limit.
fn mark_from(first: RawFd, limit: RawFd) {
    if mark_listed(first).is_err() {
        (first..limit).for_each(mark);
    }
}

/// Marks the descriptors that `/proc` lists. None is opened or closed meanwhile, so the list is
/// complete.
fn mark_listed(first: RawFd) -> Result<(), Errno> {
    /// The offsets of the name and of the length in a record of `getdents64`.
    const NAME: usize = 19;
    const LENGTH: usize = 16;
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    let path = c"/proc/thread-self/fd".as_ptr() as usize;
    let words = [libc::AT_FDCWD as usize, path, flags as usize, 0, 0];
    // SAFETY: the path is a C string.
    let dir = answer(unsafe { syscall(libc::SYS_openat, words) })?;
    let mut records = [0u8; 1024];
    let read = loop {
        let words = [dir, records.as_mut_ptr() as usize, records.len(), 0, 0];
        // SAFETY: the pointer and the length are those of the array.
        let length = match answer(unsafe { syscall(libc::SYS_getdents64, words) }) {
            Ok(0) => break Ok(()),
            Ok(length) => length,
            Err(error) => break Err(error),
        };
        let mut rest = records.get(..length).unwrap_or_default();
        while let [low, high] = rest.get(LENGTH..LENGTH + 2).unwrap_or_default() {
            let end = usize::from(u16::from_ne_bytes([*low, *high])).max(NAME);
            let name = rest.get(NAME..end).unwrap_or_default();
            if let Some(fd) = decimal(name).filter(|&fd| fd >= first) {
                mark(fd);
            }
            rest = rest.get(end..).unwrap_or_default();
        }
    };
    let _ = plain(libc::SYS_close, [dir, 0, 0, 0, 0]);
    read
}

/// Parses a name, up to its NUL, as a number. `None` for `.` and `..`.
fn decimal(name: &[u8]) -> Option<RawFd> {
    let mut number: RawFd = 0;
    for byte in name.iter().take_while(|&&byte| byte != 0) {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit < 10)?;
        number = number.checked_mul(10)?.checked_add(RawFd::from(digit))?;
    }
    Some(number)
}

/// The calls of a child, straight to the kernel.
pub(in crate::sys::unix) struct Raw;

impl ChildCalls for Raw {
    fn default_signal(signal: i32) -> Result<(), Errno> {
        let default = Action { handler: libc::SIG_DFL, flags: 0, restorer: 0, mask: 0 };
        let words = [signal as usize, &raw const default as usize, 0, size_of::<SignalSet>(), 0];
        // SAFETY: the pointer is that of an action in the form of the kernel, whose size is checked
        // above, and the old one is not asked for. The default action runs no code.
        answer(unsafe { syscall(libc::SYS_rt_sigaction, words) }).map(drop)
    }

    fn empty_mask() -> Result<(), Errno> {
        let none: SignalSet = 0;
        let size = size_of::<SignalSet>();
        let words = [libc::SIG_SETMASK as usize, &raw const none as usize, 0, size, 0];
        // SAFETY: the pointer is that of a set; the old mask is not asked for.
        answer(unsafe { syscall(libc::SYS_rt_sigprocmask, words) }).map(drop)
    }

    fn set_group(number: i32) -> Result<(), Errno> {
        plain(libc::SYS_setpgid, [0, number as usize, 0, 0, 0]).map(drop)
    }

    fn new_session() -> Result<(), Errno> {
        plain(libc::SYS_setsid, [0; 5]).map(drop)
    }

    fn close_from(first: RawFd, limit: RawFd) -> Result<(), Errno> {
        let flags = libc::CLOSE_RANGE_CLOEXEC as usize;
        let words = [first as usize, u32::MAX as usize, flags, 0, 0];
        match plain(libc::SYS_close_range, words) {
            // Linux 5.9 has the call, 5.11 the flag.
            Err(Errno::NOSYS | Errno::INVAL | Errno::PERM) => {}
            answer => return answer.map(drop),
        }
        mark_from(first, limit);
        Ok(())
    }

    fn lift(fd: RawFd, floor: RawFd) -> Result<RawFd, Errno> {
        let words = [fd as usize, libc::F_DUPFD_CLOEXEC as usize, floor as usize, 0, 0];
        number(plain(libc::SYS_fcntl, words)?)
    }

    fn open_null() -> Result<RawFd, Errno> {
        let flags = libc::O_RDWR | libc::O_CLOEXEC;
        let words = [libc::AT_FDCWD as usize, c"/dev/null".as_ptr() as usize, flags as usize, 0, 0];
        // SAFETY: the path is a C string.
        number(answer(unsafe { syscall(libc::SYS_openat, words) })?)
    }

    fn put(from: RawFd, to: RawFd) -> Result<(), Errno> {
        plain(libc::SYS_dup3, [from as usize, to as usize, 0, 0, 0]).map(drop)
    }

    fn keep(fd: RawFd) -> Result<(), Errno> {
        plain(libc::SYS_fcntl, [fd as usize, libc::F_SETFD as usize, 0, 0, 0]).map(drop)
    }

    fn set_umask(mask: u32) {
        // It cannot fail.
        let _ = plain(libc::SYS_umask, [mask as usize, 0, 0, 0, 0]);
    }

    // SAFETY: what the trait asks of the caller.
    unsafe fn change_directory(path: *const c_char) -> Result<(), Errno> {
        // SAFETY: the caller's promise.
        answer(unsafe { syscall(libc::SYS_chdir, [path as usize, 0, 0, 0, 0]) }).map(drop)
    }

    // SAFETY: what the trait asks of the caller.
    unsafe fn execute(
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
    ) -> Errno {
        let words = [program as usize, arguments as usize, environment as usize, 0, 0];
        // SAFETY: the caller's promise.
        let result = answer(unsafe { syscall(libc::SYS_execve, words) });
        result.err().unwrap_or(Errno::NOSYS)
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::{FdFlags, dup, fcntl_dupfd_cloexec, fcntl_getfd, fcntl_setfd};
    use rustix::thread::{UnshareFlags, unshare_unsafe};

    use super::{decimal, mark_from};

    #[test]
    fn all_descriptors_are_marked_whatever_the_limit_is() {
        let test = || {
            // SAFETY: this thread uses no descriptor that another one opens from here on.
            unsafe { unshare_unsafe(UnshareFlags::FILES) }.unwrap();
            let file = openat(CWD, c"/", OFlags::PATH, Mode::empty()).unwrap();
            let kept = dup(&file).unwrap();
            let far = fcntl_dupfd_cloexec(&file, 800).unwrap();
            fcntl_setfd(&far, FdFlags::empty()).unwrap();
            // More than one reading of the list.
            let many: Vec<_> = (0..100).map(|_| dup(&file).unwrap()).collect();
            let first = std::os::fd::AsRawFd::as_raw_fd(&many[0]);
            mark_from(first, 10);
            assert_eq!(fcntl_getfd(&kept).unwrap(), FdFlags::empty());
            for marked in many.iter().chain([&far]) {
                assert_eq!(fcntl_getfd(marked).unwrap(), FdFlags::CLOEXEC);
            }
        };
        std::thread::scope(|threads| threads.spawn(test).join().unwrap());
    }

    #[test]
    fn names_of_descriptors_are_numbers() {
        assert_eq!(decimal(b"12\0\0\0"), Some(12));
        assert_eq!(decimal(b"2147483647\0"), Some(i32::MAX));
        assert_eq!(decimal(b"2147483648\0"), None);
        assert_eq!((decimal(b".\0"), decimal(b"..\0")), (None, None));
    }
}
