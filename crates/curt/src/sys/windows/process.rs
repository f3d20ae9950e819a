//! Starting programs on Windows: `CreateProcessW` with the full path of the application, a list of
//! the handles that are inherited, and from the start a job if the tree is to be killed.
//!
//! - **No search.** The application is always a full path.
//! - **Batch files** are run by the cmd.exe of the system directory, with a command line made for
//!   it. The name decides, as it is spelled on the disk.
//! - **Only listed handles are inherited.** The streams are passed as copies that are made late and
//!   closed early, since a start by other code without a list inherits whatever is inheritable
//!   meanwhile.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};
use std::os::windows::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::ptr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation as codes;
use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};

use super::Windows;
use super::call::Door;
use super::call::process::{Given, Texts, read_pipe, write_pipe};
use crate::error::StartFailure;
use crate::sys::Host;
use crate::sys::process::{
    Exchange, Failure, Group, Kill, Launch, Spawn, Stage, Stream, path_for_child,
};
use curt_paths::command_line::{self, CommandLineError};

/// The exit code of a killed process.
const KILLED: u32 = 1;

/// A started program.
#[derive(Debug)]
pub(crate) struct Child {
    process: OwnedHandle,
    id: u32,
    job: Option<OwnedHandle>,
    ended: OnceLock<ExitStatus>,
}

impl Child {
    pub(crate) fn handle(&self) -> BorrowedHandle<'_> {
        self.process.as_handle()
    }
}

