//! A started program.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::process::{ExitStatus, Output};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::command::{Pipe, Started};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::sys::process::{Kill, Spawn};
use crate::sys::{Os, Sys};

type OsChild = <Os as Spawn>::Child;

/// A started program.
///
/// Dropping it neither kills the program nor waits for it, unless
/// [`Command::kill_on_drop`](crate::Command::kill_on_drop) says so. On Unix a program that ends and
/// is never waited for stays as a zombie until this process ends.
pub struct Child {
    /// Locked by [`Child::calls`] alone, which shares the child.
    sys: Mutex<Os>,
    /// The calls of the look-up.
    looked: Calls,
    /// `Some` until it is dropped.
    process: Option<OsChild>,
    program: OsString,
    kill_on_drop: bool,
    /// The standard input, if it is a pipe. [`Child::wait`] and [`Child::wait_with_output`] close
    /// it.
    pub stdin: Option<ChildInput>,
    /// The standard output, if it is a pipe.
    pub stdout: Option<ChildOutput>,
    /// The standard error, if it is a pipe.
    pub stderr: Option<ChildOutput>,
}

/// The writing end of a pipe that a program reads from.
#[derive(Debug)]
pub struct ChildInput(pub(crate) Pipe);

/// The reading end of a pipe that a program writes to.
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
            sys: Mutex::new(sys),
            looked: started.looked,
            process: Some(started.child),
            program,
            kill_on_drop,
            stdin: stdin.map(ChildInput),
            stdout: stdout.map(ChildOutput),
            stderr: stderr.map(ChildOutput),
        }
    }

    /// The number of its process. After [`Child::wait`] another process may have it.
    pub fn id(&self) -> u32 {
        self.process.as_ref().map_or(0, Os::id)
    }

    /// Closes the pipe that it reads from and waits until it ends. Later calls cost nothing.
    pub fn wait(&mut self) -> Result<ExitStatus, Error> {
        self.close_input();
        self.with(Operation::Wait, wait)
    }

    /// Waits until it ends or the time limit passes; `None` if that passed.
    ///
    /// On Linux the thread sleeps until either happens. On systems without handles on processes it
    /// asks repeatedly, with pauses of up to 20 ms.
    pub fn wait_timeout(&mut self, limit: Duration) -> Result<Option<ExitStatus>, Error> {
        self.with(Operation::Wait, |sys, child| sys.wait(child, Some(limit)))
    }

    /// Returns how it ended, if it has.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.wait_timeout(Duration::ZERO)
    }

    /// Closes the pipe that it reads from, reads all that it writes, and waits until it ends. The
    /// output of a stream that is not a pipe is empty.
    pub fn wait_with_output(mut self) -> Result<Output, Error> {
        self.close_input();
        let pipes = [self.stdout.take(), self.stderr.take()];
        let pipes = pipes.map(|pipe| pipe.map(|ChildOutput(pipe)| pipe));
        self.with(Operation::Wait, |sys, child| output(sys, child, pipes))
    }

    /// Kills it (`SIGKILL`, `TerminateProcess`). If it has ended already, this does nothing. It
    /// must still be waited for.
    pub fn kill(&mut self) -> Result<(), Error> {
        self.with(Operation::Kill, |sys, child| sys.kill(child, Kill::Child))
    }

    /// Kills it and all that it started, after [`Command::own_tree`](crate::Command::own_tree),
    /// which says what escapes, or in its own group or session. Otherwise as [`Child::kill`].
    ///
    /// On Linux 6.9 and on Windows this also kills what it started after it was waited for. Other
    /// systems do nothing then, because another group may have its number; if there is such a
    /// group, that is an error (`Unsupported`).
    pub fn kill_tree(&mut self) -> Result<(), Error> {
        self.with(Operation::Kill, |sys, child| sys.kill(child, Kill::Tree))
    }

    /// Runs an operation on the process.
    fn with<T>(
        &mut self,
        operation: Operation,
        run: impl FnOnce(&Os, &mut OsChild) -> io::Result<T>,
    ) -> Result<T, Error> {
        let sys = self.sys.get_mut().unwrap_or_else(PoisonError::into_inner);
        let done = if let Some(child) = &mut self.process {
            run(sys, child)
        } else {
            debug_assert!(false, "a child was used after it was dropped");
            Err(io::Error::other("internal error in process/child.rs"))
        };
        done.map_err(|reason| error(operation, &self.program, reason))
    }

    /// The calls made for it so far, including those that started it.
    pub fn calls(&self) -> Calls {
        let mut calls = self.sys.lock().unwrap_or_else(PoisonError::into_inner).calls();
        calls.add(&self.looked);
        calls
    }

    fn close_input(&mut self) {
        if let Some(ChildInput(pipe)) = self.stdin.take() {
            self.sys.get_mut().unwrap_or_else(PoisonError::into_inner).close_pipe(pipe);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.kill_on_drop {
            // A program that reads to the end of its input may end by itself.
            self.close_input();
            // What could not be killed is not waited for, as it may never end. No caller is left to
            // report a failure to.
            if self.kill_tree().is_ok() {
                let _ = self.with(Operation::Wait, |sys, child| sys.wait(child, None));
            }
        }
        let sys = self.sys.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(child) = self.process.take() {
            sys.release(child);
        }
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

/// Waits until a child ends.
pub(super) fn wait(sys: &Os, child: &mut OsChild) -> io::Result<ExitStatus> {
    sys.wait(child, None)?.ok_or_else(|| io::ErrorKind::TimedOut.into())
}

/// Reads all that a child writes and waits until it ends, even if reading failed.
pub(super) fn output(
    sys: &Os,
    child: &mut OsChild,
    pipes: [Option<Pipe>; 2],
) -> io::Result<Output> {
    let read = sys.read_to_end(pipes);
    let status = wait(sys, child)?;
    let [stdout, stderr] = read?;
    Ok(Output { status, stdout, stderr })
}

/// The error of an operation on a started program.
pub(super) fn error(operation: Operation, program: &OsStr, reason: io::Error) -> Error {
    Error::new(operation, program.into(), Cause::Os(reason))
}
