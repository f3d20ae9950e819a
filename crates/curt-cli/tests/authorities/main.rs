//! `curt which` beside the C library's `execvp`, `CPython`, Go and Node: one table of searches for
//! all of them, as this user and as another one. Searches in which an authority differs are left
//! out with the reason. Their answers on Windows are in `recorded.rs`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cpython;
mod execvp;
mod go;
mod node;
mod recorded;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use curt_testkit::{Scratch, is_root, skip};

/// Nobody, to the system.
const OTHER: &str = "65534";

/// A search: `PATH`, with `{}` for the folder of the test, and the name.
type Case = (&'static str, &'static str);

/// The searches. The working directory is `{}/w`.
const CASES: [Case; 34] = [
    ("{}/a:{}/b", "tool"),
    ("{}/b:{}/a", "tool"),
    ("{}/a:{}/b", "plain"),
    ("{}/a", "plain"),
    ("{}/a:{}/b", "nothing"),
    ("{}/gone:{}/a/tool:{}/b", "two"),
    ("{}/a:{}/b", "dir"),
    ("{}/a", "dir"),
    ("{}/a", "linked"),
    ("{}/a:{}/b", "dangling"),
    ("{}/a", "dangling"),
    (":{}/a", "here"),
    ("{}/a:", "here"),
    ("{}/a::{}/b", "here"),
    (".:{}/a", "here"),
    ("../b", "two"),
    ("../gone:../b/", "two"),
    ("{}/a/../b//", "two"),
    ("{}/a:{}/a:{}/b", "two"),
    ("{}/a", "./here"),
    ("{}/a", "../b/two"),
    ("{}/a", "./gone"),
    ("{}/a", "../a/plain"),
    ("{}/a", "../a/dir"),
    ("{}/a", "/gone/x"),
    ("{}/locked:{}/b", "two"),
    ("{}/locked", "two"),
    ("{}/locked:{}/b", "secret"),
    ("{}/a", "../locked/secret"),
    ("{}/fifo", "pipe"),
    ("{}/a:{}/fifo:{}/c", "pipe"),
    ("{}/a", "odd name"),
    ("{}/a", "umlaut-\u{fc}"),
    ("{}/a~", "tool"),
];

/// What an authority said.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Found(PathBuf),
    /// One word.
    Not(String),
}

/// The folder of a test, full of programs that print what they were started as.
struct Ground {
    scratch: Scratch,
    /// Whether programs are run as another user.
    as_other: bool,
}

impl Ground {
    /// One for us, and one for another user where we may act as one.
    fn all() -> Vec<Ground> {
        let may = is_root() && Command::new("setpriv").arg("--version").output().is_ok();
        if !may {
            skip("to act as another user needs root and setpriv");
        }
        let mut all = vec![Ground::new(false)];
        all.extend(may.then(|| Ground::new(true)));
        all
    }

    fn new(as_other: bool) -> Ground {
        let scratch = Scratch::new();
        let program = |path: &str| {
            scratch.file_with(path, b"#!/bin/sh\necho \"$0\"\n");
            chmod(&scratch.at(path), 0o755);
        };
        for path in [
            "a/tool",
            "b/tool",
            "b/plain",
            "b/two",
            "b/dir",
            "w/here",
            "b/dangling",
            "locked/two",
            "locked/secret",
            "c/pipe",
            "a/odd name",
            "a/umlaut-\u{fc}",
            "a~/tool",
        ] {
            program(path);
        }
        scratch.file_with("a/plain", b"#!/bin/sh\n");
        scratch.dir("a/dir");
        scratch.link("a/linked", "../b/two");
        scratch.link("a/dangling", "nowhere");
        scratch.fifo("fifo/pipe");
        chmod(&scratch.at("fifo/pipe"), 0o777);
        for open in [".", "a", "b", "c", "a~", "w", "fifo", "a/dir"] {
            chmod(&scratch.at(open), 0o755);
        }
        chmod(&scratch.at("locked"), 0o000);
        let curt = scratch.program(env!("CARGO_BIN_EXE_curt"), "curt");
        chmod(&curt, 0o755);
        Ground { scratch, as_other }
    }

    /// Runs a program in `w` with a `PATH`.
    fn run(&self, program: &Path, args: &[&str], path: &str) -> Output {
        let mut command = Command::new("/usr/bin/env");
        if self.as_other {
            command = Command::new("setpriv");
            command.args(["--reuid", OTHER, "--regid", OTHER, "--clear-groups", "/usr/bin/env"]);
        }
        // The program is found by its path, whatever PATH it then sees.
        command.arg(format!("PATH={}", self.fill(path))).arg(program).args(args);
        command.current_dir(self.scratch.at("w")).stdin(Stdio::null()).output().unwrap()
    }

    fn fill(&self, path: &str) -> String {
        path.replace("{}", self.scratch.path().to_str().unwrap())
    }

    /// A path without `.`, `..` and doubled separators.
    fn plain(&self, path: &str) -> PathBuf {
        let mut plain = PathBuf::new();
        for part in self.scratch.at("w").join(path).components() {
            match part {
                std::path::Component::ParentDir => {
                    plain.pop();
                }
                std::path::Component::CurDir => {}
                part => plain.push(part),
            }
        }
        plain
    }

    /// What curt says, by these options.
    fn curt(&self, options: &[&str], (path, name): Case) -> Answer {
        let curt = self.scratch.at("curt");
        let args = [&["which", "--json"], options, &["--", name]].concat();
        let output = self.run(&curt, &args, path);
        let said = [output.stdout, output.stderr].concat();
        let answer: serde_json::Value = serde_json::from_slice(&said).unwrap();
        match answer["path"].as_str() {
            Some(found) => Answer::Found(self.plain(found)),
            None => Answer::Not(answer["error"]["kind"].as_str().unwrap().to_owned()),
        }
    }
}

impl Ground {
    /// Returns curt's answer where the authority, which has one word for every failure, finds
    /// nothing. `denies`: an unsearchable directory is reported instead of a missing program.
    fn why(&self, (path, name): Case, denies: bool) -> Answer {
        let is_locked = (self.as_other || !is_root()) && path.contains("locked");
        Answer::Not(
            match name {
                "plain" | "dir" | "pipe" | "../a/plain" | "../a/dir" => "not-executable",
                "../locked/secret" => "permission-denied",
                _ if is_locked && denies => "permission-denied",
                _ => "not-found",
            }
            .to_owned(),
        )
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // Only root can remove it otherwise.
        chmod(&self.scratch.at("locked"), 0o700);
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Compares curt with an authority over the table, and fails with all that differs.
fn compare(
    ground: &Ground,
    options: &[&str],
    cases: impl IntoIterator<Item = Case>,
    authority: impl Fn(Case) -> Answer,
) {
    let mut wrong = Vec::new();
    for case in cases {
        let (ours, theirs) = (ground.curt(options, case), authority(case));
        if ours != theirs {
            let who = if ground.as_other { "another user" } else { "us" };
            wrong.push(format!("{case:?} as {who}: {ours:?}, and not {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
