//! Another Rust library in the same program.

use std::panic;
use std::thread;

#[unsafe(no_mangle)]
pub extern "C" fn other_catches_panics() -> i32 {
    panic::set_hook(Box::new(|_| ()));
    let there = thread::spawn(|| panic!("there")).join();
    let here = panic::catch_unwind(|| panic!("here"));
    i32::from(there.is_err()) + i32::from(here.is_err())
}
