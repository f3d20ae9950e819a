//! The command with few descriptors, little memory or no permission, on unusual filesystems, and
//! with signals.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod listings;
mod ls;
mod scarce;
mod server;
mod signals;
mod unreadable;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use curt_testkit::{Scratch, is_root, may_mount, skip};

#[derive(Debug)]
struct Run {
    code: Option<i32>,
    summary: serde_json::Value,
    /// Both output streams. Failures are JSON objects before the summary.
    messages: String,
}

impl Run {
    fn number(&self, name: &str) -> u64 {
        self.summary[name].as_u64().unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    fn assert_all(&self, files: u64, directories: u64) {
        assert_eq!(self.code, Some(0), "{self:?}");
        let counts = (self.number("files"), self.number("directories"));
        assert_eq!(counts, (files, directories), "{self:?}");
    }
}

fn curt() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_curt"))
}

fn script(scratch: &Scratch, text: &str) -> Command {
    let mut command = Command::new("sh");
    let text = text.replace("$RM", "\"$CURT\" rm --stats --json");
    command.args(["-c", &text]).env("CURT", curt()).env("LC_ALL", "C");
    command.current_dir(scratch.path()).stdin(Stdio::null());
    command
}

fn mounting_script(scratch: &Scratch, text: &str) -> Command {
    let inner = script(scratch, text);
    let mut command = Command::new("unshare");
    command.arg("-m").arg(inner.get_program()).args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(scratch.path()).stdin(Stdio::null());
    command
}

fn run(mut command: Command) -> Run {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!messages.contains("panicked"), "{messages}");
    let last = messages.lines().last().unwrap_or_default();
    let json: serde_json::Value = serde_json::from_str(last)
        .unwrap_or_else(|_| panic!("no summary: {text:?} {messages:?} {:?}", output.status));
    Run { code: output.status.code(), summary: json["summary"].clone(), messages: text + &messages }
}

fn has(program: &str) -> bool {
    let mut which = Command::new("sh");
    which.args(["-c", &format!("PATH=$PATH:/usr/sbin:/sbin command -v {program}")]);
    let found = which.stdout(Stdio::null()).status().unwrap().success();
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

/// Sends a signal with the shell's builtin `kill`, because small systems have no other.
fn send(signal: &str, process: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", "kill -\"$1\" \"$2\"", "sh", signal, process]);
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
