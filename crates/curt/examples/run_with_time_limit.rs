//! Finds a program, runs it with its output in a pipe, and kills it when its time is up.
//!
//! `cargo run --example run_with_time_limit -- SECONDS PROGRAM [ARGUMENT…]`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::io::Read;
use std::time::Duration;

use curt::Command;
use curt::process::Stream;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(seconds), Some(name)) = (arguments.next(), arguments.next()) else {
        return Err("say what to run: run_with_time_limit SECONDS PROGRAM [ARGUMENT…]".into());
    };
    let limit = Duration::from_secs_f64(seconds.parse()?);
    let program = curt::which(&name)?;
    let mut child = Command::new(&program)
        .args(arguments)
        .stdin(Stream::null())
        .stdout(Stream::pipe())
        .own_tree(true)
        .spawn()?;
    let mut pipe = child.stdout.take().ok_or("no pipe")?;
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        pipe.read_to_end(&mut text).map(|_| text)
    });
    let status = child.wait_timeout(limit)?;
    if status.is_none() {
        child.kill_tree()?;
    }
    let text = reader.join().map_err(|_| "the reader panicked")??;
    print!("{}", String::from_utf8_lossy(&text));
    match status {
        Some(status) => println!("{} ended: {status}", program.display()),
        None => println!("{} was killed after {limit:?}", program.display()),
    }
    Ok(())
}
