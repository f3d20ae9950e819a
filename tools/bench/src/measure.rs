//! Interleaved timing: in each round every contender has one run, in a new order, so that whatever
//! disturbs the machine disturbs all of them. A ratio is taken within a round, never across.

use super::contender::Contender;
use super::cpu;
use super::progress::Interrupt;
use super::stats::{Random, Spread};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Whether a run did what the reference does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The same end state.
    Same,
    /// Something else, in words.
    Differs(String),
}

/// One timed run.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// The round it belongs to.
    pub(crate) round: u32,
    /// From the start of the process until waiting for it returned.
    pub(crate) wall: f64,
    /// Processor time in seconds, user and system, where the system tells.
    pub(crate) cpu: Option<(f64, f64)>,
    /// What it did.
    pub(crate) answer: Answer,
}

/// When to stop repeating.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// No round begins that would probably end after this.
    pub(crate) soft: Instant,
    /// No run begins after this, not even to reach the least number of rounds.
    pub(crate) hard: Instant,
    /// Rounds to make even when the soft limit has passed.
    pub(crate) least: u32,
    /// Rounds after which it is enough.
    pub(crate) most: u32,
    /// A single run that takes longer than this is killed.
    pub(crate) patience: Duration,
}

impl Budget {
    fn another(&self, done: u32, longest: Duration) -> bool {
        let now = Instant::now();
        if done >= self.most || now >= self.hard {
            return false;
        }
        done < self.least || now + longest <= self.soft
    }
}

/// Runs the contenders against each other. `trial` makes one run: it prepares, runs and checks.
/// A contender that once differs has lost; it is not asked again.
pub(crate) fn race(
    contenders: &[Contender],
    budget: &Budget,
    interrupt: &Interrupt,
    trial: &mut dyn FnMut(&Contender, u32) -> io::Result<Sample>,
) -> io::Result<Vec<Vec<Sample>>> {
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); contenders.len()];
    let mut random = Random::new(2);
    let mut longest = Duration::ZERO;
    let mut round = 0;
    while budget.another(round, longest) {
        let begin = Instant::now();
        let mut order: Vec<usize> = (0..contenders.len()).collect();
        random.shuffle(&mut order);
        for index in order {
            if interrupt.wanted() || Instant::now() >= budget.hard {
                return Ok(samples);
            }
            if lost(&samples[index]) {
                continue;
            }
            let sample = trial(&contenders[index], round)?;
            if interrupt.wanted() {
                // It may have been cut short.
                return Ok(samples);
            }
            samples[index].push(sample);
        }
        longest = longest.max(begin.elapsed());
        round += 1;
    }
    Ok(samples)
}

fn lost(samples: &[Sample]) -> bool {
    samples.iter().any(|sample| sample.answer != Answer::Same)
}

/// How many times as fast as the reference, per round that both of them finished.
pub(crate) fn ratios(samples: &[Sample], reference: &[Sample]) -> Option<Spread> {
    let ratios: Vec<f64> = samples
        .iter()
        .filter(|sample| sample.answer == Answer::Same)
        .filter_map(|sample| {
            let other = reference.iter().find(|other| other.round == sample.round)?;
            (other.answer == Answer::Same).then(|| other.wall / sample.wall)
        })
        .collect();
    Spread::of(&ratios)
}

/// The end of one process.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Seconds until waiting returned.
    pub(crate) wall: f64,
    /// Processor time, user and system.
    pub(crate) cpu: Option<(f64, f64)>,
    /// How it ended.
    pub(crate) status: ExitStatus,
    /// Whether we had to kill it.
    pub(crate) killed: bool,
}

/// Runs a command to its end, with what it says on stderr going to the file `said`.
pub(crate) fn run_to_end(
    command: &mut Command,
    said: &Path,
    patience: Duration,
    interrupt: &Interrupt,
) -> io::Result<Ended> {
    command.stderr(File::create(said)?);
    let before = cpu::of_children();
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let watch = watchdog::Watch::over(&child, patience, interrupt);
    let status = child.wait();
    let wall = begin.elapsed().as_secs_f64();
    let killed = watch.end();
    let cpu = cpu::between(before, cpu::of_children());
    Ok(Ended { wall, cpu, status: status?, killed })
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
        pub(super) fn over(child: &Child, patience: Duration, interrupt: &Interrupt) -> Self {
            let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            let Some(Ok(process)) = process.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
                return Self(None);
            };
            let interrupt = interrupt.clone();
            let (sender, receiver) = channel();
            let watch = move || {
                let deadline = Instant::now() + patience;
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

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
