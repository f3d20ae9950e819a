//! The syscall layer of Windows: one function for each native call.

mod process;

use std::os::windows::io::{
    AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, IntoRawHandle, OwnedHandle,
};
use std::ptr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::NtWriteFile;
use windows_sys::Win32::Foundation::{
    HANDLE, OBJ_CASE_INSENSITIVE, STATUS_OBJECT_NAME_INVALID, UNICODE_STRING,
};
use windows_sys::Win32::Storage::FileSystem::FILE_ATTRIBUTE_NORMAL;
use windows_sys::Win32::System::IO::IO_STATUS_BLOCK;

use super::native::{Native, QueryInformation};
use super::status::{Result, Status};
use crate::calls::Calls;
use crate::sys::Setup;
use crate::sys::gate::{Gate, calls};

const FILE_CREATED: usize = 2;

const SHARE_ALL: u32 = 7;

// The names come from ntdll, except `LookupAccountSidW`. A Win32 function counts as the nearest
// native call.
calls! {
    Open "NtOpenFile",
    Close "NtClose",
    QueryDirectory "NtQueryDirectoryFile",
    QueryFile "NtQueryInformationFile",
    SetFile "NtSetInformationFile",
    QueryVolume "NtQueryVolumeInformationFile",
    QueryByName "NtQueryInformationByName",
    FsControl "NtFsControlFile",
    QuerySecurity "NtQuerySecurityObject",
    LookUpAccount "LookupAccountSidW",
    ReadFile "NtReadFile",
    WriteFile "NtWriteFile",
    CreateFile "NtCreateFile",
    Now "NtQueryPerformanceCounter",
    Sleep "NtDelayExecution",
    Wait "NtWaitForSingleObject",
    CreateJob "NtCreateJobObject",
    AssignProcess "NtAssignProcessToJobObject",
    ResumeProcess "NtResumeProcess",
    TerminateJob "NtTerminateJobObject",
    DuplicateObject "NtDuplicateObject",
}

pub(super) struct Syscalls {
    gate: Gate,
    pub(super) native: &'static Native,
}

/// An entry, named relative to an open directory or by a full native path.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) root: Option<BorrowedHandle<'a>>,
    pub(super) name: &'a [u16],
    /// Whether case is ignored, except in case-sensitive directories.
    pub(super) any_case: bool,
}

impl Target<'_> {
    /// Calls `with` with object attributes, whose pointers are valid only during that call.
    fn with<T>(self, more: u32, with: impl FnOnce(&OBJECT_ATTRIBUTES) -> Result<T>) -> Result<T> {
        let name = string(self.name)?;
        with(&OBJECT_ATTRIBUTES {
            Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
            RootDirectory: self.root.map_or(ptr::null_mut(), |root| root.as_raw_handle()),
            ObjectName: &raw const name,
            Attributes: more | if self.any_case { OBJ_CASE_INSENSITIVE } else { 0 },
            SecurityDescriptor: ptr::null(),
            SecurityQualityOfService: ptr::null(),
        })
    }
}

/// Returns a string that points to the borrowed units.
fn string(units: &[u16]) -> Result<UNICODE_STRING> {
    let too_long = Status(STATUS_OBJECT_NAME_INVALID);
    let length = u16::try_from(units.len() * 2).map_err(|_| too_long)?;
    let buffer = units.as_ptr().cast_mut();
    Ok(UNICODE_STRING { Length: length, MaximumLength: length, Buffer: buffer })
}

fn check(status: i32) -> Result<()> {
    if status == 0 { Ok(()) } else { Err(Status(status)) }
}

fn raw(handle: BorrowedHandle<'_>) -> HANDLE {
    handle.as_raw_handle()
}

impl Syscalls {
    pub(super) fn new(setup: &Setup) -> Self {
        #[cfg(test)]
        let native = setup.native.unwrap_or_else(Native::system);
        #[cfg(not(test))]
        let native = Native::system();
        Syscalls { gate: Gate::new(NAMES, setup), native }
    }

    pub(super) fn calls(&self) -> Calls {
        self.gate.calls()
    }

    fn pass(&self, call: Call) -> Result<()> {
        self.gate.pass(call as usize).map_err(Status)
    }

    /// The standard library opens the path, queries its name and volume, and closes it. This counts
    /// as one call.
    #[allow(clippy::disallowed_methods, reason = "counted here")]
    pub(super) fn canonical(&self, path: &std::path::Path) -> std::io::Result<std::path::PathBuf> {
        self.pass(Call::QueryFile)?;
        std::fs::canonicalize(path)
    }

    pub(super) fn open(
        &self,
        target: Target<'_>,
        access: u32,
        options: u32,
    ) -> Result<OwnedHandle> {
        self.pass(Call::Open)?;
        let mut handle: HANDLE = ptr::null_mut();
        let mut block = IO_STATUS_BLOCK::default();
        target.with(0, |attributes| {
            // SAFETY: all pointers are live, the name until `with` returns. The root is open, if
            // there is one.
            let status = unsafe {
                (self.native.open)(
                    &raw mut handle,
                    access,
                    attributes,
                    &raw mut block,
                    SHARE_ALL,
                    options,
                )
            };
            check(status)
        })?;
        // SAFETY: the new handle is open and not owned elsewhere.
        Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
    }

