//! The syscall layer. Its only logic repeats calls, after `EINTR` or with a larger buffer.
//!
//! Counters are plain cells of one worker, added up when it ends, because shared atomic counters
//! would slow down every call. Calls inside the C library are not counted: filling our buffer from
//! `readdir` counts as one.

#[cfg(target_os = "linux")]
mod linux;
mod process;

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Access, AtFlags, FileType, Gid, Mode, OFlags, SeekFrom, Timestamps, Uid};
use rustix::io::{Errno, Result};

use super::dir::{Dir, Stream};
use super::values::uninterrupted;
use crate::calls::Calls;
use crate::sys::gate::{Gate, calls};
use crate::sys::{Batch, Setup};

const LINK_CAPACITY: usize = 256;

/// On Linux, calls have the names that a tracer prints.
const fn either(linux: &'static str, other: &'static str) -> &'static str {
    if cfg!(target_os = "linux") { linux } else { other }
}

calls! {
    Openat2 "openat2",
    Open "openat",
    List either("getdents64", "readdir"),
    Unlink "unlinkat",
    Close "close",
    Stat either("statx", "fstatat"),
    Rename either("renameat2", "renameat"),
    Rewind either("lseek", "rewinddir"),
    Access either("faccessat2", "faccessat"),
    FileSystem "fstatfs",
    Limit either("prlimit64", "getrlimit"),
    Processors "sched_getaffinity",
    ThreadId "gettid",
    User either("setfsuid", "geteuid"),
    Groups "getgroups",
    Capabilities "capget",
    Usage "getrusage",
    Sleep either("clock_nanosleep", "nanosleep"),
    ReadLink "readlinkat",
    Read "read",
    WorkingDirectory "getcwd",
    ListAttributes "llistxattr",
    ListAttributesFollowed "listxattr",
    GetAttribute "lgetxattr",
    GetAttributeFollowed "getxattr",
    MakeDirectory "mkdirat",
    MakeLink "symlinkat",
    MakeHardLink "linkat",
    SetMode "fchmodat",
    SetTimes "utimensat",
    SetOwner "fchownat",
    SetOwnerOpen "fchown",
    SetModeOpen "fchmod",
    MakeNode "mknodat",
    Write "write",
    Resize "ftruncate",
    CopyRange "copy_file_range",
    Clone "ioctl",
    ListAttributesOpen "flistxattr",
    GetAttributeOpen "fgetxattr",
    SetAttribute "setxattr",
    SetAttributeOpen "fsetxattr",
    RemoveAttribute "removexattr",
    RemoveAttributeOpen "fremovexattr",
    Handle "pidfd_open",
    Kill "kill",
    Poll either("ppoll", "poll"),
    Control "fcntl",
}

pub(super) struct Syscalls(Gate);

impl Syscalls {
    pub(super) fn new(setup: &Setup) -> Self {
        Syscalls(Gate::new(NAMES, setup))
    }

    pub(super) fn calls(&self) -> Calls {
        self.0.calls()
    }

    fn pass(&self, call: Call) -> Result<()> {
        self.0.pass(call as usize).map_err(Errno::from_raw_os_error)
    }

