//! A started program.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::process::{ExitStatus, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::stream::{ChildInput, ChildOutput, Pipe};
use crate::calls::Calls;
use crate::error::{Cause, Error, Operation};
use crate::sys::process::{Exchange, Kill, Spawn};
use crate::sys::{Os, Setup, Sys};

pub(super) type OsChild = <Os as Spawn>::Child;

/// A started program, and this process's ends of its pipes.
pub(super) struct Started {
    pub(super) child: OsChild,
    pub(super) pipes: [Option<Pipe>; 3],
    /// The calls of the start and of the look-up.
    pub(super) calls: Calls,
}

/// A started program.
///
/// Dropping it neither kills the program nor waits for it, unless
/// [`Command::kill_on_drop`](crate::Command::kill_on_drop) says so. On Unix a program that ends and
/// is never waited for stays as a zombie until this process ends.
///
/// Threads can share it: one waits ([`Child::wait_timeout`]), and another one kills it.
///
/// ```
/// # if cfg!(unix) {
/// use std::time::Duration;
/// let child = curt::Command::new("/bin/sleep").arg("100").spawn()?;
/// let status = std::thread::scope(|scope| {
///     let waiter = scope.spawn(|| child.wait_timeout(Duration::MAX));
///     child.kill()?;
///     waiter.join().unwrap()
/// })?;
/// assert!(!status.unwrap().success());
/// # }
/// # Ok::<(), curt::Error>(())
/// ```
#[derive(Debug)]
pub struct Child {
    running: Running,
    /// The standard input, if it is a pipe. [`Child::wait`] and [`Child::wait_with_output`] close
    /// it.
    pub stdin: Option<ChildInput>,
    /// The standard output, if it is a pipe.
    pub stdout: Option<ChildOutput>,
    /// The standard error, if it is a pipe.
    pub stderr: Option<ChildOutput>,
}

/// What a program wrote within a time limit, and how it ended: see [`Child::communicate`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct TimedOutput {
    /// How the program ended; `None` if it goes on.
    ///
    /// After a time-out: [`Command::output_timeout`](crate::Command::output_timeout) and
    /// [`Command::output_with`](crate::Command::output_with) have killed the program, so this is
    /// how that ended it: by signal 9 on Unix, where [`ExitStatus::code`] is `None`, with code 1 on
    /// Windows; or as the program ended itself, if it had ended already. [`Child::communicate`]
    /// kills nothing, so this is `None`, unless the program has ended and it is another process
    /// that still holds its output open.
    pub status: Option<ExitStatus>,
    /// What was read of its standard output.
    pub stdout: Vec<u8>,
    /// What was read of its standard error.
    pub stderr: Vec<u8>,
    /// How many bytes of the input were written. It can be less than all if the program does not
    /// read its input to the end.
    pub written: usize,
    /// Whether the limit passed before the program ended and all its output was read.
    pub timed_out: bool,
}

impl Child {
    pub(super) fn new(
        setup: Setup,
        started: Started,
        program: OsString,
        kill_on_drop: bool,
    ) -> Child {
        let Started { child, pipes: [stdin, stdout, stderr], calls } = started;
        let calls = Mutex::new(calls);
        Child {
            running: Running { setup, calls, process: child, program, kill_on_drop },
            stdin: stdin.map(ChildInput),
            stdout: stdout.map(ChildOutput),
            stderr: stderr.map(ChildOutput),
        }
    }

    /// Returns the process number. After [`Child::wait`] another process may have it.
    pub fn id(&self) -> u32 {
        Os::id(&self.running.process)
    }

    /// Closes the standard input, if that is a pipe, and waits until the program ends. Later calls
    /// cost nothing.
    pub fn wait(&mut self) -> Result<ExitStatus, Error> {
        let stdin = self.stdin.take();
        self.running.with_mut(Operation::Wait, |sys, child| {
            close_input(sys, stdin);
            sys.wait(child)
        })
    }

