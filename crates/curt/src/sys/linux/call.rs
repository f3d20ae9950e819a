//! The only door to the system on Linux: one function per call, each counted, each of which a test
//! can fail. No logic.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{
    Access, AtFlags, Mode, OFlags, RenameFlags, ResolveFlags, SeekFrom, Statx, StatxFlags,
};
use rustix::io::{Errno, Result};

use super::dir::{Dir, Stream};
use crate::calls::Calls;
use crate::sys::gate::Gate;
use crate::sys::unix::calls::{ProcessCall, ProcessDoor};
use crate::sys::unix::uninterrupted;
use crate::sys::{Batch, Setup};

/// What most links hold fits into this.
const LINK_ROOM: usize = 256;

/// Calls until the buffer is large enough.
fn grown(room: usize, call: impl Fn(&mut [u8]) -> Result<usize>) -> Result<Vec<u8>> {
    let mut buffer = vec![0; room];
    loop {
        match call(&mut buffer) {
            Err(Errno::RANGE) if buffer.len() < MOST_EXTENDED => buffer.resize(MOST_EXTENDED, 0),
            answer => {
                buffer.truncate(answer?);
                return Ok(buffer);
            }
        }
    }
}

/// No list of names and no value is longer (`XATTR_LIST_MAX`, `XATTR_SIZE_MAX`).
const MOST_EXTENDED: usize = 64 << 10;

/// The kinds of call, in the order of [`NAMES`].
#[derive(Clone, Copy)]
enum Call {
    Openat2,
    Openat,
    Getdents64,
    Unlinkat,
    Close,
    CloseRange,
    Statx,
    Renameat2,
    Lseek,
    Faccessat2,
    Fstatfs,
    Prlimit64,
    SchedGetaffinity,
    Gettid,
    Setfsuid,
    Getrusage,
    Nanosleep,
    Readlinkat,
    Read,
    Getcwd,
    Llistxattr,
    Lgetxattr,
    Mkdirat,
    Clone3,
    PosixSpawn,
    Fork,
    Wait4,
    Waitid,
    PidfdOpen,
    PidfdSendSignal,
    Kill,
    Pipe2,
    Poll,
    SignalMask,
    SignalAction,
    Setpgid,
    Setsid,
    Fcntl,
    Dup3,
    Chdir,
    Execve,
    Write,
    Geteuid,
}

/// Their names, as a tracer prints them.
const NAMES: [&str; 43] = [
    "openat2",
    "openat",
    "getdents64",
    "unlinkat",
    "close",
    "close_range",
    "statx",
    "renameat2",
    "lseek",
    "faccessat2",
    "fstatfs",
    "prlimit64",
    "sched_getaffinity",
    "gettid",
    "setfsuid",
    "getrusage",
    "clock_nanosleep",
    "readlinkat",
    "read",
    "getcwd",
    "llistxattr",
    "lgetxattr",
    "mkdirat",
    "clone3",
    "posix_spawn",
    "fork",
    "wait4",
    "waitid",
    "pidfd_open",
    "pidfd_send_signal",
    "kill",
    "pipe2",
    "ppoll",
    "rt_sigprocmask",
    "rt_sigaction",
    "setpgid",
    "setsid",
    "fcntl",
    "dup3",
    "chdir",
    "execve",
    "write",
    "geteuid",
];

/// The door of one worker.
pub(super) struct Door(Gate);

impl Door {
    pub(super) fn new(setup: &Setup) -> Self {
        Door(Gate::new(&NAMES, setup))
    }

    pub(super) fn calls(&self) -> Calls {
        self.0.calls()
    }

    fn pass(&self, call: Call) -> Result<()> {
        self.0.pass(call as usize).map_err(Errno::from_raw_os_error)
    }

    pub(super) fn openat2(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
        resolve: ResolveFlags,
    ) -> Result<OwnedFd> {
        uninterrupted(|| {
            self.pass(Call::Openat2)?;
            rustix::fs::openat2(dir, name, flags, mode, resolve)
        })
    }

