//! Decides how many workers an operation should have, from what it is seen to achieve.

use std::time::Duration;

/// The least work, and the least time, that a rate is measured over before another worker is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    window: u64,
    window_time: Duration,
    /// Where so many directories are known to wait there is work enough, however little was done.
    much: u64,
    /// A helper stays if it raises the rate by this.
    gain: f64,
}

impl Pace {
    /// Where the tree is changed: what that costs differs from one directory to the next, and a file
    /// system may have one lock for all.
    pub(crate) const CHANGING: Pace =
        Pace { window: 1024, window_time: Duration::from_millis(3), much: u64::MAX, gain: 1.1 };
    /// Where it is only read: the whole may be done in the time that the other would wait for. A trial
    /// shows little of the gain then, as it counts the start of the thread; and readers seldom collide.
    pub(crate) const READING: Pace =
        Pace { window: 1024, window_time: Duration::from_micros(500), much: 256, gain: 1.0 };
    /// Where each entry is asked about, too, which takes twice as long as to list it.
    pub(crate) const ASKING: Pace = Pace { window: 512, much: 128, ..Pace::READING };

    /// Whether there is enough to do for a helper to be considered: else starting one costs more than it
    /// brings.
    pub(crate) fn is_enough(self, done: u64, pending: u64) -> bool {
        done >= self.window || pending >= self.much
    }
}

/// Work before the next trial, at first.
const PATIENCE: u64 = 1024;
/// The least work of a trial: more, because workers report every few hundred entries, and because
/// threads take a moment to start.
const TRIAL: u64 = 4096;
/// … unless it is seen to do harm before that: after so much work, and this time, the rate is below
/// this multiple, and the workers wait for each other. The second is what file systems do whose lock
/// all threads want; they are left alone for long. (A rate alone does not tell so early: what the
/// workers have not reported yet is missing from it.)
const LOSS: (u64, f64) = (1024, 0.95);
const CLEAR_LOSS: (u64, f64) = (512, 0.8);
const LOSS_TIME: Duration = Duration::from_millis(10);
/// A helper stays only if the processor time per entry does not rise beyond this multiple of a single thread's.
const INFLATION: f64 = 1.3;
/// … or beyond this, where the workers share one directory: its lock takes processor time to wait for, but
/// what is freed outside of it is most of the work.
const INFLATION_IN_ONE: f64 = 1.6;
/// What systems tell of processor time may be short, or ahead, by a tick of their clock.
const TICK: Duration = Duration::from_millis(4);
/// A thread that has to wait for something this often per entry is being blocked by the file system.
/// (How much of the time it is on a processor would not tell: others may want the processor too.)
const BLOCKED: f64 = 0.1;
/// The most workers where the file system blocks: waiting costs no processor.
const MOST_BLOCKED: usize = 8;

/// What has been achieved so far, by all workers together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) now: Duration,
    pub(crate) entries: u64,
    /// Directories that are known to wait, while nobody helps.
    pub(crate) pending: u64,
    /// Processor time; zero where the system does not tell.
    pub(crate) processor: Duration,
    /// How often the workers waited for something; zero where the system does not tell.
    pub(crate) waits: u64,
    /// Whether helpers are known to collide here: then they pay only where the file system blocks.
    pub(crate) collide: bool,
    /// Whether what the workers share is one directory.
    pub(crate) in_one: bool,
}

/// One climb: a number of workers is tried, and kept if it pays.
///
/// Begins with one worker. After the first window it tries another; if that does not pay it goes
/// back and tries again after four times as much work, or sixteen times if it was slower, or 64 times
/// if it was much slower, and so on. Where the single thread is seen to be blocked by the file
/// system, not busy, the first step is to many workers at once.
pub(crate) struct Governor {
    pace: Pace,
    most: usize,
    /// Whether any number must pay for itself, or the most was asked for.
    frugal: bool,
    begin: Sample,
    workers: usize,
    state: State,
    /// Entries per second, and processor time per entry, of one worker.
    single: Rate,
    patience: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    per_second: f64,
    processor: f64,
    /// By how much `processor` may be wrong.
    error: f64,
    /// How often something was waited for, per entry.
    waits: f64,
}

enum State {
    /// As it is for now, until this many entries are done.
    Steady { until: u64 },
    /// More are tried; the rate before is kept for comparison.
    Trial { before: usize, rate: Rate },
}

