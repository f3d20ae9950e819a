//! An empty program that starts like the command, on Linux without Rust's runtime. It also requests
//! the random keys of a hash map, with one call before glibc 2.41, and three since.
#![cfg_attr(target_os = "linux", no_main)]

#[cfg(not(target_os = "linux"))]
fn main() {
    request_random();
}

// SAFETY: no other function has this name.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    request_random();
    0
}

fn request_random() {
    std::hint::black_box(std::collections::hash_map::RandomState::new());
}
