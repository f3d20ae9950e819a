//! Every call fails once, in every way: a start then fails as a whole or goes on in another way, and nothing
//! is left open or unwaited for.

use std::sync::Arc;

use super::in_every_way;
use crate::spawn::{Command, Stream};
use crate::sys::fault::Faults;

const EIO: i32 = 5;
const EMFILE: i32 = 24;

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn children() -> Option<String> {
    std::fs::read_to_string("/proc/thread-self/children").ok()
}

/// Everything that costs a call.
fn prepare(command: &mut Command) {
    command.args(["-c", "echo out; echo err >&2; cat"]);
    command.current_dir("/").own_tree(true).close_others(true).kill_on_drop(true);
    command.stdin(Stream::pipe()).stdout(Stream::pipe()).stderr(Stream::pipe());
}

/// Runs the whole life of a child; whether all went well.
fn live(command: &Command) -> bool {
    let Ok(mut child) = command.spawn() else { return false };
    let first = child.wait_timeout(std::time::Duration::from_millis(1)).is_ok();
    let second = child.wait_with_output().is_ok_and(|output| output.stdout == b"out\n");
    first && second
}

#[test]
fn every_call_fails_once() {
    if children().is_none() {
        curt_testkit::skip("the kernel does not list the children of a thread");
    }
    // Other tests of this program open descriptors meanwhile: a process of its own counts better.
    let is_alone = is_alone();
    in_every_way("/bin/sh", |way, mut command| {
        prepare(&mut command);
        command.setup.faults = Some(Arc::new(Faults::default()));
        let mut child = command.spawn().unwrap();
        child.wait_timeout(std::time::Duration::from_millis(1)).unwrap();
        drop(child.stdin.take());
        let calls = child.calls();
        drop(child);
        let mut failed = 0;
        for (kind, count) in calls.iter() {
            for nth in 0..=count {
                for errno in [EIO, EMFILE] {
                    let before = open_descriptors();
                    let faults = Arc::new(Faults::default().fail(kind, nth, errno));
                    command.setup.faults = Some(faults.clone());
                    let went_well = live(&command);
                    failed += usize::from(!went_well);
                    if is_alone {
                        assert_eq!(open_descriptors(), before, "{way}: {kind} {nth}");
                    }
                    // A wait that fails leaves what it did not wait for.
                    if !matches!(kind, "wait4" | "waitid" | "pidfd_send_signal") {
                        assert_eq!(children().unwrap_or_default(), "", "{way}: {kind} {nth}");
                    }
                    reap_all();
                }
            }
        }
        assert!(failed > 8, "{way}: {failed}");
    });
}

/// Waits for what a failed wait left behind.
fn reap_all() {
    for pid in children().unwrap_or_default().split_whitespace() {
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
    }
}

/// Whether this test runs by itself, as a process of its own.
fn is_alone() -> bool {
    std::env::args().any(|argument| argument == "--exact")
}
