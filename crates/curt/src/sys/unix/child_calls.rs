//! The calls of a child before it executes the program, and the portable way to make them: through
//! the C library. All are async-signal-safe.

use std::ffi::c_char;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr;

use rustix::io::Errno;

/// The calls of a child. Each touches nothing but its arguments.
pub(crate) trait ChildCalls {
    fn default_signal(signal: i32) -> Result<(), Errno>;
    fn empty_mask() -> Result<(), Errno>;
    fn set_group(number: i32) -> Result<(), Errno>;
    fn new_session() -> Result<(), Errno>;
    fn close_from(first: RawFd, limit: RawFd) -> Result<(), Errno>;
    fn lift(fd: RawFd, floor: RawFd) -> Result<RawFd, Errno>;
    fn open_null() -> Result<RawFd, Errno>;
    fn put(from: RawFd, to: RawFd) -> Result<(), Errno>;
    fn set_umask(mask: u32);
    /// Keeps a descriptor open when the program is executed.
    fn keep(fd: RawFd) -> Result<(), Errno>;
    /// # Safety
    ///
    /// The pointer is that of a C string.
    unsafe fn change_directory(path: *const c_char) -> Result<(), Errno>;
    /// Returns only if it failed.
    ///
    /// # Safety
    ///
    /// The pointers are those of a C string, and of null-terminated lists of C strings.
    unsafe fn execute(
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
    ) -> Errno;
}

/// The calls of a child, through the C library.
pub(crate) struct Library;

/// The result of a call of the C library.
fn answer(result: libc::c_int) -> Result<libc::c_int, Errno> {
    if result >= 0 {
        return Ok(result);
    }
    let error = io::Error::last_os_error();
    Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Resets a signal to its default action.
fn reset(signal: libc::c_int) -> Result<(), Errno> {
    // SAFETY: all zeros is the default action with an empty mask.
    let default: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the new action is one, and the old one is not asked for.
    answer(unsafe { libc::sigaction(signal, &raw const default, ptr::null_mut()) }).map(drop)
}

impl ChildCalls for Library {
    fn default_signal(signal: i32) -> Result<(), Errno> {
        reset(signal)
    }

    fn empty_mask() -> Result<(), Errno> {
        let mut none = MaybeUninit::uninit();
        // SAFETY: the place is for a set, which the call makes an empty one.
        answer(unsafe { libc::sigemptyset(none.as_mut_ptr()) })?;
        // SAFETY: it is a set.
        unsafe { set_mask(none.as_ptr()) }
    }

    fn set_group(number: i32) -> Result<(), Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::setpgid(0, number) }).map(drop)
    }

    fn new_session() -> Result<(), Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::setsid() }).map(drop)
    }

    fn close_from(first: RawFd, limit: RawFd) -> Result<(), Errno> {
        for fd in first..limit {
            // SAFETY: no memory is involved. A number without a descriptor is no failure.
            let _ = unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        Ok(())
    }

    fn lift(fd: RawFd, floor: RawFd) -> Result<RawFd, Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, floor) })
    }

    fn open_null() -> Result<RawFd, Errno> {
        // SAFETY: the path is a C string.
        answer(unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) })
    }

    fn put(from: RawFd, to: RawFd) -> Result<(), Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::dup2(from, to) }).map(drop)
    }

    fn keep(fd: RawFd) -> Result<(), Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::fcntl(fd, libc::F_SETFD, 0) }).map(drop)
    }

    fn set_umask(mask: u32) {
        #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
        let mask = mask as libc::mode_t;
        // SAFETY: no memory is involved.
        unsafe { libc::umask(mask) };
    }

    // SAFETY: what the trait asks of the caller.
    unsafe fn change_directory(path: *const c_char) -> Result<(), Errno> {
        // SAFETY: the caller's promise.
        answer(unsafe { libc::chdir(path) }).map(drop)
    }

    // SAFETY: what the trait asks of the caller.
    unsafe fn execute(
        program: *const c_char,
        arguments: *const *const c_char,
        environment: *const *const c_char,
    ) -> Errno {
        // SAFETY: the caller's promise.
        let result = answer(unsafe { libc::execve(program, arguments, environment) });
        result.err().unwrap_or(Errno::NOSYS)
    }
}

// What only a copy of this process does: it is born with the signal handlers of the parent and with
// all signals blocked, and it alone changes its rights (see `Launch::needs_copy`). It may always
// call the C library, which changes the rights of all threads.

/// Resets signals with a handler, which is one of the parent, to their default action.
pub(super) fn default_signals() -> Result<(), Errno> {
    /// No system has more.
    const SIGNALS: libc::c_int = 128;
    for signal in 1..=SIGNALS {
        let mut old = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: nothing is set, and the place is for an action.
        let asked = unsafe { libc::sigaction(signal, ptr::null(), old.as_mut_ptr()) };
        if asked != 0 {
            // There is no such signal, or its action is private to the C library.
            continue;
        }
        // SAFETY: the call wrote it.
        let handler = unsafe { old.assume_init() }.sa_sigaction;
        if handler != libc::SIG_DFL && handler != libc::SIG_IGN {
            reset(signal)?;
        }
    }
    Ok(())
}

/// Sets the signals that are blocked.
///
/// # Safety
///
/// The pointer is that of a signal set.
pub(super) unsafe fn set_mask(set: *const libc::sigset_t) -> Result<(), Errno> {
    // SAFETY: the caller's promise; the old mask is not asked for.
    answer(unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, ptr::null_mut()) }).map(drop)
}

/// Sets the supplementary groups.
///
/// # Safety
///
/// There are that many numbers.
pub(super) unsafe fn set_groups(first: *const libc::gid_t, count: usize) -> Result<(), Errno> {
    #[allow(clippy::useless_conversion, reason = "the types differ between systems")]
    let count = count.try_into().map_err(|_| Errno::INVAL)?;
    // SAFETY: the caller's promise.
    answer(unsafe { libc::setgroups(count, first) }).map(drop)
}

pub(super) fn set_group_id(id: u32) -> Result<(), Errno> {
    // SAFETY: no memory is involved.
    answer(unsafe { libc::setgid(id) }).map(drop)
}

pub(super) fn set_user_id(id: u32) -> Result<(), Errno> {
    // SAFETY: no memory is involved.
    answer(unsafe { libc::setuid(id) }).map(drop)
}
