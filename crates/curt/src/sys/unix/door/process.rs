//! The calls for starting programs and waiting for them.

use std::ffi::CStr;
use std::io;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

use super::{Call, Door};
use crate::sys::unix::child_steps::Step;
use crate::sys::unix::words::Words;

impl Door {
    /// Counts a call that the child will make. Resetting all signal handlers counts as one.
    pub(in super::super) fn pass_step(&self, step: Step) -> Result<(), Errno> {
        self.pass(match step {
            Step::DefaultSignals | Step::DefaultSignal(_) => Call::SignalAction,
            Step::Group(_) => Call::SetGroup,
            Step::Session => Call::SetSession,
            Step::CloseFrom { .. } => Call::CloseRange,
            Step::Lift { .. } => Call::Copy,
            Step::Null { .. } => Call::Open,
            Step::Put { .. } => Call::Duplicate,
            Step::Groups { .. } => Call::SetGroups,
            Step::GroupId(_) => Call::SetGroupId,
            Step::UserId(_) => Call::SetUserId,
            Step::Umask(_) => Call::Umask,
            Step::Directory(_) => Call::ChangeDirectory,
            Step::EmptyMask | Step::RestoreMask(_) => Call::SignalMask,
            Step::Execute { .. } => Call::Execute,
        })
    }

    /// Creates a pipe that no child inherits, and returns the reading end and the writing end.
    pub(in super::super) fn pipe(&self) -> Result<(OwnedFd, OwnedFd), Errno> {
        self.pass(Call::Pipe)?;
        #[cfg(not(target_vendor = "apple"))]
        return rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
        // There is no such call: a program that another thread starts in between inherits it.
        #[cfg(target_vendor = "apple")]
        {
            let (reader, writer) = rustix::pipe::pipe()?;
            rustix::io::fcntl_setfd(&reader, rustix::io::FdFlags::CLOEXEC)?;
            rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::CLOEXEC)?;
            Ok((reader, writer))
        }
    }

    /// Copies a descriptor to a number from `floor` on; no child inherits the copy.
    pub(in super::super) fn lift(
        &self,
        fd: BorrowedFd<'_>,
        floor: RawFd,
    ) -> Result<OwnedFd, Errno> {
        self.pass(Call::Copy)?;
        rustix::io::fcntl_dupfd_cloexec(fd, floor)
    }

    pub(in super::super) fn read_fd(
        &self,
        fd: BorrowedFd<'_>,
        into: &mut Vec<u8>,
    ) -> Result<usize, Errno> {
        self.pass(Call::Read)?;
        rustix::io::read(fd, rustix::buffer::spare_capacity(into))
    }

    pub(in super::super) fn open_to_read(&self, path: &CStr) -> Result<OwnedFd, Errno> {
        self.pass(Call::Open)?;
        // Opening a named pipe does not wait for a writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty())
    }

    /// Waits until one of the descriptors is ready or has reached its end, or until the limit
    /// passes. The answers are in `polls`.
    pub(in super::super) fn poll(
        &self,
        polls: &mut [PollFd<'_>],
        limit: Option<Duration>,
    ) -> Result<(), Errno> {
        self.pass(Call::Poll)?;
        // A limit too large for the system is no limit.
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        rustix::event::poll(polls, limit.as_ref()).map(drop)
    }

    /// Writes some of the bytes.
    pub(in super::super) fn write_fd(
        &self,
        fd: BorrowedFd<'_>,
        bytes: &[u8],
    ) -> Result<usize, Errno> {
        self.pass(Call::Write)?;
        rustix::io::write(fd, bytes)
    }

    /// Sets whether reading and writing return at once.
    pub(in super::super) fn set_nonblocking(
        &self,
        fd: BorrowedFd<'_>,
        wanted: bool,
    ) -> Result<(), Errno> {
        self.pass(Call::Ioctl)?;
        rustix::io::ioctl_fionbio(fd, wanted)
    }

    /// Asks how a child ended; `None` if it has not and the call does not block.
    pub(in super::super) fn wait_for(
        &self,
        pid: Pid,
        blocks: bool,
    ) -> Result<Option<WaitStatus>, Errno> {
        self.pass(Call::Wait)?;
        let options = if blocks { WaitOptions::empty() } else { WaitOptions::NOHANG };
        Ok(rustix::process::waitpid(Some(pid), options)?.map(|(_, status)| status))
    }

    /// Sends a signal to a child that has not been waited for, or to its group.
    pub(in super::super) fn kill(&self, pid: Pid, group: bool) -> Result<(), Errno> {
        self.pass(Call::Kill)?;
        if group {
            rustix::process::kill_process_group(pid, Signal::KILL)
        } else {
            rustix::process::kill_process(pid, Signal::KILL)
        }
    }

    /// Asks whether any process group has this number.
    pub(in super::super) fn is_group(&self, number: Pid) -> Result<(), Errno> {
        self.pass(Call::Kill)?;
        rustix::process::test_kill_process_group(number)
    }

    /// Starts a program through the C library.
    pub(in super::super) fn posix_spawn(
        &self,
        words: &Words,
        attributes: &Attributes,
    ) -> Result<Pid, Errno> {
        self.pass(Call::PosixSpawn)?;
        let mut pid: libc::pid_t = 0;
        // SAFETY: the attributes are initialised; the words are a C string and two null-terminated
        // lists of C strings, none of which the call writes to.
        let error = unsafe {
            libc::posix_spawn(
                &raw mut pid,
                words.program.as_ptr(),
                attributes.actions.0.as_ptr(),
                attributes.flags.0.as_ptr(),
                words.arguments().cast(),
                words.environment().cast(),
            )
        };
        check(error)?;
        Pid::from_raw(pid).ok_or(Errno::CHILD)
    }

    /// Whether this process has the rights of root.
    pub(in super::super) fn is_root(&self) -> Result<bool, Errno> {
        self.pass(Call::EffectiveUser)?;
        Ok(rustix::process::geteuid().is_root())
    }

    /// Copies this process. Returns `None` in the copy, which may only do what a signal handler
    /// may.
    ///
    /// # Safety
    ///
    /// The copy ends, or executes a program, before it leaves the function of the caller.
    pub(in super::super) unsafe fn fork(&self) -> Result<Option<Pid>, Errno> {
        self.pass(Call::Fork)?;
        // SAFETY: the caller's promise.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::AGAIN));
        }
        Ok(Pid::from_raw(pid))
    }
}

