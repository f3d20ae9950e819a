//! Sets file attributes on Windows. The standard library can set only the read-only attribute.

use std::io::{Error, Result};
use std::os::windows::ffi::OsStrExt;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::SetFileAttributesW;

pub(crate) fn set(path: &Path, attributes: u32) -> Result<()> {
    let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    // SAFETY: the path ends with NUL and lives until the call returns.
    match unsafe { SetFileAttributesW(path.as_ptr(), attributes) } {
        0 => Err(Error::last_os_error()),
        _ => Ok(()),
    }
}
