//! The start of the process, without that of `std`, which looks up where the stack ends by reading
//! and parsing all of `/proc/self/maps`: as much work as removing twenty files. What else it does is
//! done here as well. What is given up is the message "thread has overflowed its stack" before the
//! signal that ends the process; curt's use of the stack is bounded and tested.
//!
//! Where `build.rs` chooses it: with the GNU C library `std::env::args` needs nothing of `std`'s start.

use std::ffi::{c_char, c_int};
use std::io::{self, Write};

/// The system's `main`.
// SAFETY: no other function of the program bears this name, and the C library calls it with these
// arguments, once. A panic cannot leave it: it ends the process.
#[unsafe(no_mangle)]
extern "C" fn main(_argument_count: c_int, _arguments: *const *const c_char) -> c_int {
    let exit = crate::run();
    // What is left of a last line without its end. Where it cannot be written there is nobody to tell.
    let _ = io::stdout().flush();
    c_int::from(exit.code())
}
