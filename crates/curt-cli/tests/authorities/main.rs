//! Compares `curt which` with libc's `execvp`, `CPython`, Go and Node, as this user and as an
//! unprivileged one. `recorded.rs` has their answers on Windows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod recorded;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use curt_testkit::{Scratch, cells, is_root, skip};

const OTHER: &str = "65534";

type Case = (&'static str, &'static str);

/// A `PATH` and a name each. `{}` is the test's directory, and `{}/w` the working directory.
const CASES: &str = "
    {}/a:{}/b tool | {}/b:{}/a tool | {}/a:{}/b plain | {}/a plain | {}/a:{}/b nothing
    {}/gone:{}/a/tool:{}/b two | {}/a:{}/b dir | {}/a dir | {}/a linked | {}/a:{}/b dangling
    {}/a dangling | :{}/a here | {}/a: here | {}/a::{}/b here | .:{}/a here | ../b two
    ../gone:../b/ two | {}/a/../b// two | {}/a:{}/a:{}/b two | {}/a ./here | {}/a ../b/two
    {}/a ./gone | {}/a ../a/plain | {}/a ../a/dir | {}/a /gone/x | {}/locked:{}/b two
    {}/locked two | {}/locked:{}/b secret | {}/a ../locked/secret | {}/fifo pipe
    {}/a:{}/fifo:{}/c pipe | {}/a odd name | {}/a umlaut-ü | {}/a~ tool
";

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Found(PathBuf),
    Not(String),
}

/// A directory with programs that print the path they were started by.
struct Fixture {
    scratch: Scratch,
    as_other: bool,
}

impl Fixture {
    fn all() -> Vec<Fixture> {
        let may = is_root() && Command::new("setpriv").arg("--version").output().is_ok();
        if !may {
            skip("to act as another user needs root and setpriv");
        }
        let mut all = vec![Fixture::new(false)];
        all.extend(may.then(|| Fixture::new(true)));
        all
    }

