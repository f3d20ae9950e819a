//! The curt command.
fn main() {}