/// The attributes of a child for the C library. Neither part is moved after it was initialised.
pub(crate) struct Attributes {
    actions: Actions,
    flags: Flags,
}

impl Attributes {
    /// Resets these signals to their default action, and leaves all else as in this process.
    pub(crate) fn new(
        group: Option<i32>,
        unblocks: bool,
        default_signals: &[i32],
    ) -> Result<Attributes, Errno> {
        let mut new = Attributes { actions: Actions::new()?, flags: Flags::new()? };
        let attributes = new.flags.0.as_mut_ptr();
        let mut flags = libc::POSIX_SPAWN_SETSIGDEF;
        let defaults = signals(default_signals)?;
        // SAFETY: the attributes were initialised, and the set is one.
        check(unsafe { libc::posix_spawnattr_setsigdefault(attributes, defaults.as_ptr()) })?;
        if unblocks {
            flags |= libc::POSIX_SPAWN_SETSIGMASK;
            let none = signals(&[])?;
            // SAFETY: as above.
            check(unsafe { libc::posix_spawnattr_setsigmask(attributes, none.as_ptr()) })?;
        }
        if let Some(group) = group {
            flags |= libc::POSIX_SPAWN_SETPGROUP;
            // SAFETY: as above.
            check(unsafe { libc::posix_spawnattr_setpgroup(attributes, group) })?;
        }
        #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
        let flags = flags as libc::c_short;
        // SAFETY: as above.
        check(unsafe { libc::posix_spawnattr_setflags(attributes, flags) })?;
        Ok(new)
    }

    /// Puts a descriptor at another number.
    pub(crate) fn put(&mut self, from: RawFd, to: RawFd) -> Result<(), Errno> {
        let actions = self.actions.0.as_mut_ptr();
        // SAFETY: the actions were initialised.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(actions, from, to) })
    }

    /// Opens the null device at a number.
    pub(crate) fn null(&mut self, to: RawFd) -> Result<(), Errno> {
        let (actions, path) = (self.actions.0.as_mut_ptr(), c"/dev/null".as_ptr());
        // SAFETY: the actions were initialised, and the path is a static C string.
        check(unsafe { libc::posix_spawn_file_actions_addopen(actions, to, path, libc::O_RDWR, 0) })
    }
}

/// Initialised.
struct Actions(Box<MaybeUninit<libc::posix_spawn_file_actions_t>>);

