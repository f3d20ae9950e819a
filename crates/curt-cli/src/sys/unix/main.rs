//! `main` on Linux, called by the C library. Rust's runtime would repeat the work of `start.rs` and
//! look up the bounds of the stack for its overflow message: glibc parses `/proc/self/maps` for
//! that, and musl makes a call for each page.

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// With musl, `std::env::args_os` is empty without the standard library's `main`.
static COMMAND_LINE: OnceLock<Vec<OsString>> = OnceLock::new();

/// The standard library's exit code after a panic. (In packages, a panic aborts.)
const PANICKED: c_int = 101;

pub(crate) fn command_line() -> impl Iterator<Item = OsString> {
    COMMAND_LINE.get().into_iter().flatten().cloned()
}

// SAFETY: the crate has `no_main`, so no other function has this name.
#[unsafe(no_mangle)]
extern "C" fn main(count: c_int, words: *const *const c_char) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the C library passes `count` pointers.
    let words = unsafe { std::slice::from_raw_parts(words, count) };
    // SAFETY: each pointer refers to a string that lives as long as the process.
    let word = |&word: &*const c_char| unsafe { CStr::from_ptr(word) };
    let copied = |of| OsStr::from_bytes(word(of).to_bytes()).to_owned();
    COMMAND_LINE.get_or_init(|| words.iter().map(copied).collect());
    let exit = catch_unwind(|| crate::sys::with_stack(crate::run).code().into());
    std::process::exit(exit.unwrap_or(PANICKED))
}
