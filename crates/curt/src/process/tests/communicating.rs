//! Input and output with a time limit.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use super::{in_every_way, shell};
use crate::os::unix::PipeExtras;
use crate::process::{Command, Stream};

/// So much does not fit into pipes.
const MUCH: usize = 1 << 20;

/// A limit that no test reaches, and one that each reaches soon.
const LONG: Option<Duration> = Some(Duration::from_secs(60));
const SHORT: Duration = Duration::from_millis(200);

#[test]
fn much_input_and_output_at_once_do_not_block() {
    let input: Vec<u8> = (0..MUCH).map(|at| (at % 251) as u8).collect();
    in_every_way("/bin/cat", |way, command| {
        for limit in [None, LONG] {
            let output = command.output_with(&input, limit).unwrap();
            assert!(output.status.unwrap().success(), "{way}");
            assert!(!output.timed_out && output.stdout == input, "{way}");
            assert_eq!((output.written, output.stderr.len()), (MUCH, 0), "{way}");
        }
    });
}

#[test]
fn input_that_nobody_reads_is_no_error() {
    shell("exec <&-; echo done >&2; exit 3", |way, command| {
        let output = command.output_with(&vec![0; MUCH], LONG).unwrap();
        assert_eq!(output.status.unwrap().code(), Some(3), "{way}");
        assert!(output.written < MUCH && !output.timed_out, "{way}");
        assert_eq!(output.stderr, b"done\n", "{way}");
    });
}

