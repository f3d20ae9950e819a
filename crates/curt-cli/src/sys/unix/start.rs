//! Prepares the process as Rust's runtime would, which does not run with our own `main`
//! (`main.rs`), and records the original state:
//!
//! - The runtime opens `/dev/null` for a closed standard stream, so that no file gets its number.
//!   But then programs inherit the stream as if it were open. So this module opens `/dev/null`
//!   first, with close-on-exec, and remembers the closed streams.
//! - Like the runtime, this module ignores `SIGPIPE`, so that writing to a broken pipe is an error,
//!   and the command can still print its totals. It records whether the signal was already ignored.

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::stdio::{stderr, stdin, stdout};

static CLOSED: AtomicU8 = AtomicU8::new(0);
static IGNORED_PIPES: AtomicBool = AtomicBool::new(false);

/// The loader calls `start` before `main`. SAFETY: functions in these sections are called once, on
/// the only thread. `start` does not allocate, use the runtime, or panic.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static START: extern "C" fn() = start;

extern "C" fn start() {
    fill();
    // SAFETY: the action runs no code of this program.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    IGNORED_PIPES.store(before == libc::SIG_IGN, Ordering::Relaxed);
}

pub(crate) fn ignores_broken_pipes() -> bool {
    IGNORED_PIPES.load(Ordering::Relaxed)
}

/// Whether a standard stream was closed; it is now open to `/dev/null`.
pub(crate) fn was_closed(descriptor: RawFd) -> bool {
    (0..3).contains(&descriptor) && CLOSED.load(Ordering::Relaxed) >> descriptor & 1 == 1
}

fn fill() {
    let all: [BorrowedFd<'static>; 3] = [stdin(), stdout(), stderr()];
    let mut polls = all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::empty()));
    // One call is enough if all three are open. It fails if the descriptor limit is below three.
    let polled = poll(&mut polls, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    for (number, (fd, poll)) in all.into_iter().zip(&polls).enumerate() {
        let is_closed = match polled {
            Ok(_) => poll.revents().contains(PollFlags::NVAL),
            Err(_) => rustix::io::fcntl_getfd(fd).is_err(),
        };
        if is_closed {
            CLOSED.fetch_or(1 << number, Ordering::Relaxed);
            // `open(2)` returns the lowest free number.
            let flags = OFlags::RDWR | OFlags::CLOEXEC;
            if let Ok(null) = rustix::fs::open(c"/dev/null", flags, Mode::empty()) {
                std::mem::forget(null);
            }
        }
    }
}