    pub(super) fn openat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        uninterrupted(|| {
            self.pass(Call::Openat)?;
            rustix::fs::openat(dir, name, flags, mode)
        })
    }

    /// Opens a path as the caller typed it.
    pub(super) fn open_path(&self, path: &Path, flags: OFlags) -> Result<OwnedFd> {
        uninterrupted(|| {
            self.pass(Call::Openat)?;
            rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty())
        })
    }

    /// Fills the empty buffer with directory records, as many as it has room for without growing.
    pub(super) fn getdents64(&self, dir: BorrowedFd<'_>, buffer: &mut Vec<u8>) -> Result<()> {
        let space = buffer.spare_capacity_mut();
        let read = uninterrupted(|| {
            self.pass(Call::Getdents64)?;
            let (dir, room) = (dir.as_raw_fd(), space.as_mut_ptr());
            // SAFETY: the pointer and the length are those of one exclusively borrowed slice, and the
            // descriptor is open for as long as it is borrowed. That the kernel writes no more than
            // the length is the system call's contract.
            let read = unsafe { libc::syscall(libc::SYS_getdents64, dir, room, space.len()) };
            usize::try_from(read).map_err(|_| last_errno())
        })?;
        let length = buffer.len() + read;
        // SAFETY: the kernel says that it wrote so much, and it is within the capacity. That it also
        // wrote the padding between two records is assumed; nothing is decided by it.
        unsafe { buffer.set_len(length) };
        Ok(())
    }

    pub(super) fn unlinkat(&self, dir: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<()> {
        uninterrupted(|| {
            self.pass(Call::Unlinkat)?;
            rustix::fs::unlinkat(dir, name, flags)
        })
    }

    /// The same by way of the C library, which fetches entries in portions of its own choosing.
    pub(super) fn readdir(&self, stream: &Stream, buffer: &mut Vec<u8>) -> Result<Batch> {
        uninterrupted(|| self.pass(Call::Getdents64))?;
        stream.fill(buffer)
    }

    /// Closes a descriptor, or what owns it.
    pub(super) fn close<D>(&self, open: D) {
        // One that reports an error is not tried again: the number may be somebody else's by then.
        let _ = self.pass(Call::Close);
        drop(open);
    }

    /// `rustix` hands the 256 bytes on by value, and asks a second time after the first failure, to learn
    /// whether there is such a call at all.
    pub(super) fn statx<'a>(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
        mask: StatxFlags,
        room: &'a mut MaybeUninit<Statx>,
    ) -> Result<&'a Statx> {
        self.pass(Call::Statx)?;
        let (dir, name, flags) = (dir.as_raw_fd(), name.as_ptr(), flags.bits());
        // SAFETY: the name ends with its NUL, the descriptor is open for as long as it is borrowed, and
        // the room is exclusively borrowed and as large as what the kernel writes.
        let failed = unsafe {
            libc::syscall(libc::SYS_statx, dir, name, flags, mask.bits(), room.as_mut_ptr())
        } != 0;
        if failed {
            return Err(last_errno());
        }
        // SAFETY: where the call does not fail the kernel has written all of it, and it is plain numbers.
        Ok(unsafe { room.assume_init_ref() })
    }

    /// The plain stat, for kernels and filters without `statx`. Counted with it. An empty name is what
    /// is open.
    pub(super) fn fstatat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
    ) -> Result<rustix::fs::Stat> {
        self.pass(Call::Statx)?;
        if name.is_empty() {
            return rustix::fs::fstat(dir);
        }
        rustix::fs::statat(dir, name, flags)
    }

    pub(super) fn renameat2(
        &self,
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        fresh: &CStr,
    ) -> Result<()> {
        self.pass(Call::Renameat2)?;
        rustix::fs::renameat_with(from, name, to, fresh, RenameFlags::NOREPLACE)
    }

    /// Renames, and replaces what has the new name.
    pub(super) fn rename_over(
        &self,
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        fresh: &CStr,
    ) -> Result<()> {
        self.pass(Call::Renameat2)?;
        rustix::fs::renameat_with(from, name, to, fresh, RenameFlags::empty())
    }

    pub(super) fn mkdirat(&self, dir: BorrowedFd<'_>, name: &CStr, mode: Mode) -> Result<()> {
        self.pass(Call::Mkdirat)?;
        rustix::fs::mkdirat(dir, name, mode)
    }

    pub(super) fn rewind(&self, dir: &Dir) -> Result<()> {
        self.pass(Call::Lseek)?;
        if let Some(stream) = dir.stream() {
            stream.rewind();
            return Ok(());
        }
        rustix::fs::seek(dir, SeekFrom::Start(0)).map(drop)
    }

    pub(super) fn may(&self, dir: BorrowedFd<'_>, name: &CStr, access: Access) -> Result<()> {
        self.pass(Call::Faccessat2)?;
        rustix::fs::accessat(dir, name, access, AtFlags::EACCESS)
    }

    /// Reads what a link holds into the empty buffer; a longer target than it has room for is read
    /// again.
    pub(super) fn readlinkat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        target: &mut Vec<u8>,
    ) -> Result<()> {
        target.reserve(LINK_ROOM);
        loop {
            self.pass(Call::Readlinkat)?;
            let room = target.capacity();
            let (read, _) = rustix::fs::readlinkat_raw(dir, name, target.spare_capacity_mut())?;
            let length = read.len();
            if length < room {
                // SAFETY: so many bytes were just written at the beginning of the empty buffer.
                unsafe { target.set_len(length) };
                return Ok(());
            }
            target.reserve(room * 2);
        }
    }

    /// The names of extended attributes, each with a NUL behind it; `room` is what is tried first.
    pub(super) fn llistxattr(&self, path: &CStr, room: usize) -> Result<Vec<u8>> {
        grown(room, |buffer| {
            self.pass(Call::Llistxattr)?;
            rustix::fs::llistxattr(path, buffer)
        })
    }

    /// The value of an extended attribute; `room` is what is tried first.
    pub(super) fn lgetxattr(&self, path: &CStr, name: &CStr, room: usize) -> Result<Vec<u8>> {
        grown(room, |buffer| {
            self.pass(Call::Lgetxattr)?;
            rustix::fs::lgetxattr(path, name, buffer)
        })
    }

    /// The user that files are made for.
    pub(super) fn effective_user(&self) -> u32 {
        // It cannot fail; what a test plans is no answer either.
        match self.pass(Call::Geteuid) {
            Ok(()) => rustix::process::geteuid().as_raw(),
            Err(_) => u32::MAX,
        }
    }

    /// The magic number of the file system that something lies on, and the flags of its mount.
    pub(super) fn file_system(&self, at: BorrowedFd<'_>) -> Result<(i64, u64)> {
        self.pass(Call::Fstatfs)?;
        // The types of the fields differ between architectures.
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_lossless,
            reason = "not the same everywhere"
        )]
        rustix::fs::fstatfs(at).map(|fs| (fs.f_type as i64, fs.f_flags as u64))
    }

    pub(super) fn read(&self, file: BorrowedFd<'_>, room: &mut [u8]) -> Result<usize> {
        self.pass(Call::Read)?;
        rustix::io::read(file, room)
    }

    /// Writes all of a few bytes.
    pub(super) fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<()> {
        self.pass(Call::Write)?;
        rustix::io::write(file, bytes).map(drop)
    }

    /// The working directory.
    pub(super) fn getcwd(&self) -> Result<std::path::PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        self.pass(Call::Getcwd)?;
        let path = rustix::process::getcwd(Vec::new())?;
        Ok(std::ffi::OsString::from_vec(path.into_bytes()).into())
    }

    pub(super) fn descriptor_limit(&self) -> Option<u64> {
        self.pass(Call::Prlimit64).ok()?;
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
    }

    /// One call, unlike the standard library's answer, which also reads what limits a container
    /// may have from files; a helper that such a limit makes useless is noticed by its rate.
    pub(super) fn processors(&self) -> usize {
        if self.pass(Call::SchedGetaffinity).is_err() {
            return 1;
        }
        rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count() as usize)
    }

    /// Whose files this thread may use as its own.
    pub(super) fn user(&self) -> u32 {
        // It cannot fail.
        let _ = self.pass(Call::Setfsuid);
        // SAFETY: no memory is involved. No user has this number, so nothing is set; the answer is who it was.
        unsafe { libc::setfsuid(u32::MAX) }.unsigned_abs()
    }

    /// The number of this thread.
    pub(super) fn thread_id(&self) -> i32 {
        // It cannot fail.
        let _ = self.pass(Call::Gettid);
        rustix::thread::gettid().as_raw_nonzero().get()
    }

    /// How often this thread has waited for something.
    pub(super) fn waits(&self) -> u64 {
        if self.pass(Call::Getrusage).is_err() {
            return 0;
        }
        // SAFETY: all zeros is a value of this plain struct of numbers.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is that of an exclusively borrowed value of the right type.
        let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0;
        if failed { 0 } else { usage.ru_nvcsw.unsigned_abs() }
    }

    pub(super) fn sleep(&self, time: Duration) {
        if self.pass(Call::Nanosleep).is_ok() {
            std::thread::sleep(time);
        }
    }
}

