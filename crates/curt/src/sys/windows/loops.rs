//! Links in a circle: the system follows 63 of them, and then says that it cannot resolve the name.

use std::io;

use windows_sys::Win32::Foundation::ERROR_CANT_RESOLVE_FILENAME;

use super::Windows;
use crate::sys::Loops;

impl Loops for Windows {
    fn is_loop(error: &io::Error) -> bool {
        error.raw_os_error() == i32::try_from(ERROR_CANT_RESOLVE_FILENAME).ok()
    }
}
