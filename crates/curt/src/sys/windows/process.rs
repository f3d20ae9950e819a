//! Process trees as jobs, and waiting with a time limit.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read};
use std::os::windows::io::{AsHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation as codes;
use windows_sys::Win32::System::Threading::CREATE_SUSPENDED;

use super::syscalls::Target;
use super::{FILE, READ_ATTRIBUTES, Windows, text};
use crate::error::StartFailure;
use crate::sys::Host;

/// The exit code of a killed process, as in the standard library.
const KILLED: u32 = 1;

pub(crate) type Tree = OwnedHandle;

/// Without `SystemRoot`, many programs do not start: side-by-side assemblies are not found, and
/// sockets and random numbers fail. Go keeps the same variable; libuv keeps ten more, for
/// convenience.
pub(crate) const ESSENTIAL_VARIABLES: &[&str] = &["SystemRoot"];

impl Windows {
    /// Does nothing, because the standard library always passes the program's path.
    pub(crate) fn set_arg0(_: &mut Command, _: &OsStr) {}

    pub(crate) fn spawn(
        &self,
        command: &mut Command,
        has_tree: bool,
    ) -> io::Result<(Child, Option<Tree>)> {
        self.refuse_exe_lookalike(command.get_program())?;
        if !has_tree {
            return Ok((command.spawn()?, None));
        }
        let job = self.syscalls.create_job()?;
        // Start the child suspended, so that it cannot start processes before it is in the job.
        let mut child = command.creation_flags(CREATE_SUSPENDED).spawn()?;
        let begun = self.syscalls.assign(job.as_handle(), child.as_handle());
        if let Err(error) = begun.and_then(|()| self.syscalls.resume(child.as_handle())) {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok((child, Some(job)))
    }

    /// Follows "System Error Codes" of Win32.
    pub(crate) fn explain(&self, _: &Path, _: Option<&Path>, error: &io::Error) -> StartFailure {
        let number = error.raw_os_error().and_then(|number| u32::try_from(number).ok());
        let Some(number) = number else {
            let is_text = error.kind() == ErrorKind::InvalidInput;
            return if is_text { StartFailure::InvalidText } else { StartFailure::System };
        };
        match number {
            codes::ERROR_DIRECTORY => StartFailure::Directory,
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
        }
    }

    pub(crate) fn wait_timeout(
        &self,
        child: &mut Child,
        limit: Duration,
    ) -> io::Result<Option<ExitStatus>> {
        self.syscalls.wait(child.as_handle(), limit)?;
        child.try_wait()
    }

    pub(crate) fn kill_tree(&self, _: &mut Child, tree: &Tree, _has_ended: bool) -> io::Result<()> {
        self.syscalls.terminate_job(tree.as_handle(), KILLED)
    }

    /// Polls, because Windows can neither wait for several pipes nor limit the wait for one.
    pub(crate) fn read_until(
        &self,
        child: &mut Child,
        into: &mut [Vec<u8>; 2],
        limit: Duration,
    ) -> io::Result<bool> {
        const SHORT: Duration = Duration::from_micros(500);
        const LONG: Duration = Duration::from_millis(10);
        let begun = Instant::now();
        let mut pause = SHORT;
        let [out, err] = into;
        loop {
            let has_moved =
                [self.read_some(&mut child.stdout, out)?, self.read_some(&mut child.stderr, err)?];
            let left = limit.saturating_sub(begun.elapsed());
            let is_done = child.stdout.is_none() && child.stderr.is_none();
            if is_done || left.is_zero() {
                return Ok(is_done);
            }
            if has_moved.contains(&true) {
                pause = SHORT;
            } else {
                self.sleep(left.min(pause));
                pause = (pause * 2).min(LONG);
            }
        }
    }

    /// Fails if the standard library would start a different program, with this name plus `.exe`.
    fn refuse_exe_lookalike(&self, program: &OsStr) -> io::Result<()> {
        let (bytes, suffix) = (program.as_encoded_bytes(), b".exe");
        if bytes.last_chunk().is_some_and(|last: &[u8; 4]| last.eq_ignore_ascii_case(suffix)) {
            return Ok(());
        }
        let mut with_exe = program.to_owned();
        with_exe.push(".exe");
        let name = text::native(Path::new(&with_exe))?;
        let target = Target { root: None, name: &name, any_case: true };
        let Ok(found) = self.syscalls.open(target, READ_ATTRIBUTES, FILE) else { return Ok(()) };
        self.syscalls.close(found);
        let text = "a program of the same name with '.exe' behind it would be started instead";
        Err(io::Error::new(ErrorKind::Unsupported, text))
    }

    /// Returns whether there was progress. Closes the pipe at its end.
    fn read_some<P: Read + AsHandle>(
        &self,
        pipe: &mut Option<P>,
        into: &mut Vec<u8>,
    ) -> io::Result<bool> {
        let Some(open) = pipe else { return Ok(false) };
        match self.syscalls.available(open.as_handle())? {
            Some(0) => return Ok(false),
            Some(available) => {
                self.syscalls.count_read()?;
                let length = into.len();
                into.resize(length + available, 0);
                let read = open.read(into.get_mut(length..).unwrap_or_default())?;
                into.truncate(length + read);
            }
            None => *pipe = None,
        }
        Ok(true)
    }
}
