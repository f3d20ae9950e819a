//! Compares `curt find` with git.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod config;
mod lines;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use curt_testkit::{Choices, Scratch, skip};

fn work_tree() -> Option<Scratch> {
    let scratch = Scratch::new();
    scratch.dir("w");
    let made = git(&scratch, &["init", "-q"]).map(|output| output.status.success());
    if made != Some(true) {
        skip("git is not installed");
        return None;
    }
    // The user's git template may have added an `info/exclude`.
    scratch.remove("w/.git/info");
    Some(scratch)
}

fn git(scratch: &Scratch, args: &[&str]) -> Option<std::process::Output> {
    let mut command = Command::new("git");
    command.args(args).current_dir(scratch.at("w")).stdin(Stdio::null());
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    command.env("HOME", scratch.at("home")).env_remove("XDG_CONFIG_HOME").env_remove("GIT_DIR");
    command.env("GIT_CEILING_DIRECTORIES", scratch.path()).output().ok()
}

fn paths(text: &[u8]) -> BTreeSet<PathBuf> {
    text.split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| OsStr::from_bytes(path).into())
        .collect()
}

fn listed_by_git(scratch: &Scratch) -> BTreeSet<PathBuf> {
    let output = git(scratch, &["ls-files", "-z", "--others", "--exclude-standard"]).unwrap();
    assert!(output.status.success(), "{output:?}");
    paths(&output.stdout)
}

fn find(scratch: &Scratch, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_curt"));
    command.arg("find").args(args).env("LC_ALL", "C").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.env("HOME", scratch.at("home")).env_remove("XDG_CONFIG_HOME");
    command.current_dir(scratch.path());
    command
}

