//! Starts a program COUNT times by its NAME, by `std::process::Command`. Without
//! arguments it is a program to be started.
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(count) = words.next() else { return ExitCode::SUCCESS };
    let count: Option<u32> = count.to_str().and_then(|count| count.parse().ok());
    let (Some(count), Some(name)) = (count, words.next()) else { return ExitCode::from(2) };
    let mut command = Command::new(name);
    for _ in 0..count {
        if !command.status().is_ok_and(|status| status.success()) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