/// One end of a pipe, or another open file.
#[derive(Debug)]
pub(crate) struct Pipe(pub(crate) OwnedHandle);

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        read_pipe(self.0.as_handle(), into)
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_pipe(self.0.as_handle(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn units(text: &OsStr) -> Vec<u16> {
    text.encode_wide().collect()
}

fn terminated(mut text: Vec<u16>) -> Vec<u16> {
    text.push(0);
    text
}

/// The failure of a start that created no process.
fn childless(error: io::Error) -> Failure {
    Failure { at: Stage::Child, error }
}

/// The failure of a start whose arguments or environment cannot be passed.
fn unwritable(error: CommandLineError) -> Failure {
    let kind = match error {
        CommandLineError::TooLong { .. } => ErrorKind::ArgumentListTooLong,
        _ => ErrorKind::InvalidInput,
    };
    childless(io::Error::new(kind, error))
}

/// Returns the full path, by text.
fn full(path: &Path, at: Stage) -> Result<Vec<u16>, Failure> {
    let invalid = || Failure { at, error: ErrorKind::InvalidInput.into() };
    if path.as_os_str().encode_wide().any(|unit| unit == 0) {
        return Err(invalid());
    }
    let path = std::path::absolute(path).map_err(|error| Failure { at, error })?;
    Ok(units(path.as_os_str()))
}

/// Returns the usual form of a verbatim path, if that means the same: cmd.exe does not take
/// verbatim paths, and programs do not expect one as their working directory.
fn plain(path: Vec<u16>) -> Vec<u16> {
    let prefix = |text: &str| {
        let text: Vec<u16> = text.encode_utf16().collect();
        path.strip_prefix(text.as_slice())
    };
    let short: Vec<u16> = match (prefix(r"\\?\UNC\"), prefix(r"\\?\")) {
        (Some(rest), _) => r"\\".encode_utf16().chain(rest.iter().copied()).collect(),
        (None, Some(rest)) => rest.to_vec(),
        (None, None) => return path,
    };
    // If Win32 changes it (dots and spaces at the end of names, devices), it means another file.
    let means = std::path::absolute(OsString::from_wide(&short));
    if means.is_ok_and(|means| units(means.as_os_str()) == short) { short } else { path }
}

/// All that is passed as text.
fn texts(launch: &Launch<'_, Pipe>) -> Result<Texts, Failure> {
    let program = full(&path_for_child(launch), Stage::Program)?;
    let is_batch = command_line::is_batch(&program);
    let arguments = launch.arguments.iter().map(|argument| units(argument));
    let (application, line) = if is_batch {
        let mut cmd = Door::system_directory().map_err(childless)?;
        cmd.extend(r"\cmd.exe".encode_utf16());
        (cmd, command_line::batch(&plain(program), arguments).map_err(unwritable)?)
    } else {
        let line = command_line::image(&units(launch.zeroth), arguments);
        (program, line.map_err(unwritable)?)
    };
    let environment = launch.environment.map(|variables| {
        let variables = variables.iter().map(|(name, value)| (units(name), units(value)));
        command_line::environment_block(variables).map_err(unwritable)
    });
    let directory = launch.directory.map(|path| full(path, Stage::Directory));
    Ok(Texts {
        application: terminated(application),
        line: terminated(line),
        environment: environment.transpose()?,
        directory: directory.transpose()?.map(plain).map(terminated),
    })
}

/// The handles that a child inherits. They are closed as soon as it has them.
struct Handles {
    owned: Vec<OwnedHandle>,
    streams: [HANDLE; 3],
    all: Vec<HANDLE>,
}

impl Windows {
    fn handles(&self, launch: &Launch<'_, Pipe>) -> io::Result<Handles> {
        let wants_null = launch.streams.iter().any(|stream| matches!(stream, Stream::Null));
        let null = wants_null.then(|| self.door.open_null()).transpose()?;
        let mut streams = [ptr::null_mut(); 3];
        let mut owned = Vec::new();
        for ((number, stream), place) in (0_u32..).zip(&launch.streams).zip(&mut streams) {
            let copy = match stream {
                Stream::Open(pipe) => Some(self.door.inheritable(pipe.0.as_raw_handle())?),
                Stream::Inherit => {
                    // A program without a console has no streams, and neither have its children.
                    let own = Door::stream(number);
                    if own.is_null() { None } else { self.door.inheritable(own).ok() }
                }
                Stream::Null => None,
            };
            let null = null.as_ref().filter(|_| matches!(stream, Stream::Null));
            *place = copy.as_ref().or(null).map_or(ptr::null_mut(), AsRawHandle::as_raw_handle);
            owned.extend(copy);
        }
        owned.extend(null);
        let mut all: Vec<HANDLE> = owned.iter().map(AsRawHandle::as_raw_handle).collect();
        for (pipe, _) in launch.extra {
            let handle = pipe.0.as_raw_handle();
            if !all.contains(&handle) {
                all.push(handle);
            }
        }
        Ok(Handles { owned, streams, all })
    }

    /// Makes the further handles inheritable, or not: the child knows them by their values, so they
    /// cannot be copies.
    fn share(&self, launch: &Launch<'_, Pipe>, wanted: bool) {
        for (pipe, _) in launch.extra {
            self.door.set_inheritable(pipe.0.as_handle(), wanted);
        }
    }
}

impl Spawn for Windows {
    type Child = Child;
    type Pipe = Pipe;

    /// Without it libraries of the system (side-by-side assemblies) are not found, and sockets and
    /// random numbers fail. Go keeps the same one; libuv keeps ten more, for convenience.
    const ESSENTIAL: &'static [&'static str] = &["SYSTEMROOT"];

    fn pipe(&self) -> io::Result<(Pipe, Pipe)> {
        let (reader, writer) = self.door.pipe()?;
        Ok((Pipe(reader), Pipe(writer)))
    }

    fn close_pipe(&self, pipe: Pipe) {
        self.door.close(pipe.0);
    }

    fn spawn(&self, launch: &Launch<'_, Pipe>) -> Result<Child, Failure> {
        let mut texts = texts(launch)?;
        let job = launch.tree.then(|| self.door.create_job()).transpose().map_err(childless)?;
        let handles = self.handles(launch).map_err(childless)?;
        let given = Given {
            streams: handles.streams,
            inherited: &handles.all,
            job: job.as_ref().map(AsHandle::as_handle),
            flags: match launch.group {
                Group::Same => 0,
                Group::New => CREATE_NEW_PROCESS_GROUP,
                Group::Session => DETACHED_PROCESS,
            },
        };
        self.share(launch, true);
        let created = self.door.create_process(&mut texts, &given);
        self.share(launch, false);
        for handle in handles.owned {
            self.door.close(handle);
        }
        match created {
            Ok((process, id)) => Ok(Child { process, id, job, ended: OnceLock::new() }),
            Err(error) => {
                if let Some(job) = job {
                    self.door.close(job);
                }
                Err(Failure { at: Stage::Program, error })
            }
        }
    }

    /// By the error numbers of Win32, "System Error Codes".
    fn explain(&self, _: &Launch<'_, Pipe>, failure: &Failure) -> StartFailure {
        match failure.error.kind() {
            ErrorKind::ArgumentListTooLong => return StartFailure::TooLong,
            ErrorKind::InvalidInput if failure.error.raw_os_error().is_none() => {
                return StartFailure::InvalidText;
            }
            _ => {}
        }
        let number = failure.error.raw_os_error().and_then(|number| u32::try_from(number).ok());
        match (failure.at, number) {
            (Stage::Directory, _) | (_, Some(codes::ERROR_DIRECTORY)) => StartFailure::Directory,
            (Stage::Child, _) | (_, None) => StartFailure::System,
            (_, Some(number)) => match number {
                codes::ERROR_FILE_NOT_FOUND
                | codes::ERROR_PATH_NOT_FOUND
                | codes::ERROR_INVALID_NAME
                | codes::ERROR_BAD_PATHNAME => StartFailure::ProgramMissing,
                codes::ERROR_ACCESS_DENIED => StartFailure::NotExecutable,
                codes::ERROR_SHARING_VIOLATION => StartFailure::TextBusy,
                codes::ERROR_FILENAME_EXCED_RANGE => StartFailure::TooLong,
                codes::ERROR_ELEVATION_REQUIRED => StartFailure::NeedsElevation,
                codes::ERROR_BAD_FORMAT
                | codes::ERROR_EXE_MACHINE_TYPE_MISMATCH
                | codes::ERROR_INVALID_STARTING_CODESEG..=codes::ERROR_INFLOOP_IN_RELOC_CHAIN => {
                    StartFailure::BadFormat
                }
                _ => StartFailure::System,
            },
        }
    }

    fn wait(&self, child: &mut Child) -> io::Result<ExitStatus> {
        self.wait_for(child, None)?.ok_or_else(|| ErrorKind::TimedOut.into())
    }

    fn wait_timeout(&self, child: &Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
        self.wait_for(child, Some(limit))
    }

    fn kill(&self, child: &Child, what: Kill) -> io::Result<()> {
        if let (Kill::Tree, Some(job)) = (what, &child.job) {
            return self.door.terminate_job(job.as_handle(), KILLED);
        }
        if child.ended.get().is_some() {
            return Ok(());
        }
        match self.door.terminate(child.process.as_handle(), KILLED) {
            // A process that has ended denies access.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                let has_ended = self.door.wait(child.process.as_handle(), Some(Duration::ZERO))?;
                if has_ended { Ok(()) } else { Err(error) }
            }
            answer => answer,
        }
    }

    fn id(child: &Child) -> u32 {
        child.id
    }

    fn release(&self, child: &mut Child) {
        if let Some(job) = child.job.take() {
            self.door.close(job);
        }
        self.door.count_close();
    }

    fn exchange(
        &self,
        exchange: &mut Exchange<'_, Pipe>,
        limit: Option<Duration>,
    ) -> io::Result<bool> {
        if exchange.rest().is_empty() {
            self.close_in(&mut exchange.pipes[0]);
        }
        if limit.is_none() && exchange.pipes[0].is_none() {
            let [_, stdout, stderr] = &mut exchange.pipes;
            exchange.outputs = self.read_to_end([stdout.take(), stderr.take()])?;
            return Ok(true);
        }
        if let Some(input) = &exchange.pipes[0] {
            self.door.set_nonblocking(input.0.as_handle(), true)?;
        }
        let done = self.exchange_until(exchange, limit);
        if let Some(input) = &exchange.pipes[0] {
            self.door.set_nonblocking(input.0.as_handle(), false)?;
        }
        done
    }

    fn variable_key(name: &OsStr) -> Cow<'_, OsStr> {
        Cow::Owned(OsString::from_wide(&command_line::variable_key(&units(name))))
    }
}

