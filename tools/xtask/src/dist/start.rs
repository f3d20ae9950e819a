//! How long the static binary takes to start, beside GNU `true`.

use super::linux::Machine;
use crate::host::{Failure, Outcome};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How much longer than `true` a start may take.
const LIMIT: Duration = Duration::from_micros(300);

/// How many starts are compared: at least, and at most on a machine that does other things, too.
const STARTS: (usize, usize) = (300, 5000);

/// A command that does next to nothing: it reads its arguments and prints a line.
const COMMAND: &[&str] = &["expand", "/"];

/// Whether the quickest start takes hardly longer than the quickest of `true`. The two take turns,
/// and what else the machine does only ever makes a start slower.
pub(super) fn is_quick(machine: &Machine) -> Outcome {
    let curt = machine.build()?;
    let (mut own, mut other) = (Duration::MAX, Duration::MAX);
    for count in 1..=STARTS.1 {
        own = own.min(time(&curt, COMMAND)?);
        other = other.min(time(Path::new("/bin/true"), &[])?);
        if count >= STARTS.0 && own <= other + LIMIT {
            return Ok(());
        }
    }
    Err(Failure::new(format!("curt takes {own:?}, and true {other:?}")))
}

fn time(program: &Path, arguments: &[&str]) -> Result<Duration, Failure> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear().stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let duration = start.elapsed();
    if status.success() {
        return Ok(duration);
    }
    Err(Failure::new(format!("{} ended with {status}", program.display())))
}
