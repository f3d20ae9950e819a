//! Starting programs with nothing but the standard library.
//!
//! **Weaker promises.** No pipes of our own, no groups, no sessions, nothing that ends a tree of processes; what is
//! open here and not marked otherwise reaches the child. What is asked for and cannot be had is an error.

use std::convert::Infallible;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::Other;
use crate::error::StartFailure;
use crate::sys::Sys;
use crate::sys::process::{Failure, Group, Kill, Launch, Process, Stage, Stream};

/// There is none.
#[derive(Debug)]
pub(crate) struct NoPipe(Infallible);

impl Read for NoPipe {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Write for NoPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}

fn stdio(stream: &Stream<'_, NoPipe>) -> Stdio {
    match stream {
        Stream::Inherit => Stdio::inherit(),
        Stream::Null => Stdio::null(),
        Stream::Open(pipe) => match pipe.0 {},
    }
}

impl Process for Other {
    type Child = Child;
    type Pipe = NoPipe;

    fn pipe(&self) -> io::Result<(NoPipe, NoPipe)> {
        Err(ErrorKind::Unsupported.into())
    }

    fn close_pipe(&self, pipe: NoPipe) {
        match pipe.0 {}
    }

    fn start_program(&self, launch: &Launch<'_, NoPipe>) -> Result<Child, Failure> {
        let child = |error| Failure { at: Stage::Child, error };
        if launch.group != Group::Same || launch.tree || launch.close_others {
            return Err(child(ErrorKind::Unsupported.into()));
        }
        let mut command = Command::new(launch.program);
        command.args(launch.arguments);
        if let Some(variables) = launch.environment {
            command.env_clear().envs(variables.iter().map(|(name, value)| (name, value)));
        }
        if let Some(directory) = launch.directory {
            command.current_dir(directory);
        }
        let [stdin, stdout, stderr] = &launch.streams;
        command.stdin(stdio(stdin)).stdout(stdio(stdout)).stderr(stdio(stderr));
        // The library does not tell at what it failed.
        self.door.spawn(&mut command).map_err(|error| Failure { at: Stage::Program, error })
    }

    fn explain(&self, launch: &Launch<'_, NoPipe>, failure: &Failure) -> StartFailure {
        let has_directory = launch
            .directory
            .is_none_or(|path| self.door.metadata(path).is_ok_and(|it| it.is_dir()));
        match failure.error.kind() {
            _ if failure.at == Stage::Child => StartFailure::System,
            _ if !has_directory => StartFailure::Directory,
            ErrorKind::NotFound => StartFailure::ProgramMissing,
            ErrorKind::PermissionDenied => StartFailure::NotExecutable,
            ErrorKind::ArgumentListTooLong => StartFailure::TooLong,
            ErrorKind::ExecutableFileBusy => StartFailure::TextBusy,
            ErrorKind::InvalidInput => StartFailure::InvalidText,
            _ => StartFailure::System,
        }
    }

    fn wait(&self, child: &mut Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        /// How long is slept between two questions.
        const PAUSE: Duration = Duration::from_millis(5);
        let Some(limit) = limit else {
            return self.door.wait(child).map(Some);
        };
        let begun = self.now();
        loop {
            let ended = self.door.try_wait(child)?;
            let left = limit.saturating_sub(self.now().saturating_sub(begun));
            if ended.is_some() || left.is_zero() {
                return Ok(ended);
            }
            self.sleep(PAUSE.min(left));
        }
    }

    fn kill(&self, child: &mut Child, _: Kill) -> io::Result<()> {
        self.door.kill(child)
    }

    fn id(child: &Child) -> u32 {
        child.id()
    }

    fn forget(&self, child: Child) {
        drop(child);
    }

    fn drain(&self, _: [Option<NoPipe>; 2]) -> io::Result<[Vec<u8>; 2]> {
        // There are none.
        Ok([Vec::new(), Vec::new()])
    }
}
