//! Compares measurements with a simple one based on the standard library.
#![cfg(unix)]

mod imagined;
mod known;

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use curt_testkit::Scratch;

use super::{Sizes, Usage, UsageRecord, UsageReport};
use crate::control::{Cancel, Next, Threads};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Follow, Kind};

type Shown = Vec<(String, Sizes)>;

fn shown(scratch: &Scratch, report: &UsageReport) -> Shown {
    let line = |record: &super::UsageRecord| {
        let path = record.path.strip_prefix(scratch.path()).unwrap();
        (path.display().to_string(), record.sizes)
    };
    assert_eq!(report.errors.len() as u64, report.error_count);
    report.records.iter().map(line).collect()
}

fn list(path: &Path, into: &mut Vec<PathBuf>) {
    if path.symlink_metadata().unwrap().is_dir() {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        let mut entries: Vec<_> = entries.collect();
        entries.sort();
        for entry in &entries {
            list(entry, into);
        }
    }
    into.push(path.to_owned());
}

/// Returns each path with its sizes, its depth, and whether only `files` gives it a record.
fn naive(scratch: &Scratch, operand: &Path) -> Vec<((String, Sizes), usize, bool)> {
    let mut paths = Vec::new();
    list(operand, &mut paths);
    let mut charged: HashMap<(u64, u64), &Path> = HashMap::new();
    for path in &paths {
        let metadata = path.symlink_metadata().unwrap();
        let known = charged.entry((metadata.dev(), metadata.ino())).or_insert(path);
        *known = path.as_path().min(*known);
    }
    let mut sums: BTreeMap<&Path, (Sizes, usize, bool)> = BTreeMap::new();
    for path in &paths {
        let metadata = path.symlink_metadata().unwrap();
        let has_content = metadata.is_file() || metadata.is_symlink();
        let mut sizes = Sizes {
            apparent: if has_content { metadata.len() } else { 0 },
            allocated: metadata.blocks() * 512,
            entries: 1,
        };
        let is_charged = charged[&(metadata.dev(), metadata.ino())] == path;
        if !is_charged && !metadata.is_dir() {
            sizes = Sizes::default();
        }
        for above in path.ancestors().take_while(|above| above.starts_with(operand)) {
            let depth = above.components().count() - operand.components().count();
            let is_file = depth > 0 && above == path && !metadata.is_dir();
            if !is_file || is_charged {
                let (sum, ..) = sums.entry(above).or_insert((Sizes::default(), depth, is_file));
                *sum += sizes;
            }
        }
    }
    let relative = |path: &Path| path.strip_prefix(scratch.path()).unwrap().display().to_string();
    let record = |path: &PathBuf| {
        let &(sum, depth, is_file) = sums.get(path.as_path())?;
        Some(((relative(path), sum), depth, is_file))
    };
    paths.iter().filter_map(record).collect()
}

fn sample() -> Scratch {
    let scratch = Scratch::new();
    for number in 0..400 {
        let directory = format!("t/{}/{}/d{number}", number % 5, number % 37);
        scratch.file_with(format!("{directory}/file"), &vec![b'x'; number * 50]);
        scratch.file_with(format!("{directory}/more/deep/er/file"), &vec![b'x'; number]);
        scratch.file(format!("{directory}/empty"));
    }
    // Hard links all over the tree. The name created first is not always the smallest.
    for number in 0..200 {
        let first = format!("t/{}/{}/d{number}/shared", number % 5, number % 37);
        scratch.file_with(&first, &vec![b'y'; 3000 + number]);
        for step in [7, 77, 154] {
            let other = (number * 3 + step) % 400;
            let place = format!("t/{}/{}/d{other}", other % 5, other % 37);
            scratch.hard_link(&first, format!("{place}/more/link-{number}-{step}"));
        }
    }
    scratch.hard_link("t/0/0/d0/shared", "t/0/0/d0/again");
    scratch.link("t/link", "nowhere");
    scratch.link("t/inside", "0/0");
    scratch.fifo("t/pipe");
    let hole = scratch.file("t/hole");
    std::fs::File::options().write(true).open(hole).unwrap().set_len(1 << 30).unwrap();
    // These names sort differently as components and as bytes of whole paths.
    scratch.tree("", "t/a/x t/a.b/x t/a!/x t/ab/x");
    scratch
}

