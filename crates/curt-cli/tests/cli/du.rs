//! `curt du` by itself: what GNU du does not have.

use curt_testkit::Scratch;
use serde_json::{Value, json};

use crate::{command, missing, native, objects, said};

/// What it said, and its code.
fn run(scratch: &Scratch, args: &str) -> (Option<i32>, String, String) {
    said(&command(scratch, "du", args.split_whitespace()).output().unwrap())
}

fn tree() -> Scratch {
    let scratch = Scratch::new();
    for (name, size) in [("t/a/small", 10), ("t/b/large", 90_000), ("t/b/c/middle", 40_000)] {
        scratch.file_with(name, &vec![b'x'; size]);
    }
    scratch
}

fn paths(out: &str) -> Vec<&str> {
    out.lines().map(|line| line.split_once('\t').unwrap().1).collect()
}

#[test]
fn lines_are_sorted_and_directories_come_after_what_they_hold() {
    let scratch = tree();
    for threads in ["", "-j1", "-j2", "-j4"] {
        let (code, out, messages) = run(&scratch, &format!("-a {threads} t"));
        assert_eq!((code, messages.as_str()), (Some(0), ""));
        let expected = ["t/a/small", "t/a", "t/b/c/middle", "t/b/c", "t/b/large", "t/b", "t"];
        assert_eq!(paths(&out), expected.map(native));
    }
}

/// A reader that has gone away is noticed when the first lines are written, which is long before
/// all is measured.
#[cfg(unix)]
#[test]
fn lines_are_printed_before_everything_is_measured() {
    const DIRECTORIES: u64 = 6_000;
    let scratch = Scratch::new();
    for number in 0..DIRECTORIES {
        scratch.dir(format!("t/{number:0>60}"));
    }
    let mut command = command(&scratch, "du", ["-j1", "--stats", "t"]);
    let (code, _, messages) = said(&command.stdout(crate::closed_pipe()).output().unwrap());
    assert_eq!(code, None, "{messages}");
    let counted = messages.lines().find_map(|line| line.strip_prefix("curt du: ")).unwrap();
    let counted = counted.split(' ').next().unwrap().replace(',', "").parse::<u64>().unwrap();
    assert!(counted > 500 && counted < DIRECTORIES / 2, "{messages}");
}

#[test]
fn the_largest_come_first() {
    let scratch = tree();
    let (code, out, _) = run(&scratch, "--top 2 t");
    assert_eq!(code, Some(0));
    assert_eq!(paths(&out), ["t".to_owned(), native("t/b")]);
    let (_, out, _) = run(&scratch, "--top 3 -ab t");
    assert_eq!(
        out,
        format!("130010\tt\n130000\t{}\n90000\t{}\n", native("t/b"), native("t/b/large"))
    );
    let (_, out, _) = run(&scratch, "--top 0 -c -b t");
    assert_eq!(out, "130010\ttotal\n");
    let (_, out, _) = run(&scratch, "--top 2 -b -d1 t t/a");
    assert_eq!(paths(&out), ["t".to_owned(), native("t/b")]);
}

#[test]
fn excluded_entries_are_not_counted() {
    let scratch = tree();
    let (code, out, _) = run(&scratch, "-b --exclude c --exclude t/a t");
    assert_eq!(code, Some(0));
    assert_eq!(out, format!("90000\t{}\n90000\tt\n", native("t/b")));
}

#[test]
fn records_are_objects() {
    let scratch = tree();
    let (code, out, messages) = run(&scratch, "--json --stats -j1 -d1 t missing");
    assert_eq!(code, Some(1));
    let (records, others) = (objects(&out), objects(&messages));
    assert_eq!((records.len(), others.len()), (3, 2));
    assert_eq!(others[0]["error"]["path"], "missing");
    assert_eq!(others[0]["error"]["message"], missing());
    let record = |path: &str, depth: u64, apparent: u64, allocated: &Value, entries: u64| {
        json!({"path": native(path), "depth": depth, "apparent": apparent,
               "allocated": allocated, "entries": entries})
    };
    let expected = [("t/a", 1, 10, 2), ("t/b", 1, 130_000, 4), ("t", 0, 130_010, 7)];
    for (object, (path, depth, apparent, entries)) in records.iter().zip(expected) {
        assert_eq!(object, &record(path, depth, apparent, &object["allocated"], entries));
        assert!(object["allocated"].as_u64().unwrap() > 0);
    }
    let summary = &others[1]["summary"];
    assert_eq!(summary["apparent"], 130_010);
    assert_eq!(summary["allocated"], records[2]["allocated"]);
    assert_eq!((&summary["errors"], &summary["interrupted"]), (&json!(1), &json!(false)));
    assert!(summary["calls"]["total"].as_u64().unwrap() > 0);
}

