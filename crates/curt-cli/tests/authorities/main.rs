//! Compares `curt which` with libc's `execvp`, `CPython`, Go and Node in one table of searches, run
//! by this user and by an unprivileged user. `recorded.rs` has the answers on Windows.
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

/// Each case is a `PATH` and a name. `{}` is the test's directory, and `{}/w` the working
/// directory.
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

/// A directory with programs, each of which prints the path that started it.
struct Ground {
    scratch: Scratch,
    as_other: bool,
}

impl Ground {
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
        Ground { scratch, as_other }
    }

    fn run(&self, program: &Path, args: &[&str], path: &str) -> Output {
        let mut command = Command::new("/usr/bin/env");
        if self.as_other {
            command = Command::new("setpriv");
            command.args(["--reuid", OTHER, "--regid", OTHER, "--clear-groups", "/usr/bin/env"]);
        }
        // Pass an absolute path, so that this process's `PATH` does not matter.
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
        let said = [output.stdout, output.stderr].concat();
        let answer: serde_json::Value = serde_json::from_slice(&said).unwrap();
        match answer["path"].as_str() {
            Some(found) => Answer::Found(self.plain(found)),
            None => Answer::Not(answer["error"]["kind"].as_str().unwrap().to_owned()),
        }
    }
}

impl Ground {
    /// Returns why the search must fail, because the authority reports all failures alike. With
    /// `denies`, an unsearchable directory counts as permission denied.
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
        // Otherwise an unprivileged user could not remove the directory.
        chmod(&self.scratch.at("locked"), 0o700);
    }
}

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn compare(
    policy: &str,
    program: impl Fn(&Ground) -> Option<(PathBuf, Vec<&'static str>)>,
    answer: impl Fn(&Ground, Case, &str) -> Answer,
) {
    for ground in Ground::all() {
        let Some((program, words)) = program(&ground) else { continue };
        let mut wrong = Vec::new();
        let cases = cells(CASES).into_iter().map(|case| case.split_once(' ').unwrap());
        for (path, name) in cases {
            let case = (path, name);
            let output = ground.run(&program, &[&words[..], &[name]].concat(), path);
            assert!(policy == "posix" || output.status.success(), "{output:?}");
            let said = String::from_utf8(output.stdout).unwrap();
            let theirs = answer(&ground, case, said.trim_end_matches('\n'));
            let ours = ground.curt(&["--policy", policy], case);
            if ours != theirs {
                let who = if ground.as_other { "another user" } else { "us" };
                wrong.push(format!("{case:?} as {who}: {ours:?}, and not {theirs:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// Returns the path that the interpreter reports, because a version manager's shim would search the
/// case's `PATH`.
fn interpreter(ground: &Ground, name: &str, own: &[&str], runs: &[&str]) -> Option<PathBuf> {
    let own = Command::new(name).args(own).output();
    let own = own.map(|output| String::from_utf8(output.stdout).unwrap()).unwrap_or_default();
    let places = [PathBuf::from(own.trim()), Path::new("/usr/bin").join(name)];
    let works = |place: &&PathBuf| {
        place.is_absolute() && place.exists() && ground.run(place, runs, "/bin").status.success()
    };
    let found = places.iter().find(works).cloned();
    if found.is_none() {
        let has_one = places.iter().any(|place| place.is_file());
        assert!(!has_one || ground.as_other, "{name} is installed and does not run");
        let why = if has_one { "cannot be run by another user" } else { "is not installed" };
        skip(&format!("{name} {why}"));
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

/// Copies the program, because the other user cannot search the original's directory.
fn copied(ground: &Ground, program: &Path) -> (PathBuf, Vec<&'static str>) {
    (ground.scratch.program(program, "program"), Vec::new())
}

/// `shutil.which` returns `None` for every failure.
#[test]
fn cpython_finds_what_curt_finds() {
    const PROGRAM: &str = "import shutil, sys; print(shutil.which(sys.argv[1]) or '', end='')";
    let own = ["-c", "import sys; print(sys.executable)"];
    let python = |ground: &Ground| {
        Some((interpreter(ground, "python3", &own, &["-c", ""])?, vec!["-c", PROGRAM]))
    };
    compare("cpython", python, |ground, case, said| match said {
        "" => ground.why(case, false),
        found => Answer::Found(ground.plain(found)),
    });
}

/// Node starts programs with libuv's `uv_spawn`.
#[test]
fn node_starts_what_curt_finds() {
    const PROGRAM: &str = "const done = require('child_process').spawnSync(process.argv[1]); \
        process.stdout.write(done.error ? done.error.code : done.stdout)";
    let node = |ground: &Ground| {
        let own = ["-p", "process.execPath"];
        Some((interpreter(ground, "node", &own, &["-e", ""])?, vec!["-e", PROGRAM]))
    };
    compare("node", node, |ground, case, said| match said {
        "ENOENT" | "ENOTDIR" => Answer::Not("not-found".to_owned()),
        "EACCES" => ground.why(case, true),
        found => Answer::Found(ground.plain(found)),
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
        |ground| Some(copied(ground, &go)),
        |ground, case, said| match said {
            "dot" => Answer::Not("relative-result".to_owned()),
            "" => ground.why(case, false),
            found => Answer::Found(ground.plain(found)),
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
            |ground| Some(copied(ground, &program)),
            |ground, case, said| match said {
                "errno 2" | "errno 20" => Answer::Not("not-found".to_owned()),
                // EACCES means that the file is not executable or its directory is not searchable.
                "errno 13" => ground.why(case, true),
                other => Answer::Found(ground.plain(other)),
            },
        );
    }
}

#[test]
fn an_empty_path_is_the_working_directory_to_execvp() {
    let ground = Ground::new(false);
    let Some((_scratch, program)) = built(EXECVP, &["cc"]) else { return };
    let output = ground.run(&program, &["here"], "");
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "here");
    let found = ground.curt(&["--policy", "posix"], ("", "here"));
    assert_eq!(found, Answer::Found(ground.plain("here")));
    assert_eq!(ground.curt(&[], ("", "here")), Answer::Not("not-found".to_owned()));
}
