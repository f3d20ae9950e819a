//! Finds a program, runs it with its output in a pipe, and kills it when its time is up.
//!
//! `cargo run --example run_with_time_limit -- SECONDS PROGRAM [ARGUMENT…]`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Duration;

use curt::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(seconds), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("say what to run: run_with_time_limit SECONDS PROGRAM [ARGUMENT…]".into());
    };
    let limit = Duration::from_secs_f64(seconds.parse()?);
    let program = curt::which(&name)?;
    let output = Command::new(&program).args(arguments).own_tree(true).output_timeout(limit)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.timed_out {
        println!("{} was killed after {limit:?}", program.display());
    } else {
        println!("{} ended: {}", program.display(), output.status);
    }
    Ok(())
}