#[test]
fn sums_agree_with_the_standard_library() {
    let scratch = sample();
    let operand = scratch.at("t");
    let all = naive(&scratch, &operand);
    for depth in [0, 1, 2, 3, 4, usize::MAX] {
        for files in [false, true] {
            let is_shown = |at: usize, is_file: bool| at <= depth && (files || !is_file);
            let shown_here = all.iter().filter(|&&(_, at, is_file)| is_shown(at, is_file));
            let expected: Shown = shown_here.map(|(line, ..)| line.clone()).collect();
            let usage = Usage::new().max_depth(depth).files(files);
            let report = usage.measure([&operand]);
            assert_eq!(shown(&scratch, &report), expected, "{depth} {files}");
            assert_eq!((report.unknown, report.error_count), (0, 0));
            for threads in [1, 2, 8] {
                let usage = usage.clone().threads(Threads::AtMost(threads));
                let (records, total) = each(&usage, std::slice::from_ref(&operand));
                assert_eq!(records, report.records, "{depth} {files} {threads}");
                assert_eq!(total.records, report.records[report.records.len() - 1..]);
                let of_all = (total.total(), total.error_count, total.threads);
                assert_eq!(of_all, (report.total(), 0, threads));
            }
        }
    }
}

fn each(usage: &Usage<'_>, operands: &[PathBuf]) -> (Vec<UsageRecord>, UsageReport) {
    let mut records = Vec::new();
    let report = usage.measure_each(operands, |record: &UsageRecord| records.push(record.clone()));
    (records, report)
}

#[test]
fn records_come_as_soon_as_they_are_complete() {
    let scratch = Scratch::new();
    scratch.file("t/a/file");
    for number in 0..600 {
        scratch.file(format!("t/b/{number}"));
    }
    scratch.dir("t/c/d");
    let late = scratch.at("t/c/d/late");
    let mut reported = Vec::new();
    let one = Usage::new().threads(Threads::AtMost(1));
    let report = one.measure_each([scratch.at("t")], |record: &UsageRecord| {
        if record.path.ends_with("a") {
            std::fs::write(&late, "12345").unwrap();
        }
        reported.push((record.depth, record.sizes.apparent));
    });
    // `late` is written when `a` is reported, so it is counted only if `c/d` is read after that.
    assert_eq!(reported, [(1, 0), (1, 0), (2, 5), (1, 5), (0, 5)]);
    assert_eq!(report.total().entries, 607);
}

#[test]
fn records_of_several_operands_come_in_the_order_of_the_report() {
    let scratch = sample();
    let operands = ["t/1", "t/0", "t", "t/hole", "t/1/1", "missing", "t/link"];
    let operands = operands.map(|operand| scratch.at(operand));
    for depth in [0, 1, 3, usize::MAX] {
        for files in [false, true] {
            let usage = Usage::new().max_depth(depth).files(files);
            let whole = usage.measure(&operands);
            let (records, report) = each(&usage, &operands);
            assert_eq!(records, whole.records, "{depth} {files}");
            assert_eq!(report.total(), whole.total());
            assert_eq!((report.error_count, whole.error_count), (1, 1));
            assert_eq!(report.errors.len(), 1);
            assert!(
                report.calls.total() <= whole.calls.total() + 60,
                "each worker asks some things again"
            );
        }
    }
}

