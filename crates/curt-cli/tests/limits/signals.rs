//! A thread that has seen a signal must start no more work.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use curt_testkit::{Scratch, heed_signals, may_trace};

use super::{curt, send};

/// Calls that count as work, unlike closing, writing totals, and freeing.
const CALLS: [&str; 6] = ["unlinkat(", "openat2(", "getdents64(", "renameat2(", "lseek(", "statx("];

/// Interrupts a removal of `tree` after some calls of one kind. Returns the exit status, and the
/// calls begun after the signal.
fn interrupted(
    scratch: &Scratch,
    injection: &[&str],
    args: &[&str],
    (call, times): (&str, usize),
) -> (ExitStatus, Vec<String>) {
    let log = scratch.at("log");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "16", "-o"]).arg(&log).args(injection).arg(curt());
    command.arg("rm").args(args).arg("tree").current_dir(scratch.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let text = || std::fs::read_to_string(&log).unwrap_or_default();
    while text().matches(call).count() < times {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before the signal: {}", text());
        std::thread::yield_now();
    }
    assert!(send("INT", text().split_whitespace().next().unwrap()));
    let status = child.wait().unwrap();
    let text = text();
    assert!(text.contains("--- SIGINT"), "{text}");
    scratch.remove("log");
    let after = text.lines().skip_while(|line| !line.contains("--- SIGINT"));
    let after = after.filter(|line| CALLS.iter().any(|call| line.contains(call)));
    (status, after.map(str::to_owned).collect())
}

#[test]
fn threads_start_no_work_after_a_signal() {
    heed_signals();
    if !may_trace() {
        return;
    }
    let scratch = Scratch::new();
    for threads in [1, 2] {
        for number in 0..20_000 {
            scratch.file(format!("tree/{}/{number}", number % 300));
        }
        let option = format!("-j{threads}");
        let (_, after) = interrupted(&scratch, &[], &["-r", &option], ("unlinkat", 1_000));
        // A single thread sees the signal at once. Other threads continue until the one with the
        // signal runs, which may take long on a busy machine.
        let most = if threads == 1 { 1 } else { 500 };
        assert!(after.len() <= most, "{threads}: {after:?}");
        assert!(scratch.exists("tree"), "it was to be stopped in the middle");
        scratch.remove("tree");
    }
}

#[test]
fn waiting_is_interrupted() {
    heed_signals();
    if !may_trace() {
        return;
    }
    let scratch = Scratch::new();
    for threads in ["-j1", "-j2"] {
        scratch.dir("tree/busy");
        let args = ["-r", threads, "--retries", "1000000000", "--retry-ms", "1000000000"];
        let injection = ["-e", "inject=unlinkat:error=ENOTEMPTY"];
        let (status, after) = interrupted(&scratch, &injection, &args, ("unlinkat", 3));
        assert_eq!(status.signal(), Some(2), "{status}");
        assert!(after.len() <= 2, "{threads}: {after:?}");
        scratch.remove("tree");
    }
}
