//! Starting programs: by `clone3` on Linux, else by `posix_spawn`, and where that cannot do what is
//! asked by a copy of the process.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::io::Errno;

use super::door::Pipe;
use super::library::Library;
use super::native::RawCalls;
use super::start::{self, Child};
use super::words::Words;
use super::{Unix, failing};
use crate::error::StartFailure;
use crate::sys::process::{Failure, Kill, Launch, Spawn};
use crate::sys::{Feature, Host};

impl Spawn for Unix {
    type Child = Child;
    type Pipe = Pipe;

    fn pipe(&self) -> io::Result<(Pipe, Pipe)> {
        let (reader, writer) = self.door.pipe()?;
        Ok((Pipe(reader), Pipe(writer)))
    }

    fn close_pipe(&self, pipe: Pipe) {
        self.door.close(pipe.0);
    }

    fn spawn(&self, launch: &Launch<'_, Pipe>) -> Result<Child, Failure> {
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

    fn wait(&self, child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        if child.ended.is_none() {
            child.ended = match &child.handle {
                Some(handle) => self.wait_by_handle(handle, limit)?,
                None => start::wait_by_number(&self.door, child.pid, limit)?,
            };
        }
        Ok(child.ended)
    }

    fn kill(&self, child: &mut Child, what: Kill) -> io::Result<()> {
        if let (Kill::Tree, Some(cgroup)) = (what, &mut child.cgroup) {
            match self.kill_cgroup(cgroup) {
                // The kernel does not have that file yet.
                Err(Errno::NOENT) => {}
                answer => return Ok(answer?),
            }
        }
        let group = what == Kill::Tree && child.leads;
        if child.ended.is_some() && !group {
            return Ok(());
        }
        let killed = match &child.handle {
            Some(handle) => self.kill_by_handle(handle, group),
            None => Err(Errno::NOSYS),
        };
        start::killed(&self.door, child, group, killed)
    }

    fn id(child: &Child) -> u32 {
        child.pid.as_raw_nonzero().get().unsigned_abs()
    }

    fn release(&self, child: Child) {
        if let Some(handle) = child.handle {
            self.door.close(handle);
        }
        if let Some(cgroup) = child.cgroup {
            self.remove_cgroup(cgroup);
        }
    }

    fn read_to_end(&self, pipes: [Option<Pipe>; 2]) -> io::Result<[Vec<u8>; 2]> {
        start::read_to_end(&self.door, pipes)
    }
}