    pub(super) fn openat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: OFlags,
        mode: Mode,
    ) -> Result<OwnedFd> {
        uninterrupted(|| {
            self.pass(Call::Open)?;
            rustix::fs::openat(dir, name, flags, mode)
        })
    }

    pub(super) fn open_path(
        &self,
        dir: BorrowedFd<'_>,
        path: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd> {
        uninterrupted(|| {
            self.pass(Call::Open)?;
            rustix::fs::openat(dir, path, flags, Mode::empty())
        })
    }

    pub(super) fn unlinkat(&self, dir: BorrowedFd<'_>, name: &CStr, flags: AtFlags) -> Result<()> {
        uninterrupted(|| {
            self.pass(Call::Unlink)?;
            rustix::fs::unlinkat(dir, name, flags)
        })
    }

    pub(super) fn readdir(&self, stream: &Stream, buffer: &mut Vec<u8>) -> Result<Batch> {
        uninterrupted(|| self.pass(Call::List))?;
        stream.fill(buffer)
    }

    pub(super) fn close<D>(&self, open: D) {
        // Do not repeat a failed close: another thread may own the descriptor by then.
        let _ = self.pass(Call::Close);
        drop(open);
    }

    pub(super) fn fstat(&self, fd: BorrowedFd<'_>) -> Result<rustix::fs::Stat> {
        uninterrupted(|| {
            self.pass(Call::Stat)?;
            rustix::fs::fstat(fd)
        })
    }

    /// Counted as `statx`.
    pub(super) fn fstatat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
    ) -> Result<rustix::fs::Stat> {
        uninterrupted(|| {
            self.pass(Call::Stat)?;
            rustix::fs::statat(dir, name, flags)
        })
    }

    /// Only Linux and Apple's systems can rename without replacing an entry.
    pub(super) fn rename(
        &self,
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        fresh: &CStr,
        replace: bool,
    ) -> Result<()> {
        self.pass(Call::Rename)?;
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            use rustix::fs::RenameFlags;
            let flags = if replace { RenameFlags::empty() } else { RenameFlags::NOREPLACE };
            rustix::fs::renameat_with(from, name, to, fresh, flags)
        }
        #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
        if replace { rustix::fs::renameat(from, name, to, fresh) } else { Err(Errno::NOTSUP) }
    }

    pub(super) fn mkdirat(&self, dir: BorrowedFd<'_>, name: &CStr, mode: Mode) -> Result<()> {
        self.pass(Call::MakeDirectory)?;
        rustix::fs::mkdirat(dir, name, mode)
    }

    pub(super) fn symlinkat(&self, target: &CStr, dir: BorrowedFd<'_>, name: &CStr) -> Result<()> {
        self.pass(Call::MakeLink)?;
        rustix::fs::symlinkat(target, dir, name)
    }

    pub(super) fn linkat(
        &self,
        from: BorrowedFd<'_>,
        name: &CStr,
        to: BorrowedFd<'_>,
        fresh: &CStr,
    ) -> Result<()> {
        self.pass(Call::MakeHardLink)?;
        rustix::fs::linkat(from, name, to, fresh, AtFlags::empty())
    }

    pub(super) fn chmodat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        mode: Mode,
        flags: AtFlags,
    ) -> Result<()> {
        self.pass(Call::SetMode)?;
        rustix::fs::chmodat(dir, name, mode, flags)
    }

    pub(super) fn utimensat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        times: &Timestamps,
        flags: AtFlags,
    ) -> Result<()> {
        self.pass(Call::SetTimes)?;
        rustix::fs::utimensat(dir, name, times, flags)
    }

    pub(super) fn futimens(&self, file: BorrowedFd<'_>, times: &Timestamps) -> Result<()> {
        self.pass(Call::SetTimes)?;
        rustix::fs::futimens(file, times)
    }

    pub(super) fn fchmod(&self, file: BorrowedFd<'_>, mode: Mode) -> Result<()> {
        self.pass(Call::SetModeOpen)?;
        rustix::fs::fchmod(file, mode)
    }

    pub(super) fn fchown(&self, file: BorrowedFd<'_>, user: Option<u32>, group: u32) -> Result<()> {
        self.pass(Call::SetOwnerOpen)?;
        rustix::fs::fchown(file, user.map(Uid::from_raw), Some(Gid::from_raw(group)))
    }

    pub(super) fn chownat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        user: Option<u32>,
        group: u32,
        flags: AtFlags,
    ) -> Result<()> {
        self.pass(Call::SetOwner)?;
        let (user, group) = (user.map(Uid::from_raw), Some(Gid::from_raw(group)));
        rustix::fs::chownat(dir, name, user, group, flags)
    }

    pub(super) fn mknodat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        kind: FileType,
        mode: Mode,
        device: u64,
    ) -> Result<()> {
        self.pass(Call::MakeNode)?;
        #[cfg(not(target_vendor = "apple"))]
        return rustix::fs::mknodat(dir, name, kind, mode, device as _);
        #[cfg(target_vendor = "apple")]
        {
            let _ = (dir, name, kind, mode, device);
            Err(Errno::NOTSUP)
        }
    }

    pub(super) fn write(&self, file: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize> {
        self.pass(Call::Write)?;
        rustix::io::write(file, bytes)
    }

    pub(super) fn ftruncate(&self, file: BorrowedFd<'_>, size: u64) -> Result<()> {
        self.pass(Call::Resize)?;
        rustix::fs::ftruncate(file, size)
    }

    pub(super) fn seek(&self, file: BorrowedFd<'_>, to: SeekFrom) -> Result<u64> {
        self.pass(Call::Rewind)?;
        rustix::fs::seek(file, to)
    }

    /// Closes a descriptor, and returns the error that a network file system reports only now.
    pub(super) fn close_written(&self, file: OwnedFd) -> Result<()> {
        let planned = self.pass(Call::Close);
        // SAFETY: the descriptor was owned, and is not used again, not even after an error.
        let closed = unsafe { libc::close(file.into_raw_fd()) };
        planned?;
        if closed == 0 { Ok(()) } else { Err(last_errno()) }
    }

    pub(super) fn rewind(&self, dir: &Dir) -> Result<()> {
        self.pass(Call::Rewind)?;
        if let Some(stream) = dir.stream() {
            stream.rewind();
            return Ok(());
        }
        rustix::fs::seek(dir, SeekFrom::Start(0)).map(drop)
    }

    pub(super) fn may(&self, dir: BorrowedFd<'_>, name: &CStr, access: Access) -> Result<()> {
        // Android has no `AT_EACCESS`.
        let flags = if cfg!(target_os = "android") { AtFlags::empty() } else { AtFlags::EACCESS };
        uninterrupted(|| {
            self.pass(Call::Access)?;
            rustix::fs::accessat(dir, name, access, flags)
        })
    }

    /// `target` must be empty, and grows until the symlink's target fits.
    pub(super) fn readlinkat(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        target: &mut Vec<u8>,
    ) -> Result<()> {
        target.reserve(LINK_CAPACITY);
        loop {
            self.pass(Call::ReadLink)?;
            let capacity = target.capacity();
            let (read, _) = rustix::fs::readlinkat_raw(dir, name, target.spare_capacity_mut())?;
            let length = read.len();
            if length < capacity {
                // SAFETY: the call initialized `length` bytes of the empty buffer.
                unsafe { target.set_len(length) };
                return Ok(());
            }
            target.reserve(capacity * 2);
        }
    }

    pub(super) fn read(&self, file: BorrowedFd<'_>, capacity: &mut [u8]) -> Result<usize> {
        self.pass(Call::Read)?;
        rustix::io::read(file, capacity)
    }

    /// Fails if the directory is outside the root. Linux then returns `(unreachable)…`
    /// (`getcwd(3)`), which looks like a relative path.
    pub(super) fn getcwd(&self) -> Result<std::path::PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        self.pass(Call::WorkingDirectory)?;
        let path = rustix::process::getcwd(Vec::new())?;
        if !path.as_bytes().starts_with(b"/") {
            return Err(Errno::NOENT);
        }
        Ok(std::ffi::OsString::from_vec(path.into_bytes()).into())
    }

    pub(super) fn descriptor_limit(&self) -> Option<u64> {
        self.pass(Call::Limit).ok()?;
        rustix::process::getrlimit(rustix::process::Resource::Nofile).current
    }

    /// Reads the monotonic clock, on Linux through the vDSO. An `Instant` would need a shared
    /// starting point, and a forked child might find its lock taken. This does not use rustix,
    /// which cannot find the vDSO under Valgrind.
    pub(super) fn now(&self) -> Duration {
        let _ = self;
        let mut time = MaybeUninit::<libc::timespec>::zeroed();
        // SAFETY: the pointer is valid for one timespec.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr()) };
        // SAFETY: any numbers are a valid timespec.
        let time = unsafe { time.assume_init() };
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
    }

    #[allow(clippy::disallowed_methods, reason = "counted here")]
    pub(super) fn sleep(&self, time: Duration) {
        if self.pass(Call::Sleep).is_ok() {
            std::thread::sleep(time);
        }
    }

    pub(super) fn set_status(&self, fd: BorrowedFd<'_>, flags: OFlags) -> Result<()> {
        self.pass(Call::Control)?;
        rustix::fs::fcntl_setfl(fd, flags)
    }

    #[cfg(target_vendor = "apple")]
    pub(super) fn getpath(&self, fd: BorrowedFd<'_>) -> Result<Vec<u8>> {
        self.pass(Call::Control)?;
        rustix::fs::getpath(fd).map(std::ffi::CString::into_bytes)
    }

    /// This call is not counted.
    #[cfg(not(target_os = "linux"))]
    #[allow(clippy::disallowed_methods, reason = "this is no call about a file")]
    pub(super) fn processors(&self) -> usize {
        let _ = self;
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    pub(super) fn is_in_group(&self, group: u32) -> bool {
        let is_own = rustix::process::getegid().as_raw() == group;
        let others = || self.pass(Call::Groups).and_then(|()| rustix::process::getgroups());
        is_own || others().is_ok_and(|groups| groups.contains(&Gid::from_raw(group)))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn user(&self) -> u32 {
        // `geteuid` cannot fail.
        let _ = self.pass(Call::User);
        rustix::process::geteuid().as_raw()
    }

    /// Whether this user is root. Other systems have no `CAP_FOWNER`.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn has_cap_fowner(&self) -> bool {
        self.user() == 0
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn waits(&self) -> u64 {
        let _ = self;
        0
    }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