impl Actions {
    fn new() -> Result<Actions, Errno> {
        let mut place = Box::new(MaybeUninit::uninit());
        // SAFETY: the box has space for one of these.
        check(unsafe { libc::posix_spawn_file_actions_init(place.as_mut_ptr()) })?;
        Ok(Actions(place))
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: `new` initialised it.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// Initialised.
struct Flags(Box<MaybeUninit<libc::posix_spawnattr_t>>);

impl Flags {
    fn new() -> Result<Flags, Errno> {
        let mut place = Box::new(MaybeUninit::uninit());
        // SAFETY: the box has space for one of these.
        check(unsafe { libc::posix_spawnattr_init(place.as_mut_ptr()) })?;
        Ok(Flags(place))
    }
}

impl Drop for Flags {
    fn drop(&mut self) {
        // SAFETY: `new` initialised it.
        unsafe { libc::posix_spawnattr_destroy(self.0.as_mut_ptr()) };
    }
}

/// A set of signals.
fn signals(members: &[i32]) -> Result<MaybeUninit<libc::sigset_t>, Errno> {
    let mut set = MaybeUninit::uninit();
    // SAFETY: there is space for a set, which the call initialises.
    check(unsafe { libc::sigemptyset(set.as_mut_ptr()) })?;
    for &member in members {
        // SAFETY: it is a set.
        check(unsafe { libc::sigaddset(set.as_mut_ptr(), member) })?;
    }
    Ok(set)
}

/// Blocks all signals of this thread until it is dropped.
pub(crate) struct Blocked {
    before: MaybeUninit<libc::sigset_t>,
}

impl Blocked {
    pub(crate) fn new() -> Result<Blocked, Errno> {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: there is space for a set, which the call initialises.
        check(unsafe { libc::sigfillset(all.as_mut_ptr()) })?;
        // SAFETY: one is a set, the other has space for one.
        check(unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr())
        })?;
        Ok(Blocked { before })
    }
}

impl Blocked {
    /// The signals that were blocked before.
    pub(crate) fn before(&self) -> *const libc::sigset_t {
        self.before.as_ptr()
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set is what the call in `new` wrote.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, self.before.as_ptr(), ptr::null_mut());
        }
    }
}

/// These functions return an error number.
fn check(error: i32) -> Result<(), Errno> {
    if error == 0 { Ok(()) } else { Err(Errno::from_raw_os_error(error)) }
}

/// One end of a pipe, or another open file.
#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) fd: OwnedFd,
    /// Whether the caller has reading and writing return at once. Remembered, because asking the
    /// system costs a call.
    is_nonblocking: AtomicBool,
}

impl From<OwnedFd> for Pipe {
    fn from(fd: OwnedFd) -> Pipe {
        Pipe { fd, is_nonblocking: AtomicBool::new(false) }
    }
}

/// Open files of the caller, with their numbers in a child. They stay open.
pub(crate) struct Lent<'a> {
    pipes: Vec<(Pipe, RawFd)>,
    lender: PhantomData<BorrowedFd<'a>>,
}

impl<'a> Lent<'a> {
    pub(crate) fn new(descriptors: &[(BorrowedFd<'a>, RawFd)]) -> Lent<'a> {
        let owned = descriptors.iter().map(|(fd, number)| {
            // SAFETY: the descriptor is open as long as this value exists, which gives it up when
            // it is dropped, and lends no pipe for longer.
            let fd = unsafe { OwnedFd::from_raw_fd(fd.as_raw_fd()) };
            (Pipe::from(fd), *number)
        });
        Lent { pipes: owned.collect(), lender: PhantomData }
    }

    pub(crate) fn pipes(&self) -> &[(Pipe, RawFd)] {
        &self.pipes
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        for (pipe, _) in self.pipes.drain(..) {
            let _ = pipe.fd.into_raw_fd();
        }
    }
}

impl AsRawFd for Pipe {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

impl AsFd for Pipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Pipe {
    /// Sets whether reading and writing return at once, for the caller.
    pub(crate) fn set_nonblocking(&self, wanted: bool) -> io::Result<()> {
        rustix::io::ioctl_fionbio(&self.fd, wanted)?;
        self.is_nonblocking.store(wanted, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the caller has reading and writing return at once.
    pub(crate) fn is_nonblocking(&self) -> bool {
        self.is_nonblocking.load(Ordering::Relaxed)
    }
}

impl io::Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.fd, into)?)
    }
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.fd, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
