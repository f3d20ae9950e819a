use std::ffi::CStr;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, Timespec};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};

use super::{Call, Syscalls};

impl Syscalls {
    pub(in super::super) fn duplicate_from(
        &self,
        fd: BorrowedFd<'_>,
        floor: RawFd,
    ) -> Result<OwnedFd, Errno> {
        self.pass(Call::Control)?;
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
        // `O_NONBLOCK`: opening a named pipe must not wait for a writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        rustix::fs::openat(rustix::fs::CWD, path, flags, Mode::empty())
    }

    pub(in super::super) fn poll(
        &self,
        polls: &mut [PollFd<'_>],
        limit: Duration,
    ) -> Result<usize, Errno> {
        self.pass(Call::Poll)?;
        // A limit too large for the system means no limit.
        let limit = Timespec::try_from(limit).ok();
        rustix::event::poll(polls, limit.as_ref())
    }

    /// The leader must not have been waited for, because a different group could then have its
    /// number.
    pub(in super::super) fn kill_group(&self, leader: Pid) -> Result<(), Errno> {
        self.pass(Call::Kill)?;
        rustix::process::kill_process_group(leader, Signal::KILL)
    }
}
