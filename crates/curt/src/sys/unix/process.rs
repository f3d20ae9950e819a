//! Process trees, and waiting with a time limit.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::Pid;

use super::values::uninterrupted;
use super::{Unix, failing};
use crate::error::StartFailure;
use crate::pause::Pause;

#[derive(Debug)]
pub(crate) struct Tree;

pub(crate) const ESSENTIAL_VARIABLES: &[&str] = &[];

impl Unix {
    pub(crate) fn set_arg0(command: &mut Command, name: &OsStr) {
        command.arg0(name);
    }

    #[allow(clippy::unused_self, reason = "Windows makes calls for a tree")]
    pub(crate) fn spawn(
        &self,
        command: &mut Command,
        has_tree: bool,
    ) -> io::Result<(Child, Option<Tree>)> {
        if has_tree {
            command.process_group(0);
        }
        Ok((command.spawn()?, has_tree.then_some(Tree)))
    }

    /// A relative program path begins in `directory`.
    pub(crate) fn explain(
        &self,
        program: &Path,
        directory: Option<&Path>,
        error: &io::Error,
    ) -> StartFailure {
        failing::explain(&self.syscalls, program, directory, error)
    }

    pub(crate) fn wait_timeout(
        &self,
        child: &mut Child,
        limit: Duration,
    ) -> io::Result<Option<ExitStatus>> {
        /// The longest pause between polls without process descriptors.
        const LONGEST: Duration = Duration::from_millis(20);
        let begun = Instant::now();
        let mut pause = Pause::default();
        let mut may_sleep = true;
        loop {
            let ended = child.try_wait()?;
            let left = limit.saturating_sub(begun.elapsed());
            if ended.is_some() || left.is_zero() {
                return Ok(ended);
            }
            // The child has not been waited for, so no other process can have its ID.
            may_sleep = may_sleep && self.sleep_until_ended(child, left)?;
            if !may_sleep {
                self.syscalls.sleep(pause.next(left.min(LONGEST)));
            }
        }
    }

    pub(crate) fn kill_tree(&self, child: &mut Child, _: &Tree, has_ended: bool) -> io::Result<()> {
        if has_ended {
            // The child has been waited for, so a different process group may have its number.
            return Err(io::ErrorKind::Unsupported.into());
        }
        match self.syscalls.kill_group(Pid::from_child(child)) {
            // `ESRCH`: all processes of the group have ended.
            Err(Errno::SRCH) => Ok(()),
            answer => Ok(answer?),
        }
    }

    pub(crate) fn read_until(
        &self,
        child: &mut Child,
        into: &mut [Vec<u8>; 2],
        limit: Duration,
    ) -> io::Result<bool> {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let pipes =
                [child.stdout.as_ref().map(AsFd::as_fd), child.stderr.as_ref().map(AsFd::as_fd)];
            if pipes.iter().all(Option::is_none) {
                return Ok(true);
            }
            let ready = self.ready(pipes, left)?;
            let mut ended = [false; 2];
            for (((pipe, is_ready), into), ended) in
                pipes.into_iter().zip(ready).zip(into.iter_mut()).zip(&mut ended)
            {
                if let (Some(pipe), true) = (pipe, is_ready) {
                    *ended = self.read_some(pipe, into)? == 0;
                }
            }
            if ended[0] {
                child.stdout = None;
            }
            if ended[1] {
                child.stderr = None;
            }
            // Check the limit even after reading, because there might always be more.
            if left.is_zero() {
                return Ok(child.stdout.is_none() && child.stderr.is_none());
            }
        }
    }

    fn ready(
        &self,
        pipes: [Option<BorrowedFd<'_>>; 2],
        left: Duration,
    ) -> Result<[bool; 2], Errno> {
        let mut polls: Vec<PollFd<'_>> = Vec::with_capacity(pipes.len());
        for pipe in pipes.into_iter().flatten() {
            polls.push(PollFd::from_borrowed_fd(pipe, PollFlags::IN));
        }
        match self.syscalls.poll(&mut polls, left) {
            Err(Errno::INTR) => return Ok([false; 2]),
            answer => _ = answer?,
        }
        let mut answers = polls.iter().map(|poll| !poll.revents().is_empty());
        Ok(pipes.map(|pipe| pipe.is_some() && answers.next() == Some(true)))
    }

    fn read_some(&self, pipe: BorrowedFd<'_>, into: &mut Vec<u8>) -> Result<usize, Errno> {
        const CAPACITY: usize = 64 << 10;
        into.reserve(CAPACITY.min(into.capacity().max(4 << 10)));
        uninterrupted(|| self.syscalls.read_fd(pipe, into))
    }
}
