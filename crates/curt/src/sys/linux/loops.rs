//! Links in a circle: `ELOOP`.

use std::io;

use rustix::io::Errno;

use super::Linux;
use crate::sys::Loops;

impl Loops for Linux {
    fn is_loop(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
    }
}
