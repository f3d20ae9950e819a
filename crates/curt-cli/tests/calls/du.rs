//! The budget of `curt du`: one call for each entry, four more for each directory.

use std::fmt::Write;

use curt_testkit::Scratch;

use crate::strace::{Counts, curt, difference, tracing};
use crate::{check_snapshot, slope};

/// `directories` directories of `files` files each, in one.
fn tree(directories: usize, files: usize) -> Scratch {
    let scratch = Scratch::new();
    for directory in 0..directories {
        for file in 0..files {
            scratch.file(format!("tree/d{directory}/f{file}"));
        }
    }
    scratch
}

fn measured(directories: usize, files: usize, args: &[&str]) -> Counts {
    let scratch = tree(directories, files);
    let traced = curt(&scratch, &[&["du"], args].concat());
    traced.check();
    traced.seen
}

fn slopes(name: &str, args: &[&str]) {
    let Some(()) = tracing() else { return };
    let [less, wider, fuller] =
        [(64, 2), (128, 2), (64, 4)].map(|(directories, files)| measured(directories, files, args));
    let mut text = String::new();
    writeln!(text, "curt du {}\n", args.join(" ")).unwrap();
    slope(&mut text, "64 directories of 2 files more", &difference(&wider, &less), 64);
    slope(&mut text, "128 files more", &difference(&fuller, &less), 128);
    check_snapshot(name, &text);
}

#[test]
fn no_option_takes_a_further_call() {
    slopes("du-one-thread", &["-j1", "tree"]);
    slopes("du-one-file-system", &["-x", "-s", "-j1", "tree"]);
    slopes("du-files", &["-a", "-d", "1", "-j1", "tree"]);
}

#[test]
fn the_formula_is_exact() {
    let Some(()) = tracing() else { return };
    for (directories, files) in [(1, 0), (10, 1), (200, 3)] {
        let scratch = tree(directories, files);
        scratch.dir("tree");
        let traced = curt(&scratch, &["du", "-j1", "tree"]);
        traced.check();
        let directories = if files == 0 { 1 } else { directories as u64 + 1 };
        let entries = directories + (directories - 1) * files as u64;
        let total: u64 = traced.counted.values().sum();
        assert_eq!(total, entries + 4 * directories);
        assert!(!traced.seen.contains_key("clone3"), "no thread was asked for");
    }
}

#[test]
fn an_operand_that_was_counted_takes_one_call() {
    let Some(()) = tracing() else { return };
    let scratch = tree(3, 5);
    let operands = ["tree/d0", "tree/d1", "tree/d2", "tree/d0/f1", "tree/d1"];
    let traced = curt(&scratch, &[&["du", "-s"], &operands[..]].concat());
    traced.check();
    // Three directories are asked twice; what was counted before is asked once.
    let calls = |name: &str| traced.counted.get(name).copied().unwrap_or(0);
    assert_eq!(calls("statx"), 3 * 6 + 5);
    assert_eq!((calls("openat"), calls("close"), calls("getdents64")), (3, 3, 6));
}

/// How many calls of this name come before the first about the tree, and how many follow.
fn ours(log: &str, name: &str) -> (usize, usize) {
    let begins = format!("{name}(");
    let is_first = |line: &&str| line.contains("\"tree\"") && !line.contains("execve(");
    let before = log.lines().take_while(|line| !is_first(line));
    let before = before.filter(|line| line.contains(&begins)).count();
    let all = log.lines().filter(|line| line.contains(&begins)).count();
    (before, all - before)
}

#[test]
fn du_counts_the_rest_after_each_failing_call() {
    let Some(()) = tracing() else { return };
    let scratch = tree(4, 3);
    let whole = curt(&scratch, &["du", "-a", "-j1", "tree"]);
    // The operand is opened by its path, and what lies below without crossing a mount unseen.
    for (name, least) in [("statx", 5), ("openat", 1), ("openat2", 4), ("getdents64", 5)] {
        let (before, calls) = ours(&whole.log, name);
        assert!(calls >= least, "{name}: {calls}");
        for call in 1..=calls {
            let number = before + call;
            let inject = format!("inject={name}:error=EIO:when={number}");
            let mut command = std::process::Command::new("strace");
            command.args(["-f", "-qq", "-o", "/dev/null", "-e"]).arg(inject);
            command.arg(env!("CARGO_BIN_EXE_curt")).args(["du", "--inodes", "-j1", "tree"]);
            // As the other run was, which says how many calls starting takes.
            command.env_remove("LD_LIBRARY_PATH").current_dir(scratch.path());
            let output = command.output().unwrap();
            let messages = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{name} {call}: {messages}");
            let words = if name == "statx" { "access" } else { "read directory" };
            let begin = format!("curt du: cannot {words} 'tree");
            assert!(messages.starts_with(&begin), "{name} {call}: {messages}");
            assert!(messages.ends_with(": Input/output error\n"), "{messages}");
            assert_eq!(messages.lines().count(), 1, "{messages}");
            let out = String::from_utf8(output.stdout).unwrap();
            let last = out.lines().last().and_then(|line| line.strip_suffix("\ttree"));
            let counted = last.map_or(0, |count| count.parse().unwrap());
            // One file is missing, or one directory with what it holds, or all below the operand.
            let allowed = match (name, messages.contains("'tree'")) {
                ("statx", true) => 0..=0,
                ("statx", false) => 13..=16,
                (_, true) => 1..=17,
                (_, false) => 14..=17,
            };
            assert!(allowed.contains(&counted), "{name} {call}: {counted} of 17\n{out}{messages}");
        }
    }
}

#[test]
fn two_threads_make_no_more_calls_than_one() {
    let Some(()) = tracing() else { return };
    // Enough for a second thread to be given something.
    let scratch = tree(200, 3);
    let traced = curt(&scratch, &["du", "-s", "-j2", "tree"]);
    traced.check();
    let counted = |name: &str| traced.counted.get(name).copied().unwrap_or(0);
    // The operand by its path, and the others where they lie.
    let opened = (counted("openat"), counted("openat2"));
    assert_eq!((counted("statx"), opened), (801, (1, 200)));
    assert_eq!(counted("close"), 201);
    for name in ["close_range", "unshare", "socketpair", "sendmsg", "recvmsg", "prctl"] {
        assert!(!traced.seen.contains_key(name), "{name}");
    }
    assert!(traced.seen.contains_key("clone3"), "one thread did it all");
}
