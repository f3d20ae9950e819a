//! Reading and writing standard streams, which can block forever: after the first signal that asks
//! the command to end, a timer interrupts the threads that are blocked.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::stdio::{stderr, stdin, stdout};

use crate::sys::interrupt;

/// The thread that uses each standard stream, or 0. The callers' locks allow one at a time.
static USERS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
/// How many handlers use `USERS`, whose threads must not end meanwhile.
static HANDLERS: AtomicU32 = AtomicU32::new(0);

/// The use of a stream by this thread.
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
    // SAFETY: the call has no preconditions.
    unsafe { libc::pthread_self() as usize }
}

pub(crate) fn write_stdout(bytes: &[u8]) -> io::Result<()> {
    write(stdout(), bytes)
}

pub(crate) fn write_stderr(bytes: &[u8]) -> io::Result<()> {
    write(stderr(), bytes)
}

/// Writes everything. After a signal, fails as interrupted if the stream takes nothing from one
/// interruption to the next.
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

/// Returns the next bytes of standard input, none at its end. `None` if a signal came first.
pub(crate) fn read_input() -> Option<Vec<u8>> {
    let _use = Use::begin(stdin());
    crate::sys::next_input()
}

/// Begins to interrupt blocked threads, for a handler. The timer repeats because a thread can be
/// interrupted right before its call blocks.
pub(super) fn interrupt_users() {
    let handler: extern "C" fn(i32) = pass_on;
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: an empty set and no flags, so that calls are not restarted, are what zeros mean.
    let action = unsafe { action.assume_init_mut() };
    action.sa_sigaction = handler as libc::sighandler_t;
    // SAFETY: the handler changes atomics and sends a signal, which handlers may do.
    unsafe { libc::sigaction(libc::SIGALRM, action, ptr::null_mut()) };
    let mut timer = MaybeUninit::<libc::itimerval>::zeroed();
    // SAFETY: zeros are a timer that is off.
    let timer = unsafe { timer.assume_init_mut() };
    (timer.it_value.tv_usec, timer.it_interval.tv_usec) = (1_000, 100_000);
    // SAFETY: the new value is read, and the old one is not asked for.
    unsafe { libc::setitimer(libc::ITIMER_REAL, timer, ptr::null_mut()) };
}

/// Passes the timer's signal on to the users of the streams. A user does not, so that none is
/// interrupted twice in an interval; it soon is no user any more.
extern "C" fn pass_on(number: i32) {
    HANDLERS.fetch_add(1, Ordering::SeqCst);
    let users = USERS.each_ref().map(|user| user.load(Ordering::SeqCst));
    if !users.contains(&this_thread()) {
        for user in users.into_iter().filter(|&user| user != 0) {
            // SAFETY: the thread waits for this handler before it ends.
            unsafe { libc::pthread_kill(user as libc::pthread_t, number) };
        }
    }
    HANDLERS.fetch_sub(1, Ordering::SeqCst);
}
