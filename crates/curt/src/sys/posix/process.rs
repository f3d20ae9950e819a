//! Starting programs by what every Unix has: `posix_spawn`, and a copy of the process for what that cannot
//! be told portably.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::io::Errno;

use super::Posix;
use crate::error::StartFailure;
use crate::sys::Sys;
use crate::sys::process::{Failure, Kill, Launch, Process};
use crate::sys::unix::calls::{Pipe, ProcessDoor};
use crate::sys::unix::failing;
use crate::sys::unix::library::Library;
use crate::sys::unix::start::{self, Child};
use crate::sys::unix::words::Words;

impl Process for Posix {
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
        #[cfg(target_os = "linux")]
        if launch.place.cgroup.is_some() {
            return Err(start::childless(rustix::io::Errno::NOTSUP));
        }
        let words = Words::new(launch)?;
        let pid = if let Some(started) = start::by_library(&self.door, launch, &words) {
            started?
        } else {
            let limit = if launch.close_others { self.descriptor_limit() } else { 0 };
            start::by_copy::<Library, _>(&self.door, launch, &words, limit)?
        };
        Ok(Child::new(pid, None, launch))
    }

    fn explain(&self, launch: &Launch<'_, Pipe>, failure: &Failure) -> StartFailure {
        failing::explain(&self.door, launch, failure)
    }

    fn wait(&self, child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        if child.ended.is_none() {
            child.ended = start::wait_by_number(&self.door, child.pid, limit)?;
        }
        Ok(child.ended)
    }

    fn kill(&self, child: &mut Child, what: Kill) -> io::Result<()> {
        if child.ended.is_some() {
            // Its number, and that of its group, may be anybody's.
            return Ok(());
        }
        let group = what == Kill::Tree && child.leads;
        start::killed(&self.door, child, group, Err(Errno::NOSYS))
    }

    fn id(child: &Child) -> u32 {
        child.pid.as_raw_nonzero().get().unsigned_abs()
    }

    fn forget(&self, child: Child) {
        drop(child);
    }

    fn drain(&self, pipes: [Option<Pipe>; 2]) -> io::Result<[Vec<u8>; 2]> {
        start::drain(&self.door, pipes)
    }
}