impl Windows {
    /// Waits until a child ends; `None` if the limit passed.
    fn wait_for(&self, child: &Child, limit: Option<Duration>) -> io::Result<Option<ExitStatus>> {
        if child.ended.get().is_none() && self.door.wait(child.handle(), limit)? {
            let code = self.door.exit_code(child.handle())?;
            return Ok(Some(*child.ended.get_or_init(|| ExitStatus::from_raw(code))));
        }
        Ok(child.ended.get().copied())
    }

    fn close_in(&self, pipe: &mut Option<Pipe>) {
        if let Some(pipe) = pipe.take() {
            self.door.close(pipe.0);
        }
    }

    /// Asks the pipes repeatedly, as pipes can neither be waited for together nor with a limit.
    fn exchange_until(
        &self,
        exchange: &mut Exchange<'_, Pipe>,
        limit: Option<Duration>,
    ) -> io::Result<bool> {
        /// The first pause between two questions, and the longest.
        const SHORT: Duration = Duration::from_micros(500);
        const LONG: Duration = Duration::from_millis(10);
        let begun = Instant::now();
        let mut pause = SHORT;
        while !exchange.is_done() {
            let mut has_moved = self.write_some(exchange)?;
            for stream in 1..exchange.pipes.len() {
                has_moved |= self.read_some(exchange, stream)?;
            }
            let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) {
                break;
            }
            if has_moved {
                pause = SHORT;
            } else {
                self.sleep(left.map_or(pause, |left| left.min(pause)));
                pause = (pause * 2).min(LONG);
            }
        }
        Ok(exchange.is_done())
    }

    /// Writes as much input as fits, and closes the pipe after all of it, or if nobody reads it.
    /// Returns whether anything happened.
    fn write_some(&self, exchange: &mut Exchange<'_, Pipe>) -> io::Result<bool> {
        /// A piece that does not fit is not written in part.
        const PIECE: usize = 1 << 10;
        let Some(pipe) = &exchange.pipes[0] else { return Ok(false) };
        let rest = exchange.rest();
        let piece = rest.get(..PIECE).unwrap_or(rest);
        self.door.count_writes()?;
        let is_over = match write_pipe(pipe.0.as_handle(), piece) {
            Ok(0) => return Ok(false),
            Ok(written) => {
                exchange.written += written;
                exchange.rest().is_empty()
            }
            Err(error) if error.kind() == ErrorKind::BrokenPipe => true,
            Err(error) => return Err(error),
        };
        if is_over {
            self.close_in(&mut exchange.pipes[0]);
        }
        Ok(true)
    }

    /// Reads what has arrived, and closes the pipe at its end. Returns whether anything happened.
    fn read_some(&self, exchange: &mut Exchange<'_, Pipe>, stream: usize) -> io::Result<bool> {
        let Exchange { pipes, outputs, .. } = exchange;
        let (Some(pipe), Some(into)) = (pipes.get_mut(stream), outputs.get_mut(stream - 1)) else {
            return Ok(false);
        };
        let Some(open) = pipe else { return Ok(false) };
        match self.door.available(open.0.as_handle())? {
            Some(0) => return Ok(false),
            Some(available) => {
                self.door.count_reads(1)?;
                let length = into.len();
                into.resize(length + available, 0);
                let room = into.get_mut(length..).unwrap_or_default();
                let read = read_pipe(open.0.as_handle(), room)?;
                into.truncate(length + read);
            }
            None => self.close_in(pipe),
        }
        Ok(true)
    }

    /// Reads two pipes to their ends. A second thread reads one of them.
    fn read_to_end(&self, pipes: [Option<Pipe>; 2]) -> io::Result<[Vec<u8>; 2]> {
        let (first, second) = match pipes {
            [Some(first), Some(second)] => {
                let read = std::thread::scope(|scope| {
                    let other = scope.spawn(|| read_whole(&second));
                    let first = read_whole(&first);
                    // If the thread panicked, what it read is lost.
                    (first, other.join().unwrap_or_else(|_| Err(ErrorKind::Other.into())))
                });
                self.door.close(first.0);
                self.door.close(second.0);
                read
            }
            [first, second] => {
                let read = |pipe: Option<Pipe>| {
                    let Some(pipe) = pipe else { return Ok((Vec::new(), 0)) };
                    let read = read_whole(&pipe);
                    self.door.close(pipe.0);
                    read
                };
                (read(first), read(second))
            }
        };
        let ((first, first_reads), (second, second_reads)) = (first?, second?);
        self.door.count_reads(first_reads + second_reads)?;
        Ok([first, second])
    }
}

/// Reads a pipe to its end. Also returns the number of reads.
fn read_whole(pipe: &Pipe) -> io::Result<(Vec<u8>, u64)> {
    const PIECE: usize = 64 << 10;
    let (mut whole, mut reads) = (Vec::new(), 0);
    loop {
        let length = whole.len();
        whole.resize(length + PIECE, 0);
        let read = read_pipe(pipe.0.as_handle(), whole.get_mut(length..).unwrap_or_default())?;
        whole.truncate(length + read);
        reads += 1;
        if read == 0 {
            return Ok((whole, reads));
        }
    }
}
