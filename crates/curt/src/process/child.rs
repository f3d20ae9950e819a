//! A program that was started.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::process::{ExitStatus, Output};
use std::time::Duration;

use super::command::{Pipe, Started};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::sys::process::{Kill, Process};
use crate::sys::{Os, Sys};

type OsChild = <Os as Process>::Child;

/// A program that was started.
///
/// Dropping it neither ends the program nor waits for it, unless
/// [`Command::kill_on_drop`](crate::Command::kill_on_drop) says so: on Unix a program that ends and
/// is never waited for stays as a zombie until this process ends.
pub struct Child {
    sys: Os,
    /// The calls that looking the program up took.
    looked: Calls,
    /// Only dropping takes it.
    process: Option<OsChild>,
    program: OsString,
    kill_on_drop: bool,
    /// What the program reads, where that is a pipe. [`Child::wait`] and
    /// [`Child::wait_with_output`] close it.
    pub stdin: Option<ChildInput>,
    /// What the program writes, where that is a pipe.
    pub stdout: Option<ChildOutput>,
    /// The messages that it writes, where that is a pipe.
    pub stderr: Option<ChildOutput>,
}

/// The end of a pipe that a program reads from.
#[derive(Debug)]
pub struct ChildInput(pub(crate) Pipe);

/// The end of a pipe that a program writes to.
#[derive(Debug)]
pub struct ChildOutput(pub(crate) Pipe);

impl Write for ChildInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Read for ChildOutput {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Child {
    pub(super) fn new(sys: Os, started: Started, program: OsString, kill_on_drop: bool) -> Child {
        let [stdin, stdout, stderr] = started.pipes;
        Child {
            sys,
            looked: started.looked,
            process: Some(started.child),
            program,
            kill_on_drop,
            stdin: stdin.map(ChildInput),
            stdout: stdout.map(ChildOutput),
            stderr: stderr.map(ChildOutput),
        }
    }

    /// The number of its process. It may be another one's after the program was waited for.
    pub fn id(&self) -> u32 {
        self.process.as_ref().map_or(0, Os::id)
    }

    /// Waits for its end, after closing the pipe that it reads from. Once it was waited for this
    /// costs nothing.
    pub fn wait(&mut self) -> Result<ExitStatus, Error> {
        self.close_input();
        let Child { sys, process, program, .. } = self;
        match process {
            Some(child) => wait(sys, child, program),
            None => Err(error(Operation::Wait, program, io::ErrorKind::NotFound.into())),
        }
    }

    /// Waits for its end, no longer than the limit; `None` if that passed.
    ///
    /// On Linux the process sleeps until either happens. Where there are no handles on processes,
    /// it asks again and again, with pauses of up to 20 ms.
    pub fn wait_timeout(&mut self, limit: Duration) -> Result<Option<ExitStatus>, Error> {
        let Child { sys, process, program, .. } = self;
        let waited = process.as_mut().map(|child| sys.wait(child, Some(limit)));
        waited.unwrap_or(Ok(None)).map_err(|reason| error(Operation::Wait, program, reason))
    }

    /// How it ended, if it has.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.wait_timeout(Duration::ZERO)
    }

    /// Closes the pipe that it reads from, reads what it writes to its end, and waits for it. What
    /// is no pipe is empty.
    pub fn wait_with_output(mut self) -> Result<Output, Error> {
        self.close_input();
        let pipes = [self.stdout.take(), self.stderr.take()];
        let pipes = pipes.map(|pipe| pipe.map(|ChildOutput(pipe)| pipe));
        let Child { sys, process, program, .. } = &mut self;
        match process {
            Some(child) => output(sys, child, pipes, program),
            None => Err(error(Operation::Wait, program, io::ErrorKind::NotFound.into())),
        }
    }

    /// Ends it by force (`SIGKILL`, `TerminateProcess`). One that has ended is no error. It must
    /// still be waited for.
    pub fn kill(&mut self) -> Result<(), Error> {
        self.end(Kill::Child)
    }

    /// Ends it and what it started, where [`Command::own_tree`](crate::Command::own_tree) was asked
    /// for, or a group or session of its own; that says what escapes. Without those, as
    /// [`Child::kill`].
    ///
    /// What it started can also be ended after it was waited for, on Linux 6.9 and on Windows. On
    /// other systems nothing is done then, because its number may be another group's, and if there
    /// is such a group that is an error (`Unsupported`).
    pub fn kill_tree(&mut self) -> Result<(), Error> {
        self.end(Kill::Tree)
    }

    fn end(&mut self, what: Kill) -> Result<(), Error> {
        let Child { sys, process, program, .. } = self;
        let killed = process.as_mut().map_or(Ok(()), |child| sys.kill(child, what));
        killed.map_err(|reason| error(Operation::Kill, program, reason))
    }

    /// The calls made for it so far, those before it became the program included.
    pub fn calls(&self) -> Calls {
        let mut calls = self.sys.calls();
        calls.add(&self.looked);
        calls
    }

    fn close_input(&mut self) {
        if let Some(ChildInput(pipe)) = self.stdin.take() {
            self.sys.close_pipe(pipe);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let Some(mut child) = self.process.take() else { return };
        if self.kill_on_drop {
            // A program that reads until the end of its input may end by itself.
            self.close_input();
            // A tree where there is one. What could not be killed is not waited for: it may never
            // end. There is no caller left to report a failure to.
            if self.sys.kill(&mut child, Kill::Tree).is_ok() {
                let _ = self.sys.wait(&mut child, None);
            }
        }
        self.sys.forget(child);
    }
}

impl std::fmt::Debug for Child {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Child")
            .field("program", &self.program)
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

/// Waits for the end of a child.
pub(super) fn wait(sys: &Os, child: &mut OsChild, program: &OsStr) -> Result<ExitStatus, Error> {
    let ended = sys.wait(child, None).and_then(|ended| ended.ok_or(io::ErrorKind::TimedOut.into()));
    ended.map_err(|reason| error(Operation::Wait, program, reason))
}

/// Reads what a child writes, and waits for its end. A failure to read does not leave it unwaited
/// for.
pub(super) fn output(
    sys: &Os,
    child: &mut OsChild,
    pipes: [Option<Pipe>; 2],
    program: &OsStr,
) -> Result<Output, Error> {
    let read = sys.drain(pipes);
    let status = wait(sys, child, program)?;
    let [stdout, stderr] = read.map_err(|reason| error(Operation::Wait, program, reason))?;
    Ok(Output { status, stdout, stderr })
}

fn error(operation: Operation, program: &OsStr, reason: io::Error) -> Error {
    Error::new(operation, program.into(), Cause::Os(reason))
}
