//! Starting programs by what every Unix has: `posix_spawn`, and a copy of the process for what that cannot
//! be told portably.

use std::ffi::c_char;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::process::ExitStatus;
use std::ptr;
use std::time::Duration;

use rustix::io::Errno;

use super::Posix;
use crate::error::StartFailure;
use crate::sys::Sys;
use crate::sys::process::{Failure, Kill, Launch, Process};
use crate::sys::unix::calls::{Pipe, ProcessDoor};
use crate::sys::unix::failing;
use crate::sys::unix::start::{self, Child};
use crate::sys::unix::steps::ChildCalls;
use crate::sys::unix::words::Words;

/// The calls of a child by way of the C library: those that a handler of a signal may make.
struct Library;

/// What a call of the C library came to.
fn answer(result: libc::c_int) -> Result<libc::c_int, Errno> {
    if result >= 0 {
        return Ok(result);
    }
    let error = io::Error::last_os_error();
    Err(Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Gives a signal its usual effect.
fn make_usual(signal: libc::c_int) -> Result<(), Errno> {
    // SAFETY: all zeros is the usual action with an empty mask.
    let usual: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the new action is one, and the old one is not asked for.
    answer(unsafe { libc::sigaction(signal, &raw const usual, ptr::null_mut()) }).map(drop)
}

impl ChildCalls for Library {
    fn default_signals() -> Result<(), Errno> {
        /// No system has more.
        const SIGNALS: libc::c_int = 128;
        for signal in 1..=SIGNALS {
            let mut old = MaybeUninit::<libc::sigaction>::uninit();
            // SAFETY: nothing is set, and the place is for an action.
            let asked = unsafe { libc::sigaction(signal, ptr::null(), old.as_mut_ptr()) };
            if asked != 0 {
                // There is no such signal, or its action is not ours to know.
                continue;
            }
            // SAFETY: the call wrote it.
            let handler = unsafe { old.assume_init() }.sa_sigaction;
            if handler != libc::SIG_DFL && handler != libc::SIG_IGN {
                make_usual(signal)?;
            }
        }
        Ok(())
    }

    fn default_pipe() -> Result<(), Errno> {
        make_usual(libc::SIGPIPE)
    }

    fn empty_mask() -> Result<(), Errno> {
        let mut none = MaybeUninit::uninit();
        // SAFETY: the place is for a set, which the call makes an empty one.
        answer(unsafe { libc::sigemptyset(none.as_mut_ptr()) })?;
        // SAFETY: it is a set.
        unsafe { Library::restore_mask(none.as_ptr()) }
    }

    // SAFETY: what the trait asks of the caller.
    unsafe fn restore_mask(set: *const libc::sigset_t) -> Result<(), Errno> {
        // SAFETY: the caller's promise; the old mask is not asked for.
        answer(unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, ptr::null_mut()) }).map(drop)
    }

    fn new_group() -> Result<(), Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::setpgid(0, 0) }).map(drop)
    }

    fn new_session() -> Result<(), Errno> {
        // SAFETY: no memory is involved.
        answer(unsafe { libc::setsid() }).map(drop)
    }

    fn close_from(first: RawFd, limit: RawFd) -> Result<(), Errno> {
        for fd in first..limit {
            // SAFETY: no memory is involved. A number that is no descriptor is none to close.
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

impl Process for Posix {
    type Child = Child;
    type Pipe = Pipe;

    fn pipe(&self) -> io::Result<(Pipe, Pipe)> {
        let (reader, writer) = self.door.pipe()?;
        Ok((Pipe(reader), Pipe(writer)))
    }

    fn close_pipe(&self, pipe: Pipe) {
        self.door.close_fd(pipe.0);
    }

    fn start_program(&self, launch: &Launch<'_, Pipe>) -> Result<Child, Failure> {
        #[cfg(target_os = "linux")]
        if launch.place.cgroup.is_some() {
            return Err(start::childless(rustix::io::Errno::NOTSUP));
        }
        let words = Words::new(launch)?;
        let pid = if let Some(started) = start::by_library(&self.door, launch, &words) {
            started?
        } else {
            let limit = if launch.close_others { self.descriptor_limit() } else { 0 };
            start::by_copy::<Library, _>(&self.door, launch, &words, limit)?
        };
        Ok(Child::new(pid, None, launch))
    }

    fn explain(&self, launch: &Launch<'_, Pipe>, failure: &Failure) -> StartFailure {
        failing::explain(&self.door, launch, failure)
    }

    fn wait(&self, child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        if child.ended.is_none() {
            child.ended = start::wait_by_number(&self.door, child.pid, limit)?;
        }
        Ok(child.ended)
    }

    fn kill(&self, child: &mut Child, what: Kill) -> io::Result<()> {
        if child.ended.is_some() {
            // Its number, and that of its group, may be anybody's.
            return Ok(());
        }
        let group = what == Kill::Tree && child.leads;
        start::killed(&self.door, child, group, Err(Errno::NOSYS))
    }

    fn id(child: &Child) -> u32 {
        child.pid.as_raw_nonzero().get().unsigned_abs()
    }

    fn forget(&self, child: Child) {
        drop(child);
    }

    fn drain(&self, pipes: [Option<Pipe>; 2]) -> io::Result<[Vec<u8>; 2]> {
        start::drain(&self.door, pipes)
    }
}
