//! Reading or writing a standard stream can block forever. After the first signal, a timer
//! interrupts the threads that do so.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::stdio::{stderr, stdin, stdout};

use crate::sys::interrupt;

/// For each stream, the thread that uses it, or 0. The callers' locks admit one thread at a time.
static USERS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
/// The number of running handlers. Until it is 0, no thread in `USERS` may end.
static HANDLERS: AtomicU32 = AtomicU32::new(0);

struct Use(&'static AtomicUsize);

impl Use {
    fn begin(stream: BorrowedFd<'_>) -> Option<Use> {
        let user = USERS.get(usize::try_from(stream.as_raw_fd()).ok()?)?;
        user.store(this_thread(), Ordering::SeqCst);
        Some(Use(user))
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.0.store(0, Ordering::SeqCst);
        while HANDLERS.load(Ordering::SeqCst) != 0 {
            std::thread::yield_now();
        }
    }
}

fn this_thread() -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::pthread_self() as usize }
}

pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    write(stdout(), bytes)
}

pub(crate) fn write_stderr(bytes: &[u8]) -> io::Result<()> {
    write(stderr(), bytes)
}

/// After a signal, fails if the stream accepts no byte between two interruptions.
fn write(stream: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    let _use = Use::begin(stream);
    let mut is_stuck = false;
    while !bytes.is_empty() {
        match rustix::io::write(stream, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                is_stuck = false;
            }
            Err(Errno::INTR) if !is_stuck => is_stuck = interrupt::signal().is_some(),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

pub(crate) fn read_input() -> Option<Vec<u8>> {
    let _use = Use::begin(stdin());
    crate::sys::next_input()
}

/// Starts the timer, in a signal handler. The timer repeats, because its first signal may arrive
/// just before the call that blocks.
pub(super) fn interrupt_users() {
    let handler: extern "C" fn(i32) = forward_timer;
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: zeros mean an empty set and no flags, so interrupted calls are not restarted.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // SAFETY: the handler is async-signal-safe.
    unsafe { libc::sigaction(libc::SIGALRM, action, ptr::null_mut()) };
    let mut timer = MaybeUninit::<libc::itimerval>::zeroed();
    // SAFETY: zeros mean a disabled timer.
    let timer = unsafe { timer.assume_init_mut() };
    (timer.it_value.tv_usec, timer.it_interval.tv_usec) = (1_000, 100_000);
    // SAFETY: the new value is live.
    unsafe { libc::setitimer(libc::ITIMER_REAL, timer, ptr::null_mut()) };
}

/// Forwards the timer's signal, unless this thread uses a stream itself, so that no thread is
/// interrupted twice in one interval.
extern "C" fn forward_timer(number: i32) {
    HANDLERS.fetch_add(1, Ordering::SeqCst);
    let users = USERS.each_ref().map(|user| user.load(Ordering::SeqCst));
    if !users.contains(&this_thread()) {
        for user in users.into_iter().filter(|&user| user != 0) {
            // SAFETY: the thread cannot end before this handler does.
            unsafe { libc::pthread_kill(user as libc::pthread_t, number) };
        }
    }
    HANDLERS.fetch_sub(1, Ordering::SeqCst);
}
