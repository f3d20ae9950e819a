//! The calls for starting programs. They go through kernel32, since only that registers a process
//! with the server of the session. Each counts as one native call, the one with its name.

use std::ffi::c_void;
use std::io::{self, Error};
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::ptr;
use std::time::Duration;

use windows_sys::Win32::Foundation::{
    DUPLICATE_SAME_ACCESS, DuplicateHandle, GENERIC_READ, GENERIC_WRITE, HANDLE,
    HANDLE_FLAG_INHERIT, INVALID_HANDLE_VALUE, SetHandleInformation, WAIT_OBJECT_0, WAIT_TIMEOUT,
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem::{CreateFileW, OPEN_EXISTING, ReadFile, WriteFile};
use windows_sys::Win32::System::Console::GetStdHandle;
use windows_sys::Win32::System::JobObjects::{CreateJobObjectW, TerminateJobObject};
use windows_sys::Win32::System::Pipes::{
    CreatePipe, PIPE_NOWAIT, PIPE_WAIT, PeekNamedPipe, SetNamedPipeHandleState,
};
use windows_sys::Win32::System::SystemInformation::GetSystemDirectoryW;
use windows_sys::Win32::System::Threading::{
    CREATE_UNICODE_ENVIRONMENT, CreateProcessW, DeleteProcThreadAttributeList,
    EXTENDED_STARTUPINFO_PRESENT, GetCurrentProcess, GetExitCodeProcess, INFINITE,
    InitializeProcThreadAttributeList, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
    PROC_THREAD_ATTRIBUTE_JOB_LIST, PROCESS_INFORMATION, STARTF_USESTDHANDLES, STARTUPINFOEXW,
    TerminateProcess, UpdateProcThreadAttribute, WaitForSingleObject,
};

use super::{Call, Door, raw};

/// What a new process gets besides text.
pub(crate) struct Given<'a> {
    /// The standard streams; null for none.
    pub(crate) streams: [HANDLE; 3],
    /// The handles that it inherits: none is null, none comes twice.
    pub(crate) inherited: &'a [HANDLE],
    pub(crate) job: Option<BorrowedHandle<'a>>,
    pub(crate) flags: u32,
}

/// The texts of a new process, each with a NUL at its end.
pub(crate) struct Texts {
    pub(crate) application: Vec<u16>,
    pub(crate) line: Vec<u16>,
    pub(crate) environment: Option<Vec<u16>>,
    pub(crate) directory: Option<Vec<u16>>,
}

/// Converts the answer of a call that returns 0 if it failed.
fn done(answer: i32) -> io::Result<()> {
    if answer == 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// Takes over a new handle. The call returned null or `INVALID_HANDLE_VALUE` if it failed.
fn taken(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(Error::last_os_error());
    }
    // SAFETY: the call succeeded, so the handle is open and owned by this function.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

/// The attributes that a process is created with: its handles and its job.
struct Attributes<'a> {
    list: Vec<usize>,
    given: &'a Given<'a>,
    job: HANDLE,
}

