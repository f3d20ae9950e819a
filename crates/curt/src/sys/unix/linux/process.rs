//! Starting programs on Linux: a child that shares the memory of this process until it executes the
//! program, in a new control group if wanted; and what takes a handle on a child.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use super::{Handle, clone};
use crate::sys::process::{Failure, Launch, Stage};
use crate::sys::unix::Unix;
use crate::sys::unix::child_steps::{Birth, Steps};
use crate::sys::unix::door::Pipe;
use crate::sys::unix::start::{self, Child, childless};
use crate::sys::unix::words::Words;
use crate::sys::{Feature, Host};

/// Whether the kernel lacks the call. Never set after an answer that a filter may have given.
static NO_CLONE: AtomicBool = AtomicBool::new(false);

impl Unix {
    /// Starts a program by a child that shares this memory; `None` if the system cannot do that.
    pub(in crate::sys::unix) fn by_clone(
        &self,
        launch: &Launch<'_, Pipe>,
        words: &Words,
    ) -> Option<Result<Child, Failure>> {
        match &launch.container.cgroup {
            None => self.cloned(launch, words, None),
            Some(parent) => Some(self.start_in_cgroup(launch, words, parent)),
        }
    }

    fn cloned(
        &self,
        launch: &Launch<'_, Pipe>,
        words: &Words,
        cgroup: Option<u64>,
    ) -> Option<Result<Child, Failure>> {
        let has_call = self.has(Feature::Clone3) && !NO_CLONE.load(Ordering::Relaxed);
        if !has_call || launch.needs_copy() {
            return None;
        }
        let limit = if launch.close_others { self.descriptor_limit() } else { 0 };
        let birth = Birth { copied: None, is_root: false, limit };
        // Before the steps, which count the calls of the child.
        if let Err(error) = self.door.pass_clone() {
            return Self::refused(error, cgroup.is_some());
        }
        let mut steps = Steps::new(launch, words, birth, |step| self.door.pass_step(step));
        let handle = !launch.only_waits && self.has(Feature::Pidfd);
        match clone::start(&mut steps, handle, cgroup) {
            Ok(born) => Some(self.born(born, &steps, launch)),
            Err(error) => Self::refused(error, cgroup.is_some()),
        }
    }

    /// What the error of `clone3` means; `None` to start in another way.
    fn refused(error: Errno, in_cgroup: bool) -> Option<Result<Child, Failure>> {
        match error {
            // The kernel may know the call but not control groups in it.
            Errno::INVAL if in_cgroup => {}
            // The kernel lacks the call, or the flag that clears handlers.
            Errno::NOSYS | Errno::INVAL => NO_CLONE.store(true, Ordering::Relaxed),
            // A filter, and the next thread may have another one.
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
    ) -> Result<Child, Failure> {
        let Some(pid) = Pid::from_raw(born.pid) else {
            return Err(childless(Errno::CHILD));
        };
        let Some((index, error)) = born.failure else {
            return Ok(Child::new(pid, born.handle, launch));
        };
        start::reap(&self.door, pid);
        if let Some(handle) = born.handle {
            self.door.close(handle);
        }
        Err(steps.failure(index, error))
    }

    /// Starts a program in a new control group. The child is born in it: what it started before it
    /// was moved there would be outside.
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
        let started = self.cloned(launch, words, Some(cgroup.number()));
        match started.unwrap_or_else(|| Err(childless(Errno::NOTSUP))) {
            Ok(child) => Ok(Child { cgroup: Some(cgroup), ..child }),
            Err(failure) => {
                self.remove_cgroup(cgroup);
                Err(failure)
            }
        }
    }

    /// Opens a handle on a child that was born without one. It was not waited for, so no other
    /// process has its number.
    pub(in crate::sys::unix) fn handle(&self, pid: Pid) -> Option<Handle> {
        self.has(Feature::Pidfd).then(|| self.door.pidfd_open(pid).ok()).flatten()
    }

    /// Asks a handle how its child ended; `None` if it goes on and the question does not block.
    pub(in crate::sys::unix) fn ask_handle(
        &self,
        handle: &Handle,
        blocks: bool,
    ) -> Result<Option<ExitStatus>, Errno> {
        let status = self.door.waitid(handle.as_fd(), blocks)?;
        Ok(status.map(|status| {
            let signal = status.terminating_signal().unwrap_or(0);
            let core = if status.dumped() { 0x80 } else { 0 };
            let code = status.exit_status().unwrap_or(0) & 0xff;
            ExitStatus::from_raw(code << 8 | signal | core)
        }))
    }

    /// Sleeps until the child of a handle ends; `false` if the limit passed.
    pub(in crate::sys::unix) fn sleep_until_ended(
        &self,
        handle: &Handle,
        limit: Duration,
    ) -> io::Result<bool> {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let mut poll = [PollFd::new(handle, PollFlags::IN)];
            match self.door.poll(&mut poll, Some(left)) {
                Err(Errno::INTR) => {}
                answer => return Ok(answer.map(|()| !poll[0].revents().is_empty())?),
            }
        }
    }

    /// Kills a child or its group. No other process can have taken its number.
    pub(in crate::sys::unix) fn kill_by_handle(
        &self,
        handle: &Handle,
        group: bool,
    ) -> Result<(), Errno> {
        self.door.pidfd_send_signal(handle.as_fd(), group)
    }
}
