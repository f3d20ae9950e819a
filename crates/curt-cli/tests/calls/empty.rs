//! A program that starts like the command, on Linux without Rust's runtime. Like a hash map, it
//! requests random numbers once. That takes one call before glibc 2.41, and three since.
#![cfg_attr(target_os = "linux", no_main)]

#[cfg(not(target_os = "linux"))]
fn main() {
    ask();
}

// SAFETY: no other function has this name.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    ask();
    0
}

fn ask() {
    std::hint::black_box(std::collections::hash_map::RandomState::new());
}
