//! The empty program: what starting any Rust program costs. The budget of start-up is measured
//! against it, because linkers and C libraries differ.

fn main() {}
