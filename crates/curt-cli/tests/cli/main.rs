//! curt by itself: what the GNU tools do not have, or cannot be compared in.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod beneath;
mod du;
#[cfg(unix)]
mod expand;
#[cfg(target_os = "linux")]
mod extended;
mod help;
#[cfg(unix)]
mod interrupt;
mod json;
#[cfg(unix)]
mod ls;
mod more;
mod options;
mod output;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod shielded;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod unwritten;
mod walk;
mod which;

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use curt_testkit::Scratch;

/// The command, in its own directory.
fn curt<S: AsRef<OsStr>>(scratch: &Scratch, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg("rm").args(args).current_dir(scratch.typed());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// `curt du`, in its own directory.
fn curt_du<S: AsRef<OsStr>>(scratch: &Scratch, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg("du").args(args).current_dir(scratch.typed());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What the system says where there is no such name.
fn missing() -> String {
    if cfg!(unix) {
        return "No such file or directory".to_owned();
    }
    let text = std::io::Error::from_raw_os_error(2).to_string();
    text.trim_end_matches(" (os error 2)").trim_end_matches('.').to_owned()
}

/// A path with the system's own separators.
fn native(path: &str) -> String {
    path.replace('/', std::path::MAIN_SEPARATOR_STR)
}

/// What it said, and its code.
fn run(scratch: &Scratch, args: &str) -> (Option<i32>, String, String) {
    said(&curt(scratch, args.split_whitespace()).output().unwrap())
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A tree with files at two depths.
fn tree(scratch: &Scratch, root: &str) {
    for name in ["a", "b.keep", "sub/c", "sub/d.keep", "sub/deep/e"] {
        scratch.file(format!("{root}/{name}"));
    }
}
