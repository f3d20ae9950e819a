//! `curt rm` on Windows: what only Windows has, through the built program.
//!
//! The authority is the system's documentation, and what `del` and `rmdir` do in the plain cases.
//! Wine lacks some of it (links, names that are not Unicode, case-sensitive directories); tests
//! that need it report a skip.
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

/// Numbers of the system's errors.
const FILE_NOT_FOUND: i32 = 2;
const SHARING_VIOLATION: i32 = 32;
const NOT_A_DIRECTORY: i32 = 267;

/// What a run said, and its code.
#[derive(Debug)]
struct Said {
    code: Option<i32>,
    out: String,
    messages: String,
}

impl Said {
    fn of(output: &Output) -> Said {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (out, messages) = (text(&output.stdout), text(&output.stderr));
        Said { code: output.status.code(), out, messages }
    }

    /// Everything was done, and nothing had to be said.
    fn assert_quiet(&self) {
        let found = (self.code, self.out.as_str(), self.messages.as_str());
        assert_eq!(found, (Some(0), "", ""));
    }

    /// There was one failure, of this path, for this reason of the system.
    fn assert_failed(&self, path: &str, number: i32) {
        assert_eq!(self.code, Some(1), "{self:?}");
        let line = format!("curt rm: cannot remove '{path}': {}", words(number));
        assert!(self.messages.starts_with(&line), "{self:?}: {line}");
        assert_eq!(self.messages.lines().count(), 1, "{self:?}");
    }
}

/// The system's words for an error, in its language.
fn words(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    let text = text.trim_end_matches(&format!(" (os error {number})"));
    text.trim_end_matches('.').to_owned()
}

/// The command, in a directory.
fn curt<S: AsRef<OsStr>>(place: &Path, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg("rm").args(args).current_dir(place);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command in a scratch directory.
fn run<S: AsRef<OsStr>>(scratch: &Scratch, args: impl IntoIterator<Item = S>) -> Said {
    Said::of(&curt(scratch.typed(), args).output().unwrap())
}

/// A name with surrogates that have no partner.
fn odd_name() -> OsString {
    OsString::from_wide(&[0x61, 0xd800, 0x62, 0xdc00])
}
