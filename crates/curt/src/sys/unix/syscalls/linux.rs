use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Statx, StatxFlags, XattrFlags};
use rustix::io::{Errno, Result};
use rustix::process::{Pid, PidfdFlags};
use rustix::thread::CapabilitySet;

use super::{Call, Syscalls, last_errno};
use crate::sys::unix::values::uninterrupted;

/// If the buffer is too small, repeats the call with the largest one.
fn grown(capacity: usize, call: impl Fn(&mut [u8]) -> Result<usize>) -> Result<Vec<u8>> {
    let mut buffer = vec![0; capacity];
    loop {
        match call(&mut buffer) {
            Err(Errno::RANGE) if buffer.len() < MAX_EXTENDED => buffer.resize(MAX_EXTENDED, 0),
            answer => {
                buffer.truncate(answer?);
                return Ok(buffer);
            }
        }
    }
}

/// `XATTR_LIST_MAX` and `XATTR_SIZE_MAX`.
const MAX_EXTENDED: usize = 64 << 10;

impl Syscalls {
    pub(in super::super) fn openat2(
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

    /// Fills the spare capacity, without growing the buffer.
    pub(in super::super) fn getdents64(
        &self,
        dir: BorrowedFd<'_>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let space = buffer.spare_capacity_mut();
        let read = uninterrupted(|| {
            self.pass(Call::List)?;
            let (dir, capacity) = (dir.as_raw_fd(), space.as_mut_ptr());
            // SAFETY: pointer and length describe one exclusively borrowed slice, and the kernel
            // writes only within it.
            let read = unsafe { libc::syscall(libc::SYS_getdents64, dir, capacity, space.len()) };
            usize::try_from(read).map_err(|_| last_errno())
        })?;
        let length = buffer.len() + read;
        // SAFETY: the kernel has written this many bytes, including the padding between records.
        unsafe { buffer.set_len(length) };
        Ok(())
    }

    /// Avoids rustix, which moves the 256-byte answer, and after the first failure makes another
    /// call to find out whether `statx` exists.
    pub(in super::super) fn statx<'a>(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
        mask: StatxFlags,
        capacity: &'a mut MaybeUninit<Statx>,
    ) -> Result<&'a Statx> {
        let (dir, name, flags) = (dir.as_raw_fd(), name.as_ptr(), flags.bits());
        uninterrupted(|| {
            self.pass(Call::Stat)?;
            // SAFETY: the name is NUL-terminated, and `capacity` is exclusively borrowed and has
            // the size of a `statx`.
            let failed = unsafe {
                libc::syscall(libc::SYS_statx, dir, name, flags, mask.bits(), capacity.as_mut_ptr())
            } != 0;
            if failed { Err(last_errno()) } else { Ok(()) }
        })?;
        // SAFETY: the call succeeded, so the kernel has written the struct, which holds plain
        // numbers.
        Ok(unsafe { capacity.assume_init_ref() })
    }

    /// Returns names, each followed by a NUL.
    pub(in super::super) fn list_attributes(
        &self,
        path: &CStr,
        follow: bool,
        capacity: usize,
    ) -> Result<Vec<u8>> {
        grown(capacity, |buffer| {
            if follow {
                self.pass(Call::ListAttributesFollowed)?;
                rustix::fs::listxattr(path, buffer)
            } else {
                self.pass(Call::ListAttributes)?;
                rustix::fs::llistxattr(path, buffer)
            }
        })
    }

    pub(in super::super) fn attribute(
        &self,
        path: &CStr,
        follow: bool,
        name: &CStr,
        capacity: usize,
    ) -> Result<Vec<u8>> {
        grown(capacity, |buffer| {
            if follow {
                self.pass(Call::GetAttributeFollowed)?;
                rustix::fs::getxattr(path, name, buffer)
            } else {
                self.pass(Call::GetAttribute)?;
                rustix::fs::lgetxattr(path, name, buffer)
            }
        })
    }

    /// Returns names, each followed by a NUL.
    pub(in super::super) fn list_attributes_of(&self, file: BorrowedFd<'_>) -> Result<Vec<u8>> {
        grown(1024, |buffer| {
            self.pass(Call::ListAttributesOpen)?;
            rustix::fs::flistxattr(file, buffer)
        })
    }

    pub(in super::super) fn attribute_of(
        &self,
        file: BorrowedFd<'_>,
        name: &CStr,
        capacity: usize,
    ) -> Result<Vec<u8>> {
        grown(capacity, |buffer| {
            self.pass(Call::GetAttributeOpen)?;
            rustix::fs::fgetxattr(file, name, buffer)
        })
    }

    pub(in super::super) fn set_attribute(
        &self,
        file: BorrowedFd<'_>,
        name: &CStr,
        value: &[u8],
    ) -> Result<()> {
        self.pass(Call::SetAttributeOpen)?;
        rustix::fs::fsetxattr(file, name, value, XattrFlags::empty())
    }

    pub(in super::super) fn remove_attribute(
        &self,
        file: BorrowedFd<'_>,
        name: &CStr,
    ) -> Result<()> {
        self.pass(Call::RemoveAttributeOpen)?;
        rustix::fs::fremovexattr(file, name)
    }

    pub(in super::super) fn set_attribute_at(
        &self,
        path: &CStr,
        name: &CStr,
        value: &[u8],
    ) -> Result<()> {
        self.pass(Call::SetAttribute)?;
        rustix::fs::setxattr(path, name, value, XattrFlags::empty())
    }

    pub(in super::super) fn remove_attribute_at(&self, path: &CStr, name: &CStr) -> Result<()> {
        self.pass(Call::RemoveAttribute)?;
        rustix::fs::removexattr(path, name)
    }

    pub(in super::super) fn copy_file_range(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
        size: usize,
    ) -> Result<usize> {
        uninterrupted(|| {
            self.pass(Call::CopyRange)?;
            rustix::fs::copy_file_range(from, None, to, None, size)
        })
    }

    pub(in super::super) fn clone_file(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> Result<()> {
        uninterrupted(|| {
            self.pass(Call::Clone)?;
            rustix::fs::ioctl_ficlone(to, from)
        })
    }

    /// Returns the filesystem's magic number and the mount flags.
    pub(in super::super) fn file_system(&self, at: BorrowedFd<'_>) -> Result<(i64, u64)> {
        self.pass(Call::FileSystem)?;
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_lossless,
            reason = "not the same everywhere"
        )]
        rustix::fs::fstatfs(at).map(|fs| (fs.f_type as i64, fs.f_flags as u64))
    }

    /// Ignores container limits, which the standard library reads from files. If such a limit makes
    /// workers useless, the governor notices.
    pub(in super::super) fn processors(&self) -> usize {
        if self.pass(Call::Processors).is_err() {
            return 1;
        }
        rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count() as usize)
    }

    /// Returns the filesystem user ID.
    pub(in super::super) fn user(&self) -> u32 {
        let _ = self.pass(Call::User);
        // SAFETY: no memory is involved. No user has this ID, so `setfsuid(2)` changes nothing and
        // returns the current ID.
        unsafe { libc::setfsuid(u32::MAX) }.unsigned_abs()
    }

    pub(in super::super) fn has_cap_fowner(&self) -> bool {
        let sets = self.pass(Call::Capabilities).and_then(|()| rustix::thread::capabilities(None));
        sets.is_ok_and(|sets| sets.effective.contains(CapabilitySet::FOWNER))
    }

    pub(in super::super) fn thread_id(&self) -> i32 {
        // `gettid` cannot fail.
        let _ = self.pass(Call::ThreadId);
        rustix::thread::gettid().as_raw_nonzero().get()
    }

    pub(in super::super) fn waits(&self) -> u64 {
        if self.pass(Call::Usage).is_err() {
            return 0;
        }
        // SAFETY: a `rusage` may be all zeros.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to an exclusively borrowed `rusage`.
        let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0;
        if failed { 0 } else { u64::try_from(usage.ru_nvcsw).unwrap_or(0) }
    }

    pub(in super::super) fn pidfd_open(&self, pid: Pid) -> Result<OwnedFd> {
        self.pass(Call::Handle)?;
        rustix::process::pidfd_open(pid, PidfdFlags::empty())
    }
}
