//! Starts a program COUNT times by its NAME, and waits for it each time.

use std::process::ExitCode;

use curt::{Command, Error};

fn main() -> Result<ExitCode, Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [count, name] = words.as_slice() else { return Ok(ExitCode::from(2)) };
    let Ok(count) = count.parse::<u32>() else { return Ok(ExitCode::from(2)) };
    let command = Command::new(name);
    for _ in 0..count {
        if !command.status()?.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