impl<'a> Attributes<'a> {
    fn new(given: &'a Given<'a>) -> io::Result<Box<Attributes<'a>>> {
        let count = u32::from(!given.inherited.is_empty()) + u32::from(given.job.is_some());
        let mut size = 0;
        // SAFETY: without a list the call returns the size that it needs, and fails.
        unsafe { InitializeProcThreadAttributeList(ptr::null_mut(), count, 0, &raw mut size) };
        let list = vec![0_usize; size.div_ceil(size_of::<usize>())];
        let job = given.job.map_or(ptr::null_mut(), raw);
        let mut new = Box::new(Attributes { list, given, job });
        let list = new.pointer();
        // SAFETY: the list has the size that was asked for.
        done(unsafe { InitializeProcThreadAttributeList(list, count, 0, &raw mut size) })?;
        new.fill()?;
        Ok(new)
    }

    fn fill(&mut self) -> io::Result<()> {
        let list = self.pointer();
        let inherited = self.given.inherited;
        if !inherited.is_empty() {
            let value = inherited.as_ptr().cast();
            // SAFETY: the list is initialised for this attribute, and what that points to lives as
            // long as `self`: it is borrowed, or in the box.
            done(unsafe {
                UpdateProcThreadAttribute(
                    list,
                    0,
                    PROC_THREAD_ATTRIBUTE_HANDLE_LIST as usize,
                    value,
                    size_of_val(inherited),
                    ptr::null_mut(),
                    ptr::null(),
                )
            })?;
        }
        if !self.job.is_null() {
            let value: *const c_void = (&raw const self.job).cast();
            // SAFETY: as above.
            done(unsafe {
                UpdateProcThreadAttribute(
                    list,
                    0,
                    PROC_THREAD_ATTRIBUTE_JOB_LIST as usize,
                    value,
                    size_of::<HANDLE>(),
                    ptr::null_mut(),
                    ptr::null(),
                )
            })?;
        }
        Ok(())
    }

    fn pointer(&mut self) -> *mut c_void {
        self.list.as_mut_ptr().cast()
    }
}

impl Drop for Attributes<'_> {
    fn drop(&mut self) {
        let list = self.pointer();
        // SAFETY: if it could not be initialised, it is a list of zeros, with nothing to free.
        unsafe { DeleteProcThreadAttributeList(list) };
    }
}

impl Door {
    fn pass_process(&self, call: Call) -> io::Result<()> {
        Ok(self.pass(call)?)
    }

    /// Creates a pipe that no child inherits, and returns the reading end and the writing end.
    pub(crate) fn pipe(&self) -> io::Result<(OwnedHandle, OwnedHandle)> {
        self.pass_process(Call::CreatePipe)?;
        let (mut reader, mut writer) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: there is space for two handles; without attributes they are not inherited.
        done(unsafe { CreatePipe(&raw mut reader, &raw mut writer, ptr::null(), 0) })?;
        Ok((taken(reader)?, taken(writer)?))
    }

    /// Opens the null device for a child to inherit.
    pub(crate) fn open_null(&self) -> io::Result<OwnedHandle> {
        /// `NUL`, and its end.
        const NAME: &[u16] = &[0x4e, 0x55, 0x4c, 0];
        /// Others may read and write.
        const SHARED: u32 = 3;
        self.pass_process(Call::CreateFile)?;
        let attributes = SECURITY_ATTRIBUTES {
            nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
            lpSecurityDescriptor: ptr::null_mut(),
            bInheritHandle: 1,
        };
        // SAFETY: the name ends with a NUL, and the attributes are live.
        taken(unsafe {
            CreateFileW(
                NAME.as_ptr(),
                GENERIC_READ | GENERIC_WRITE,
                SHARED,
                &raw const attributes,
                OPEN_EXISTING,
                0,
                ptr::null_mut(),
            )
        })
    }

    /// Returns a standard stream of this process: 0, 1 or 2. No call.
    pub(crate) fn stream(number: u32) -> HANDLE {
        // The constants count down from -10.
        let number = 0_u32.wrapping_sub(10 + number);
        // SAFETY: the call reads a value of this process. The handle is not owned.
        let handle = unsafe { GetStdHandle(number) };
        if handle == INVALID_HANDLE_VALUE { ptr::null_mut() } else { handle }
    }

    /// Copies a handle for a child to inherit.
    pub(crate) fn inheritable(&self, handle: HANDLE) -> io::Result<OwnedHandle> {
        self.pass_process(Call::DuplicateObject)?;
        let mut copy = ptr::null_mut();
        // SAFETY: the call returns a constant that means this process.
        let own = unsafe { GetCurrentProcess() };
        // SAFETY: there is space for a handle. If `handle` is not open, as a standard stream may
        // not be, the call fails.
        done(unsafe {
            DuplicateHandle(own, handle, own, &raw mut copy, 0, 1, DUPLICATE_SAME_ACCESS)
        })?;
        taken(copy)
    }