    /// Waits until the program ends or the time limit passes; `None` if that passed. The standard
    /// input stays open.
    ///
    /// On Linux and Windows the thread sleeps until either happens. On systems without handles on
    /// processes it asks repeatedly, with pauses of up to 20 ms.
    pub fn wait_timeout(&self, limit: Duration) -> Result<Option<ExitStatus>, Error> {
        self.running.with(Operation::Wait, |sys, child| sys.wait_timeout(child, limit))
    }

    /// Returns how the program ended, if it has.
    pub fn try_wait(&self) -> Result<Option<ExitStatus>, Error> {
        self.wait_timeout(Duration::ZERO)
    }

    /// Closes the standard input, if that is a pipe, reads all that the program writes, and waits
    /// until it ends. The output of a stream that is not a pipe is empty.
    pub fn wait_with_output(mut self) -> Result<Output, Error> {
        let stdin = self.stdin.take();
        let pipes = [self.stdout.take(), self.stderr.take()];
        let pipes = pipes.map(|pipe| pipe.map(|ChildOutput(pipe)| pipe));
        self.running.with_mut(Operation::Wait, |sys, child| {
            close_input(sys, stdin);
            output(sys, child, pipes)
        })
    }

    /// Writes the input to the program and closes the pipe, meanwhile reads all that the program
    /// writes, and waits until it ends or the time limit passes, if there is one. Neither side can
    /// block the other. A program that reads only part of its input is no error.
    ///
    /// When the limit passes, the program goes on. [`TimedOutput`] has what was read so far, and
    /// the pipes that are still open stay in this value: kill the program, or call this again with
    /// the rest of the input.
    ///
    /// An output ends when every process that can write to it has closed it, so a process that the
    /// program started and left behind can hold it. The limit ends that too, and
    /// [`TimedOutput::status`] then says how the program ended.
    ///
    /// On Unix it costs what [`Command::output`](crate::Command::output) does, a `ppoll` before
    /// each piece if there is a limit or input, and a `write` for each piece of the input and an
    /// `ioctl` for all. On Windows the pipes are asked repeatedly then, with pauses of up to 10 ms.
    ///
    /// A standard input that is still open afterwards blocks, or on Unix returns at once if
    /// `os::unix::PipeExtras::set_nonblocking` said so; a mode that was set by a call on its
    /// descriptor or handle is lost.
    ///
    /// ```
    /// # if cfg!(unix) {
    /// use std::time::Duration;
    /// use curt::process::Stream;
    /// let mut command = curt::Command::new("/bin/sh");
    /// command.args(["-c", "cat; exec sleep 100"]).stdin(Stream::pipe()).stdout(Stream::pipe());
    /// let mut child = command.spawn()?;
    /// let output = child.communicate(b"hello", Some(Duration::from_millis(500)))?;
    /// assert!(output.timed_out);
    /// assert_eq!(output.stdout, b"hello");
    /// child.kill()?;
    /// assert!(!child.wait()?.success());
    /// # }
    /// # Ok::<(), curt::Error>(())
    /// ```
    pub fn communicate(
        &mut self,
        input: &[u8],
        limit: Option<Duration>,
    ) -> Result<TimedOutput, Error> {
        let begun = Instant::now();
        let mut output = self.exchange(input, limit)?;
        output.status = match limit {
            None => Some(self.wait()?),
            Some(limit) => self.wait_timeout(limit.saturating_sub(begun.elapsed()))?,
        };
        output.timed_out |= output.status.is_none();
        Ok(output)
    }

    /// Writes the input and reads all that the program writes, until the limit passes.
    pub(super) fn exchange(
        &mut self,
        input: &[u8],
        limit: Option<Duration>,
    ) -> Result<TimedOutput, Error> {
        let pipes = [
            self.stdin.take().map(|ChildInput(pipe)| pipe),
            self.stdout.take().map(|ChildOutput(pipe)| pipe),
            self.stderr.take().map(|ChildOutput(pipe)| pipe),
        ];
        let mut exchange = Exchange::new(pipes, input);
        let done = self.running.with(Operation::Wait, |sys, _| sys.exchange(&mut exchange, limit));
        let Exchange { pipes: [stdin, stdout, stderr], written, outputs, .. } = exchange;
        self.stdin = stdin.map(ChildInput);
        self.stdout = stdout.map(ChildOutput);
        self.stderr = stderr.map(ChildOutput);
        let timed_out = !done?;
        let [stdout, stderr] = outputs;
        Ok(TimedOutput { status: None, stdout, stderr, written, timed_out })
    }

