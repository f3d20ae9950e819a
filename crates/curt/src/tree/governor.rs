//! Decides how many workers an operation has, from the rate they achieve.
//!
//! No fixed number is right: more threads help on tmpfs and ext4, but hurt on XFS, btrfs and in
//! small trees (ADR 5). So the governor runs trials. It doubles the number of workers, and keeps
//! the new number if the rate rises by a tenth. Otherwise it returns to the old number, and retries
//! after 4,096 entries, then after eight times as many each time. Adding one worker at a time would
//! end at eleven, since a twelfth worker cannot raise the rate by a tenth. If the filesystem
//! blocks, there may be more workers than processors.

use std::time::Duration;

pub(super) const WINDOW: (u64, Duration) = (64, Duration::from_micros(250));
/// The minimum length of a trial. Workers report only every 256 entries.
const TRIAL: (u64, Duration) = (1024, Duration::from_millis(2));
/// A thread can take milliseconds to start, so a trial begins with the first report of a new
/// worker, or after this much work without such a report.
const LATE: (u64, Duration) = (4096, Duration::from_millis(2));
const GAIN: f64 = 1.1;
/// Entries from a failed trial to the next.
const RETRY_AFTER: u64 = 4096;
const RETRY_FACTOR: u64 = 8;
/// With more waits per entry than this, a filesystem counts as blocking. Processor time would not
/// show this, because other programs compete for the processors.
const BLOCKED: f64 = 0.1;
const MAX_BLOCKED: usize = 8;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) now: Duration,
    pub(crate) entries: u64,
    /// The number of times that threads waited. Zero if the system does not count waits.
    pub(crate) waits: u64,
}

impl Sample {
    fn is_beyond(self, earlier: Sample, (entries, time): (u64, Duration)) -> bool {
        self.entries - earlier.entries >= entries && self.now.saturating_sub(earlier.now) >= time
    }

    fn rate_since(self, earlier: Sample) -> f64 {
        let time = self.now.saturating_sub(earlier.now).as_secs_f64();
        (self.entries - earlier.entries) as f64 / time
    }
}

pub(crate) struct Governor {
    most: usize,
    workers: usize,
    state: State,
    retry_after: u64,
    /// The minimum to measure before the next trial. At first it may exceed [`WINDOW`].
    window: (u64, Duration),
}

enum State {
    /// Waits for the next trial, which starts once there are `next_trial` entries.
    Steady { since: Sample, next_trial: u64 },
    /// Waits for a report from a new worker. `old` is the rate of `before` workers.
    Starting { before: usize, old: f64, since: Sample },
    /// Measures the rate of the increased number of workers.
    Trial { before: usize, old: f64, since: Sample },
}

impl Governor {
    pub(crate) fn new(most: usize, begin: Sample, alone: Duration) -> Self {
        let state = State::Steady { since: begin, next_trial: 0 };
        Governor { most, workers: 1, state, retry_after: RETRY_AFTER, window: (WINDOW.0, alone) }
    }

    pub(crate) fn observe(&mut self, now: Sample, worker: usize) -> usize {
        match self.state {
            State::Steady { since, next_trial } => {
                if self.most > 1 && now.is_beyond(since, self.window) && now.entries >= next_trial {
                    self.try_more(since, now);
                }
            }
            State::Starting { before, old, since } => {
                if worker >= before || now.is_beyond(since, LATE) {
                    self.state = State::Trial { before, old, since: now };
                }
            }
            State::Trial { before, old, since } => {
                if now.is_beyond(since, TRIAL) {
                    let pays = now.rate_since(since) >= old * GAIN;
                    self.judge(pays, before, now);
                }
            }
        }
        self.workers
    }

    fn try_more(&mut self, since: Sample, now: Sample) {
        self.window = WINDOW;
        let waits = (now.waits - since.waits) as f64;
        let blocks = waits > (now.entries - since.entries) as f64 * BLOCKED;
        let most = if blocks { self.most.max(MAX_BLOCKED) } else { self.most };
        // Never reduce the number of workers, which may exceed the number of processors.
        let next = (self.workers * 2).min(most).max(self.workers);
        self.state = if next > self.workers {
            let (before, old) = (self.workers, now.rate_since(since));
            self.workers = next;
            State::Starting { before, old, since: now }
        } else {
            State::Steady { since: now, next_trial: now.entries + RETRY_AFTER }
        };
    }