impl Governor {
    /// At most `most` workers. Unless `frugal`, all of them are wanted as soon as there is work.
    pub(crate) fn new(pace: Pace, most: usize, frugal: bool, begin: Sample) -> Self {
        Governor {
            pace,
            most,
            frugal,
            begin,
            workers: 1,
            state: State::Steady { until: pace.window },
            single: Rate::default(),
            patience: PATIENCE,
        }
    }

    /// How many workers should work.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Takes a sample; returns the number of workers that should work from now on.
    pub(crate) fn observe(&mut self, sample: Sample) -> usize {
        if self.most == 1 {
            return 1;
        }
        if !self.frugal {
            self.workers = self.most;
            return self.workers;
        }
        let entries = sample.entries - self.begin.entries;
        let time = sample.now.saturating_sub(self.begin.now);
        let much = sample.pending >= self.pace.much;
        if time < self.pace.window_time && !much {
            return self.workers;
        }
        let rate = self.rate(sample);
        let is_enough = match &self.state {
            State::Steady { .. } => entries >= self.pace.window || much,
            State::Trial { rate: old, .. } => {
                let collides = self.single.waits <= BLOCKED && rate.waits > BLOCKED;
                let loses =
                    |(least, part)| entries >= least && rate.per_second < old.per_second * part;
                let harms = collides && (loses(LOSS) || loses(CLEAR_LOSS));
                entries >= TRIAL || (time >= LOSS_TIME && harms)
            }
        };
        if !is_enough {
            return self.workers;
        }
        self.begin = sample;
        match self.state {
            State::Steady { until } if sample.entries < until && !much => {}
            State::Steady { .. } => self.try_more(rate, sample.collide),
            State::Trial { before, rate: old } => self.judge(before, old, rate, sample),
        }
        self.workers
    }

    fn try_more(&mut self, rate: Rate, collide: bool) {
        if self.workers == 1 {
            self.single = rate;
        }
        // Several workers wait for each other, too; what one of them does says what waiting is for.
        let blocked = self.single.waits > BLOCKED;
        if collide && !blocked {
            return;
        }
        let next = match self.workers {
            1 if blocked => MOST_BLOCKED.max(self.most),
            now if blocked => (now + 1).min(MOST_BLOCKED.max(self.most)),
            now => (now + 1).min(self.most),
        };
        if next > self.workers {
            self.state = State::Trial { before: self.workers, rate };
            self.workers = next;
        }
    }

    fn judge(&mut self, before: usize, old: Rate, new: Rate, sample: Sample) {
        let pays = new.per_second >= old.per_second * self.pace.gain;
        // At most what was measured and the clock may have missed, and never more than went by.
        let single = (self.single.processor + self.single.error).min(1.0 / self.single.per_second);
        let inflation = if sample.in_one { INFLATION_IN_ONE } else { INFLATION };
        let cheap = new.processor - new.error <= single * inflation;
        if pays && cheap {
            self.patience = PATIENCE;
        } else {
            self.workers = before;
            // What one thread achieved was measured before, and the first entries are the cheapest:
            // where there was something to it, compare again soon.
            let is_close = pays || (cheap && new.per_second >= old.per_second);
            let is_ruinous = new.per_second < old.per_second * CLEAR_LOSS.1;
            self.patience = self.patience.saturating_mul(match (is_close, is_ruinous) {
                (true, _) => 4,
                (_, false) => 16,
                (_, true) => 64,
            });
        }
        self.state = State::Steady { until: sample.entries + self.patience };
    }

    fn rate(&self, sample: Sample) -> Rate {
        let entries = (sample.entries - self.begin.entries) as f64;
        let seconds = sample.now.saturating_sub(self.begin.now).as_secs_f64();
        let processor = sample.processor.saturating_sub(self.begin.processor).as_secs_f64();
        let waits = (sample.waits - self.begin.waits) as f64 / entries;
        let error = TICK.as_secs_f64() / entries;
        Rate { per_second: entries / seconds, processor: processor / entries, error, waits }
    }
}

#[cfg(test)]
mod tests {
    use super::{Governor, Pace, Sample};
    use std::time::Duration;

    /// Runs a governor over an imagined machine: how long 256 entries take, and how much processor
    /// time, and how often they wait, by the number of workers. Returns the workers after each sample.
    fn run(most: usize, steps: usize, machine: impl Fn(usize) -> (u64, u64, u64)) -> Vec<usize> {
        run_from(Sample::default(), most, steps, machine)
    }

