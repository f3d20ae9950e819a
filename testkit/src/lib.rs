//! What the tests of curt share: a private place to build trees in, and a way to say aloud that a
//! test could not run here.

mod scratch;
mod sys;
#[cfg_attr(windows, path = "tear_windows.rs")]
mod tear;
#[cfg(windows)]
pub mod windows;

pub use scratch::Scratch;
pub use sys::alloc;

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Says on standard output that the current test was skipped, and why: `skipped: TEST: REASON`.
///
/// It goes past the test harness, which swallows what a passing test prints: a skipped test must
/// be seen, and `cargo xtask test` collects these lines. The same is said once only.
pub fn skip(reason: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("an unnamed test");
    let line = format!("skipped: {test}: {reason}\n");
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        // Nobody to tell when standard output is closed.
        let _ = std::io::stdout().lock().write_all(line.as_bytes());
    }
}
