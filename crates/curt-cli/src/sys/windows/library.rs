//! Functions of libraries that are loaded when they are needed.

use std::ffi::CStr;

use windows_sys::Win32::System::LibraryLoader::{
    GetProcAddress, LOAD_LIBRARY_SEARCH_SYSTEM32, LoadLibraryExW,
};

/// A function of any type.
pub(super) type Function = unsafe extern "system" fn() -> isize;

/// Loads a library of the system, which stays loaded, and returns a function of it.
pub(super) fn function(library: &str, name: &CStr) -> Option<Function> {
    let library: Vec<u16> = library.encode_utf16().chain([0]).collect();
    // SAFETY: the name is terminated; only the directory of the system is searched.
    let library = unsafe {
        LoadLibraryExW(library.as_ptr(), std::ptr::null_mut(), LOAD_LIBRARY_SEARCH_SYSTEM32)
    };
    if library.is_null() {
        return None;
    }
    // SAFETY: the module is loaded, and never unloaded; the name is terminated.
    unsafe { GetProcAddress(library, name.as_ptr().cast()) }
}
