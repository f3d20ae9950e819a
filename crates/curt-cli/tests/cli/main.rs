//! Features that the GNU tools lack, or that cannot be compared with theirs.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conditions;
#[cfg(unix)]
mod du;
mod exclude;
#[cfg(target_os = "linux")]
mod extended;
mod find;
mod help;
#[cfg(target_os = "linux")]
mod hostile;
#[cfg(unix)]
mod interrupt;
#[cfg(unix)]
mod ls;
mod manual;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod shielded;
#[cfg(unix)]
mod terminal;
#[cfg(target_os = "linux")]
mod trash;
#[cfg(unix)]
mod which;

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use curt_testkit::Scratch;

fn command<S: AsRef<OsStr>>(
    scratch: &Scratch,
    name: &str,
    args: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg(name).args(args).current_dir(scratch.typed());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn command_line(scratch: &Scratch, line: &str) -> Command {
    let mut words = line.split_whitespace();
    command(scratch, words.next().unwrap(), words)
}

fn curt<S: AsRef<OsStr>>(scratch: &Scratch, args: impl IntoIterator<Item = S>) -> Command {
    command(scratch, "rm", args)
}

#[cfg(unix)]
fn closed_pipe() -> std::process::ChildStdin {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    let pipe = reader.stdin.take().unwrap();
    assert!(reader.wait().unwrap().success());
    // Another thread might have forked: until its child calls `exec`, the other end remains open.
    let is_closed = || {
        let mut polled = [PollFd::new(&pipe, PollFlags::OUT)];
        poll(&mut polled, None).unwrap();
        polled[0].revents().contains(PollFlags::ERR)
    };
    while !is_closed() {}
    pipe
}

fn missing() -> String {
    if cfg!(unix) {
        return "No such file or directory".to_owned();
    }
    text_of(2)
}

fn text_of(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    text.trim_end_matches(&format!(" (os error {number})")).trim_end_matches('.').to_owned()
}

#[cfg(target_os = "linux")]
fn run_words(scratch: &Scratch, words: &[&str]) -> (Option<i32>, String, String) {
    outcome(&command(scratch, words[0], &words[1..]).output().unwrap())
}

fn objects(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn outcome(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn tree(scratch: &Scratch, root: &str) {
    for name in ["a", "b.keep", "sub/c", "sub/d.keep", "sub/deep/e"] {
        scratch.file(format!("{root}/{name}"));
    }
}
