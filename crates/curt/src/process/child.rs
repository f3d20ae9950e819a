use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Output};
use std::time::Duration;

use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::sys::process::Tree;
use crate::sys::{Os, Setup, Sys};

/// A started program.
///
/// Dropping it neither kills the program nor waits for it. On Unix, an ended program remains a
/// zombie until this process waits for it or ends.
pub struct Child {
    process: process::Child,
    tree: Option<Tree>,
    ended: Option<ExitStatus>,
    program: PathBuf,
    setup: Setup,
    calls: Calls,
    /// The standard input, if it is a pipe. [`Child::wait`] and [`Child::output_unless`] close it.
    pub stdin: Option<ChildStdin>,
    /// The standard output, if it is a pipe.
    pub stdout: Option<ChildStdout>,
    /// The standard error, if it is a pipe.
    pub stderr: Option<ChildStderr>,
}

/// The result of [`Command::output_timeout`](crate::Command::output_timeout).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct TimedOutput {
    /// The exit status. A program killed at the time limit has signal 9 on Unix, where
    /// [`ExitStatus::code`] is `None`, and code 1 on Windows.
    pub status: ExitStatus,
    /// The standard output read before the limit.
    pub stdout: Vec<u8>,
    /// The standard error read before the limit.
    pub stderr: Vec<u8>,
    /// Whether the limit passed before the program had ended and all its output was read.
    pub timed_out: bool,
}

impl Child {
    pub(super) fn new(
        setup: Setup,
        mut process: process::Child,
        tree: Option<Tree>,
        program: PathBuf,
        calls: &Calls,
    ) -> Child {
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        let stderr = process.stderr.take();
        let (ended, calls) = (None, *calls);
        Child { process, tree, ended, program, setup, calls, stdin, stdout, stderr }
    }

    /// Returns the process number. After [`Child::wait`] a new process may get the same number.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Closes the standard input if it is a pipe, then waits until the program ends.
    pub fn wait(&mut self) -> Result<ExitStatus, Error> {
        self.stdin = None;
        self.with(Operation::Wait, |_, child| {
            let status = child.process.wait()?;
            child.ended = Some(status);
            Ok(status)
        })
    }

    /// Waits until the program ends, or returns `None` after the time limit. Does not close the
    /// standard input.
    ///
    /// Since Linux 5.3 and on Windows the thread sleeps. Elsewhere it polls, with pauses of up to
    /// 20 ms.
    pub fn wait_timeout(&mut self, limit: Duration) -> Result<Option<ExitStatus>, Error> {
        self.with(Operation::Wait, |sys, child| {
            if child.ended.is_none() {
                child.ended = sys.wait_timeout(&mut child.process, limit)?;
            }
            Ok(child.ended)
        })
    }

    /// Closes the standard input if it is a pipe, collects the output of pipes, and waits until the
    /// program ends.
    ///
    /// A process that the program left behind can hold the outputs open. So they are read for one
    /// `pause` at a time, and `is_stopped` is called before each `pause`. Once it has returned true
    /// and the program has ended, one last `pause` follows.
    pub fn output_unless(
        mut self,
        pause: Duration,
        is_stopped: impl Fn() -> bool,
    ) -> Result<Output, Error> {
        self.stdin = None;
        let mut outputs = [Vec::new(), Vec::new()];
        let read = loop {
            let is_last = is_stopped() && !matches!(self.wait_timeout(Duration::ZERO), Ok(None));
            let read = self.read_until(pause, &mut outputs);
            if is_last || !matches!(read, Ok(false)) {
                break read;
            }
        };
        // Close the pipes; otherwise a full one would block the program forever.
        (self.stdout, self.stderr) = (None, None);
        let status = self.wait()?;
        let [stdout, stderr] = outputs;
        read.map(|_| Output { status, stdout, stderr })
    }

    /// Reads the outputs until both end or the time limit is reached. Returns whether both ended.
    pub(super) fn read_until(
        &mut self,
        limit: Duration,
        outputs: &mut [Vec<u8>; 2],
    ) -> Result<bool, Error> {
        self.with(Operation::Wait, |sys, child| {
            child.process.stdout = child.stdout.take();
            child.process.stderr = child.stderr.take();
            let read = sys.read_until(&mut child.process, outputs, limit);
            child.stdout = child.process.stdout.take();
            child.stderr = child.process.stderr.take();
            read
        })
    }

    /// Kills the program (`SIGKILL`, `TerminateProcess`). If it has [its own
    /// tree](crate::Command::own_tree), also kills the processes it started. The caller must still
    /// wait for it. Does nothing if it has already ended.
    ///
    /// # Errors
    ///
    /// On Unix a tree cannot be killed after waiting for its program, because another process group
    /// may have its number by then. The error's kind is
    /// [`Unsupported`](io::ErrorKind::Unsupported).
    pub fn kill(&mut self) -> Result<(), Error> {
        self.with(Operation::Kill, |sys, child| match &child.tree {
            Some(tree) => sys.kill_tree(&mut child.process, tree, child.ended.is_some()),
            None => child.process.kill(),
        })
    }

    /// Returns the calls made to find the program, to wait for it with a limit, and to read its
    /// output.
    pub fn calls(&self) -> Calls {
        self.calls
    }

    fn with<T>(
        &mut self,
        operation: Operation,
        run: impl FnOnce(&Os, &mut Child) -> io::Result<T>,
    ) -> Result<T, Error> {
        let sys = Os::start(&self.setup);
        let done = run(&sys, self);
        self.calls.add(&sys.calls());
        done.map_err(|error| Error::new(operation, self.program.clone(), Cause::Os(error)))
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child")
            .field("program", &self.program)
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
