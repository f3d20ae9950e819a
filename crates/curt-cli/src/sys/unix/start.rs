//! The start of the process, without that of `std`, which looks up where the stack ends by reading
//! and parsing all of `/proc/self/maps`: as much work as removing twenty files. What else it does is
//! done here as well. What is given up is the message "thread has overflowed its stack" before the
//! signal that ends the process; curt's use of the stack is bounded and tested.
//!
//! Where `build.rs` chooses it: with the GNU C library `std::env::args` needs nothing of `std`'s start.

use std::ffi::{c_char, c_int};
use std::io::{self, Write};
use std::os::fd::BorrowedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::stdio::{stderr, stdin, stdout};

/// The system's `main`.
// SAFETY: no other function of the program bears this name, and the C library calls it with these
// arguments, once. A panic cannot leave it: it ends the process.
#[unsafe(no_mangle)]
extern "C" fn main(_argument_count: c_int, _arguments: *const *const c_char) -> c_int {
    fill_standard_descriptors();
    ignore_broken_pipes();
    let exit = crate::run();
    // What is left of a last line without its end. Where it cannot be written there is nobody to tell.
    let _ = io::stdout().flush();
    c_int::from(exit.code())
}

/// Opens `/dev/null` for each standard descriptor that the process was started without: a directory
/// would get its number otherwise, and a message written to it would be lost, or worse.
fn fill_standard_descriptors() {
    let all: [BorrowedFd<'static>; 3] = [stdin(), stdout(), stderr()];
    let mut polls = all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::empty()));
    // One call where all are open. The system refuses to poll three where fewer are allowed.
    let polled = poll(&mut polls, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    for (fd, poll) in all.into_iter().zip(&polls) {
        let is_missing = match polled {
            Ok(_) => poll.revents().contains(PollFlags::NVAL),
            Err(_) => rustix::io::fcntl_getfd(fd).is_err(),
        };
        if is_missing {
            // The lowest free number is taken, which is this one.
            if let Ok(null) = rustix::fs::open("/dev/null", OFlags::RDWR, Mode::empty()) {
                std::mem::forget(null);
            }
        }
    }
}

/// Makes writing to a pipe without a reader an error, as `std` does, instead of the end.
fn ignore_broken_pipes() {
    // SAFETY: setting a signal's action to "ignore" runs no code of ours; no other thread exists yet.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
}