#[test]
fn entries_of_two_operands_are_counted_in_the_first() {
    let scratch = Scratch::new();
    for name in ["a/b/c/file", "a/b/other", "a/file", "z/file"] {
        scratch.file_with(name, b"1234");
    }
    scratch.hard_link("z/file", "a/again");
    let measure = |operands: &[&str]| {
        let operands: Vec<_> = operands.iter().map(|operand| scratch.at(operand)).collect();
        let report = Usage::new().measure(operands);
        let line = |(path, sizes): (String, Sizes)| format!("{path} {}", sizes.entries);
        shown(&scratch, &report).into_iter().map(line).collect::<Vec<_>>()
    };
    let whole = ["a/b/c 2", "a/b 4", "a 7"];
    assert_eq!(measure(&["a"]), whole);
    assert_eq!(measure(&["a", "a", "a/b", "a/b/other", "a/file"]), whole);
    assert_eq!(measure(&["a/b", "a"]), ["a/b/c 2", "a/b 4", "a 3"]);
    assert_eq!(measure(&["a/b/other", "a"]), ["a/b/other 1", "a/b/c 2", "a/b 3", "a 6"]);
    assert_eq!(measure(&["z", "a"]), ["z 2", "a/b/c 2", "a/b 4", "a 6"]);
    assert_eq!(measure(&["a", "z"]), [&whole[..], &["z 1"]].concat());
    assert_eq!(measure(&["a/again", "z/file", "z"]), ["a/again 1", "z 1"]);
    let operands = ["a", "a", "z"].map(|operand| scratch.at(operand));
    let each = Usage::new().count_links(true).max_depth(0).measure(operands);
    let entries: Vec<u64> = each.records.iter().map(|record| record.sizes.entries).collect();
    assert_eq!(entries, [7, 7, 2]);
}

#[test]
fn failures_are_reported_and_the_rest_is_counted() {
    let scratch = Scratch::new();
    scratch.file("a/file");
    let reported = Mutex::new(Vec::new());
    let report_error = |error: &Error| reported.lock().unwrap().push(error.path().to_owned());
    for operands in [&["missing"][..], &["missing", "a"], &["a", "missing", "a/file/x"]] {
        let operands: Vec<PathBuf> = operands.iter().map(|name| scratch.at(name)).collect();
        let report = Usage::new().measure(&operands);
        let failed = operands.iter().filter(|operand| operand.symlink_metadata().is_err()).count();
        assert_eq!(report.error_count, failed as u64);
        assert!(report.errors.iter().all(|error| error.operation() == Operation::Stat));
        assert_eq!(report.records.len(), usize::from(operands.len() > 1));
        reported.lock().unwrap().clear();
        let report = Usage::new().on_error(report_error).measure(&operands);
        assert_eq!((report.errors.len(), report.error_count), (0, failed as u64));
        assert_eq!(reported.lock().unwrap().len(), failed);
    }
}

#[test]
fn callbacks_stop_a_measurement() {
    let scratch = sample();
    for number in 0..700 {
        scratch.file(format!("u/{number}/file"));
    }
    let operands = [scratch.at("t"), scratch.at("missing"), scratch.at("u")];
    for threads in [1, 4] {
        let usage = Usage::new().threads(Threads::AtMost(threads));
        let mut calls = 0;
        let report = usage.measure_each(&operands, |_: &UsageRecord| {
            calls += 1;
            if calls == 3 { Next::Stop } else { Next::Continue }
        });
        assert!(report.stopped && calls == 3, "{calls} {threads}");
        assert!(report.records.iter().all(|record| record.depth == 0));
        assert!(report.records.len() <= 1, "later operands are not measured");
        let cancel = Cancel::new();
        cancel.cancel();
        let report = usage.clone().cancel(&cancel).measure(&operands);
        assert!(report.stopped && report.records.is_empty());
        let failing = usage.clone().on_error(|_: &Error| ControlFlow::<()>::Break(()));
        let report = failing.measure(&operands);
        assert!(report.stopped && report.error_count == 1);
        assert!(report.records.is_empty(), "operands are asked about first");
        let whole = usage.clone().on_error(|_: &Error| Next::Continue).measure(&operands);
        assert!(!whole.stopped && whole.total() == usage.measure(&operands).total());
    }
    let usage = Usage::new().threads(Threads::AtMost(1));
    let mut seen = 0;
    let report = usage.measure_each(scratch.at("u"), |_: &UsageRecord| {
        seen += 1;
        ControlFlow::<()>::Break(())
    });
    assert!(report.stopped && seen == 1);
    assert!(report.calls.of("statx") < 1_400, "{:?}", report.calls);
}

