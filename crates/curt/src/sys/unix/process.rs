//! Starting programs: by `clone3` on Linux, else by `posix_spawn`, and where that cannot do what is
//! asked by a copy of the process.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::child_calls::Library;
use super::door::Pipe;
use super::native::RawCalls;
use super::start::{self, Child};
use super::values::uninterrupted;
use super::words::Words;
use super::{Unix, exchange, failing};
use crate::error::StartFailure;
use crate::sys::process::{Exchange, Failure, Group, Kill, Launch, Spawn, Stage};
use crate::sys::{Feature, Host};

impl Spawn for Unix {
    type Child = Child;
    type Pipe = Pipe;

    fn pipe(&self) -> io::Result<(Pipe, Pipe)> {
        let (reader, writer) = self.door.pipe()?;
        Ok((reader.into(), writer.into()))
    }

    fn close_pipe(&self, pipe: Pipe) {
        self.door.close(pipe.fd);
    }

    fn spawn(&self, launch: &Launch<'_, Pipe>) -> Result<Child, Failure> {
        // The child cannot lead a group, and the signal for a tree must not reach the group that it
        // joins.
        if launch.tree && matches!(launch.group, Group::Join(_)) && !launch.has_cgroup() {
            let text = "a program that joins a process group cannot have its own tree";
            let error = io::Error::new(io::ErrorKind::InvalidInput, text);
            return Err(Failure { at: Stage::Child, error });
        }
        let words = Words::new(launch)?;
        if let Some(started) = self.by_clone(launch, &words) {
            return started;
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
            let start = if self.has(Feature::RawChild) {
                start::by_copy::<RawCalls>
            } else {
                start::by_copy::<Library>
            };
            start(&self.door, launch, &words, limit)?
        };
        let handle = if launch.only_waits { None } else { self.handle(pid) };
        Ok(Child::new(pid, handle, launch))
    }

    fn explain(&self, launch: &Launch<'_, Pipe>, failure: &Failure) -> StartFailure {
        failing::explain(&self.door, launch, failure)
    }

    fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = *child.ended() {
                return Ok(status);
            }
            let ended = ask(self, child, true)?;
            *child.ended() = ended;
        }
    }

    fn wait_timeout(&self, child: &Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
        /// The first pause between two questions, and the longest, where children have no handles.
        const SHORT: Duration = Duration::from_micros(500);
        const LONG: Duration = Duration::from_millis(20);
        let begun = Instant::now();
        let mut pause = SHORT;
        // No lock is held while this thread sleeps.
        if let (Some(handle), false) = (&child.handle, limit.is_zero()) {
            if child.ended().is_none() && !self.sleep_until_ended(handle, limit)? {
                return Ok(None);
            }
        }
        loop {
            let mut ended = child.ended();
            if ended.is_none() {
                *ended = ask(self, child, false)?;
            }
            let left = limit.saturating_sub(begun.elapsed());
            if ended.is_some() || left.is_zero() {
                return Ok(*ended);
            }
            drop(ended);
            self.door.sleep(pause.min(left));
            pause = (pause * 2).min(LONG);
        }
    }

    fn kill(&self, child: &Child, what: Kill) -> io::Result<()> {
        if let (Kill::Tree, Some(cgroup)) = (what, &child.cgroup) {
            match self.kill_cgroup(cgroup) {
                // The kernel does not have that file yet.
                Err(Errno::NOENT) => {}
                answer => return Ok(answer?),
            }
        }
        let group = what == Kill::Tree && child.leads;
        // While it is locked nobody waits for the child, so its number stays its own.
        let ended = child.ended();
        if ended.is_some() && !group {
            return Ok(());
        }
        let killed = match &child.handle {
            Some(handle) => self.kill_by_handle(handle, group),
            None => Err(Errno::NOSYS),
        };
        let killed = match killed {
            // No handle, or one that cannot reach a group.
            Err(Errno::NOSYS | Errno::INVAL | Errno::PERM) => match *ended {
                None => self.door.kill(child.pid, group),
                // Another group may have the number by now, so no signal is sent. No group may have
                // it either.
                Some(_) => self.door.is_group(child.pid).and(Err(Errno::NOTSUP)),
            },
            answer => answer,
        };
        match killed {
            // No process is left.
            Err(Errno::SRCH) => Ok(()),
            answer => Ok(answer?),
        }
    }

    fn id(child: &Child) -> u32 {
        child.pid.as_raw_nonzero().get().unsigned_abs()
    }

    fn release(&self, child: &mut Child) {
        if let Some(handle) = child.handle.take() {
            self.door.close(handle);
        }
        if let Some(cgroup) = child.cgroup.take() {
            self.remove_cgroup(cgroup);
        }
    }

    fn exchange(
        &self,
        exchange: &mut Exchange<'_, Pipe>,
        limit: Option<Duration>,
    ) -> io::Result<bool> {
        exchange::exchange(&self.door, exchange, limit)
    }
}

/// Asks how a child ended, by its handle or else by its number; `None` if it goes on, which a
/// question that blocks never answers.
fn ask(sys: &Unix, child: &Child, blocks: bool) -> io::Result<Option<ExitStatus>> {
    let ended = uninterrupted(|| {
        if let Some(handle) = &child.handle {
            return sys.ask_handle(handle, blocks);
        }
        let status = sys.door.wait_for(child.pid, blocks)?;
        Ok(status.map(|status| ExitStatus::from_raw(status.as_raw())))
    });
    Ok(ended?)
}