#[test]
fn a_program_that_takes_too_long_is_killed_and_what_it_wrote_is_kept() {
    shell("echo out; echo err >&2; exec sleep 100", |way, command| {
        let begun = Instant::now();
        let output = command.output_timeout(SHORT).unwrap();
        assert!(output.timed_out && !output.status.unwrap().success(), "{way}");
        assert_eq!((&output.stdout[..], &output.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
        assert!(begun.elapsed() < Duration::from_secs(50), "{way}");
    });
}

#[test]
fn a_program_that_never_stops_writing_is_stopped_at_the_limit() {
    shell("exec cat /dev/zero", |way, command| {
        let output = command.output_timeout(SHORT).unwrap();
        assert!(output.timed_out && !output.stdout.is_empty(), "{way}");
    });
}

#[test]
fn a_process_that_is_left_behind_holds_an_output_until_the_limit() {
    shell("sleep 100 & echo $!", |way, mut command| {
        let output = command.own_tree(true).output_timeout(SHORT).unwrap();
        assert!(output.timed_out, "{way}");
        assert_eq!(output.status.unwrap().code(), Some(0), "{way}");
        let pid: i32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let has_ended = || rustix::process::test_kill_process(pid).is_err();
        let begun = Instant::now();
        while !has_ended() {
            assert!(begun.elapsed() < Duration::from_secs(20), "{way}: its tree is killed");
            std::thread::sleep(Duration::from_millis(5));
        }
    });
}

#[test]
fn communication_goes_on_after_a_limit() {
    shell("head -c 3; sleep 0.4; cat", |way, mut command| {
        command.stdin(Stream::pipe()).stdout(Stream::pipe());
        let mut child = command.spawn().unwrap();
        let input = vec![b'x'; MUCH];
        let first = child.communicate(&input, Some(Duration::from_millis(150))).unwrap();
        assert!(first.timed_out && first.status.is_none(), "{way}");
        assert_eq!(first.stdout, b"xxx", "{way}");
        assert!(first.written < MUCH, "{way}: the rest waits for the program to read on");
        let rest = &input[first.written..];
        let second = child.communicate(rest, LONG).unwrap();
        assert!(!second.timed_out && second.status.unwrap().success(), "{way}");
        assert_eq!(second.written, rest.len(), "{way}");
        // What `head` read ahead is lost to `cat`.
        assert!(second.stdout.iter().all(|&byte| byte == b'x'), "{way}");
    });
}

#[test]
fn a_pipe_end_that_does_not_block_says_so() {
    shell("cat", |way, mut command| {
        command.stdin(Stream::pipe()).stdout(Stream::pipe());
        let mut child = command.spawn().unwrap();
        let output = child.stdout.as_mut().unwrap();
        output.set_nonblocking(true).unwrap();
        let error = output.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock, "{way}");
        // Reading all of it waits all the same.
        assert_eq!(child.communicate(b"text", None).unwrap().stdout, b"text", "{way}");
    });
}

#[test]
fn an_input_stays_as_the_caller_set_it() {
    shell("exec sleep 100", |way, mut command| {
        let mut child = command.stdin(Stream::pipe()).kill_on_drop(true).spawn().unwrap();
        for wanted in [false, true, false] {
            child.stdin.as_ref().unwrap().set_nonblocking(wanted).unwrap();
            let output = child.communicate(&vec![b'x'; MUCH], Some(SHORT / 10)).unwrap();
            assert!(output.timed_out && output.written < MUCH, "{way}");
            let flags = rustix::fs::fcntl_getfl(child.stdin.as_ref().unwrap()).unwrap();
            assert_eq!(flags.contains(rustix::fs::OFlags::NONBLOCK), wanted, "{way}");
        }
    });
}

#[test]
fn pipelines_connect_programs_and_files() {
    let scratch = curt_testkit::Scratch::new();
    let file = std::fs::File::create(scratch.at("out")).unwrap();
    let mut first = Command::new("/bin/echo").arg("a b").stdout(Stream::pipe()).spawn().unwrap();
    let mut second = Command::new("/usr/bin/tr");
    second.args(["a", "c"]).stdin(first.stdout.take().unwrap()).stdout(file);
    assert!(second.status().unwrap().success());
    assert!(first.wait().unwrap().success());
    assert_eq!(std::fs::read(scratch.at("out")).unwrap(), b"c b\n");
    // Between the standard library's children and these, in both directions.
    let mut std = std::process::Command::new("/bin/cat");
    let std = std.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut std = std.spawn().unwrap();
    let mut ours = Command::new("/bin/cat");
    let ours = ours.stdin(std.stdout.take().unwrap()).stdout(Stream::pipe()).spawn().unwrap();
    std.stdin.take().unwrap().write_all(b"through").unwrap();
    assert_eq!(ours.wait_with_output().unwrap().stdout, b"through");
    assert!(std.wait().unwrap().success());
}

#[test]
fn a_child_is_killed_while_another_thread_waits() {
    in_every_way("/bin/sleep", |way, mut command| {
        let child = command.arg("100").spawn().unwrap();
        std::thread::scope(|scope| {
            let waiters = [(); 2].map(|()| scope.spawn(|| child.wait_timeout(Duration::MAX)));
            std::thread::sleep(Duration::from_millis(20));
            child.kill().unwrap();
            for waiter in waiters {
                let status = waiter.join().unwrap().unwrap();
                assert!(!status.unwrap().success(), "{way}");
            }
        });
        assert!(child.try_wait().unwrap().is_some(), "{way}");
    });
}

#[test]
fn a_command_says_what_it_was_given() {
    let mut command = Command::new("program");
    command.args(["a", "b"]).env("SET", "1").env_remove("REMOVED").current_dir("/");
    assert_eq!(command.get_program(), "program");
    assert!(command.get_args().eq(["a", "b"]));
    let variables: Vec<_> = command.get_envs().collect();
    assert_eq!(variables, [("REMOVED".as_ref(), None), ("SET".as_ref(), Some("1".as_ref()))]);
    assert_eq!(command.get_current_dir(), Some("/".as_ref()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pidfd_can_be_read_when_the_child_has_ended() {
    use crate::os::linux::ChildPidfd;
    use rustix::event::{PollFd, PollFlags, poll};

    let mut child = Command::new("/bin/cat").stdin(Stream::pipe()).spawn().unwrap();
    let Ok(handle) = child.pidfd() else {
        return curt_testkit::skip("the kernel has no descriptors of processes");
    };
    let is_readable = |limit: Duration| {
        let mut polls = [PollFd::from_borrowed_fd(handle, PollFlags::IN)];
        let limit = rustix::event::Timespec::try_from(limit).unwrap();
        poll(&mut polls, Some(&limit)).unwrap() == 1
    };
    assert!(!is_readable(Duration::ZERO));
    child.kill().unwrap();
    assert!(is_readable(Duration::from_secs(20)));
    child.wait().unwrap();
}
