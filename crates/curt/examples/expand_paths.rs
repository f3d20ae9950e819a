//! Makes typed paths absolute: expands `~`, `~user`, `.`, `..` and the working directory.
//!
//! `cargo run --example expand_paths -- PATH…`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use curt::paths::{DotDot, Expander, ThisProcess};

fn main() -> Result<(), Box<dyn Error>> {
    // All paths together cost one call, for the working directory.
    let expander = Expander::new(ThisProcess::new()).tilde(true).dot_dot(DotDot::Clamp);
    for path in std::env::args_os().skip(1) {
        println!("{}", expander.expand_path(&path)?.display());
    }
    Ok(())
}
