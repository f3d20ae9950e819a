//! Links in a circle, by the number of Linux.

use std::io;

use super::Memory;
use super::system::errno;
use crate::sys::Loops;

impl Loops for Memory {
    fn is_loop(error: &io::Error) -> bool {
        error.raw_os_error() == Some(errno::LOOP)
    }
}
