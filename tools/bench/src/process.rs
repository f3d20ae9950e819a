use crate::progress::Interrupt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) wall: f64,
    pub(crate) cpu: Option<f64>,
    pub(crate) status: ExitStatus,
    pub(crate) killed: bool,
}

pub(crate) fn run_to_end(
    command: &mut Command,
    said: &Path,
    time_limit: Duration,
    interrupt: &Interrupt,
) -> io::Result<Ended> {
    command.stderr(File::create(said)?);
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let killed = watch(&child, time_limit, interrupt);
    let (status, cpu) = wait(&mut child)?;
    Ok(Ended { wall: begin.elapsed().as_secs_f64(), cpu, status, killed })
}

#[cfg(unix)]
fn wait(child: &mut Child) -> io::Result<(ExitStatus, Option<f64>)> {
    use wait4::Wait4 as _;
    let ended = child.wait4()?;
    Ok((ended.status, Some((ended.rusage.utime + ended.rusage.stime).as_secs_f64())))
}

#[cfg(not(unix))]
fn wait(child: &mut Child) -> io::Result<(ExitStatus, Option<f64>)> {
    Ok((child.wait()?, None))
}

/// Ends a hanging contender. Does nothing without pidfds, because the process ID may have been
/// reused.
#[cfg(target_os = "linux")]
fn watch(child: &Child, time_limit: Duration, interrupt: &Interrupt) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    const STEP: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(Ok(process)) = process.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
        return false;
    };
    let deadline = Instant::now() + time_limit;
    let mut asked: Option<Instant> = None;
    loop {
        let mut ended = [PollFd::new(&process, PollFlags::IN)];
        if poll(&mut ended, Some(&STEP)).is_ok_and(|count| count > 0) {
            return asked.is_some();
        }
        // Send SIGTERM first: on SIGTERM, strace ends its tracee instead of detaching.
        let signal = match asked {
            None if interrupt.wanted() || Instant::now() >= deadline => Signal::TERM,
            Some(asked) if asked.elapsed() > Duration::from_secs(1) => Signal::KILL,
            _ => continue,
        };
        asked = asked.or_else(|| Some(Instant::now()));
        let _ = pidfd_send_signal(&process, signal);
    }
}

/// The user must end a hanging contender.
#[cfg(not(target_os = "linux"))]
fn watch(_: &Child, _: Duration, _: &Interrupt) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_hangs_is_ended() {
        let scratch = tempfile::tempdir().unwrap();
        let run = |script: &str, limit| {
            let mut command = Command::new("sh");
            let said = scratch.path().join("said");
            let none = Interrupt::default();
            run_to_end(command.args(["-c", script]), &said, Duration::from_millis(limit), &none)
        };
        let ended = run("exit 3", 10_000).unwrap();
        assert!(!ended.killed && ended.status.code() == Some(3));
        let ended = run("trap '' TERM; while :; do :; done", 300).unwrap();
        assert!(ended.killed && !ended.status.success());
    }
}
