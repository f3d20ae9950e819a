//! Pipes whose reader goes away: writing to one is an error here, as in every program of Rust, so
//! that what was done can still be said. Whether it was an error for the process that started this
//! one is noted before Rust's runtime decides it, since that runtime does not tell.

use std::sync::atomic::{AtomicBool, Ordering};

/// What starts this process ignores the signal.
static WAS_IGNORED: AtomicBool = AtomicBool::new(false);

/// The loader calls this before `main`, and so before Rust's runtime changes the action.
// SAFETY: both sections hold pointers to functions that are called once, on the only thread. This
// one neither allocates nor uses anything that the runtime sets up, and cannot panic.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static IGNORE: extern "C" fn() = ignore;

extern "C" fn ignore() {
    // SAFETY: setting a signal's action to "ignore" runs no code of ours; no other thread exists
    // yet.
    let before = unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    WAS_IGNORED.store(before == libc::SIG_IGN, Ordering::Relaxed);
}

/// Whether the process was started with the signal ignored.
pub(crate) fn ignores_broken_pipes() -> bool {
    WAS_IGNORED.load(Ordering::Relaxed)
}
