//! The only door to the system on the portable platform: one function per call, each counted, each
//! of which a test can fail. No logic.
//!
//! What the C library does of its own accord is not seen here: `fdopendir` may ask for the kind of
//! the descriptor, and `readdir` fetches entries in portions of its own choosing. One reading of
//! ours, of up to a thousand entries, counts as one `readdir`.

use std::ffi::CStr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Access, AtFlags, Mode, OFlags};
use rustix::io::{Errno, Result};

use super::dir::{DirBuf, Stream};
use crate::calls::Calls;
use crate::sys::gate::Gate;
use crate::sys::unix::calls::{ProcessCall, ProcessDoor};
use crate::sys::unix::uninterrupted;
use crate::sys::{Batch, Setup};

/// The kinds of call, in the order of [`NAMES`].
#[derive(Clone, Copy)]
enum Call {
    Openat,
    Readdir,
    Unlinkat,
    Close,
    Fstat,
    Fstatat,
    Renameat,
    Rewinddir,
    Faccessat,
    Getrlimit,
    Nanosleep,
    Readlinkat,
    Read,
    Getcwd,
    Mkdirat,
    PosixSpawn,
    Fork,
    Waitpid,
    Kill,
    Pipe,
    Poll,
    SignalMask,
    SignalAction,
    Setpgid,
    Setsid,
    Fcntl,
    Dup2,
    Chdir,
    Execve,
    Geteuid,
}

/// Their names, as in C.
const NAMES: &[&str] = &[
    "openat",
    "readdir",
    "unlinkat",
    "close",
    "fstat",
    "fstatat",
    "renameat",
    "rewinddir",
    "faccessat",
    "getrlimit",
    "nanosleep",
    "readlinkat",
    "read",
    "getcwd",
    "mkdirat",
    "posix_spawn",
    "fork",
    "waitpid",
    "kill",
    "pipe",
    "poll",
    "sigprocmask",
    "sigaction",
    "setpgid",
    "setsid",
    "fcntl",
    "dup2",
    "chdir",
    "execve",
    "geteuid",
];

/// The door of one worker.
pub(super) struct Door(Gate);

impl Door {
    pub(super) fn new(setup: &Setup) -> Self {
        Door(Gate::new(NAMES, setup))
    }

    pub(super) fn calls(&self) -> Calls {
        self.0.calls()
    }

    fn pass(&self, call: Call) -> Result<()> {
        self.0.pass(call as usize).map_err(Errno::from_raw_os_error)
    }

    /// Opens a directory and begins a listing of it.
    pub(super) fn open_listing(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
    ) -> Result<Stream> {
        Stream::new(uninterrupted(|| {
            self.pass(Call::Openat)?;
            rustix::fs::openat(dir, name, flags, Mode::empty())
        })?)
    }

