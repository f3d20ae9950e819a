//! The budget of `curt du`: one call for each entry, four more for each directory.

use std::fmt::Write;

use curt_testkit::{Scratch, skip};

use crate::strace::{Counts, Traced, available, curt, difference};
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

/// What the command counted is what strace saw, and no more than starting takes on top.
fn check(traced: &Traced) {
    for (name, &count) in &traced.counted {
        let seen = traced.seen.get(name).copied().unwrap_or(0);
        let beside = match name.as_str() {
            "openat" | "close" => 20,
            "prlimit64" | "sched_getaffinity" => 4,
            _ => 0,
        };
        assert!(seen >= count && seen <= count + beside, "{name}: {seen} seen, {count} counted");
    }
}

fn measured(directories: usize, files: usize, args: &[&str]) -> Counts {
    let traced = curt(&tree(directories, files), &[&["du"], args].concat());
    check(&traced);
    traced.counted
}

fn slopes(name: &str, args: &[&str]) {
    if !available() {
        return skip("strace is not installed, or may not trace");
    }
    let [less, wider, fuller] = [(256, 2), (512, 2), (256, 4)]
        .map(|(directories, files)| measured(directories, files, args));
    let mut text = String::new();
    writeln!(text, "curt du {}\n", args.join(" ")).unwrap();
    slope(&mut text, "256 directories of 2 files more", &difference(&wider, &less), 256);
    slope(&mut text, "512 files more", &difference(&fuller, &less), 512);
    check_snapshot(name, &text);
}

#[test]
fn one_thread() {
    slopes("du-one-thread", &["-j1", "tree"]);
}

#[test]
fn one_file_system_costs_nothing() {
    slopes("du-one-file-system", &["-x", "-s", "-j1", "tree"]);
}

#[test]
fn files_and_depths_cost_nothing() {
    slopes("du-files", &["-a", "-d", "1", "-j1", "tree"]);
}

#[test]
fn the_formula_is_exact() {
    if !available() {
        return skip("strace is not installed, or may not trace");
    }
    for (directories, files) in [(1, 0), (10, 1), (200, 3)] {
        let scratch = tree(directories, files);
        scratch.dir("tree");
        let traced = curt(&scratch, &["du", "-j1", "tree"]);
        check(&traced);
        let directories = if files == 0 { 1 } else { directories as u64 + 1 };
        let entries = directories + (directories - 1) * files as u64;
        let total: u64 = traced.counted.values().sum();
        assert_eq!(total, entries + 4 * directories);
        assert!(!traced.seen.contains_key("clone3"), "no thread was asked for");
    }
}

#[test]
fn several_operands_are_asked_about_before() {
    if !available() {
        return skip("strace is not installed, or may not trace");
    }
    let scratch = tree(3, 5);
    let operands = ["tree/d0", "tree/d1", "tree/d2", "tree/d0/f1", "tree/d1"];
    let traced = curt(&scratch, &[&["du", "-s"], &operands[..]].concat());
    check(&traced);
    // Three directories are asked twice; what was counted before is asked once.
    let calls = |name: &str| traced.counted.get(name).copied().unwrap_or(0);
    assert_eq!(calls("statx"), 3 * 6 + 5);
    assert_eq!((calls("openat"), calls("close"), calls("getdents64")), (3, 3, 6));
}
