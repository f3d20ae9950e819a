//! Starting programs on Linux: a child that shares this process's memory until it becomes the program. Where
//! the kernel or a filter refuses that, the C library's way, and where that cannot do what is asked, a copy.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};

use super::cgroup::Cgroup;
use super::raw::{self, Raw};
use super::{Linux, clone};
use crate::error::StartFailure;
use crate::sys::process::{Failure, Kill, Launch, Process, Stage};
use crate::sys::unix::calls::{Pipe, ProcessCall, ProcessDoor};
use crate::sys::unix::failing;
use crate::sys::unix::library::Library;
use crate::sys::unix::start::{self, childless};
use crate::sys::unix::steps::{Birth, Steps};
use crate::sys::unix::words::Words;
use crate::sys::{Feature, Sys};

/// The kernel has no such child. Never set for what a filter may have answered.
static NO_CLONE: AtomicBool = AtomicBool::new(false);

/// A started program, and the control group that it was born in.
#[derive(Debug)]
pub(crate) struct Child {
    own: start::Child,
    cgroup: Option<Cgroup>,
}

impl Linux {
    /// By a child that shares this memory; `None` where that cannot be had.
    fn by_clone(
        &self,
        launch: &Launch<'_, Pipe>,
        words: &Words,
        cgroup: Option<u64>,
    ) -> Option<Result<start::Child, Failure>> {
        if self.setup.without.has(Feature::Clone3) || NO_CLONE.load(Ordering::Relaxed) {
            return None;
        }
        let limit = if launch.close_others { self.descriptor_limit() } else { 0 };
        let birth = Birth { copied: None, limit };
        // Before the steps, which would count calls of a child that there may never be.
        if let Err(error) = self.door.pass_process(ProcessCall::Clone) {
            return Self::refused(error, cgroup.is_some());
        }
        let mut steps = Steps::new(launch, words, birth, |step| self.door.pass_step(step));
        let handle = !launch.only_waits && !self.setup.without.has(Feature::Pidfd);
        match clone::start(&mut steps, handle, cgroup) {
            Ok(born) => Some(self.born(born, &steps, launch)),
            Err(error) => Self::refused(error, cgroup.is_some()),
        }
    }

    /// What it means that there is no child.
    fn refused(error: Errno, in_cgroup: bool) -> Option<Result<start::Child, Failure>> {
        match error {
            // It may be the group that it does not know.
            Errno::INVAL if in_cgroup => {}
            // The call, or handlers that are cleared at birth, are unknown to the kernel.
            Errno::NOSYS | Errno::INVAL => NO_CLONE.store(true, Ordering::Relaxed),
            // A filter; it may be another one for the next thread.
            Errno::PERM => {}
            error => return Some(Err(childless(error))),
        }
        None
    }

    fn born(
        &self,
        born: clone::Born,
        steps: &Steps<'_>,
        launch: &Launch<'_, Pipe>,
    ) -> Result<start::Child, Failure> {
        let Some(pid) = Pid::from_raw(born.pid) else {
            return Err(childless(Errno::CHILD));
        };
        let Some((index, error)) = born.failure else {
            return Ok(start::Child::new(pid, born.handle, launch));
        };
        start::reap(&self.door, pid);
        if let Some(handle) = born.handle {
            self.door.close_fd(handle);
        }
        Err(steps.failure(index, error))
    }

    /// In a control group of its own, which a child can only be born in: put there later, what it started before
    /// would be outside.
    fn start_in_cgroup(
        &self,
        launch: &Launch<'_, Pipe>,
        words: &Words,
        parent: &Path,
    ) -> Result<Child, Failure> {
        let cgroup = self.make_cgroup(parent).map_err(|error| {
            let error = io::Error::from(error);
            let text = format!("no control group below {}: {error}", parent.display());
            Failure { at: Stage::Child, error: io::Error::new(error.kind(), text) }
        })?;
        let started = self.by_clone(launch, words, Some(cgroup.number()));
        match started.unwrap_or_else(|| Err(childless(Errno::NOTSUP))) {
            Ok(own) => Ok(Child { own, cgroup: Some(cgroup) }),
            Err(failure) => {
                self.remove_cgroup(cgroup);
                Err(failure)
            }
        }
    }

    /// A handle on a child that was born without one: it was not waited for, so its number is its own.
    fn handle(&self, pid: Pid) -> Option<OwnedFd> {
        self.door.pass_process(ProcessCall::Handle).ok()?;
        rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok()
    }