#[test]
fn each_operand_is_queried_once() {
    let scratch = sample();
    let one = Usage::new().threads(Threads::AtMost(1));
    let operands: Vec<PathBuf> = (0..5).map(|name| scratch.at(format!("t/{name}"))).collect();
    let calls = |operand| one.clone().descriptors(64).measure([operand]).calls.total();
    let single: u64 = operands.iter().map(calls).sum();
    assert_eq!(one.measure(&operands).calls.total(), single + operands.len() as u64 + 1);
}

#[test]
fn own_sizes_leave_subdirectories_out() {
    let scratch = sample();
    let operand = scratch.at("t");
    let one = Usage::new().files(true).threads(Threads::AtMost(1)).measure([&operand]);
    let mut below: HashMap<&Path, Sizes> = HashMap::new();
    for record in one.records.iter().filter(|record| record.kind == Kind::Directory) {
        *below.entry(record.path.parent().unwrap()).or_default() += record.sizes;
    }
    for record in &one.records {
        let mut sum = record.own;
        sum += below.get(&*record.path).copied().unwrap_or_default();
        assert_eq!(sum, record.sizes, "{}", record.path.display());
    }
    let own: HashMap<&Path, Sizes> =
        one.records.iter().map(|record| (&*record.path, record.own)).collect();
    for depth in [0, 1, 3, usize::MAX] {
        for threads in [1, 4] {
            let usage = Usage::new().max_depth(depth).threads(Threads::AtMost(threads));
            let report = usage.measure([&operand]);
            for record in &report.records {
                let path = record.path.display();
                assert_eq!(record.own, own[&*record.path], "{path} {depth} {threads}");
            }
        }
    }
}

/// A hundred directories with symlinks to each other have more paths than a machine could ever
/// walk.
#[test]
fn a_web_of_links_is_walked_in_linear_time() {
    let scratch = Scratch::new();
    for from in 0..100 {
        for to in 0..100 {
            scratch.link(format!("t/{from}/{to}"), format!("../{to}"));
        }
    }
    scratch.link("t/broken", "nowhere");
    let report = Usage::new().follow(Follow::Links).measure([scratch.at("t")]);
    assert_eq!((report.error_count, report.total().entries), (1, 101));
    assert_eq!(report.errors[0].path(), scratch.at("t/broken"));
}

#[test]
fn a_directory_that_was_replaced_meanwhile_is_an_error() {
    let scratch = Scratch::new();
    let level = |depth: usize| format!("t{}", "/d".repeat(depth));
    for depth in 0..60 {
        scratch.file(level(depth) + "/z/file");
    }
    scratch.file(level(60) + "/bottom");
    let (place, moved) = (scratch.at(level(30)), scratch.at("moved"));
    let usage = Usage::new().descriptors(8).threads(Threads::AtMost(1)).exclude(move |entry| {
        if entry.name() == "bottom" {
            std::fs::rename(&place, &moved).unwrap();
            std::fs::create_dir_all(place.join("z")).unwrap();
        }
        false
    });
    let report = usage.measure([scratch.at("t")]);
    let causes: Vec<_> = report.errors.iter().map(Error::cause).collect();
    assert!(matches!(causes[..], [Cause::Replaced]), "{report:?}");
    assert_eq!(report.errors[0].path(), scratch.at(level(30)));
}