    fn new(as_other: bool) -> Fixture {
        let scratch = Scratch::new();
        let program = |path: &str| {
            scratch.file_with(path, b"#!/bin/sh\necho \"$0\"\n");
            chmod(&scratch.at(path), 0o755);
        };
        let programs = "a/tool | b/tool | b/plain | b/two | b/dir | w/here | b/dangling
            | locked/two | locked/secret | c/pipe | a/odd name | a/umlaut-ü | a~/tool";
        for path in cells(programs) {
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
        Fixture { scratch, as_other }
    }

    fn run(&self, program: &Path, args: &[&str], path: &str) -> Output {
        let mut command = Command::new("/usr/bin/env");
        if self.as_other {
            command = Command::new("setpriv");
            command.args(["--reuid", OTHER, "--regid", OTHER, "--clear-groups", "/usr/bin/env"]);
        }
        // An absolute path, so that `env` does not search `PATH` for the program.
        command.arg(format!("PATH={}", self.fill(path))).arg(program).args(args);
        command.current_dir(self.scratch.at("w")).stdin(Stdio::null()).output().unwrap()
    }

    fn fill(&self, path: &str) -> String {
        path.replace("{}", self.scratch.path().to_str().unwrap())
    }

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

    fn curt(&self, options: &[&str], (path, name): Case) -> Answer {
        let curt = self.scratch.at("curt");
        let args = [&["which", "--json"], options, &["--", name]].concat();
        let output = self.run(&curt, &args, path);
        let printed = [output.stdout, output.stderr].concat();
        let answer: serde_json::Value = serde_json::from_slice(&printed).unwrap();
        match answer["path"].as_str() {
            Some(found) => Answer::Found(self.plain(found)),
            None => Answer::Not(answer["error"]["kind"].as_str().unwrap().to_owned()),
        }
    }
}

impl Fixture {
    /// Returns the expected reason for a failure, which authorities do not report. With `denies`,
    /// an unsearchable directory counts as permission denied.
    fn failure(&self, (path, name): Case, denies: bool) -> Answer {
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

impl Drop for Fixture {
    fn drop(&mut self) {
        // Otherwise an unprivileged user could not remove the directory.
        chmod(&self.scratch.at("locked"), 0o700);
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn compare(
    policy: &str,
    program: impl Fn(&Fixture) -> Option<(PathBuf, Vec<&'static str>)>,
    answer: impl Fn(&Fixture, Case, &str) -> Answer,
) {
    for fixture in Fixture::all() {
        let Some((program, words)) = program(&fixture) else { continue };
        let mut wrong = Vec::new();
        let cases = cells(CASES).into_iter().map(|case| case.split_once(' ').unwrap());
        for (path, name) in cases {
            let case = (path, name);
            let output = fixture.run(&program, &[&words[..], &[name]].concat(), path);
            assert!(policy == "posix" || output.status.success(), "{output:?}");
            let printed = String::from_utf8(output.stdout).unwrap();
            let theirs = answer(&fixture, case, printed.trim_end_matches('\n'));
            let ours = fixture.curt(&["--policy", policy], case);
            if ours != theirs {
                let who = if fixture.as_other { "another user" } else { "us" };
                wrong.push(format!("{case:?} as {who}: {ours:?}, and not {theirs:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Returns the path that the interpreter reports, because a version manager's shim would search the
/// case's `PATH`.
fn interpreter(fixture: &Fixture, name: &str, own: &[&str], runs: &[&str]) -> Option<PathBuf> {
    let own = Command::new(name).args(own).output();
    let own = own.map(|output| String::from_utf8(output.stdout).unwrap()).unwrap_or_default();
    let candidates = [PathBuf::from(own.trim()), Path::new("/usr/bin").join(name)];
    let works = |candidate: &&PathBuf| {
        candidate.is_absolute()
            && candidate.exists()
            && fixture.run(candidate, runs, "/bin").status.success()
    };
    let found = candidates.iter().find(works).cloned();
    if found.is_none() {
        let has_one = candidates.iter().any(|candidate| candidate.is_file());
        assert!(!has_one || fixture.as_other, "{name} is installed and does not run");
        let reason = if has_one { "cannot be run by another user" } else { "is not installed" };
        skip(&format!("{name} {reason}"));
    }
    found
}

fn built(source: (&str, &str), words: &[&str]) -> Option<(Scratch, PathBuf)> {
    let scratch = Scratch::new();
    let source = scratch.file_with(source.0, source.1.as_bytes());
    let program = scratch.at("program");
    let mut build = Command::new(words[0]);
    build.args(&words[1..]).arg("-o").arg(&program).arg(source).current_dir(scratch.path());
    match build.envs([("GO111MODULE", "off"), ("GOTOOLCHAIN", "local")]).output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            skip(&format!("{} is not installed", words[0]));
            None
        }
        output => {
            assert!(output.as_ref().unwrap().status.success(), "{output:?}");
            Some((scratch, program))
        }
    }
}

/// Copies the program, because the other user cannot search its directory.
fn copied(fixture: &Fixture, program: &Path) -> (PathBuf, Vec<&'static str>) {
    (fixture.scratch.program(program, "program"), Vec::new())
}

/// `shutil.which` returns `None` for every failure.
#[test]
fn cpython_finds_what_curt_finds() {
    const PROGRAM: &str = "import shutil, sys; print(shutil.which(sys.argv[1]) or '', end='')";
    let own = ["-c", "import sys; print(sys.executable)"];
    let python = |fixture: &Fixture| {
        Some((interpreter(fixture, "python3", &own, &["-c", ""])?, vec!["-c", PROGRAM]))
    };
    compare("cpython", python, |fixture, case, printed| match printed {
        "" => fixture.failure(case, false),
        found => Answer::Found(fixture.plain(found)),
    });
}

/// Node starts programs with libuv's `uv_spawn`.
#[test]
fn node_starts_what_curt_finds() {
    const PROGRAM: &str = "const done = require('child_process').spawnSync(process.argv[1]); \
        process.stdout.write(done.error ? done.error.code : done.stdout)";
    let node = |fixture: &Fixture| {
        let own = ["-p", "process.execPath"];
        Some((interpreter(fixture, "node", &own, &["-e", ""])?, vec!["-e", PROGRAM]))
    };
    compare("node", node, |fixture, case, printed| match printed {
        "ENOENT" | "ENOTDIR" => Answer::Not("not-found".to_owned()),
        "EACCES" => fixture.failure(case, true),
        found => Answer::Found(fixture.plain(found)),
    });
}

/// The Go program prints nothing for errors other than `ErrDot`.
#[test]
fn go_finds_what_curt_finds() {
    const PROGRAM: &str = "package main\n\
        import (\"errors\"; \"fmt\"; \"os\"; \"os/exec\")\n\
        func main() {\n\
            found, err := exec.LookPath(os.Args[1])\n\
            if errors.Is(err, exec.ErrDot) { fmt.Print(\"dot\") }\n\
            if err == nil { fmt.Print(found) }\n\
        }\n";
    let Some((_scratch, go)) = built(("look.go", PROGRAM), &["go", "build"]) else { return };
    compare(
        "go",
        |fixture| Some(copied(fixture, &go)),
        |fixture, case, printed| match printed {
            "dot" => Answer::Not("relative-result".to_owned()),
            "" => fixture.failure(case, false),
            found => Answer::Found(fixture.plain(found)),
        },
    );
}

const EXECVP: (&str, &str) = (
    "execvp.c",
    "#include <errno.h>\n#include <stdio.h>\n#include <unistd.h>\n\
    int main(int count, char **words) {\n\
        (void)count; execvp(words[1], words + 1); printf(\"errno %d\\n\", errno); return 1;\n\
    }\n",
);

#[test]
fn the_c_library_starts_what_curt_finds() {
    for compiler in ["cc", "musl-gcc"] {
        let Some((_scratch, program)) = built(EXECVP, &[compiler]) else { continue };
        compare(
            "posix",
            |fixture| Some(copied(fixture, &program)),
            |fixture, case, printed| match printed {
                "errno 2" | "errno 20" => Answer::Not("not-found".to_owned()),
                // EACCES means that the file is not executable or its directory is not searchable.
                "errno 13" => fixture.failure(case, true),
                other => Answer::Found(fixture.plain(other)),
            },
        );
    }
}

#[test]
fn an_empty_path_is_the_working_directory_to_execvp() {
    let fixture = Fixture::new(false);
    let Some((_scratch, program)) = built(EXECVP, &["cc"]) else { return };
    let output = fixture.run(&program, &["here"], "");
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "here");
    let found = fixture.curt(&["--policy", "posix"], ("", "here"));
    assert_eq!(found, Answer::Found(fixture.plain("here")));
    assert_eq!(fixture.curt(&[], ("", "here")), Answer::Not("not-found".to_owned()));
}
