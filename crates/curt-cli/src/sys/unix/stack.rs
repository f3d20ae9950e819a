//! A stack that is large enough.

use std::io::Write;
use std::thread::Builder;

use rustix::process::{Resource, getrlimit};

use super::signals::{MOST_SIGNALS, apply_mask, change_mask};
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
    let before = change_mask(libc::SIG_BLOCK, 1..=MOST_SIGNALS);
    let run = move || {
        apply_mask(libc::SIG_SETMASK, &before);
        run()
    };
    match Builder::new().name("main".to_owned()).stack_size(2 * ENOUGH).spawn(run) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(error) => {
            let message = format!(
                "curt: cannot start a thread with a larger stack: {error}; see 'ulimit -s'\n"
            );
            let _ = std::io::stderr().write_all(message.as_bytes());
            Exit::FAILURE
        }
    }
}
