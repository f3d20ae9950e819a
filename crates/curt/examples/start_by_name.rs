//! Starts a program COUNT times by its NAME, and waits for it each time. With `--session` behind
//! them, what is learned about the directories of `PATH` is kept from one start to the next.

use std::process::ExitCode;

use curt::{Command, Error, Search};

fn main() -> Result<ExitCode, Error> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (count, name, keeps) = match words.as_slice() {
        [count, name] => (count.parse::<u32>(), name, false),
        [count, name, option] if option == "--session" => (count.parse(), name, true),
        _ => return Ok(ExitCode::from(2)),
    };
    let Ok(count) = count else { return Ok(ExitCode::from(2)) };
    let command = Command::new(name);
    let session = keeps.then(|| Search::new().session());
    for _ in 0..count {
        let status = match &session {
            Some(session) => command.status_by(session)?,
            None => command.status()?,
        };
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
    }
    Ok(ExitCode::SUCCESS)
}
