//! Running programs: how they end, their trees, many at once.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use super::{WAYS, in_every_way, printed, shell};
use crate::process::{Child, Command, Stream};

/// A time limit that only a failing test reaches.
pub(super) const LONG: Duration = Duration::from_secs(20);

#[test]
fn exit_codes_and_signals_are_returned() {
    shell("exit 7", |way, command| {
        assert_eq!(command.status().unwrap().code(), Some(7), "{way}");
        let mut child = command.spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(7), "{way}");
        // It is remembered, so this costs no call.
        let calls = child.calls().total();
        assert_eq!(child.wait().unwrap().code(), Some(7), "{way}");
        assert_eq!(child.try_wait().unwrap().unwrap().code(), Some(7), "{way}");
        child.kill().unwrap();
        assert_eq!(child.calls().total(), calls, "{way}");
    });
    shell("kill -TERM $$", |way, command| {
        assert_eq!(command.status().unwrap().signal(), Some(15), "{way}");
        assert_eq!(command.spawn().unwrap().wait().unwrap().signal(), Some(15), "{way}");
    });
}

/// The standard library is the authority, also if cores are not dumped.
#[test]
fn a_dumped_core_is_reported() {
    let scratch = curt_testkit::Scratch::new();
    let script = format!("cd {}; ulimit -c unlimited; kill -ABRT $$", scratch.path().display());
    let theirs = std::process::Command::new("/bin/sh").args(["-c", &script]).status().unwrap();
    assert_eq!(theirs.signal(), Some(6));
    if !theirs.core_dumped() {
        curt_testkit::skip("no core is dumped on this system");
    }
    shell(&script, |way, command| {
        // One waits by the number of the child, the other by its handle where there is one.
        for ours in [command.status(), command.spawn().unwrap().wait()] {
            let ours = ours.unwrap();
            let said = (ours.signal(), ours.core_dumped());
            assert_eq!(said, (theirs.signal(), theirs.core_dumped()), "{way}");
        }
    });
}

#[test]
fn waiting_has_a_limit() {
    in_every_way("/bin/sleep", |way, mut command| {
        let child = command.arg("100").spawn().unwrap();
        let begun = Instant::now();
        assert_eq!(child.try_wait().unwrap(), None, "{way}");
        assert_eq!(child.wait_timeout(Duration::from_millis(30)).unwrap(), None, "{way}");
        assert!(begun.elapsed() >= Duration::from_millis(30), "{way}");
        child.kill().unwrap();
        let ended = child.wait_timeout(LONG).unwrap().unwrap();
        assert_eq!(ended.signal(), Some(9), "{way}");
        assert!(begun.elapsed() < LONG, "{way}");
    });
    in_every_way("/bin/true", |way, command| {
        let ended = command.spawn().unwrap().wait_timeout(LONG).unwrap();
        assert!(ended.unwrap().success(), "{way}");
    });
}

/// Whether a process has ended. A zombie has.
pub(super) fn is_gone(pid: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        Err(_) => true,
    }
}

