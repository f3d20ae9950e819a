//! Standard input, output and error as the process was started with them: any of them may be
//! closed.
//!
//! Rust's runtime opens `/dev/null` for a closed one, so that no file gets its number. Afterwards
//! it looks like an open one, and programs that are started inherit it. So this module does the
//! same before the runtime, remembers which were closed, and sets close-on-exec: a program that is
//! started finds closed what was closed.

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::stdio::{stderr, stdin, stdout};

/// One bit for each standard descriptor that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// The loader calls this before `main`, and so before Rust's runtime looks at the descriptors.
// SAFETY: both sections hold pointers to functions that are called once, on the only thread. This
// one neither allocates nor uses anything that the runtime sets up, and cannot panic.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static FILL: extern "C" fn() = fill;

/// Whether one of the descriptors 0 to 2 was closed when the process was started. What is open
/// there now is `/dev/null`.
pub(crate) fn was_closed(descriptor: RawFd) -> bool {
    (0..3).contains(&descriptor) && CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
}

/// Opens `/dev/null` for each standard descriptor that is closed.
extern "C" fn fill() {
    let all: [BorrowedFd<'static>; 3] = [stdin(), stdout(), stderr()];
    let mut polls = all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::empty()));
    // One call if all are open. The system refuses to poll three if its limit is lower.
    let polled = poll(&mut polls, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    for (number, (fd, poll)) in all.into_iter().zip(&polls).enumerate() {
        let is_closed = match polled {
            Ok(_) => poll.revents().contains(PollFlags::NVAL),
            Err(_) => rustix::io::fcntl_getfd(fd).is_err(),
        };
        if is_closed {
            CLOSED.fetch_or(1 << number, Ordering::Relaxed);
            // The lowest free number is used, which is this one.
            let flags = OFlags::RDWR | OFlags::CLOEXEC;
            if let Ok(null) = rustix::fs::open(c"/dev/null", flags, Mode::empty()) {
                std::mem::forget(null);
            }
        }
    }
}
