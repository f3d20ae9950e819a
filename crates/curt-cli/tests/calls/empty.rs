//! A program that does nothing but ask for random numbers once, as a hash map does. That is here
//! because glibc takes one call for it before version 2.41 and three since.

fn main() {
    std::hint::black_box(std::collections::hash_map::RandomState::new());
}
