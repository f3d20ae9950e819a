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

use std::io::Write;

/// Says on standard output that the current test was skipped, and why: `skipped: TEST: REASON`.
///
/// It goes past the test harness, which swallows what a passing test prints: a skipped test must
/// be seen, and `cargo xtask test` collects these lines.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("an unnamed test");
    // Nobody to tell when standard output is closed.
    let _ = writeln!(std::io::stdout().lock(), "skipped: {test}: {reason}");
}
