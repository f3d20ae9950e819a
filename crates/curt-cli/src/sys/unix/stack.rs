use std::io::Write;
use std::thread::Builder;

use rustix::process::{Resource, getrlimit};

use super::signals::{MOST_SIGNALS, apply_mask, change_mask};
use crate::exit::Exit;

/// Parsing needs about 100 KiB, and several times that in a debug build.
const MIN_STACK: usize = 1 << 20;

/// Calls `run`, on a new thread if the stack limit is small (`ulimit -s 64`).
pub(crate) fn with_stack(run: fn() -> Exit) -> Exit {
    if getrlimit(Resource::Stack).current.is_none_or(|limit| limit >= MIN_STACK as u64) {
        return run();
    }
    // The kernel would deliver signals to this thread first, but they must interrupt the new one.
    let before = change_mask(libc::SIG_BLOCK, 1..=MOST_SIGNALS);
    let run = move || {
        apply_mask(libc::SIG_SETMASK, &before);
        run()
    };
    match Builder::new().name("main".to_owned()).stack_size(2 * MIN_STACK).spawn(run) {
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