    /// Kills the program (`SIGKILL`, `TerminateProcess`). Does nothing if it has ended already. It
    /// must still be waited for.
    pub fn kill(&self) -> Result<(), Error> {
        self.running.kill(Kill::Child)
    }

    /// Kills the program and all that it started, if it has its own tree
    /// ([`Command::own_tree`](crate::Command::own_tree), which says what escapes), group or
    /// session. Otherwise the same as [`Child::kill`].
    ///
    /// After the program was waited for, this still kills what it started on Windows and on Linux
    /// 6.9. Other systems do nothing then, because another group may have its number; if there is
    /// such a group, that is an error (`Unsupported`).
    pub fn kill_tree(&self) -> Result<(), Error> {
        self.running.kill(Kill::Tree)
    }

    /// Returns the calls made for the program so far, including those that started it.
    pub fn calls(&self) -> Calls {
        *self.running.lock_calls()
    }

    #[allow(dead_code, reason = "children have handles on Linux and Windows only")]
    pub(crate) fn process(&self) -> &OsChild {
        &self.running.process
    }
}

/// The process of a started program.
struct Running {
    setup: Setup,
    calls: Mutex<Calls>,
    process: OsChild,
    program: OsString,
    kill_on_drop: bool,
}

impl Running {
    /// Runs an operation on the process, beside those of other threads.
    fn with<T>(
        &self,
        operation: Operation,
        run: impl FnOnce(&Os, &OsChild) -> io::Result<T>,
    ) -> Result<T, Error> {
        let sys = Os::start(&self.setup);
        let done = run(&sys, &self.process);
        self.finish(&sys, operation, done)
    }

    /// Runs an operation on the process, alone.
    fn with_mut<T>(
        &mut self,
        operation: Operation,
        run: impl FnOnce(&Os, &mut OsChild) -> io::Result<T>,
    ) -> Result<T, Error> {
        let sys = Os::start(&self.setup);
        let done = run(&sys, &mut self.process);
        self.finish(&sys, operation, done)
    }

    fn finish<T>(&self, sys: &Os, operation: Operation, done: io::Result<T>) -> Result<T, Error> {
        self.lock_calls().add(&sys.calls());
        done.map_err(|reason| error(operation, &self.program, reason))
    }

    fn lock_calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self, what: Kill) -> Result<(), Error> {
        self.with(Operation::Kill, |sys, child| sys.kill(child, what))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // What could not be killed is not waited for, as it may never end. No caller is left to
        // report a failure to.
        if self.kill_on_drop && self.kill(Kill::Tree).is_ok() {
            let _ = self.with_mut(Operation::Wait, Os::wait);
        }
        Os::start(&self.setup).release(&mut self.process);
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("program", &self.program)
            .field("id", &Os::id(&self.process))
            .finish_non_exhaustive()
    }
}

fn close_input(sys: &Os, input: Option<ChildInput>) {
    if let Some(ChildInput(pipe)) = input {
        sys.close_pipe(pipe);
    }
}

/// Reads all that a child writes and waits until it ends, even if reading failed.
pub(super) fn output(
    sys: &Os,
    child: &mut OsChild,
    [stdout, stderr]: [Option<Pipe>; 2],
) -> io::Result<Output> {
    let mut exchange = Exchange::new([None, stdout, stderr], b"");
    let read = sys.exchange(&mut exchange, None);
    let [stdout, stderr] = exchange.outputs;
    // A child that writes on must not wait for this process.
    drop(exchange.pipes);
    let status = sys.wait(child)?;
    read.map(|_| Output { status, stdout, stderr })
}

/// The error of an operation on a started program.
pub(super) fn error(operation: Operation, program: &OsStr, reason: io::Error) -> Error {
    Error::new(operation, program.into(), Cause::Os(reason))
}
