use std::ffi::CStr;

use windows_sys::Win32::System::LibraryLoader::{
    GetProcAddress, LOAD_LIBRARY_SEARCH_SYSTEM32, LoadLibraryExW,
};

pub(super) type Function = unsafe extern "system" fn() -> isize;

/// Returns a function of a library, which is never unloaded.
pub(super) fn function(library: &str, name: &CStr) -> Option<Function> {
    let library: Vec<u16> = library.encode_utf16().chain([0]).collect();
    // SAFETY: the name ends with NUL. The loader searches only the system directory.
    let library = unsafe {
        LoadLibraryExW(library.as_ptr(), std::ptr::null_mut(), LOAD_LIBRARY_SEARCH_SYSTEM32)
    };
    if library.is_null() {
        return None;
    }
    // SAFETY: the module is never unloaded, and the name ends with NUL.
    unsafe { GetProcAddress(library, name.as_ptr().cast()) }
}