    /// Duplicates a handle; no child inherits the duplicate.
    pub(crate) fn duplicate(&self, handle: BorrowedHandle<'_>) -> io::Result<OwnedHandle> {
        self.pass_process(Call::DuplicateObject)?;
        handle.try_clone_to_owned()
    }

    /// Sets whether children inherit a handle. If that fails, so does the start with it.
    pub(crate) fn set_inheritable(&self, handle: BorrowedHandle<'_>, wanted: bool) {
        if self.pass_process(Call::SetObject).is_ok() {
            let flags = if wanted { HANDLE_FLAG_INHERIT } else { 0 };
            // SAFETY: the handle is open.
            unsafe { SetHandleInformation(raw(handle), HANDLE_FLAG_INHERIT, flags) };
        }
    }

    /// Creates a job without a name.
    pub(crate) fn create_job(&self) -> io::Result<OwnedHandle> {
        self.pass_process(Call::CreateJob)?;
        // SAFETY: neither attributes nor a name are given.
        taken(unsafe { CreateJobObjectW(ptr::null(), ptr::null()) })
    }

    /// Creates a process, and returns a handle and its number.
    pub(crate) fn create_process(
        &self,
        texts: &mut Texts,
        given: &Given<'_>,
    ) -> io::Result<(OwnedHandle, u32)> {
        self.pass_process(Call::CreateProcess)?;
        let mut attributes = Attributes::new(given)?;
        let mut startup = STARTUPINFOEXW::default();
        startup.StartupInfo.cb = size_of::<STARTUPINFOEXW>() as u32;
        startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
        [
            startup.StartupInfo.hStdInput,
            startup.StartupInfo.hStdOutput,
            startup.StartupInfo.hStdError,
        ] = given.streams;
        startup.lpAttributeList = attributes.pointer();
        let mut process = PROCESS_INFORMATION::default();
        // SAFETY: all texts end with a NUL (the environment with two), the line may be written to,
        // and all else is live. Only the handles in the list are inherited.
        done(unsafe {
            CreateProcessW(
                texts.application.as_ptr(),
                texts.line.as_mut_ptr(),
                ptr::null(),
                ptr::null(),
                i32::from(!given.inherited.is_empty()),
                given.flags | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT,
                texts.environment.as_ref().map_or(ptr::null(), |block| block.as_ptr().cast()),
                texts.directory.as_ref().map_or(ptr::null(), |path| path.as_ptr()),
                (&raw const startup).cast(),
                &raw mut process,
            )
        })?;
        let handle = taken(process.hProcess)?;
        self.close(taken(process.hThread)?);
        Ok((handle, process.dwProcessId))
    }

    /// Waits until a process has ended; `false` if the limit passed.
    pub(crate) fn wait(
        &self,
        process: BorrowedHandle<'_>,
        limit: Option<Duration>,
    ) -> io::Result<bool> {
        self.pass_process(Call::Wait)?;
        // Rounded up, so that callers do not ask repeatedly at the end. The largest number means
        // for ever.
        let wait = limit.map_or(INFINITE, |limit| {
            u32::try_from(limit.as_nanos().div_ceil(1_000_000))
                .unwrap_or(INFINITE - 1)
                .min(INFINITE - 1)
        });
        // SAFETY: the handle is open.
        match unsafe { WaitForSingleObject(raw(process), wait) } {
            WAIT_OBJECT_0 => Ok(true),
            WAIT_TIMEOUT => Ok(false),
            _ => Err(Error::last_os_error()),
        }
    }

