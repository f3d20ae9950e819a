//! A stack that is large enough.

use std::io::Write;
use std::thread::Builder;

use rustix::process::{Resource, getrlimit};

use crate::exit::Exit;

/// The command line alone takes about 100 KiB of stack, several times that in a debug build.
const ENOUGH: usize = 1 << 20;

/// Runs the command on this thread or, where the limit of its stack is small (`ulimit -s 64`), on
/// another one.
pub(crate) fn with_stack(run: fn() -> Exit) -> Exit {
    if getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= ENOUGH as u64) {
        return run();
    }
    // A signal interrupts the thread that works, not this one, which the system prefers.
    let before = block_signals();
    let run = move || {
        if let Some(before) = before {
            set_signals(&before);
        }
        run()
    };
    match Builder::new().name("main".to_owned()).stack_size(2 * ENOUGH).spawn(run) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(error) => {
            let message = format!("curt: the stack is too small: {error}; see 'ulimit -s'\n");
            let _ = std::io::stderr().write_all(message.as_bytes());
            Exit::FAILURE
        }
    }
}

/// Blocks all signals for this thread. Returns those that were blocked before.
fn block_signals() -> Option<libc::sigset_t> {
    // SAFETY: all zeros is a value of this plain set.
    let [mut all, mut before]: [libc::sigset_t; 2] = unsafe { std::mem::zeroed() };
    // SAFETY: the set is exclusively borrowed.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: one set is a valid one, and the other is exclusively borrowed.
    let failed =
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) } != 0;
    (!failed).then_some(before)
}

/// Sets which signals are blocked for this thread.
fn set_signals(blocked: &libc::sigset_t) {
    // SAFETY: the set is a valid one, and the old one is not asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, blocked, std::ptr::null_mut()) };
}
