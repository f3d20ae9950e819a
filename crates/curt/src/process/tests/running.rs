use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use crate::process::{Child, Command, Stream};
use crate::sys::Feature;

/// Only failing tests wait this long. The tests kill programs that sleep for 30 seconds, so a test
/// with a broken limit fails instead of hanging.
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(200);

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    command
}

#[test]
fn waiting_has_a_limit() {
    for without in [None, Some(Feature::Pidfd)] {
        let mut command = Command::new("/bin/sleep");
        command.arg("30");
        without.map(|feature| command.without(feature));
        let mut child = command.spawn().unwrap();
        let begun = Instant::now();
        assert_eq!(child.wait_timeout(Duration::ZERO).unwrap(), None);
        assert_eq!(child.wait_timeout(Duration::from_millis(30)).unwrap(), None);
        assert!(begun.elapsed() >= Duration::from_millis(30));
        child.kill().unwrap();
        let ended = child.wait_timeout(LONG).unwrap().unwrap();
        assert_eq!(ended.signal(), Some(9));
        assert!(begun.elapsed() < LONG);
        assert_eq!(child.wait_timeout(Duration::ZERO).unwrap(), Some(ended));
        assert_eq!(child.wait().unwrap(), ended);
        child.kill().unwrap();
        let slept = child.calls().of("clock_nanosleep") + child.calls().of("nanosleep");
        let has_handles = child.calls().of("pidfd_open") > 0;
        assert!(has_handles != (slept > 0), "{:?}", child.calls());
        assert!(!(has_handles && without.is_some()), "{:?}", child.calls());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn failed_calls_are_made_up_for() {
    use crate::sys::fault::Faults;
    use std::sync::Arc;
    const EINTR: i32 = 4;
    const EMFILE: i32 = 24;
    for (call, errno) in [("pidfd_open", EMFILE), ("ppoll", EINTR), ("read", EINTR)] {
        let faults = Arc::new(Faults::default().fail(call, 0, errno));
        let mut command = shell("sleep 0.05; echo out");
        command.setup.faults = Some(faults.clone());
        let mut child = command.spawn().unwrap();
        let ended = child.wait_timeout(LONG).unwrap();
        assert!(ended.is_some_and(|status| status.success()), "{call}");
        let output = command.output_timeout(LONG).unwrap();
        assert_eq!((output.stdout.as_slice(), output.timed_out), (&b"out\n"[..], false), "{call}");
        assert_eq!(faults.hits(), 1, "{call}");
    }
}

#[test]
fn a_slow_program_is_killed_and_its_output_kept() {
    let begun = Instant::now();
    let output = shell("echo out; echo err >&2; exec sleep 30").output_timeout(SHORT).unwrap();
    assert!(output.timed_out);
    assert_eq!(output.status.signal(), Some(9));
    assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
    assert!(begun.elapsed() < LONG);
    let output = shell("while echo; do :; done").output_timeout(SHORT).unwrap();
    assert!(output.timed_out && !output.stdout.is_empty(), "it never stops writing");
}

#[test]
fn much_output_on_both_streams_does_not_block() {
    const MUCH: usize = 1 << 20;
    let script = format!("head -c {MUCH} /dev/zero >&2; head -c {MUCH} /dev/zero; exit 3");
    let output = shell(&script).output_timeout(LONG).unwrap();
    assert_eq!((output.status.code(), output.timed_out), (Some(3), false));
    assert_eq!((output.stdout.len(), output.stderr.len()), (MUCH, MUCH));
    let output = shell(&script).output().unwrap();
    assert_eq!((output.stdout.len(), output.stderr.len()), (MUCH, MUCH));
}

#[test]
fn a_process_that_is_left_behind_holds_an_output_until_the_limit() {
    let output = shell("sleep 30 & echo $!").own_tree(true).output_timeout(SHORT).unwrap();
    assert!(output.timed_out);
    assert_eq!(output.status.code(), Some(0));
    assert_goes(String::from_utf8(output.stdout).unwrap().trim().parse().unwrap());
}

/// True also for a zombie.
fn is_gone(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        Err(_) => rustix::process::test_kill_process(number(pid)).is_err(),
    }
}

fn number(pid: u32) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
}

fn assert_goes(pid: u32) {
    let begun = Instant::now();
    while !is_gone(pid) {
        assert!(begun.elapsed() < LONG, "{pid} goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn with_grandchild(script: &str) -> (Child, u32) {
    let mut command = shell(script);
    command.own_tree(true).stdout(Stream::Pipe);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().parse().unwrap())
}

#[test]
fn a_group_is_not_killed_by_a_number_that_was_released() {
    let (mut child, grandchild) = with_grandchild("sleep 30 >/dev/null 2>&1 </dev/null & echo $!");
    assert!(child.wait().unwrap().success());
    let error = child.kill().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
    assert!(!is_gone(grandchild));
    rustix::process::kill_process(number(grandchild), rustix::process::Signal::KILL).unwrap();
}

#[test]
fn killing_a_tree_kills_the_grandchild() {
    let (mut child, grandchild) = with_grandchild("sleep 30 & echo $!; wait");
    assert!(!is_gone(grandchild));
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    assert_goes(grandchild);
}
