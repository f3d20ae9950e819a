//! Windows features of `curt rm`. The authorities are Microsoft's documentation, and in simple
//! cases `del` and `rmdir`. Tests of features that Wine lacks (symlinks, invalid Unicode,
//! case-sensitive directories) report a skip.
#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod busy;
mod console;
mod links;
mod names;
mod operands;
mod output;
mod trees;

use std::ffi::{OsStr, OsString};
use std::os::windows::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use curt_testkit::Scratch;

const FILE_NOT_FOUND: i32 = 2;
const SHARING_VIOLATION: i32 = 32;
const NOT_A_DIRECTORY: i32 = 267;

#[derive(Debug)]
struct Outcome {
    code: Option<i32>,
    out: String,
    messages: String,
}

impl Outcome {
    fn of(output: &Output) -> Outcome {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (out, messages) = (text(&output.stdout), text(&output.stderr));
        Outcome { code: output.status.code(), out, messages }
    }

    fn assert_quiet(&self) {
        let found = (self.code, self.out.as_str(), self.messages.as_str());
        assert_eq!(found, (Some(0), "", ""));
    }

    fn assert_failed(&self, path: &str, number: i32) {
        assert_eq!(self.code, Some(1), "{self:?}");
        let line = format!("curt rm: cannot remove '{path}': {}", words(number));
        assert!(self.messages.starts_with(&line), "{self:?}: {line}");
        assert_eq!(self.messages.lines().count(), 1, "{self:?}");
    }
}

fn words(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    let text = text.trim_end_matches(&format!(" (os error {number})"));
    text.trim_end_matches('.').to_owned()
}

fn curt<S: AsRef<OsStr>>(dir: &Path, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg("rm").args(args).current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run<S: AsRef<OsStr>>(scratch: &Scratch, args: impl IntoIterator<Item = S>) -> Outcome {
    Outcome::of(&curt(scratch.typed(), args).output().unwrap())
}

/// Contains unpaired surrogates.
fn odd_name() -> OsString {
    OsString::from_wide(&[0x61, 0xd800, 0x62, 0xdc00])
}
