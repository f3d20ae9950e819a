//! Copies killed before each of their system calls, and completed by a second one.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Output;

use curt_testkit::{Scratch, may_trace};

use crate::{COMMON, FIRST, age, assert_same, complete, dump, in_process, options};

const SIGKILL: i32 = 9;

fn tree(scratch: &Scratch, names: &str, content: u8) {
    for (number, name) in names.split(' ').enumerate() {
        scratch.file_with(name, &vec![content + number as u8; 1 + 50_000 * number]);
    }
}

/// Returns the type, size, time and content of an entry.
fn state(path: &Path) -> Option<(u32, u64, i64, Vec<u8>)> {
    let about = fs::symlink_metadata(path).ok()?;
    let content = if about.is_file() { fs::read(path).unwrap() } else { Vec::new() };
    Some((about.mode() & 0o170_000, about.len(), about.mtime(), content))
}

fn killed_by(name: &str, number: usize, words: &str, from: &Path, to: &Path) -> Output {
    let number = if COMMON.contains(&name) { FIRST + number } else { number };
    let inject = format!("inject={name}:signal=KILL:when={number}");
    let tracer = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject];
    in_process(&tracer, words, from, to).output().unwrap()
}

/// Checks that the names of at most `workers` entries do not have the old or the new state, and
/// removes temporary files.
fn check_left(scratch: &Scratch, workers: usize, case: &str) {
    let mut incomplete = Vec::new();
    for line in scratch.list("t").into_iter().filter(|line| !line.starts_with('d')) {
        let path = &line[2..];
        let [found, new, old] = ["t", "s", "old"].map(|top| state(&scratch.at(top).join(path)));
        if path.contains(".curt-") {
            scratch.remove(format!("t/{path}"));
        }
        if found != new && found != old {
            incomplete.push(line);
        }
    }
    assert!(incomplete.len() <= workers, "{case}: {incomplete:?}");
}

#[test]
fn a_second_copy_completes_one_that_was_killed() {
    if !may_trace() {
        return;
    }
    for (words, is_replaced) in [("all", false), ("all changed", true)] {
        let scratch = Scratch::new();
        tree(&scratch, "s/a s/d/b s/d/e/c", b'n');
        scratch.link("s/d/link", "../a");
        scratch.hard_link("s/d/b", "s/second");
        age(&scratch, "s");
        if is_replaced {
            tree(&scratch, "old/a old/d/b", b'o');
            scratch.link("old/d/link", "elsewhere");
        }
        let (from, to) = (scratch.at("s"), scratch.at("t"));
        let prepare = || {
            scratch.remove("t");
            if is_replaced {
                complete(&options("all").run(scratch.at("old"), &to));
            }
        };
        prepare();
        let report = options(words).run(&from, &to);
        complete(&report);
        let expected = dump(&to);
        let names: BTreeSet<&str> = report.calls.iter().map(|(name, _)| name).collect();
        for name in names {
            for number in 1.. {
                prepare();
                let output = killed_by(name, number, words, &from, &to);
                let case = format!("{words}, killed by {name} {number}");
                if output.status.success() {
                    break;
                }
                assert_eq!(output.status.signal(), Some(SIGKILL), "{case}: {output:?}");
                if scratch.exists("t") {
                    check_left(&scratch, 1, &case);
                }
                complete(&options("all changed").run(&from, &to));
                assert_same(&dump(&to), &expected, &case);
            }
        }
    }
}

#[test]
fn two_killed_workers_leave_at_most_two_incomplete_files() {
    if !may_trace() {
        return;
    }
    let scratch = Scratch::new();
    for number in 0..400 {
        let path = format!("s/{}/{number}", number % 40);
        if number % 5 > 0 || number < 40 {
            scratch.file_with(path, &[b'n'; 5000]);
        } else {
            let first = number % 80 / 2;
            scratch.hard_link(format!("s/{first}/{first}"), path);
        }
    }
    age(&scratch, "s");
    let (from, to) = (scratch.at("s"), scratch.path().join("t"));
    complete(&options("all").run(&from, &to));
    let expected = dump(&to);
    for name in ["copy_file_range", "utimensat", "close", "openat"] {
        for number in (5..160).step_by(31) {
            scratch.remove("t");
            let output = killed_by(name, number, "all j2", &from, &to);
            let case = format!("two workers, killed by {name} {number}");
            assert!(!output.status.success(), "{case}");
            check_left(&scratch, 2, &case);
            let report = options("all changed j2").run(&from, &to);
            complete(&report);
            assert_eq!(report.threads, 2);
            assert_same(&dump(&to), &expected, &case);
        }
    }
}
