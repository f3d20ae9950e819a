//! `curt find` beside fd: the same questions about the same trees have the same answers.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use curt_testkit::{Scratch, cells, skip};

/// Everyday questions.
const QUESTIONS: &str = r"
    '' | . | conf | readme | README | ^[a-m].*[0-9] | \.h$ | \Sa\S | (lib|bin) | -i MAKE | -s main
    -g *.h | -g *.{rs,conf} | -g Cargo* | -F .c | -F + --and c | -e rs | -e H -e .conf | -t f
    -t d | -t l | -t d -t l mod | -t x | -t e | -t e -t d | -d 1 | -d 2 -t f | --min-depth 2 s
    --exact-depth 2 | -S +10k | -S -2ki -t f | -H -E .git -E *.h | --changed-within 2weeks
    --changed-before 2020-01-31
";

/// How fd is called here; `None`, said aloud, without it.
fn fd() -> Option<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["fd", "fdfind"].into_iter().find(is_there);
    if found.is_none() {
        skip("fd is not installed");
    }
    found
}

/// Runs a program without the user's own configuration.
fn run(program: &Path, at: &Path, home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(at).stdin(Stdio::null());
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("LS_COLORS");
    // ls, which fd runs, goes by the language.
    command.env("LC_ALL", "C");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("NO_COLOR").output().unwrap()
}

fn curt(at: &Path, home: &Path, args: &[&str]) -> Output {
    run(Path::new(env!("CARGO_BIN_EXE_curt")), at, home, &[&["find"], args].concat())
}

fn lines(output: &Output, end: u8) -> BTreeSet<Vec<u8>> {
    output.stdout.split(|&byte| byte == end).map(<[u8]>::to_vec).collect()
}

/// Asks both and compares what they print, in any order.
fn compare(fd: &str, at: &Path, home: &Path, args: &[&str]) -> usize {
    let expected = run(Path::new(fd), at, home, args);
    let output = curt(at, home, args);
    let end = if args.contains(&"-0") { 0 } else { b'\n' };
    let (found, wanted) = (lines(&output, end), lines(&expected, end));
    let show = |lines: &BTreeSet<Vec<u8>>, others: &BTreeSet<Vec<u8>>| -> Vec<String> {
        let only = lines.difference(others).take(5);
        only.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    };
    assert!(
        found == wanted,
        "{args:?} in {}: only curt has {:?}, only fd {:?}; {output:?}",
        at.display(),
        show(&found, &wanted),
        show(&wanted, &found),
    );
    assert_eq!(output.stdout.len(), expected.stdout.len(), "{args:?}: something is there twice");
    // What cannot be read is an error here, and nothing to fd.
    if output.stderr.is_empty() {
        assert_eq!(output.status.code(), expected.status.code(), "{args:?}");
    }
    found.len() - 1
}

#[test]
fn everyday_questions_have_the_answers_of_fd() {
    let Some(fd) = fd() else { return };
    let scratch = Scratch::new();
    everyday(&scratch);
    let (home, tree) = (scratch.dir("home"), scratch.at("t"));
    for question in cells(QUESTIONS) {
        let args: Vec<&str> = question.split_whitespace().collect();
        let answers = compare(fd, &tree, &home, &args);
        assert!(answers > 0, "{question} finds nothing");
    }
}

/// A tree like that of a project and a system's settings, with an answer to each question.
fn everyday(scratch: &Scratch) {
    let long_ago = SystemTime::now() - Duration::from_secs(15 * 365 * 24 * 60 * 60);
    for (number, stem) in ["main", "mod", "conf", "README", "libx", "a1", "make-up", "c++", "é"]
        .into_iter()
        .enumerate()
    {
        for (step, end) in
            [".rs", ".h", ".H", ".conf", ".c", ".md", ".tar.gz", ""].into_iter().enumerate()
        {
            for folder in
                ["", "src/", "src/lib/", "lib/modules/", "include/sys/", ".hidden/", "bin/"]
            {
                let content = vec![b'x'; (number * step * 400) % 20_000];
                let path = scratch.file_with(format!("t/{folder}{stem}{end}"), &content);
                if (number + step) % 3 == 0 {
                    let file = std::fs::File::options().write(true).open(&path).unwrap();
                    file.set_modified(long_ago).unwrap();
                }
            }
        }
    }
    for name in ["Cargo.toml", "Cargo.lock", "Makefile", "readme.txt", "src/Makefile"] {
        scratch.file(format!("t/{name}"));
    }
    for name in ["bin/run", "src/module/run.sh", "script.rs"] {
        scratch.script(format!("t/{name}"), "#!/bin/sh\n", 0o755);
    }
    for name in ["empty", "src/empty.d", ".git/objects", "lib/mod.d"] {
        scratch.dir(format!("t/{name}"));
    }
    for (name, target) in [("mod-link", "src"), ("src/mod.link", "../lib"), ("broken", "nowhere")] {
        scratch.link(format!("t/{name}"), target);
    }
}

