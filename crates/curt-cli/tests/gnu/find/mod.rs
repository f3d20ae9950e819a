//! `curt find -u` beside GNU find: the same entries, the same failures, the same effect.
//!
//! Paths are compared as sorted lists, because the order is each program's own, and without the
//! slash that curt writes after directories. As fd, curt follows operands that are links and does
//! not find operands: find gets `-H` and `-mindepth 1`.

mod actions;
mod listing;
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use curt_testkit::{Scratch, skip};

use crate::harness::Bench;

/// A tree in a scratch directory, and a curt that everybody can run.
struct Place {
    bench: Bench,
    scratch: Scratch,
    user: Option<u32>,
}

/// What came of a command.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    paths: Vec<OsString>,
    code: Option<i32>,
    /// The paths that failed, quoted, with the reason.
    failures: Vec<String>,
}

impl Place {
    /// An empty one; `None`, said aloud, where GNU find is not installed.
    fn new() -> Option<Place> {
        let version = Command::new("find").arg("--version").output();
        if !version.is_ok_and(|output| output.stdout.starts_with(b"find (GNU findutils)")) {
            skip("GNU find is not installed");
            return None;
        }
        let scratch = Scratch::new();
        fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Some(Place { bench: Bench::new(), scratch, user: None })
    }

    /// One that holds the tree of odd things.
    fn odd() -> Option<Place> {
        let place = Place::new()?;
        odd_tree(&place.scratch);
        Some(place)
    }

    fn command(&self, program: &Path, args: &[&OsStr]) -> Output {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.scratch.path()).env("LC_ALL", "C");
        command.stdin(Stdio::null());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command.output().unwrap()
    }

    /// What find says; words are separated by blanks.
    fn find(&self, args: &str) -> Said {
        let (follow, rest) = match args.strip_prefix("-L ") {
            Some(rest) => ("-L", rest),
            None => ("-H", args),
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let tests = words.iter().position(|word| word.starts_with(['-', '(']));
        let (operands, tests) = words.split_at(tests.unwrap_or(words.len()));
        let all = [&[follow], operands, &["-mindepth", "1"], tests, &["-print0"]].concat();
        let all: Vec<&OsStr> = all.into_iter().map(OsStr::new).collect();
        said(&self.command(Path::new("find"), &all))
    }

    fn curt(&self, args: &str) -> Said {
        let words = ["find", "-u", "-0"].into_iter().chain(args.split_whitespace());
        let words: Vec<&OsStr> = words.map(OsStr::new).collect();
        said(&self.command(self.bench.curt(), &words))
    }

    /// Both must say the same, with one thread and with several, sorted and not.
    fn same(&self, find: &str, curt: &str) -> Said {
        let expected = self.find(find);
        for more in ["", "-j1", "-j3", "--contents-first", "--sort=name", "--without=openat2"] {
            let printed = self.curt(&format!("{more} {curt}"));
            let differs = |one: &Said, other: &Said| -> Vec<OsString> {
                let only = one.paths.iter().filter(|path| !other.paths.contains(path));
                only.cloned().collect()
            };
            let (more_paths, fewer) = (differs(&printed, &expected), differs(&expected, &printed));
            assert!(
                printed == expected,
                "curt find -u {more} {curt}: {:?}, only here {more_paths:?} {:?}\n\
                 find {find}: {:?}, only here {fewer:?} {:?}",
                printed.code,
                printed.failures,
                expected.code,
                expected.failures
            );
        }
        expected
    }
}

fn said(output: &Output) -> Said {
    let mut paths: Vec<OsString> = output
        .stdout
        .split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| OsStr::from_bytes(path.strip_suffix(b"/").unwrap_or(path)).to_owned())
        .collect();
    paths.sort();
    let messages = String::from_utf8_lossy(&output.stderr);
    // From the quoted path on: the words before it are each program's own.
    let notes = ["is deleted only if", "has exactly the size"];
    let is_note = |line: &&str| notes.iter().any(|note| line.contains(note));
    let failures = messages.lines().filter(|line| !is_note(line));
    let mut failures: Vec<String> =
        failures.map(|line| line[line.find('\'').unwrap_or(0)..].to_owned()).collect();
    failures.sort();
    Said { paths, code: output.status.code(), failures }
}

/// Odd names, and every kind of thing that can be made without being root.
fn odd_tree(scratch: &Scratch) {
    for name in [
        "t/plain.rs",
        "t/.hidden",
        "t/.config/x.rs",
        "t/with space/a b",
        "t/new\nline",
        "t/tab\tand\u{1b}[31m",
        "t/-dash/-x",
        "t/*/?",
        "t/[ab]",
        "t/back\\slash",
        "t/quote'\"",
        "t/größe",
        "t/a/b/c/d/e/f.rs",
        "t/{x,y}",
        "-t/-f",
    ] {
        scratch.file(name);
    }
    scratch.file(Path::new("t").join(OsStr::from_bytes(b"bad-\xff\xfe")));
    scratch.file(Path::new("t").join(OsStr::from_bytes(b"dir-\xff/below\x80")));
    for (path, bytes) in [("t/five", 5), ("t/a/kilo", 1024), ("t/a/b/more", 1025)] {
        scratch.file_with(path, &vec![b'x'; bytes]);
    }
    scratch.file(format!("t/{}", "n".repeat(255)));
    scratch.dir("t/empty");
    scratch.fifo("t/pipe");
    scratch.link("t/to-file", "plain.rs");
    scratch.link("t/to-dir", "a/b");
    scratch.link("t/dangling", "nowhere");
    // The name outlives the listener.
    drop(UnixListener::bind(scratch.at("t/socket")).unwrap());
}

/// Everything below a directory, by name and kind.
fn left(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
            found.push(entry.path().strip_prefix(root).unwrap().to_owned());
        }
    }
    found.sort();
    found
}
