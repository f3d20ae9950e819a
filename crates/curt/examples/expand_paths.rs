//! Makes typed paths absolute. Expands `~`, `~user`, `.` and `..`.
//!
//! `cargo run -p curt --example expand_paths -- PATH…`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use curt::paths::{DotDot, Expander, ThisProcess};

fn main() -> Result<(), Box<dyn Error>> {
    // However many paths there are, the working directory costs one call.
    let expander = Expander::new(ThisProcess::new()).tilde(true).dot_dot(DotDot::Clamp);
    for path in std::env::args_os().skip(1) {
        println!("{}", expander.expand_path(&path)?.display());
    }
    Ok(())
}