    /// Asks a handle for the end of its child.
    fn wait_by_handle(
        &self,
        handle: BorrowedFd<'_>,
        blocks: bool,
    ) -> io::Result<Option<ExitStatus>> {
        let mut options = WaitIdOptions::EXITED;
        if !blocks {
            options |= WaitIdOptions::NOHANG;
        }
        loop {
            let passed = self.door.pass_process(ProcessCall::WaitHandle);
            match passed.and_then(|()| rustix::process::waitid(WaitId::PidFd(handle), options)) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(None) => return Ok(None),
                Ok(Some(status)) => {
                    let signal = status.terminating_signal().unwrap_or(0);
                    let core = if status.dumped() { 0x80 } else { 0 };
                    let code = status.exit_status().unwrap_or(0) & 0xff;
                    return Ok(Some(ExitStatus::from_raw(code << 8 | signal | core)));
                }
            }
        }
    }

    /// Waits until a handle says that its child has ended; `false` if the limit passed.
    fn sleep_until(&self, handle: BorrowedFd<'_>, limit: Duration) -> io::Result<bool> {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            match self.door.poll([handle], Some(left)) {
                Err(Errno::INTR) => {}
                answer => return Ok(answer?[0]),
            }
        }
    }

    /// Sends the signal that ends by force through a handle, which no other process can have meanwhile.
    fn kill_by_handle(&self, handle: BorrowedFd<'_>, group: bool) -> Result<(), Errno> {
        /// `PIDFD_SIGNAL_PROCESS_GROUP`, Linux 6.9.
        const GROUP: usize = 1 << 2;
        self.door.pass_process(ProcessCall::SignalHandle)?;
        let flags = if group { GROUP } else { 0 };
        let signal = Signal::KILL.as_raw() as usize;
        let words = [handle.as_raw_fd() as usize, signal, 0, flags, 0];
        // SAFETY: the descriptor is open, and there is no pointer but the null that is allowed.
        raw::answer(unsafe { raw::syscall(libc::SYS_pidfd_send_signal, words) }).map(drop)
    }
}

impl Process for Linux {
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
        let words = Words::new(launch)?;
        if let Some(parent) = &launch.place.cgroup {
            return self.start_in_cgroup(launch, &words, parent);
        }
        if let Some(started) = self.by_clone(launch, &words, None) {
            return started.map(|own| Child { own, cgroup: None });
        }
        let by_library = if self.setup.without.has(Feature::PosixSpawn) {
            None
        } else {
            start::by_library(&self.door, launch, &words)
        };
        let pid = if let Some(started) = by_library {
            started?
        } else {
            let limit = if launch.close_others { self.descriptor_limit() } else { 0 };
            if self.setup.without.has(Feature::RawChild) {
                start::by_copy::<Library, _>(&self.door, launch, &words, limit)?
            } else {
                start::by_copy::<Raw, _>(&self.door, launch, &words, limit)?
            }
        };
        let needs_handle = !launch.only_waits && !self.setup.without.has(Feature::Pidfd);
        let handle = if needs_handle { self.handle(pid) } else { None };
        Ok(Child { own: start::Child::new(pid, handle, launch), cgroup: None })
    }

    fn explain(&self, launch: &Launch<'_, Pipe>, failure: &Failure) -> StartFailure {
        failing::explain(&self.door, launch, failure)
    }

    fn wait(&self, child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        let child = &mut child.own;
        if child.ended.is_none() {
            child.ended = match (&child.handle, limit) {
                (Some(handle), None) => self.wait_by_handle(handle.as_fd(), true)?,
                (Some(handle), Some(limit)) => {
                    if limit.is_zero() || self.sleep_until(handle.as_fd(), limit)? {
                        self.wait_by_handle(handle.as_fd(), false)?
                    } else {
                        None
                    }
                }
                (None, limit) => start::wait_by_number(&self.door, child.pid, limit)?,
            };
        }
        Ok(child.ended)
    }

    fn kill(&self, child: &mut Child, what: Kill) -> io::Result<()> {
        if let (Kill::Tree, Some(cgroup)) = (what, &mut child.cgroup) {
            match self.kill_cgroup(cgroup) {
                // The kernel has no such word yet.
                Err(Errno::NOENT) => {}
                answer => return Ok(answer?),
            }
        }
        let child = &mut child.own;
        let group = what == Kill::Tree && child.leads;
        if child.ended.is_some() && !group {
            return Ok(());
        }
        let killed = match &child.handle {
            Some(handle) => self.kill_by_handle(handle.as_fd(), group),
            None => Err(Errno::NOSYS),
        };
        start::killed(&self.door, child, group, killed)
    }

    fn id(child: &Child) -> u32 {
        child.own.pid.as_raw_nonzero().get().unsigned_abs()
    }

    fn forget(&self, child: Child) {
        if let Some(handle) = child.own.handle {
            self.door.close_fd(handle);
        }
        if let Some(cgroup) = child.cgroup {
            self.remove_cgroup(cgroup);
        }
    }

    fn drain(&self, pipes: [Option<Pipe>; 2]) -> io::Result<[Vec<u8>; 2]> {
        start::drain(&self.door, pipes)
    }
}