fn printed(scratch: &Scratch, from: &str, args: &[&str]) -> BTreeSet<PathBuf> {
    let mut command = find(scratch, &[&["-0", "-E", ".git"], args].concat());
    let output = command.current_dir(scratch.at(from)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = paths(&output.stdout);
    found.iter().map(|path| path.strip_prefix(".").unwrap_or(path).to_owned()).collect()
}

const FILES: [&str; 3] = ["-H", "-tf,l,p", "."];

fn agree(scratch: &Scratch, words: &str) {
    let kept = listed_by_git(scratch);
    assert_eq!(printed(scratch, "w", &FILES), kept, "{words}");
    for more in ["-j1", "-j3", "--without=openat2"] {
        assert_eq!(printed(scratch, "w", &["-H", "-tf,l,p", more]), kept, "{more}: {words}");
    }
}

fn write(scratch: &Scratch, path: &str, text: &str) {
    if scratch.exists(path) {
        std::fs::remove_file(scratch.at(path)).unwrap();
    }
    scratch.file_with(path, text.as_bytes());
}

#[test]
fn random_trees_and_rules_mean_the_same_to_git() {
    const NAMES: [&str; 6] = ["a", "b", "ab", "a.c", ".x", "b b"];
    const RULES: [&str; 30] = [
        "a", "/a", "a/", "b/a", "*.c", "!a", "a/*", "**/b", "a/**", "!/b/a", "[ab]", "b\\ b", "#a",
        "", "a/**/b", "!*.c", "/*", "!/b/", "*", "!*/", "?", "/b/**/a", "!b", ".x", "!.x", "ab/",
        "l", "l/", "!a/b/", "!ab/**",
    ];
    let mut choices = Choices::new(7);
    for _ in 0..60 {
        let Some(scratch) = work_tree() else { return };
        let mut words = Vec::new();
        let mut rules = |choices: &mut Choices, file: &str| {
            let rules: Vec<&str> = (0..3).map(|_| choices.one_of(&RULES)).collect();
            scratch.file_with(file, (rules.join("\n") + "\n").as_bytes());
            words.push(format!("{file}: {rules:?}"));
        };
        scratch.link("w/l", "a");
        if choices.one_in(3) {
            rules(&mut choices, "w/.git/info/exclude");
        }
        for _ in 0..14 {
            let mut path = String::from("w");
            for _ in 0..choices.below(3) {
                path = format!("{path}/{}", choices.one_of(&NAMES));
            }
            let below_file = scratch.path().join(&path).ancestors().any(std::path::Path::is_file);
            if !below_file && !scratch.exists(format!("{path}/z")) {
                scratch.file(format!("{path}/z"));
                let name = choices.one_of(&NAMES);
                if !scratch.exists(format!("{path}/{name}")) {
                    scratch.file(format!("{path}/{name}"));
                }
                if choices.below(3) == 0 {
                    rules(&mut choices, &format!("{path}/.gitignore"));
                }
            }
        }
        agree(&scratch, &words.join("; "));
    }
}

#[test]
fn rules_of_ancestors_of_the_operand_apply() {
    let Some(scratch) = work_tree() else { return };
    for file in ["a/b/c/one.o", "a/b/c/two", "a/b/three", "a/b/c/d/four"] {
        scratch.file(format!("w/{file}"));
    }
    scratch.file_with("w/.gitignore", b"*.o\n/a/b/c/d\n");
    scratch.file_with("w/a/.gitignore", b"three\n/c\nb/c/nothing\n");
    let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
    let files = ["-H", "-tf", "."];
    assert_eq!(printed(&scratch, "w/a/b/c", &files), set(&["two"]));
    assert_eq!(printed(&scratch, "w/a/b", &files), set(&["c/two"]));
    assert_eq!(printed(&scratch, "w/a", &[&files[..], &["b/c"]].concat()), set(&["b/c/two"]));
    assert_eq!(
        printed(&scratch, "w/a/b/c", &[&files[..], &["../../b"]].concat()),
        set(&["../../b/c/two"])
    );
    assert_eq!(
        printed(&scratch, "w", &[&files[..], &["a/b/c/d"]].concat()),
        set(&["a/b/c/d/four"])
    );
}

#[test]
fn rule_files_that_are_no_regular_files_are_refused() {
    let scratch = Scratch::new();
    scratch.file("t/a");
    scratch.dir("t/d/.ignore");
    scratch.file("t/d/a");
    scratch.fifo("t/p/.ignore");
    scratch.file("t/p/a");
    scratch.file_with("t/bytes/.ignore", b"\xff\xfe\na");
    scratch.file("t/bytes/a");
    scratch.file_with("rules", b"a\n");
    scratch.link("t/l/.ignore", "../../rules");
    scratch.file("t/l/a");
    let output = find(&scratch, &["-j1", "-tf", ".", "t"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "t/a\nt/d/a\n");
    // Like git, curt neither follows a symlink nor reads a pipe here. It skips these directories
    // instead of guessing which entries are ignored.
    let messages = String::from_utf8(output.stderr).unwrap();
    let mut messages: Vec<&str> = messages.lines().collect();
    messages.sort_unstable();
    assert_eq!(
        messages,
        [
            "curt find: cannot read 't/l/.ignore': Too many levels of symbolic links",
            "curt find: cannot read 't/p/.ignore': it is not a regular file",
        ]
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn pipe_above_the_operand_is_refused() {
    let scratch = Scratch::new();
    scratch.fifo("p/.ignore");
    scratch.file("p/q/a");
    scratch.dir("d/.ignore");
    scratch.file("d/q/a");
    let search = |operand| {
        let output = find(&scratch, &["-tf", ".", operand]).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr), output.status.code())
    };
    let (out, err, code) = search("p/q");
    assert_eq!((out.as_str(), code), ("", Some(1)), "{err}");
    assert!(err.ends_with("/p/.ignore': it is not a regular file\n"), "{err}");
    assert_eq!(search("d/q"), ("d/q/a\n".to_owned(), String::new(), Some(0)));
}

#[test]
fn a_hidden_operand_does_not_show_hidden_entries() {
    let scratch = Scratch::new();
    for file in [".config/a", ".config/.b", ".config/d/c", ".config/d/.e", ".config/.f/g"] {
        scratch.file(file);
    }
    let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
    for more in [&["-j1"][..], &["-j2"], &["-j8"], &["-I"], &["-L"]] {
        let printed =
            |operand: &str| printed(&scratch, ".", &[&["-tf", ".", operand], more].concat());
        assert_eq!(printed(".config"), set(&[".config/a", ".config/d/c"]), "{more:?}");
        assert_eq!(printed("./.config/"), set(&[".config/a", ".config/d/c"]), "{more:?}");
        assert_eq!(printed(".config/.f"), set(&[".config/.f/g"]), "{more:?}");
    }
}
