//! Signals that ask the command to end: no call begins later than ten milliseconds after one.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use curt_testkit::{Scratch, skip};

use super::{curt, send};

/// After a signal, no call to a file of the tree may begin later than this.
const LATEST: f64 = 0.010;
/// The calls that count; what ends a process (closing, writing the totals, freeing) does not.
const CALLS: [&str; 6] = ["unlinkat(", "openat2(", "getdents64(", "renameat2(", "lseek(", "statx("];

#[test]
fn no_call_begins_later_than_ten_milliseconds_after_the_signal() {
    curt_testkit::heed_signals();
    let trace = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !trace.is_ok_and(|status| status.success()) {
        return skip("strace is not installed, or may not trace");
    }
    let scratch = Scratch::new();
    for threads in ["-j1", "-j2"] {
        for number in 0..20_000 {
            scratch.file(format!("tree/{}/{number}", number % 300));
        }
        let log = scratch.at("log");
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-ttt", "-s", "16", "-o"]).arg(&log).arg(curt());
        command.args(["rm", "-r", threads, "tree"]).current_dir(scratch.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // The first line of the log begins with the number of the process.
        let begun = Instant::now();
        let text = loop {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            if text.contains("getdents64") && text.matches("unlinkat").count() > 1000 {
                break text;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not begin");
        };
        let process = text.split_whitespace().next().unwrap().to_owned();
        assert!(send("INT", &process));
        child.wait().unwrap();
        let text = std::fs::read_to_string(&log).unwrap();
        let time = |line: &str| -> f64 {
            line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0.0)
        };
        let signal = text.lines().find(|line| line.contains("--- SIGINT")).map(time).unwrap();
        let last = text
            .lines()
            .filter(|line| CALLS.iter().any(|call| line.contains(call)))
            .map(time)
            .fold(0.0, f64::max);
        println!("{threads}: the last call {:.1} ms after the signal", (last - signal) * 1000.0);
        assert!(last - signal <= LATEST, "{threads}: {} s", last - signal);
        assert!(scratch.exists("tree"), "it was to be stopped in the middle");
        scratch.remove("tree");
        scratch.remove("log");
    }
}

/// A directory that somebody keeps adding to, and more patience than anybody has.
#[test]
fn waiting_is_interrupted() {
    let scratch = Scratch::new();
    for threads in ["-j1", "-j2"] {
        // It may be caught in a moment when it is empty.
        let caught = (0..20).any(|_| is_interrupted(&scratch, threads));
        if !caught {
            skip("the directory was always removed before it was written to again");
        }
    }
}

/// Whether a removal was still at work when the signal came; then it ended soon.
fn is_interrupted(scratch: &Scratch, threads: &str) -> bool {
    let busy = scratch.dir("tree/busy");
    let over = AtomicBool::new(false);
    let time = std::thread::scope(|scope| {
        for writer in 0..2 {
            let (busy, over) = (&busy, &over);
            scope.spawn(move || {
                for number in 0..300_000 {
                    let file = busy.join(format!("{writer}-{number}"));
                    if over.load(Ordering::Relaxed) || std::fs::File::create(file).is_err() {
                        break;
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_millis(20));
        let mut command = Command::new(curt());
        command.args(["rm", "-r", threads, "--retries", "1000000000", "--retry-ms", "1000000000"]);
        command.arg("tree").current_dir(scratch.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        let at_work = child.try_wait().unwrap().is_none();
        let begun = Instant::now();
        let id = child.id().to_string();
        send("INT", &id);
        let status = child.wait().unwrap();
        let time = begun.elapsed();
        over.store(true, Ordering::Relaxed);
        (at_work && status.signal() == Some(2)).then_some(time)
    });
    scratch.remove("tree");
    assert!(time.is_none_or(|time| time < Duration::from_secs(2)), "{time:?}");
    time.is_some()
}
