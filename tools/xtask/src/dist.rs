//! Builds and tests what is released, by the scripts in `tools/dist`.

use crate::host::{self, Outcome};
use std::process::Command;

/// The task `dist`.
pub(crate) fn build(arguments: &[String]) -> Outcome {
    script("build.sh", arguments)
}

/// The task `dist-test`. The last line on standard output is the total.
pub(crate) fn test(arguments: &[String]) -> Outcome {
    script("test.sh", arguments)
}

fn script(name: &str, arguments: &[String]) -> Outcome {
    let script = host::checkout().join("tools/dist").join(name);
    host::pass_on(Command::new("bash").arg(script).args(arguments))
}