#[test]
fn no_time_is_guessed() {
    let scratch = Scratch::new();
    let (code, out, _) = run(&scratch, "-c --time missing");
    assert_eq!((code, out.as_str()), (Some(1), "0\t?\ttotal\n"));
    let (_, _, messages) = run(&scratch, "-s --json --stats --time missing");
    assert_eq!(objects(&messages)[1]["summary"]["newest"], Value::Null);
}

#[cfg(unix)]
#[test]
fn times_can_lie_before_1970() {
    let scratch = Scratch::new();
    scratch.dir("t/u");
    for (path, days) in [("t/u", 100), ("t", 200)] {
        let time = std::time::UNIX_EPOCH - std::time::Duration::from_secs(days * 86_400);
        std::fs::File::open(scratch.at(path)).unwrap().set_modified(time).unwrap();
    }
    let times = |args: &str| {
        let (_, out, _) = run(&scratch, &format!("-c --time --time-style=+%s {args} t"));
        let time = |line: &str| line.split('\t').nth(1).unwrap().to_owned();
        out.lines().map(time).collect::<Vec<_>>()
    };
    assert_eq!(times(""), ["-8640000"; 3]);
    assert_eq!(times("-S"), ["-8640000", "-17280000", "-8640000"]);
}

#[test]
fn stats_name_the_calls() {
    let scratch = tree();
    let (code, out, messages) = run(&scratch, "-s -j1 --stats t");
    assert_eq!((code, out.lines().count()), (Some(0), 1));
    let mut lines = messages.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("curt du: 7 entries, 1 thread, "), "{messages}");
    let counts: Vec<u64> =
        lines.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect();
    assert!(first.ends_with(&format!(" {} calls", counts.iter().sum::<u64>())), "{messages}");
}

#[test]
fn du_reports_failures_at_once_and_counts_them() {
    let scratch = tree();
    let (code, out, messages) = run(&scratch, "-s one t two");
    assert_eq!((code, paths(&out)), (Some(1), vec!["t"]));
    let missing = missing();
    let expected = format!(
        "curt du: cannot access 'one': {missing}\ncurt du: cannot access 'two': {missing}\n\
         curt du: 2 errors\n"
    );
    assert_eq!(messages, expected);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_unicode_are_printed_unchanged() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let name = std::ffi::OsStr::from_bytes(b"a\xff\n");
    scratch.file(name);
    let output = command(&scratch, "du", ["-b".as_ref(), name]).output().unwrap();
    assert_eq!(output.stdout, b"0\ta\xff\n\n");
    let output = command(&scratch, "du", ["--json".as_ref(), name]).output().unwrap();
    let first: Value =
        serde_json::from_slice(output.stdout.split(|&b| b == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["path"], json!({"bytes": "Yf8K"}));
}

/// It waits for a reader that never comes, so that the signal surely arrives while it works.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_long_measurement() {
    use std::os::unix::process::ExitStatusExt;
    curt_testkit::heed_signals();
    let scratch = Scratch::new();
    for number in 0..3_000 {
        scratch.file(format!("t/{}/a-name-{:0>150}-{number}", number % 30, 0));
    }
    // Nobody reads on: it waits in a write, with most still to be counted.
    let mut child = command(&scratch, "du", ["-a", "-j1", "t"]).spawn().unwrap();
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
    let signal = rustix::process::Signal::INT;
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    let (_, _, messages) = said(&output);
    assert_eq!(output.status.signal(), Some(2), "{messages}");
    assert!(messages.starts_with("curt du: interrupted: "), "{messages}");
    assert!(messages.ends_with(" counted\n"), "{messages}");
}