    fn run_from(
        mut sample: Sample,
        most: usize,
        steps: usize,
        machine: impl Fn(usize) -> (u64, u64, u64),
    ) -> Vec<usize> {
        let mut governor = Governor::new(Pace::CHANGING, most, true, sample);
        let mut workers = 1;
        (0..steps)
            .map(|_| {
                let (time, processor, waits) = machine(workers);
                sample.now += Duration::from_micros(time);
                sample.processor += Duration::from_micros(processor);
                sample.waits += waits;
                sample.entries += 256;
                workers = governor.observe(sample);
                workers
            })
            .collect()
    }

    #[test]
    fn a_small_job_stays_alone() {
        assert_eq!(run(8, 3, |_| (1000, 1000, 0)), [1, 1, 1]);
    }

    #[test]
    fn where_much_is_known_to_wait_a_helper_is_tried_at_once() {
        let workers = |pace, pending| {
            let mut governor = Governor::new(pace, 2, true, Sample::default());
            let now = Duration::from_micros(50);
            governor.observe(Sample { now, entries: 256, pending, ..Sample::default() })
        };
        assert_eq!((workers(Pace::ASKING, 127), workers(Pace::ASKING, 128)), (1, 2));
        assert_eq!((workers(Pace::READING, 255), workers(Pace::READING, 256)), (1, 2));
        assert_eq!(workers(Pace::CHANGING, 1_000_000), 1);
    }

    #[test]
    fn helpers_that_pay_are_kept() {
        let workers = run(4, 100, |workers| (2000 / workers as u64, 2100, 0));
        assert_eq!(workers.last(), Some(&4));
    }

    #[test]
    fn helpers_that_do_not_pay_are_dropped_and_rarely_tried_again() {
        let workers = run(2, 1000, |workers| (1000, 1000 * workers as u64, 0));
        let busy = workers.iter().filter(|&&workers| workers > 1).count();
        assert!(busy > 0, "they must be tried");
        assert!(busy < 50, "and dropped: {busy} of 1000 samples");
    }

    #[test]
    fn helpers_that_burn_the_processor_are_dropped() {
        let workers =
            run(2, 200, |workers| (1000 - 150 * (workers as u64 - 1), 1000 * workers as u64, 0));
        assert_eq!(workers.last(), Some(&1));
    }

    #[test]
    fn helpers_in_one_directory_may_burn_more() {
        let in_one = Sample { in_one: true, ..Sample::default() };
        let last = |inflated: u64| {
            let time = |workers: u64| 8000 - 2000 * (workers - 1);
            let processor = move |workers: u64| 8000 + (inflated - 8000) * (workers - 1);
            let machine = |workers: usize| (time(workers as u64), processor(workers as u64), 0);
            (
                run_from(in_one, 2, 200, machine).last().copied(),
                run(2, 200, machine).last().copied(),
            )
        };
        assert_eq!(last(9600), (Some(2), Some(2)));
        assert_eq!(last(11600), (Some(2), Some(1)));
        assert_eq!(last(15200), (Some(1), Some(1)));
    }

    #[test]
    fn a_processor_that_others_want_too_is_no_file_system_that_blocks() {
        let workers = run(2, 60, |workers| (8000 / workers as u64, 800, 1));
        assert_eq!(workers.iter().max(), Some(&2));
    }

    #[test]
    fn where_helpers_are_known_to_collide_none_is_tried_unless_it_blocks() {
        let workers = |waits: u64| {
            let mut governor = Governor::new(Pace::CHANGING, 2, true, Sample::default());
            let mut sample = Sample { collide: true, ..Sample::default() };
            let step = |_| {
                sample.now += Duration::from_millis(4);
                sample.processor += Duration::from_millis(4);
                sample.entries += 256;
                sample.waits += waits;
                governor.observe(sample)
            };
            (0..100).map(step).max()
        };
        assert_eq!(workers(0), Some(1));
        assert_eq!(workers(200), Some(8));
    }

    #[test]
    fn a_file_system_that_blocks_gets_many_workers_at_once() {
        let workers = run(2, 60, |workers| (8000 / workers as u64, 800, 200));
        assert!(workers.contains(&8));
        assert_eq!(workers.iter().position(|&w| w > 1), workers.iter().position(|&w| w == 8));
    }
}
