//! The call ceilings of `curt find` for M directories and N other entries.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use curt_testkit::Scratch;

use crate::strace::{Counts, Traced, curt, difference, trace, tracing};
use crate::{check_snapshot, slope};

fn flat_tree(scratch: &Scratch, directories: usize, files: usize, links: usize) {
    scratch.dir("target");
    for directory in 0..directories {
        let path = scratch.dir(format!("tree/d{directory}"));
        for file in 0..files {
            std::fs::File::create(path.join(format!("f{file}"))).unwrap();
        }
        for link in 0..links {
            scratch.link(format!("tree/d{directory}/l{link}"), "../../target");
        }
    }
}

fn run(scratch: &Scratch, args: &[&str]) -> Traced {
    let traced = curt(scratch, args);
    traced.check();
    traced
}

fn find(scratch: &Scratch, args: &[&str]) -> Traced {
    run(scratch, &[&["find"], args].concat())
}

/// Removing entries during a listing could hide later ones.
#[test]
fn a_directory_is_listed_before_its_entries_are_deleted() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    for number in 0..3_000 {
        scratch.file(format!("tree/{}-{number}", "long".repeat(20)));
    }
    let args = ["find", "-u", "--delete", ".", "tree"];
    let (_, log) = trace(&scratch, Path::new(env!("CARGO_BIN_EXE_curt")), &args);
    let is_call =
        |line: &str, call: &str| line.split_once('(').is_some_and(|(it, _)| it.ends_with(call));
    let lines: Vec<&str> = log.lines().collect();
    let listed = lines.iter().rposition(|line| is_call(line, " getdents64")).unwrap();
    let removed = lines.iter().position(|line| is_call(line, " unlinkat")).unwrap();
    assert!(listed < removed && lines.iter().filter(|it| is_call(it, " getdents64")).count() > 3);
    assert!(scratch.list("tree").is_empty());
}

fn slopes(name: &str, line: &str) {
    let args: Vec<&str> = ["find", "-j1"].into_iter().chain(line.split(' ')).collect();
    let Some(()) = tracing() else { return };
    let mut traces: Vec<Counts> = Vec::new();
    for (directories, files, links) in [(64, 2, 1), (128, 2, 1), (64, 4, 1), (64, 2, 2)] {
        let scratch = Scratch::new();
        flat_tree(&scratch, directories, files, links);
        traces.push(run(&scratch, &args).seen);
    }
    let mut text = String::new();
    writeln!(text, "curt {}\n", args.join(" ")).unwrap();
    let what = [
        ("64 directories of 2 files and a link more", 64),
        ("128 files more", 128),
        ("64 links to directories more", 64),
    ];
    for ((what, units), trace) in what.into_iter().zip(&traces[1..]) {
        slope(&mut text, what, &difference(trace, &traces[0]), units);
    }
    check_snapshot(name, &text);
}

/// Some options cost more calls than a plain search: one per entry that passes all other tests and
/// needs metadata, one per directory to detect a different device, and with `-L` one per symlink
/// and directory.
#[test]
fn searches_cost_as_in_their_snapshots() {
    for (name, line) in [
        ("find-all", "-u . tree"),
        ("find-sizes", "-u --fields=name,size,modified,mode . tree"),
        ("find-tests", "-u f1 tree -S +1b"),
        ("find-permissions", "-u --perm=/111 f1 tree"),
        ("find-names", "f tree"),
        ("find-mount", "-u --one-file-system=mount . tree"),
        ("find-device", "-u --one-file-system . tree"),
        ("find-links", "-uL . tree"),
        ("find-sorted", "-u --sort=name . tree"),
        ("find-delete", "-u --delete . tree"),
    ] {
        slopes(name, line);
    }
}

/// While a signal is pending, the kernel ends each `getdents64` after one record.
#[test]
fn listings_interrupted_by_signals_are_complete() {
    const FILES: usize = 7;
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    for directory in ["tree/one", "tree/two", "tree/two/below"] {
        scratch.dir(directory);
        for file in 0..FILES {
            scratch.file(format!("{directory}/f{file}"));
        }
    }
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "calls.log", "-e", "trace=getdents64"]);
    traced.args(["-e", "inject=getdents64:signal=SIGURG", env!("CARGO_BIN_EXE_curt")]);
    let output =
        traced.args(["find", "-u", ".", "tree"]).current_dir(scratch.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).unwrap();
    let names: BTreeSet<&str> = names.lines().collect();
    assert_eq!(names.len(), 3 + 3 * FILES, "{names:?}");
    let log = std::fs::read_to_string(scratch.at("calls.log")).unwrap();
    // Each directory also lists `.` and `..`.
    let records = 3 + 3 * FILES + 4 * 2;
    assert_eq!(log.matches("/* 1 entries */").count(), records, "none was cut short: {log}");
    assert_eq!(log.matches("getdents64(").count(), records + 4, "{log}");
}

