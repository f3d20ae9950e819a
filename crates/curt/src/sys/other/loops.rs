//! Links in a circle, where the numbers of errors are known.

use std::io;

use super::Other;
use crate::sys::Loops;

impl Loops for Other {
    #[cfg(unix)]
    fn is_loop(error: &io::Error) -> bool {
        error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }

    /// The standard library has no stable word for it: it is an error like any other.
    #[cfg(not(unix))]
    fn is_loop(_error: &io::Error) -> bool {
        false
    }
}