    fn judge(&mut self, pays: bool, before: usize, now: Sample) {
        let mut next_trial = now.entries;
        if pays {
            self.retry_after = RETRY_AFTER;
        } else {
            self.workers = before;
            next_trial += self.retry_after;
            self.retry_after = self.retry_after.saturating_mul(RETRY_FACTOR);
        }
        self.state = State::Steady { since: now, next_trial };
    }
}

#[cfg(test)]
mod tests {
    use super::{Governor, Sample, WINDOW};
    use std::time::Duration;

    /// Simulates a machine. `machine` maps the number of workers to the microseconds and the waits
    /// of 256 entries. Returns the number of workers after each sample.
    fn run(most: usize, steps: usize, machine: impl Fn(usize) -> (u64, u64)) -> Vec<usize> {
        let mut governor = Governor::new(most, Sample::default(), WINDOW.1);
        let (mut sample, mut workers) = (Sample::default(), 1);
        (0..steps)
            .map(|step| {
                let (time, waits) = machine(workers);
                sample.now += Duration::from_micros(time);
                sample.waits += waits;
                sample.entries += 256;
                workers = governor.observe(sample, step % workers);
                workers
            })
            .collect()
    }

    #[test]
    fn thread_that_starts_late_is_judged_by_its_own_work() {
        let mut governor = Governor::new(2, Sample::default(), WINDOW.1);
        let mut sample = Sample::default();
        let mut report = |micros, worker| {
            sample.now += Duration::from_micros(micros);
            sample.entries += 256;
            governor.observe(sample, worker)
        };
        assert_eq!(report(1000, 0), 2);
        for _ in 0..8 {
            assert_eq!(report(1000, 0), 2, "the second thread has not begun");
        }
        for step in 0..8 {
            assert_eq!(report(500, (step + 1) % 2), 2, "and now it helps");
        }
        let mut governor = Governor::new(2, Sample::default(), WINDOW.1);
        let mut idle = Sample::default();
        let workers: Vec<usize> = (0..32)
            .map(|_| {
                idle.now += Duration::from_millis(1);
                idle.entries += 256;
                governor.observe(idle, 0)
            })
            .collect();
        assert_eq!((workers[0], workers[31]), (2, 1));
    }

    #[test]
    fn workers_that_do_not_pay_are_dropped_and_rarely_retried() {
        let last = |workers: Vec<usize>| *workers.last().unwrap();
        assert_eq!(run(8, 4, |_| (60, 0)), [1; 4], "1,024 entries in less than 250 µs");
        assert_eq!(run(1, 100, |_| (1000, 0)).into_iter().max(), Some(1));
        assert_eq!(last(run(4, 100, |workers| (2000 / workers as u64, 0))), 4);
        let workers = run(2, 4000, |_| (1000, 0));
        let busy = workers.iter().filter(|&&workers| workers > 1).count();
        assert!((1..40).contains(&busy), "{busy} of 4000 samples");
        let workers = run(2, 100, |workers| (8000 / workers as u64, 200));
        assert!(workers.iter().all(|workers| [1, 2, 4, 8].contains(workers)));
        assert_eq!(last(workers), 8);
        assert_eq!(last(run(64, 400, |workers| (64_000 / workers as u64, 0))), 64);
        let workers = last(run(64, 400, |workers| (1000 + 1000 / workers as u64, 0)));
        assert!(
            (2..=8).contains(&workers),
            "{workers} of 64 workers for a rate below twice that of one"
        );
        let steps = std::cell::Cell::new(0);
        let workers = run(2, 2000, |workers| {
            steps.set(steps.get() + 1);
            (if steps.get() < 100 { 1000 } else { 1000 / workers as u64 }, 0)
        });
        assert_eq!((workers[90], last(workers)), (1, 2));
    }
}
