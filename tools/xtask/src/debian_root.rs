use crate::host::{self, Failure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn command<A: AsRef<OsStr>>(sets: &str, arguments: &[A]) -> Command {
    let mut command = Command::new("bash");
    command.arg(host::checkout().join("tools/debian-root.sh")).args(["--with", sets]);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    command
}

pub(crate) fn prepare(sets: &str) -> Result<(), Failure> {
    let status = command::<&str>(sets, &[]).stdout(Stdio::null()).status()?;
    match status.code() {
        Some(0) => Ok(()),
        Some(3) => Err(Failure::missing("the Debian root cannot be used here")),
        _ => Err(Failure::new(format!("the Debian root cannot be made: {status}"))),
    }
}

/// Returns a persistent directory: its path on this machine, and its path in the root.
pub(crate) fn kept(kind: &str) -> (PathBuf, PathBuf) {
    (host::target().join("debian-root").join(kind), Path::new("/build/target").join(kind))
}