    pub(super) fn opened<T>(
        &self,
        target: Target<'_>,
        access: u32,
        options: u32,
        with: impl FnOnce(BorrowedHandle<'_>) -> T,
    ) -> Result<T> {
        let handle = self.open(target, access, options)?;
        let done = with(handle.as_handle());
        self.close(handle);
        Ok(done)
    }

    /// Also returns whether the file was created. `more` adds object attributes.
    pub(super) fn create(
        &self,
        target: Target<'_>,
        more: u32,
        access: u32,
        disposition: u32,
        options: u32,
    ) -> Result<(OwnedHandle, bool)> {
        self.pass(Call::CreateFile)?;
        let mut handle: HANDLE = ptr::null_mut();
        let mut block = IO_STATUS_BLOCK::default();
        target.with(more, |attributes| {
            // SAFETY: as in `open`.
            let status = unsafe {
                (self.native.create)(
                    &raw mut handle,
                    access,
                    attributes,
                    &raw mut block,
                    ptr::null(),
                    FILE_ATTRIBUTE_NORMAL,
                    SHARE_ALL,
                    disposition,
                    options,
                    ptr::null(),
                    0,
                )
            };
            check(status)
        })?;
        // SAFETY: the new handle is open and not owned elsewhere.
        let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
        Ok((handle, block.Information == FILE_CREATED))
    }

    pub(super) fn close(&self, handle: OwnedHandle) {
        let _ = self.pass(Call::Close);
        // SAFETY: the handle is owned, and closed only once.
        let _ = unsafe { (self.native.close)(handle.into_raw_handle()) };
    }

    /// Fills the buffer, which must be aligned to 8 bytes, with records of a class. Returns their
    /// size in bytes. The first call on a handle fixes the pattern.
    pub(super) fn query_directory(
        &self,
        dir: BorrowedHandle<'_>,
        buffer: &mut [u16],
        class: i32,
        restart: bool,
        pattern: Option<&[u16]>,
    ) -> Result<usize> {
        self.pass(Call::QueryDirectory)?;
        let mut block = IO_STATUS_BLOCK::default();
        let length = u32::try_from(size_of_val(buffer)).unwrap_or(u32::MAX);
        let pattern = pattern.map(string).transpose()?;
        // SAFETY: the buffer is borrowed and as long as stated, and the pattern is live or null.
        // The handle is synchronous, so the kernel writes only during the call.
        let status = unsafe {
            (self.native.query_directory)(
                raw(dir),
                ptr::null_mut(),
                None,
                ptr::null(),
                &raw mut block,
                buffer.as_mut_ptr().cast(),
                length,
                class,
                false,
                pattern.as_ref().map_or(ptr::null(), ptr::from_ref),
                restart,
            )
        };
        check(status)?;
        Ok(block.Information)
    }

    /// Returns `false` if the end of the answer, such as a name, is truncated.
    pub(super) fn query_file(
        &self,
        file: BorrowedHandle<'_>,
        buffer: &mut [u64],
        class: i32,
    ) -> Result<bool> {
        self.pass(Call::QueryFile)?;
        query(self.native.query_file, file, buffer, class)
    }

    pub(super) fn query_volume(
        &self,
        file: BorrowedHandle<'_>,
        buffer: &mut [u64],
        class: i32,
    ) -> Result<bool> {
        self.pass(Call::QueryVolume)?;
        query(self.native.query_volume, file, buffer, class)
    }

    /// Returns `None` if the system lacks the call.
    pub(super) fn query_by_name(
        &self,
        target: Target<'_>,
        buffer: &mut [u64],
        class: i32,
    ) -> Option<Result<()>> {
        let query = self.native.query_by_name?;
        if let Err(error) = self.pass(Call::QueryByName) {
            return Some(Err(error));
        }
        let mut block = IO_STATUS_BLOCK::default();
        let length = size_of_val(buffer) as u32;
        Some(target.with(0, |attributes| {
            // SAFETY: all pointers are live, and the buffer is as long as stated.
            let status = unsafe {
                query(attributes, &raw mut block, buffer.as_mut_ptr().cast(), length, class)
            };
            check(status)
        }))
    }

    /// Returns the number of bytes of output. Uses the first `input_length` bytes of the input. The
    /// handle must be synchronous.
    pub(super) fn fs_control(
        &self,
        file: BorrowedHandle<'_>,
        code: u32,
        (input, input_length): (&[u64], usize),
        buffer: &mut [u64],
    ) -> Result<usize> {
        self.pass(Call::FsControl)?;
        let mut block = IO_STATUS_BLOCK::default();
        let length = size_of_val(buffer) as u32;
        let input_length = input_length.min(size_of_val(input)) as u32;
        // SAFETY: as in `query_directory`.
        let status = unsafe {
            (self.native.fs_control)(
                raw(file),
                ptr::null_mut(),
                None,
                ptr::null(),
                &raw mut block,
                code,
                input.as_ptr().cast(),
                input_length,
                buffer.as_mut_ptr().cast(),
                length,
            )
        };
        check(status)?;
        Ok(block.Information)
    }

    /// Reads from the current position. The handle must be synchronous.
    pub(super) fn read(&self, file: BorrowedHandle<'_>, buffer: &mut [u8]) -> Result<usize> {
        self.pass(Call::ReadFile)?;
        let mut block = IO_STATUS_BLOCK::default();
        let length = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
        // SAFETY: as in `query_directory`.
        let status = unsafe {
            (self.native.read)(
                raw(file),
                ptr::null_mut(),
                None,
                ptr::null(),
                &raw mut block,
                buffer.as_mut_ptr().cast(),
                length,
                ptr::null(),
                ptr::null(),
            )
        };
        check(status)?;
        Ok(block.Information)
    }

    /// Writes at the current position. The handle must be synchronous.
    pub(super) fn write(&self, file: BorrowedHandle<'_>, bytes: &[u8]) -> Result<usize> {
        self.pass(Call::WriteFile)?;
        let mut block = IO_STATUS_BLOCK::default();
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        // SAFETY: the bytes are as long as stated, and the handle is open. It is synchronous, so the
        // kernel reads them only during the call.
        let status = unsafe {
            NtWriteFile(
                raw(file),
                ptr::null_mut(),
                None,
                ptr::null(),
                &raw mut block,
                bytes.as_ptr().cast(),
                length,
                ptr::null(),
                ptr::null(),
            )
        };
        check(status)?;
        Ok(block.Information)
    }

    /// If the buffer is too small, the error includes the required length.
    pub(super) fn query_security(
        &self,
        file: BorrowedHandle<'_>,
        parts: u32,
        buffer: &mut [u64],
    ) -> std::result::Result<usize, (Status, usize)> {
        self.pass(Call::QuerySecurity).map_err(|status| (status, 0))?;
        let mut wanted = 0_u32;
        let length = size_of_val(buffer) as u32;
        // SAFETY: the buffer is as long as stated, and the handle is open.
        let status = unsafe {
            (self.native.query_security)(
                raw(file),
                parts,
                buffer.as_mut_ptr().cast(),
                length,
                &raw mut wanted,
            )
        };
        check(status).map_err(|status| (status, wanted as usize))?;
        Ok(wanted as usize)
    }

    /// Returns account and domain, or `None` if the account has no name or the function is missing.
    pub(super) fn look_up_account(&self, sid: &[u32]) -> Option<(Vec<u16>, Vec<u16>)> {
        const CAPACITY: usize = 256;
        let look_up = self.native.look_up_account()?;
        self.pass(Call::LookUpAccount).ok()?;
        let (mut name, mut domain) = (vec![0_u16; CAPACITY], vec![0_u16; CAPACITY]);
        let (mut name_length, mut domain_length) = (CAPACITY as u32, CAPACITY as u32);
        let mut kind = 0;
        // SAFETY: the lengths are those of the live buffers. The identifier is aligned, and its
        // stated length was checked.
        let found = unsafe {
            look_up(
                ptr::null(),
                sid.as_ptr().cast_mut().cast(),
                name.as_mut_ptr(),
                &raw mut name_length,
                domain.as_mut_ptr(),
                &raw mut domain_length,
                &raw mut kind,
            )
        };
        if found == 0 {
            return None;
        }
        name.truncate(name_length as usize);
        domain.truncate(domain_length as usize);
        Some((name, domain))
    }

    /// Uses the first `length` bytes of the buffer.
    pub(super) fn set_file(
        &self,
        file: BorrowedHandle<'_>,
        buffer: &[u64],
        length: usize,
        class: i32,
    ) -> Result<()> {
        self.pass(Call::SetFile)?;
        let mut block = IO_STATUS_BLOCK::default();
        let length = length.min(size_of_val(buffer)) as u32;
        // SAFETY: the buffer is at least as long as stated, and the handle is open.
        let status = unsafe {
            (self.native.set_file)(raw(file), &raw mut block, buffer.as_ptr().cast(), length, class)
        };
        check(status)
    }

    pub(super) fn now(&self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        let _ = self.pass(Call::Now);
        START.get_or_init(Instant::now).elapsed()
    }

    #[allow(clippy::disallowed_methods, reason = "counted here")]
    pub(super) fn sleep(&self, time: Duration) {
        if self.pass(Call::Sleep).is_ok() {
            std::thread::sleep(time);
        }
    }
}

fn query(
    function: QueryInformation,
    file: BorrowedHandle<'_>,
    buffer: &mut [u64],
    class: i32,
) -> Result<bool> {
    let mut block = IO_STATUS_BLOCK::default();
    let length = size_of_val(buffer) as u32;
    // SAFETY: the buffer is as long as stated, and the handle is open.
    let status =
        unsafe { function(raw(file), &raw mut block, buffer.as_mut_ptr().cast(), length, class) };
    match check(status) {
        Err(Status::BUFFER_OVERFLOW) => Ok(false),
        answer => answer.map(|()| true),
    }
}