/// A tree with something of everything.
fn made(scratch: &Scratch) {
    for name in ["a.rs", "B.RS", ".hidden.rs", "sub/c.tar.gz", "sub/.deep/x", "sub/odd \n name"] {
        scratch.file_with(format!("t/{name}"), b"text");
    }
    for name in ["empty", "sub/-dash", "build/out.o", "kept.log", "lost.log", "other/only.txt"] {
        scratch.file(format!("t/{name}"));
    }
    scratch.dir("t/.git");
    scratch.dir("t/void");
    scratch.file_with("t/.gitignore", b"build/\n*.log\n!kept.log\n");
    scratch.file_with("t/sub/.fdignore", b"*.gz\n");
    scratch.file_with("t/other/.ignore", b"only.txt\n");
    scratch.file_with("t/1000", &[0; 1000]);
    scratch.file_with("t/1024", &[0; 1024]);
    scratch.file_with("t/\u{e9}\u{c9}.Txt", b"");
    scratch.script("t/run.sh", "#!/bin/sh\n", 0o755);
    scratch.link("t/link", "sub");
    scratch.link("t/broken", "nowhere");
    scratch.fifo("t/pipe");
    drop(UnixListener::bind(scratch.at("t/socket")).unwrap());
    scratch.file(Path::new("t").join(OsStr::from_bytes(b"not\xffUnicode")));
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(scratch.at("t/a.rs"), mode).unwrap();
}

#[test]
fn kinds_rules_and_forms_of_paths_are_those_of_fd() {
    let Some(fd) = fd() else { return };
    let scratch = Scratch::new();
    made(&scratch);
    let home = scratch.dir("home");
    let tree = scratch.at("t");
    for question in cells(
        r"
        '' | -u | -I | -H -E .git | -uu | rs | RS | -g *.rs -H | -e rs | -e gz -I | -e tar.gz -I
        -t x | -t e | -t e -t f | -t e -t l | -t p | -t s | -t pipe -t socket | -t l | -L
        -L -t l | -L -t d | -S 1k | -S 1ki | -S +1k | -S -1000b | -S +0b -u | -0 | -0 -u | -a rs
        -p t/sub | -p -g **/sub/* | c . sub | . ./sub | . sub/ | . sub other | -d 1 . link | . .
        -E sub | -E *.rs | -E sub/c.tar.gz -I | -E /sub -u | --prune sub | --prune -t d | -i ÉÉ
        éé | --and rs a | -F .rs | --max-results 100 a | --no-ignore --hidden --min-depth 2
        --one-file-system | --changed-within 1h | --changed-before 1h | -c never | -x echo
        -x echo {/} {//} {.} {/.} | -j1 -x echo {}x{} | -e rs -x echo {.}.o | -X printf %s\n
        -X printf %s\n a {} b | -t f -X printf %s\n {/} | --batch-size 3 -t f -X printf %s\n
        -x false | -X false | -x echo a ; -x echo {/} b | -x false ; -x echo
        -j1 -x echo ; -x false ; -x echo not | -X printf a%s\n ; -X printf b%s\n {/}
        -X false ; -X printf %s\n | -l | -l rs | -l -t d . sub | zzz -l | --base-directory sub
        --base-directory sub . .. ../other -u | --base-directory sub -x cat
        --base-directory sub -l | --no-ignore-vcs | --no-ignore-vcs -H -E .git
        zzz -X printf %s\n | -q rs | -q zzz | --strip-cwd-prefix -0
        --ignore-file sub/.fdignore -t f | -I --ignore-file sub/.fdignore -t f |
        -u --ignore-file .gitignore -t f | -I -t f --ignore-file .gitignore -E a.rs
        --newer 2020-01-01 | --maxdepth 1 | -1 a.rs | nothing
        -o 0 -t f -d1 | -tf -d1 | -HItf
    ",
    ) {
        let args: Vec<&str> = question.split_whitespace().collect();
        compare(fd, &tree, &home, &args);
    }
}

#[test]
fn what_is_found_soon_has_the_order_of_fd() {
    let Some(fd) = fd() else { return };
    let scratch = Scratch::new();
    made(&scratch);
    for name in ["sub.a", "sub-b", "sub/a/b", "sub/a.b"] {
        scratch.dir(format!("t/{name}"));
    }
    for args in [&["-u"][..], &["-t", "f"], &[".", "sub", "other"]] {
        let (home, tree) = (scratch.path(), scratch.at("t"));
        let expected = run(Path::new(fd), &tree, home, args);
        for threads in ["-j1", "-j4"] {
            let output = curt(&tree, home, &[&[threads], args].concat());
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&expected.stdout)
            );
        }
    }
}