    /// Opens a path as the caller typed it.
    pub(super) fn open_path(&self, path: &Path, flags: OFlags) -> Result<OwnedFd> {
        uninterrupted(|| {
            self.pass(Call::Openat)?;
            rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty())
        })
    }

    pub(super) fn readdir(&self, stream: &mut Stream, buf: &mut DirBuf) -> Result<Batch> {
        uninterrupted(|| {
            self.pass(Call::Readdir)?;
            stream.fill(buf)
        })
    }

    pub(super) fn rewinddir(&self, stream: &mut Stream) -> Result<()> {
        self.pass(Call::Rewinddir)?;
        stream.rewind();
        Ok(())
    }

    pub(super) fn unlinkat(&self, dir: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<()> {
        uninterrupted(|| {
            self.pass(Call::Unlinkat)?;
            rustix::fs::unlinkat(dir, name, flags)
        })
    }

    /// Closes a descriptor, or the listing that owns it.
    pub(super) fn close<D>(&self, dir: D) {
        // A close that reports an error must not be tried again: the number may be somebody else's.
        let _ = self.pass(Call::Close);
        drop(dir);
    }

    pub(super) fn fstat(&self, dir: BorrowedFd<'_>) -> Result<rustix::fs::Stat> {
        self.pass(Call::Fstat)?;
        rustix::fs::fstat(dir)
    }

    pub(super) fn fstatat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
    ) -> Result<rustix::fs::Stat> {
        self.pass(Call::Fstatat)?;
        rustix::fs::statat(dir, name, flags)
    }

    /// Renames without replacing, where the system can do that; `ENOSYS` where it cannot.
    pub(super) fn rename_exclusively(
        &self,
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        fresh: &CStr,
    ) -> Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            self.pass(Call::Renameat)?;
            let flags = rustix::fs::RenameFlags::NOREPLACE;
            rustix::fs::renameat_with(from, name, to, fresh, flags)
        }
        #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
        {
            let _ = (self, from, name, to, fresh);
            Err(Errno::NOSYS)
        }
    }

    pub(super) fn renameat(
        &self,
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        fresh: &CStr,
    ) -> Result<()> {
        self.pass(Call::Renameat)?;
        rustix::fs::renameat(from, name, to, fresh)
    }

    pub(super) fn may(&self, dir: BorrowedFd<'_>, name: &CStr, access: Access) -> Result<()> {
        self.pass(Call::Faccessat)?;
        #[cfg(not(target_os = "android"))]
        let flags = AtFlags::EACCESS;
        #[cfg(target_os = "android")]
        let flags = AtFlags::empty();
        rustix::fs::accessat(dir, name, access, flags)
    }

    /// The user that files are made for.
    pub(super) fn effective_user(&self) -> u32 {
        // It cannot fail; what a test plans is no answer either.
        match self.pass(Call::Geteuid) {
            Ok(()) => rustix::process::geteuid().as_raw(),
            Err(_) => u32::MAX,
        }
    }

    /// Reads what a link holds into the empty buffer.
    pub(super) fn readlinkat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        target: &mut Vec<u8>,
    ) -> Result<()> {
        self.pass(Call::Readlinkat)?;
        let read = rustix::fs::readlinkat(dir, name, std::mem::take(target))?;
        *target = read.into_bytes();
        Ok(())
    }

    /// Opens something that is not to be listed.
    pub(super) fn open_file(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        self.pass(Call::Openat)?;
        rustix::fs::openat(dir, name, flags, mode)
    }

    pub(super) fn mkdirat(&self, dir: BorrowedFd<'_>, name: &CStr, mode: Mode) -> Result<()> {
        self.pass(Call::Mkdirat)?;
        rustix::fs::mkdirat(dir, name, mode)
    }

    /// The full path of what is open.
    #[cfg(target_vendor = "apple")]
    pub(super) fn getpath(&self, fd: BorrowedFd<'_>) -> Result<Vec<u8>> {
        self.pass(Call::Fcntl)?;
        rustix::fs::getpath(fd).map(std::ffi::CString::into_bytes)
    }

    pub(super) fn read(&self, file: BorrowedFd<'_>, room: &mut [u8]) -> Result<usize> {
        self.pass(Call::Read)?;
        rustix::io::read(file, room)
    }

    /// The working directory.
    pub(super) fn getcwd(&self) -> Result<std::path::PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        self.pass(Call::Getcwd)?;
        let path = rustix::process::getcwd(Vec::new())?;
        Ok(std::ffi::OsString::from_vec(path.into_bytes()).into())
    }

    pub(super) fn descriptor_limit(&self) -> Option<u64> {
        self.pass(Call::Getrlimit).ok()?;
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
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
            ProcessCall::PosixSpawn => Call::PosixSpawn,
            // What only Linux has is not asked for here.
            ProcessCall::Fork | ProcessCall::Clone => Call::Fork,
            ProcessCall::Wait | ProcessCall::WaitHandle => Call::Waitpid,
            ProcessCall::Kill | ProcessCall::SignalHandle => Call::Kill,
            ProcessCall::Pipe => Call::Pipe,
            ProcessCall::Poll => Call::Poll,
            ProcessCall::Open | ProcessCall::Handle => Call::Openat,
            ProcessCall::Read => Call::Read,
            ProcessCall::Close => Call::Close,
            ProcessCall::SignalMask => Call::SignalMask,
            ProcessCall::SignalAction => Call::SignalAction,
            ProcessCall::SetGroup => Call::Setpgid,
            ProcessCall::SetSession => Call::Setsid,
            ProcessCall::Copy | ProcessCall::CloseRange => Call::Fcntl,
            ProcessCall::Duplicate => Call::Dup2,
            ProcessCall::ChangeDirectory => Call::Chdir,
            ProcessCall::Execute => Call::Execve,
            ProcessCall::Sleep => Call::Nanosleep,
        })
    }
}
