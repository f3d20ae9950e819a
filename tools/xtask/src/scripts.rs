use crate::host::{self, Outcome};
use std::process::Command;

pub(crate) fn run(path: &str, arguments: &[String]) -> Outcome {
    let script = host::checkout().join("tools").join(path);
    host::pass_on(Command::new("bash").arg(script).args(arguments))
}
