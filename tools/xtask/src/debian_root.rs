//! Commands in the Debian 13 root, by `tools/debian-root.sh`, which says what that is.

use crate::host::{self, Failure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command in the root, with the checkout as its working directory and only the environment that
/// belongs there. The sets of packages are installed where needed.
pub(crate) fn command<A: AsRef<OsStr>>(sets: &str, arguments: &[A]) -> Command {
    let mut command = Command::new("bash");
    command.arg(host::checkout().join("tools/debian-root.sh")).args(["--with", sets]);
    if !arguments.is_empty() {
        command.arg("--").args(arguments);
    }
    command
}

/// Makes the root with these sets of packages, where needed, so that commands are quick.
pub(crate) fn prepare(sets: &str) -> Result<(), Failure> {
    let status = command::<&str>(sets, &[]).stdout(Stdio::null()).status()?;
    match status.code() {
        Some(0) => Ok(()),
        Some(3) => Err(Failure::missing("the Debian root cannot be used here")),
        _ => Err(Failure::new(format!("the Debian root cannot be made: {status}"))),
    }
}

/// A folder of this checkout for what is kept between runs: its path, and its path in the root.
pub(crate) fn kept(kind: &str) -> (PathBuf, PathBuf) {
    (host::target().join("debian-root").join(kind), Path::new("/build/target").join(kind))
}
