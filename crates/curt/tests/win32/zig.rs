//! The numbered steps of Zig's `test/standalone/windows_spawn/main.zig`. They check that a name
//! starts the same program as in cmd.exe.

use std::path::{Path, PathBuf};

use curt::process::StartFailure;
use curt::which::Policy;
use curt::{Cause, Command, Search};
use curt_testkit::Scratch;

fn start(name: &str, path: Option<&str>, cwd: &Path) -> String {
    let search = Search::new().policy(Policy::Zig);
    let search = search.pathext(".COM;.EXE;.BAT;.CMD;.JS");
    let search = match path {
        Some(path) => search.path(path),
        None => search.environment([("", ""); 0]),
    };
    let mut command = Command::new(name);
    command.arg("no-test-of-this-name").current_dir(cwd);
    match command.search(search).output() {
        Ok(output) => match String::from_utf8_lossy(&output.stdout).trim() {
            text if text.starts_with("running 0 tests") => "exe".to_owned(),
            other => other.to_owned(),
        },
        Err(error) => match error.cause() {
            Cause::Find(error) => error.word().to_owned(),
            Cause::Start(StartFailure::ProgramMissing, _) => "not-found".to_owned(),
            Cause::Start(StartFailure::BadFormat, _) => "bad-image".to_owned(),
            other => format!("{other:?}"),
        },
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().trim_start_matches(r"\\?\").to_owned()
}

#[test]
fn programs_started_by_zig_are_started() {
    let program = std::env::current_exe().unwrap();
    let scratch = Scratch::new();
    let (elsewhere, tmp) = (scratch.dir("elsewhere"), scratch.dir("tmp"));
    let something = scratch.dir(r"tmp\something");
    let at = |name: &str| -> PathBuf { tmp.join(name) };
    let rename = |from: &str, to: &str| std::fs::rename(at(from), at(to)).unwrap();
    let path = text(&tmp);
    let begin = |step: u32, name: &str, path: Option<&str>, cwd: &Path, expected: &str| {
        assert_eq!(start(name, path, cwd), expected, "step {step}");
    };
    let usual = |step: u32, name: &str, expected: &str| {
        begin(step, name, Some(&path), &elsewhere, expected);
    };
    begin(1, "something_missing", None, &elsewhere, "not-found");
    begin(2, r"..\.\.\.\\..\more_missing", None, &elsewhere, "not-found");
    std::fs::copy(&program, at("hello.exe")).unwrap();
    usual(3, "HeLLo.exe", "exe");
    usual(4, "heLLo", "exe");
    // Step 5, a missing working directory, is left out, because curt's error names the directory.
    std::fs::write(at("hello.bat"), "@echo bat").unwrap();
    std::fs::write(at("hello.cmd"), "@echo cmd").unwrap();
    usual(6, "heLLo.bat", "bat");
    usual(7, "heLLo.cmd", "cmd");
    usual(8, "heLLo", "exe");
    rename("hello.exe", "hello");
    usual(9, "hello.exe", "not-found");
    usual(10, "heLLo", "exe");
    rename("hello", r"something\hello.exe");
    usual(11, r"..\tmp\something/hello", "exe");
    usual(12, "something/hello", "not-found");
    usual(13, "heLLo", "bat");
    std::fs::write(at("hello.exe"), "invalid").unwrap();
    usual(14, "hello.exe", "bad-image");
    usual(15, "hello", "bad-image");
    rename("hello.exe", "hello");
    usual(16, "hello", "bat");
    rename("hello", "goodbye");
    usual(17, "goodbye", "not-found");
    let path = text(&something);
    let here =
        |step: u32, name: &str, expected: &str| begin(step, name, Some(&path), &tmp, expected);
    here(18, "goodbye", "bad-image");
    here(19, "hello", "bat");
    rename(r"something\hello.exe", r"something\goodbye.exe");
    here(20, "goodbye", "exe");
    here(21, &text(&at("goodbye")), "bad-image");
    begin(22, "goodbye", Some(&path), &tmp, "exe");
    let doubled = path.replace('\\', r"\\\\");
    begin(23, "goodbye", None, Path::new(&doubled), "exe");
    begin(24, "goodbye", Some(&doubled), &tmp, "exe");
    rename(r"something\goodbye.exe", "hello.exe");
    begin(25, "../hello", None, &something, "exe");
}

#[test]
fn bare_files_that_are_no_programs_are_skipped() {
    let scratch = Scratch::new();
    scratch.file_with(r"node\npm", b"#!/bin/sh\n");
    scratch.file_with(r"node\npm.cmd", b"@echo npm\r\n");
    for policy in [Policy::Zig, Policy::Native] {
        let search = Search::new().policy(policy).path(text(&scratch.at("node")));
        let output = Command::new("npm").search(search.pathext(".EXE;.CMD")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "npm", "{policy:?}");
    }
}
