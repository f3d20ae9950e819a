//! One process from its start until waiting for it returns.

use crate::progress::Interrupt;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The end of one process.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Seconds until waiting returned.
    pub(crate) wall: f64,
    /// What it used, where the system tells.
    pub(crate) used: Option<Used>,
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Whether we had to kill it.
    pub(crate) killed: bool,
}

/// What a process used, with the children that it waited for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Used {
    /// Processor seconds in the program.
    pub(crate) user: f64,
    /// Processor seconds in the system.
    pub(crate) system: f64,
    /// The most memory it had, in bytes. The kernel counts what this process had when it started
    /// the other, so nothing is known of smaller ones.
    pub(crate) peak: Option<u64>,
}

/// Runs a command to its end, with its standard error going to the file `said`.
pub(crate) fn run_to_end(
    command: &mut Command,
    said: &Path,
    time_limit: Duration,
    interrupt: &Interrupt,
) -> io::Result<Ended> {
    command.stderr(File::create(said)?);
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let watch = watchdog::Watch::over(&child, time_limit, interrupt);
    let waited = wait(&mut child);
    let wall = begin.elapsed().as_secs_f64();
    let killed = watch.end();
    let (status, used) = waited?;
    Ok(Ended { wall, used, status, killed })
}

#[cfg(unix)]
fn wait(child: &mut Child) -> io::Result<(ExitStatus, Option<Used>)> {
    use wait4::Wait4 as _;
    let ended = child.wait4()?;
    let peak = Some(ended.rusage.maxrss).filter(|&peak| peak > own_peak());
    let used = Used {
        user: ended.rusage.utime.as_secs_f64(),
        system: ended.rusage.stime.as_secs_f64(),
        peak,
    };
    Ok((ended.status, Some(used)))
}

#[cfg(not(unix))]
fn wait(child: &mut Child) -> io::Result<(ExitStatus, Option<Used>)> {
    Ok((child.wait()?, None))
}

/// The most memory that this process has had, in bytes.
#[cfg(unix)]
fn own_peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// Kills a child that hangs, so that one broken contender does not stop the whole bench. It watches
/// from a thread, because polling in the waiting thread would spoil the time.
#[cfg(target_os = "linux")]
mod watchdog {
    use super::Interrupt;
    use rustix::fd::OwnedFd;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use std::process::Child;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::thread::JoinHandle;
    use std::time::{Duration, Instant};

    pub(super) struct Watch(Option<(Sender<()>, JoinHandle<bool>)>);

    impl Watch {
        /// Starts to watch. Where the kernel has no process descriptors, nothing is watched: a
        /// number could by then belong to somebody else's process.
        pub(super) fn over(child: &Child, time_limit: Duration, interrupt: &Interrupt) -> Self {
            let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            let Some(Ok(process)) = process.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
                return Self(None);
            };
            let interrupt = interrupt.clone();
            let (sender, receiver) = channel();
            let watch = move || {
                let deadline = Instant::now() + time_limit;
                loop {
                    match receiver.recv_timeout(Duration::from_millis(250)) {
                        Err(RecvTimeoutError::Timeout) => {}
                        _ => return false,
                    }
                    if interrupt.wanted() || Instant::now() >= deadline {
                        return end(&process, &receiver);
                    }
                }
            };
            let thread = std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch);
            Self(thread.ok().map(|thread| (sender, thread)))
        }

        /// Stops watching. Whether the child was killed.
        pub(super) fn end(self) -> bool {
            let Some((sender, thread)) = self.0 else {
                return false;
            };
            drop(sender);
            thread.join().unwrap_or(false)
        }
    }

    /// First asks: strace then ends what it traces too, and does not let it go on alone.
    fn end(process: &OwnedFd, ended: &Receiver<()>) -> bool {
        let asked = pidfd_send_signal(process, Signal::TERM).is_ok();
        if ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
            return pidfd_send_signal(process, Signal::KILL).is_ok();
        }
        asked
    }
}

/// Elsewhere there is no safe way to name a process; a hanging contender must be ended by hand.
#[cfg(not(target_os = "linux"))]
mod watchdog {
    use super::Interrupt;
    use std::process::Child;
    use std::time::Duration;

    pub(super) struct Watch;

    impl Watch {
        pub(super) fn over(_: &Child, _: Duration, _: &Interrupt) -> Self {
            Self
        }

        #[allow(clippy::unused_self, reason = "used where there is a watch")]
        pub(super) fn end(self) -> bool {
            false
        }
    }
}
