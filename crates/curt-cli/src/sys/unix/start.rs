//! The start of the process: two things that Rust's runtime does, too, where it runs, but without a
//! record of them.
//!
//! - It opens `/dev/null` for a standard stream that is closed, so that no file gets its number.
//!   Afterwards it looks like an open one, and programs that are started inherit it. So this
//!   module does the same first, remembers which were closed, and sets close-on-exec: a program
//!   that is started finds the same streams closed.
//! - It ignores `SIGPIPE`: writing to a broken pipe is an error, so that the command can still
//!   print its totals. Whether the signal was ignored before is recorded here.

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::stdio::{stderr, stdin, stdout};

/// One bit for each standard descriptor that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);
static IGNORED_PIPES: AtomicBool = AtomicBool::new(false);

/// The loader calls this before `main`, and so before Rust's runtime.
// SAFETY: both sections hold pointers to functions that are called once, on the only thread. This
// one neither allocates nor uses anything that the runtime sets up, and cannot panic.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static START: extern "C" fn() = start;

extern "C" fn start() {
    fill();
    // SAFETY: setting a signal's action to "ignore" runs no code of ours; no other thread exists
    // yet.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    IGNORED_PIPES.store(before == libc::SIG_IGN, Ordering::Relaxed);
}

/// Whether the process was started with SIGPIPE ignored.
pub(crate) fn ignores_broken_pipes() -> bool {
    IGNORED_PIPES.load(Ordering::Relaxed)
}

/// Whether one of the descriptors 0 to 2 was closed when the process was started. It is open to
/// `/dev/null` now.
pub(crate) fn was_closed(descriptor: RawFd) -> bool {
    (0..3).contains(&descriptor) && CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
}

/// Opens `/dev/null` for each standard descriptor that is closed.
fn fill() {
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