pub(super) fn assert_goes(pid: u32, way: &str) {
    let begun = Instant::now();
    while !is_gone(pid) {
        assert!(begun.elapsed() < LONG, "{way}: {pid} goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A child that has started a grandchild, and the number of that.
pub(super) fn with_grandchild(mut command: Command) -> (Child, u32) {
    let mut child = command.stdout(Stream::pipe()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().parse().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn kill_tree_kills_the_grandchild() {
    shell("sleep 100 & echo $!; wait", |way, mut command| {
        command.own_tree(true);
        let (mut child, grandchild) = with_grandchild(command);
        assert!(!is_gone(grandchild), "{way}");
        child.kill_tree().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(9), "{way}");
        assert_goes(grandchild, way);
        // No process is left, which is not an error. Before Linux 6.9 a zombie may count as one
        // until it is waited for.
        let begun = Instant::now();
        while let Err(error) = child.kill_tree() {
            assert_eq!(error.kind(), std::io::ErrorKind::Unsupported, "{way}");
            assert!(begun.elapsed() < LONG, "{way}: {error}");
            std::thread::sleep(Duration::from_millis(5));
        }
    });
}

#[test]
#[cfg(target_os = "linux")]
fn kill_tree_kills_what_outlives_the_child() {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "sleep 100 & echo $!"]).own_tree(true);
    let (mut child, grandchild) = with_grandchild(command);
    child.wait().unwrap();
    assert!(!is_gone(grandchild));
    match child.kill_tree() {
        Ok(()) => assert_goes(grandchild, "by handle"),
        Err(error) => {
            curt_testkit::skip(&format!("the kernel cannot reach a group by handle: {error}"));
            rustix::process::kill_process(
                rustix::process::Pid::from_raw(i32::try_from(grandchild).unwrap()).unwrap(),
                rustix::process::Signal::KILL,
            )
            .unwrap();
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn kill_on_drop_kills_the_child_or_its_tree() {
    shell("sleep 100 & echo $!; wait", |way, mut command| {
        command.own_tree(true).kill_on_drop(true);
        let (child, grandchild) = with_grandchild(command);
        let pid = child.id();
        drop(child);
        assert!(std::fs::metadata(format!("/proc/{pid}")).is_err(), "{way}: waited for");
        assert_goes(grandchild, way);
    });
}

#[test]
#[cfg(target_os = "linux")]
fn groups_and_sessions_are_new() {
    // PID (NAME) STATE PARENT GROUP SESSION
    let numbers = |command: &Command| -> Vec<i32> {
        let stat = printed(command);
        let rest = stat.rsplit(')').next().unwrap();
        let pid = stat.split(' ').next().unwrap().parse().unwrap();
        let rest = rest.split_whitespace().skip(2).take(2).map(|word| word.parse().unwrap());
        std::iter::once(pid).chain(rest).collect()
    };
    let own = rustix::process::getpgrp().as_raw_nonzero().get();
    in_every_way("/bin/cat", |way, mut command| {
        command.arg("/proc/self/stat");
        assert_eq!(numbers(&command)[1], own, "{way}");
        command.new_group(true);
        let [pid, group, session] = numbers(&command)[..] else { panic!() };
        assert!(pid == group && pid != session, "{way}");
        command.new_session(true);
        let [pid, group, session] = numbers(&command)[..] else { panic!() };
        assert!(pid == group && pid == session, "{way}");
    });
}

/// The pipes in the output of `ls -l /proc/self/fd`: their numbers and targets.
fn pipes(listing: &str) -> Vec<(i32, String)> {
    let found = listing.lines().filter_map(|line| line.split_once(" -> pipe:"));
    found
        .map(|(begin, pipe)| {
            (begin.rsplit(' ').next().unwrap().parse().unwrap(), pipe.trim().to_owned())
        })
        .collect()
}

/// Threads that start programs at once get their own output, and no child inherits the pipes of
/// another.
#[test]
#[cfg(target_os = "linux")]
fn threads_do_not_mix_their_starts() {
    let rounds: usize =
        std::env::var("CURT_STARTS").ok().and_then(|text| text.parse().ok()).unwrap_or(20);
    // Every child inherits what this process was started with.
    let before = std::process::Command::new("/bin/ls").args(["-l", "/proc/self/fd"]).output();
    let before = pipes(&String::from_utf8(before.unwrap().stdout).unwrap());
    let before: Vec<i32> = before.into_iter().map(|(number, _)| number).collect();
    for (way, without) in WAYS {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let before = &before;
                scope.spawn(move || {
                    for round in 0..rounds {
                        let mut command = Command::new("/bin/sh");
                        for &feature in without {
                            command.without(feature);
                        }
                        let script =
                            format!("cat; echo {thread}.{round}; exec ls -l /proc/self/fd");
                        command.args(["-c", &script]).stdin(Stream::pipe());
                        command.stdout(Stream::pipe());
                        let mut child = command.spawn().unwrap();
                        // If another child had inherited the pipe, it would not end.
                        drop(child.stdin.take());
                        let mut text = String::new();
                        child.stdout.as_mut().unwrap().read_to_string(&mut text).unwrap();
                        assert!(child.wait().unwrap().success());
                        assert!(text.starts_with(&format!("{thread}.{round}\n")), "{way}: {text}");
                        let more = pipes(&text).into_iter().map(|(number, _)| number);
                        let more: Vec<i32> =
                            more.filter(|number| *number > 2 && !before.contains(number)).collect();
                        assert_eq!(more, [0; 0], "{way}: {text}");
                    }
                });
            }
        });
    }
}
