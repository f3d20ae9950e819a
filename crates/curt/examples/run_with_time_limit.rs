//! Finds a program, captures its output, and kills it after a time limit.
//!
//! `cargo run -p curt --example run_with_time_limit -- SECONDS PROGRAM [ARGUMENT…]`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Duration;

use curt::Command;

fn main() -> Result<(), Box<dyn Error>> {
    const USAGE: &str = "usage: run_with_time_limit SECONDS PROGRAM [ARGUMENT…]";
    let mut arguments = std::env::args().skip(1);
    let limit = Duration::from_secs_f64(arguments.next().ok_or(USAGE)?.parse()?);
    let program = arguments.next().ok_or(USAGE)?;
    let output = Command::new(&program).args(arguments).own_tree(true).output_timeout(limit)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.timed_out {
        println!("{program} was killed after {limit:?}");
    } else {
        println!("{program} ended: {}", output.status);
    }
    Ok(())
}