impl ProcessDoor for Door {
    fn pass_process(&self, call: ProcessCall) -> Result<()> {
        self.pass(match call {
            ProcessCall::Clone => Call::Clone3,
            ProcessCall::PosixSpawn => Call::PosixSpawn,
            ProcessCall::Fork => Call::Fork,
            ProcessCall::Wait => Call::Wait4,
            ProcessCall::WaitHandle => Call::Waitid,
            ProcessCall::Handle => Call::PidfdOpen,
            ProcessCall::SignalHandle => Call::PidfdSendSignal,
            ProcessCall::Kill => Call::Kill,
            ProcessCall::Pipe => Call::Pipe2,
            ProcessCall::Poll => Call::Poll,
            ProcessCall::Open => Call::Openat,
            ProcessCall::Read => Call::Read,
            ProcessCall::Close => Call::Close,
            ProcessCall::SignalMask => Call::SignalMask,
            ProcessCall::SignalAction => Call::SignalAction,
            ProcessCall::SetGroup => Call::Setpgid,
            ProcessCall::SetSession => Call::Setsid,
            ProcessCall::CloseRange => Call::CloseRange,
            ProcessCall::Copy => Call::Fcntl,
            ProcessCall::Duplicate => Call::Dup3,
            ProcessCall::ChangeDirectory => Call::Chdir,
            ProcessCall::Execute => Call::Execve,
            ProcessCall::Sleep => Call::Nanosleep,
        })
    }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
