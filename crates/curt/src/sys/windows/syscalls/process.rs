//! Win32 calls for process trees, and for waiting with a time limit.

use std::io::{self, Error};
use std::os::windows::io::{BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::time::Duration;

use windows_sys::Win32::Foundation::{WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, TerminateJobObject,
};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::{INFINITE, WaitForSingleObject};

use super::{Call, Syscalls, check, raw};

/// Win32 functions return 0 on failure.
fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

impl Syscalls {
    fn pass_process(&self, call: Call) -> io::Result<()> {
        Ok(self.pass(call)?)
    }

    /// Children do not inherit the duplicate.
    pub(crate) fn duplicate(&self, handle: BorrowedHandle<'_>) -> io::Result<OwnedHandle> {
        self.pass_process(Call::DuplicateObject)?;
        handle.try_clone_to_owned()
    }

    pub(crate) fn create_job(&self) -> io::Result<OwnedHandle> {
        self.pass_process(Call::CreateJob)?;
        // SAFETY: both pointers, the attributes and the name, may be null.
        let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if job.is_null() {
            return Err(Error::last_os_error());
        }
        // SAFETY: the new handle is open and not owned elsewhere.
        Ok(unsafe { OwnedHandle::from_raw_handle(job) })
    }

    pub(crate) fn assign(
        &self,
        job: BorrowedHandle<'_>,
        process: BorrowedHandle<'_>,
    ) -> io::Result<()> {
        self.pass_process(Call::AssignProcess)?;
        // SAFETY: both handles are open.
        done(unsafe { AssignProcessToJobObject(raw(job), raw(process)) })
    }

    pub(crate) fn resume(&self, process: BorrowedHandle<'_>) -> io::Result<()> {
        self.pass_process(Call::ResumeProcess)?;
        let resume = self.native.resume_process.ok_or(io::ErrorKind::Unsupported)?;
        // SAFETY: the handle is open.
        Ok(check(unsafe { resume(raw(process)) })?)
    }

    pub(crate) fn terminate_job(&self, job: BorrowedHandle<'_>, code: u32) -> io::Result<()> {
        self.pass_process(Call::TerminateJob)?;
        // SAFETY: the handle is open.
        done(unsafe { TerminateJobObject(raw(job), code) })
    }

    pub(crate) fn wait(&self, process: BorrowedHandle<'_>, limit: Duration) -> io::Result<()> {
        self.pass_process(Call::Wait)?;
        // Round up, so that callers do not poll in the last millisecond.
        let limit = limit.as_nanos().div_ceil(1_000_000);
        let limit = u32::try_from(limit).unwrap_or(INFINITE - 1).min(INFINITE - 1);
        // SAFETY: the handle is open.
        match unsafe { WaitForSingleObject(raw(process), limit) } {
            WAIT_OBJECT_0 | WAIT_TIMEOUT => Ok(()),
            _ => Err(Error::last_os_error()),
        }
    }

    /// Returns how many bytes can be read without blocking, or `None` at the end.
    pub(crate) fn available(&self, pipe: BorrowedHandle<'_>) -> io::Result<Option<usize>> {
        self.pass_process(Call::FsControl)?;
        let mut available = 0;
        // SAFETY: the handle is open, `available` is live, and all other pointers are null.
        let answer = unsafe {
            PeekNamedPipe(
                raw(pipe),
                ptr::null_mut(),
                0,
                ptr::null_mut(),
                &raw mut available,
                ptr::null_mut(),
            )
        };
        match done(answer) {
            Ok(()) => Ok(Some(available as usize)),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Counts a read that the standard library makes.
    pub(crate) fn count_read(&self) -> io::Result<()> {
        self.pass_process(Call::ReadFile)
    }
}
