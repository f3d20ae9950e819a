//! Compares `curt find` with fd on the same trees.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "what the tools of GNU need")]
#[path = "../gnu/harness.rs"]
mod harness;
#[allow(dead_code, reason = "what the tools of GNU need")]
#[path = "../gnu/tree.rs"]
mod tree;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use curt_testkit::{Choices, Scratch, cells, skip};

use harness::{Fixture, Trial, property};
use tree::{Oddities, Tree};

const OPTIONS: &str = r"
    -u | -I | -H | -H | -tf | -td | -tl | -tx | -te | -tp | -ts | -d1 | -d 2 | --min-depth 2
    --exact-depth 2 | -e rs | -e gz | -e .tar.gz | -i | -s | -F | -L | -p | -a | -E a | -E *.rs | -E /b
    -E a/b | --prune | --no-ignore-vcs | -S +1k | -S -1ki | -S 5b | --changed-before 2020-01-31
    --changed-within 2020-01-31 | --one-file-system | -j1 | --and a | --and \. | --no-ignore
    --ignore-file rules | -c never
";

const PATTERNS: &str =
    r"'' | '' | . | a | ^[a-m] | \.rs$ | É | (a|b) | [^a]$ | A | \Sl | o w | new.line";

/// Ignore rules. The comparison with git covers rules with inner slashes.
const RULES: &str = r"a | *.rs | !a | d/ | .h | !.h | f?0* | # a | \* | [ab] | !*/";

fn fd() -> Option<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["fd", "fdfind"].into_iter().find(is_there);
    if found.is_none() {
        skip("fd is not installed");
    }
    found
}

fn run<S: AsRef<OsStr>>(program: &Path, at: &Path, home: &Path, args: &[S]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(at).stdin(Stdio::null());
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("LS_COLORS");
    // fd runs ls, whose output depends on the locale.
    command.env("LC_ALL", "C");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env_remove("NO_COLOR").output().unwrap()
}

const CURT: &str = env!("CARGO_BIN_EXE_curt");

fn lines(output: &Output, end: u8) -> BTreeSet<Vec<u8>> {
    output.stdout.split(|&byte| byte == end).map(<[u8]>::to_vec).collect()
}

/// Compares fd with curt. Exempts some differences if `is_random`.
fn difference(
    fd: &str,
    at: &Path,
    home: &Path,
    args: &[&OsStr],
    is_random: bool,
) -> Option<String> {
    let expected = run(Path::new(fd), at, home, args);
    let output = run(Path::new(CURT), at, home, &[&["find".as_ref()], args].concat());
    let end = if args.contains(&"-0".as_ref()) { 0 } else { b'\n' };
    let (found, expected_lines) = (lines(&output, end), lines(&expected, end));
    let show = |lines: &BTreeSet<Vec<u8>>, others: &BTreeSet<Vec<u8>>| -> Vec<String> {
        let only = lines.difference(others).take(5);
        only.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    };
    // fd ignores errors for unreadable directories, refuses some pairs of options, and skips broken
    // symlinks and symlink loops. Its regular expressions cannot match invalid Unicode.
    let has_odd_link = args.contains(&"-L".as_ref()) && !output.stderr.is_empty();
    let is_odd = std::str::from_utf8(&output.stdout).is_err();
    let is_refused = expected.status.code() == Some(2) || has_odd_link || is_odd;
    let is_same = is_random && is_refused
        || found == expected_lines
        // Equal lengths exclude duplicates.
        && output.stdout.len() == expected.stdout.len()
        && (!output.stderr.is_empty() || output.status.code() == expected.status.code());
    (!is_same).then(|| {
        let (only, lost) = (show(&found, &expected_lines), show(&expected_lines, &found));
        format!("only curt has {only:?}, only fd {lost:?}; {expected:?}; {output:?}")
    })
}

fn random(choices: &mut Choices) -> Trial {
    let mut tree = Tree::random(choices, Oddities { forbidden: false, names: false });
    for file in [".gitignore", ".ignore", ".fdignore", "rules", ".git/HEAD"] {
        if choices.one_in(3) || file == "rules" {
            let lines =
                (0..choices.below(4)).map(|_| choices.one_of(&cells(RULES)).to_owned() + "\n");
            let lines: Vec<String> = lines.collect();
            tree = tree.with_file(file, lines.concat());
        }
    }
    let mut trial = Trial::random(choices, tree, &cells(OPTIONS), 2);
    // fd loses the depth if it follows a broken symlink.
    if trial.has("-L") {
        trial.options.retain(|[option, _]| !option.contains("depth"));
    }
    trial.operands.insert(0, choices.one_of(&cells(PATTERNS)).into());
    trial
}

#[test]
fn random_trees_have_the_answers_of_fd() {
    let Some(fd) = fd() else { return };
    let fixture = Fixture::new();
    let (dir, home) = (fixture.dir(), fixture.scratch.dir("home"));
    property("fd", random, |trial| {
        let (pattern, operands) = trial.operands.split_first()?;
        trial.tree.make(&fixture.scratch, None);
        let is_searched = |path: &&OsString| dir.join(path).is_dir() && !path.is_empty();
        let options =
            trial.options.iter().flat_map(|[option, _]| option.split(' ').map(OsStr::new));
        let end = [OsStr::new("-0"), OsStr::new("--"), pattern];
        let operands = operands.iter().filter(is_searched).map(OsString::as_os_str);
        let words: Vec<&OsStr> = options.chain(end).chain(operands).collect();
        let difference = difference(fd, &dir, &home, &words, true);
        fixture.clear();
        difference
    });
}

fn make_tree(scratch: &Scratch) {
    for name in ["a.rs", "B.RS", ".hidden.rs", "sub/c.tar.gz", "sub/.deep/x", "sub/sub/sub/x"] {
        scratch.file_with(format!("t/{name}"), b"text");
    }
    for name in ["sub/odd \n name", "sub/sub/sub/sub.d/x"] {
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
    make_tree(&scratch);
    let home = scratch.dir("home");
    let tree = scratch.at("t");
    for question in cells(
        r"
        '' | -u | -I | -H -E .git | -uu | rs | RS | -g *.rs -H | -e rs | -e gz -I | -e tar.gz -I
        -t x | -t e | -t e -t f | -t e -t l | -t p | -t s | -t pipe -t socket | -t l | -L
        -L -t l | -L -t d | -S 1k | -S 1ki | -S +1k | -S -1000b | -S +0b -u | -0 | -0 -u | -a rs
        -p t/sub | -p -g **/sub/* | -F .c | -F 1.2
        c . sub | . ./sub | . sub/ | . sub other | -d 1 . link | . .
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
        let args: Vec<&OsStr> = question.split_whitespace().map(OsStr::new).collect();
        assert_eq!(difference(fd, &tree, &home, &args, false), None, "{question}");
    }
}

#[test]
fn early_results_have_the_order_of_fd() {
    let Some(fd) = fd() else { return };
    let scratch = Scratch::new();
    make_tree(&scratch);
    for name in ["sub.a", "sub-b", "sub/a/b", "sub/a.b"] {
        scratch.dir(format!("t/{name}"));
    }
    for args in [&["-u"][..], &["-t", "f"], &[".", "sub", "other"]] {
        let (home, tree) = (scratch.path(), scratch.at("t"));
        let expected = run(Path::new(fd), &tree, home, args);
        for threads in ["-j1", "-j4"] {
            let output = run(Path::new(CURT), &tree, home, &[&["find", threads], args].concat());
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&expected.stdout)
            );
        }
    }
}