#[test]
fn output_is_written_in_large_pieces() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    let path = scratch.dir("tree");
    let filling = "n".repeat(120);
    for number in 0..8_000 {
        std::fs::File::create(path.join(format!("{filling}{number:05}"))).unwrap();
    }
    let bytes = 8_000 * (5 + 125 + 1);
    for threads in ["-j1", "-j2"] {
        let writes = find(&scratch, &["-u", threads, ".", "tree"]).seen["write"];
        assert!(writes <= bytes / (56 << 10) + 4, "{writes}");
    }
}

#[test]
fn ignore_rules_take_no_call_where_there_are_none() {
    let Some(()) = tracing() else { return };
    let scratch = Scratch::new();
    flat_tree(&scratch, 64, 2, 1);
    let plain = find(&scratch, &["-u", "-j1", ".", "tree"]);
    let ruled = find(&scratch, &["-j1", ".", "tree"]);
    let more = difference(&ruled.counted, &plain.counted);
    // One call queries the working directory, one checks its path, and others read the user's git
    // configuration. Each parent of the tree costs one `statx`, and two or (in a work tree) three
    // `openat`.
    let above = scratch.path().ancestors().count() as u64;
    assert_eq!(more["getcwd"], 1);
    assert!((above + 2..=above + 3).contains(&more["statx"].unsigned_abs()), "{more:?}");
    assert!((2 * above..=3 * above + 2).contains(&more["openat"].unsigned_abs()), "{more:?}");
    assert!(!more.contains_key("getdents64"));
    assert_eq!(ruled.entries, plain.entries);
    let dots = find(&scratch, &["-I", "-j1", ".", "tree"]);
    assert_eq!(dots.counted, plain.counted);
    // Each ignore file is opened, queried, read to its end, and closed.
    for directory in 0..10 {
        scratch.file_with(format!("tree/d{directory}/.ignore"), b"nothing\n");
    }
    let more = difference(&find(&scratch, &["-j1", ".", "tree"]).counted, &ruled.counted);
    assert_eq!((more["openat"], more["statx"], more["read"], more["close"]), (10, 10, 20, 10));
}

#[test]
fn the_program_of_exec_is_searched_for_once() {
    let Some(()) = tracing() else { return };
    let searches = |files: usize| {
        let scratch = Scratch::new();
        for number in 0..files {
            scratch.file(format!("t/{number}"));
        }
        let program = Path::new(env!("CARGO_BIN_EXE_curt"));
        let args = ["find", "-u", "-j1", "-tf", ".", "t", "-x", "true"];
        let (_, log) = trace(&scratch, program, &args);
        let is_search = |line: &&str| line.contains("faccessat") || line.contains("O_PATH");
        log.lines().filter(is_search).count()
    };
    assert_eq!(searches(1), searches(5));
    let scratch = Scratch::new();
    for number in 0..5 {
        scratch.file(format!("t/{number}"));
    }
    let program = Path::new(env!("CARGO_BIN_EXE_curt"));
    let args = ["find", "-u", "-j1", "-tf", ".", "t", "-x", "true"];
    let (_, log) = trace(&scratch, program, &args);
    let starts: Vec<&str> = log.lines().filter(|line| line.contains("execve(")).collect();
    assert_eq!(starts.len(), 6, "{starts:#?}");
    assert!(!starts.iter().any(|line| line.contains("= -1")), "{starts:#?}");
    let path = std::env::var_os("PATH").unwrap_or_default();
    for directory in std::env::split_paths(&path) {
        let opened = format!("open(\"{0}\"|openat(AT_FDCWD, \"{0}\"", directory.display());
        let opened: Vec<&str> = opened.split('|').collect();
        let count =
            log.lines().filter(|line| opened.iter().any(|begin| line.contains(begin))).count();
        assert!(count <= 1, "{}: {count}", directory.display());
    }
}
