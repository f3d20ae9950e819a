//! libuv's error numbers on Windows, under their names in `libc`, and its file descriptors.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::mem;
use std::os::windows::io::{AsRawHandle, IntoRawHandle};
use std::ptr;

use windows_sys::Win32::Foundation as system;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};

pub const EACCES: i32 = 4092;
pub const EBADF: i32 = 4083;
pub const EBUSY: i32 = 4082;
pub const EEXIST: i32 = 4075;
pub const EINVAL: i32 = 4071;
pub const EIO: i32 = 4070;
pub const EISDIR: i32 = 4068;
pub const ELOOP: i32 = 4067;
pub const EMFILE: i32 = 4066;
pub const ENAMETOOLONG: i32 = 4064;
pub const ENOENT: i32 = 4058;
pub const ENOMEM: i32 = 4057;
pub const ENOSPC: i32 = 4055;
pub const ENOTDIR: i32 = 4052;
pub const ENOTEMPTY: i32 = 4051;
pub const ENOTSUP: i32 = 4049;
pub const EPERM: i32 = 4048;
pub const EROFS: i32 = 4043;
pub const EXDEV: i32 = 4037;
const UNKNOWN: i32 = 4094;

/// Returns libuv's number, which depends on the function that Node would report.
pub fn of_system(number: i32, function: &str) -> i32 {
    let is_listing = matches!(function, "scandir" | "opendir");
    match number.cast_unsigned() {
        system::ERROR_NOACCESS | system::ERROR_CANT_ACCESS_FILE => EACCES,
        system::ERROR_INVALID_HANDLE => EBADF,
        system::ERROR_BUSY | system::ERROR_LOCK_VIOLATION | system::ERROR_SHARING_VIOLATION => {
            EBUSY
        }
        system::ERROR_ALREADY_EXISTS | system::ERROR_FILE_EXISTS => EEXIST,
        system::ERROR_INVALID_DATA
        | system::ERROR_INVALID_PARAMETER
        | system::ERROR_INSUFFICIENT_BUFFER
        | system::ERROR_NOT_A_REPARSE_POINT => EINVAL,
        system::ERROR_CRC | system::ERROR_DISK_CORRUPT | system::ERROR_IO_DEVICE => EIO,
        system::ERROR_CANT_RESOLVE_FILENAME => ELOOP,
        system::ERROR_TOO_MANY_OPEN_FILES => EMFILE,
        system::ERROR_FILENAME_EXCED_RANGE => ENAMETOOLONG,
        system::ERROR_BAD_PATHNAME
        | system::ERROR_FILE_NOT_FOUND
        | system::ERROR_INVALID_DRIVE
        | system::ERROR_INVALID_NAME
        | system::ERROR_INVALID_REPARSE_DATA
        | system::ERROR_PATH_NOT_FOUND => ENOENT,
        // Only Wine returns this number if a component of the path is no directory.
        system::ERROR_DIRECTORY if is_listing => ENOTDIR,
        system::ERROR_DIRECTORY => ENOENT,
        system::ERROR_NOT_ENOUGH_MEMORY | system::ERROR_OUTOFMEMORY => ENOMEM,
        system::ERROR_DISK_FULL | system::ERROR_HANDLE_DISK_FULL => ENOSPC,
        system::ERROR_DIR_NOT_EMPTY => ENOTEMPTY,
        system::ERROR_NOT_SUPPORTED => ENOTSUP,
        system::ERROR_ACCESS_DENIED | system::ERROR_PRIVILEGE_NOT_HELD => EPERM,
        system::ERROR_WRITE_PROTECT => EROFS,
        system::ERROR_NOT_SAME_DEVICE => EXDEV,
        system::ERROR_DIRECTORY_NOT_SUPPORTED | system::ERROR_INVALID_FUNCTION => EISDIR,
        _ => UNKNOWN,
    }
}

/// Converts a file to a descriptor of the running program's C library. Fails with `ENOTSUP` if the
/// program lacks libuv's function, or `EMFILE` if it has too many descriptors.
pub fn descriptor(file: File) -> Result<c_int, i32> {
    type Found = unsafe extern "system" fn() -> isize;
    type OpenDescriptor = unsafe extern "C" fn(*mut c_void) -> c_int;

    // SAFETY: a null name means the running program, which is never unloaded.
    let program = unsafe { GetModuleHandleW(ptr::null()) };
    // SAFETY: the name is NUL-terminated.
    let found = unsafe { GetProcAddress(program, c"uv_open_osfhandle".as_ptr().cast()) };
    let found = found.ok_or(ENOTSUP)?;
    // SAFETY: libuv declares the function with this signature.
    let open = unsafe { mem::transmute::<Found, OpenDescriptor>(found) };
    // SAFETY: the handle is open.
    let descriptor = unsafe { open(file.as_raw_handle()) };
    if descriptor < 0 {
        return Err(EMFILE);
    }
    let _ = file.into_raw_handle();
    Ok(descriptor)
}
