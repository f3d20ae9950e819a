//! The calls that only Linux has.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Statx, StatxFlags};
use rustix::io::{Errno, Result};
use rustix::process::{Pid, PidfdFlags};
use rustix::thread::CapabilitySet;

use super::{Call, Door};
use crate::sys::unix::values::uninterrupted;

/// Repeats a call until the buffer is large enough.
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

impl Door {
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

    /// Fills an empty buffer with directory records, without growing it.
    pub(in super::super) fn getdents64(
        &self,
        dir: BorrowedFd<'_>,
        buffer: &mut Vec<u8>,
    ) -> Result<()> {
        let space = buffer.spare_capacity_mut();
        let read = uninterrupted(|| {
            self.pass(Call::List)?;
            let (dir, room) = (dir.as_raw_fd(), space.as_mut_ptr());
            // SAFETY: the pointer and the length are those of one exclusively borrowed slice, and
            // the descriptor is open for as long as it is borrowed. That the kernel writes no more
            // than the length is the system call's contract.
            let read = unsafe { libc::syscall(libc::SYS_getdents64, dir, room, space.len()) };
            usize::try_from(read).map_err(|_| last_errno())
        })?;
        let length = buffer.len() + read;
        // SAFETY: the kernel says that it wrote so much, and it is within the capacity. That it
        // also wrote the padding between two records is assumed; nothing is decided by it.
        unsafe { buffer.set_len(length) };
        Ok(())
    }

    /// Not `rustix`, which moves the 256 bytes of the answer, and calls twice after the first
    /// failure to find out whether the call exists.
    pub(in super::super) fn statx<'a>(
        &self,
        dir: BorrowedFd<'_>,
        name: &CStr,
        flags: AtFlags,
        mask: StatxFlags,
        room: &'a mut MaybeUninit<Statx>,
    ) -> Result<&'a Statx> {
        let (dir, name, flags) = (dir.as_raw_fd(), name.as_ptr(), flags.bits());
        uninterrupted(|| {
            self.pass(Call::Stat)?;
            // SAFETY: the name ends with its NUL, the descriptor is open for as long as it is
            // borrowed, and the room is exclusively borrowed and as large as what the kernel
            // writes.
            let failed = unsafe {
                libc::syscall(libc::SYS_statx, dir, name, flags, mask.bits(), room.as_mut_ptr())
            } != 0;
            if failed { Err(last_errno()) } else { Ok(()) }
        })?;
        // SAFETY: where the call does not fail the kernel has written all of it, and it is plain
        // numbers.
        Ok(unsafe { room.assume_init_ref() })
    }

    /// Returns the names of extended attributes, each followed by a NUL; `room` is tried first.
    pub(in super::super) fn list_attributes(
        &self,
        path: &CStr,
        follow: bool,
        room: usize,
    ) -> Result<Vec<u8>> {
        grown(room, |buffer| {
            if follow {
                self.pass(Call::ListAttributesFollowed)?;
                rustix::fs::listxattr(path, buffer)
            } else {
                self.pass(Call::ListAttributes)?;
                rustix::fs::llistxattr(path, buffer)
            }
        })
    }

    /// Returns the value of an extended attribute; `room` is tried first.
    pub(in super::super) fn attribute(
        &self,
        path: &CStr,
        follow: bool,
        name: &CStr,
        room: usize,
    ) -> Result<Vec<u8>> {
        grown(room, |buffer| {
            if follow {
                self.pass(Call::GetAttributeFollowed)?;
                rustix::fs::getxattr(path, name, buffer)
            } else {
                self.pass(Call::GetAttribute)?;
                rustix::fs::lgetxattr(path, name, buffer)
            }
        })
    }

    /// Returns the magic number of the file system of an open file, and the flags of its mount.
    pub(in super::super) fn file_system(&self, at: BorrowedFd<'_>) -> Result<(i64, u64)> {
        self.pass(Call::FileSystem)?;
        // The types of the fields differ between architectures.
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_lossless,
            reason = "not the same everywhere"
        )]
        rustix::fs::fstatfs(at).map(|fs| (fs.f_type as i64, fs.f_flags as u64))
    }

    /// One call, unlike the standard library, which also reads the limits of a container from
    /// files. The governor notices a worker that such a limit makes useless.
    pub(in super::super) fn processors(&self) -> usize {
        if self.pass(Call::Processors).is_err() {
            return 1;
        }
        rustix::thread::sched_getaffinity(None).map_or(1, |set| set.count() as usize)
    }

    /// Returns the user whose files this thread owns.
    pub(in super::super) fn user(&self) -> u32 {
        // It cannot fail.
        let _ = self.pass(Call::User);
        // SAFETY: no memory is involved. No user has this number, so nothing is set, and the answer
        // is the current user.
        unsafe { libc::setfsuid(u32::MAX) }.unsigned_abs()
    }

    /// Whether this user may do what only owners may.
    pub(in super::super) fn has_cap_fowner(&self) -> bool {
        let sets = self.pass(Call::Capabilities).and_then(|()| rustix::thread::capabilities(None));
        sets.is_ok_and(|sets| sets.effective.contains(CapabilitySet::FOWNER))
    }

    /// Returns the number of this thread.
    pub(in super::super) fn thread_id(&self) -> i32 {
        // It cannot fail.
        let _ = self.pass(Call::ThreadId);
        rustix::thread::gettid().as_raw_nonzero().get()
    }

    /// Returns how often this thread has blocked.
    pub(in super::super) fn waits(&self) -> u64 {
        if self.pass(Call::Usage).is_err() {
            return 0;
        }
        // SAFETY: all zeros is a value of this plain struct of numbers.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is that of an exclusively borrowed value of the right type.
        let failed = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) } != 0;
        if failed { 0 } else { u64::try_from(usage.ru_nvcsw).unwrap_or(0) }
    }

    pub(in super::super) fn pidfd_open(&self, pid: Pid) -> Result<OwnedFd> {
        self.pass(Call::Handle)?;
        rustix::process::pidfd_open(pid, PidfdFlags::empty())
    }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