    pub(crate) fn exit_code(&self, process: BorrowedHandle<'_>) -> io::Result<u32> {
        self.pass_process(Call::QueryProcess)?;
        let mut code = 0;
        // SAFETY: the handle is open, and there is space for a number.
        done(unsafe { GetExitCodeProcess(raw(process), &raw mut code) })?;
        Ok(code)
    }

    pub(crate) fn terminate(&self, process: BorrowedHandle<'_>, code: u32) -> io::Result<()> {
        self.pass_process(Call::TerminateProcess)?;
        // SAFETY: the handle is open.
        done(unsafe { TerminateProcess(raw(process), code) })
    }

    pub(crate) fn terminate_job(&self, job: BorrowedHandle<'_>, code: u32) -> io::Result<()> {
        self.pass_process(Call::TerminateJob)?;
        // SAFETY: the handle is open.
        done(unsafe { TerminateJobObject(raw(job), code) })
    }

    /// Returns the system directory. No call.
    pub(crate) fn system_directory() -> io::Result<Vec<u16>> {
        let mut room = vec![0_u16; 300];
        loop {
            let length = u32::try_from(room.len()).unwrap_or(u32::MAX);
            // SAFETY: the length is that of the buffer.
            let needed = unsafe { GetSystemDirectoryW(room.as_mut_ptr(), length) } as usize;
            if needed == 0 {
                return Err(Error::last_os_error());
            }
            if needed < room.len() {
                room.truncate(needed);
                return Ok(room);
            }
            room.resize(needed + 1, 0);
        }
    }

    /// Counts a close that happens when a handle is dropped.
    pub(crate) fn count_close(&self) {
        let _ = self.pass(Call::Close);
    }

    /// Counts a write to a pipe.
    pub(crate) fn count_writes(&self) -> io::Result<()> {
        self.pass_process(Call::WriteFile)
    }

    /// Returns how much can be read from a pipe without waiting; `None` at its end.
    pub(crate) fn available(&self, pipe: BorrowedHandle<'_>) -> io::Result<Option<usize>> {
        self.pass_process(Call::FsControl)?;
        let mut available = 0;
        // SAFETY: the handle is open, nothing is read, and there is space for a number.
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

    /// Sets whether writing to a pipe returns at once.
    pub(crate) fn set_nonblocking(&self, pipe: BorrowedHandle<'_>, wanted: bool) -> io::Result<()> {
        self.pass_process(Call::SetFile)?;
        let mode = if wanted { PIPE_NOWAIT } else { PIPE_WAIT };
        // SAFETY: the handle is open, the mode is one, and the rest is not asked for.
        done(unsafe {
            SetNamedPipeHandleState(raw(pipe), &raw const mode, ptr::null(), ptr::null())
        })
    }

    /// Counts reads of a pipe, which a second thread made without the door.
    pub(crate) fn count_reads(&self, reads: u64) -> io::Result<()> {
        (0..reads).try_for_each(|_| self.pass_process(Call::ReadFile))
    }
}

/// Reads what has arrived in a pipe; nothing at its end.
pub(crate) fn read_pipe(pipe: BorrowedHandle<'_>, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    let length = u32::try_from(into.len()).unwrap_or(u32::MAX);
    // SAFETY: the buffer is exclusively borrowed and has this length; the pipe was created for
    // synchronous use.
    let answer = unsafe {
        ReadFile(pipe.as_raw_handle(), into.as_mut_ptr(), length, &raw mut read, ptr::null_mut())
    };
    match done(answer) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        answer => answer.map(|()| read as usize),
    }
}

/// Writes to a pipe.
pub(crate) fn write_pipe(pipe: BorrowedHandle<'_>, bytes: &[u8]) -> io::Result<usize> {
    let mut written = 0;
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    // SAFETY: the buffer is borrowed and has this length; the pipe was created for synchronous use.
    done(unsafe {
        WriteFile(pipe.as_raw_handle(), bytes.as_ptr(), length, &raw mut written, ptr::null_mut())
    })?;
    Ok(written as usize)
}
