//! Broken pipes. Writing to one is an error here, as in every Rust program, so that the command can
//! still print what it did. Rust's runtime ignores `SIGPIPE` and does not keep whether it was
//! ignored before, so that is recorded here first.

use std::sync::atomic::{AtomicBool, Ordering};

/// The process was started with the signal ignored.
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
