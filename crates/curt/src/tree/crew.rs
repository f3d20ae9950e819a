//! The workers of one operation: how many there are, and how they come to be.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::governor::{Governor, Sample};
use super::pool::Pool;
use super::workers::Workers;
use crate::control::Threads;
use crate::sys::Sys;

/// The most directories that one operation holds open, and the fewest that one worker can do with.
const MOST_DESCRIPTORS: usize = 1024;
const FEWEST_DESCRIPTORS: usize = 8;

/// How many directories an operation may hold open, of so many descriptors that it may have.
pub(crate) fn budget(descriptors: usize) -> usize {
    descriptors.clamp(FEWEST_DESCRIPTORS, MOST_DESCRIPTORS)
}

/// Starts a helper; `false` where the system gave no thread.
pub(crate) type Start<'a> = &'a dyn Fn() -> bool;

/// The workers of one operation; `T` is a piece of work.
pub(crate) struct Crew<T> {
    pub(crate) pool: Pool<T>,
    /// How many threads may work; `None` where that is for the governor to find out.
    most_threads: Option<usize>,
    /// How many workers there are descriptors for.
    most_workers: usize,
    begin: Sample,
    /// Comes into being when there is enough to do for it.
    governor: Mutex<Option<Governor>>,
    entries: AtomicU64,
    waits: AtomicU64,
}

impl<T: Send> Crew<T> {
    /// A crew of the caller alone, or of as many as the caller wants and there are descriptors for.
    pub(crate) fn new(threads: Threads, is_alone: bool, budget: usize, begin: Sample) -> Self {
        // Each worker needs a few.
        let most_workers = budget / FEWEST_DESCRIPTORS;
        let most_threads = match threads {
            _ if is_alone || most_workers == 1 => Some(1),
            Threads::AtMost(threads) => Some(threads.clamp(1, most_workers)),
            Threads::Automatic => None,
        };
        Crew {
            pool: Pool::new(),
            most_threads,
            most_workers,
            begin,
            governor: Mutex::default(),
            entries: AtomicU64::new(0),
            waits: AtomicU64::new(0),
        }
    }

    /// How many of so many directories the worker of this number may hold open. Alone, all;
    /// otherwise the first has half of them, the second half of the rest, and so on: nobody knows
    /// how many will come.
    pub(crate) fn descriptors_of(&self, number: usize, all: usize) -> usize {
        let halves = if self.may_share() { number + 1 } else { 0 };
        let part = u32::try_from(halves).ok().and_then(|halves| all.checked_shr(halves));
        part.unwrap_or(0).max(FEWEST_DESCRIPTORS)
    }

    /// Whether helpers may be used at all.
    pub(crate) fn may_share(&self) -> bool {
        self.most_threads != Some(1)
    }

    /// Works: on the caller's thread as number 0, which alone can start helpers, and on theirs.
    /// Returns when all have returned.
    pub(crate) fn work(&self, work: impl Fn(usize, Option<Start<'_>>) + Sync) {
        if !self.may_share() {
            return work(0, None);
        }
        let (work, workers) = (&work, Workers::default());
        thread::scope(|scope| {
            let start = || {
                if self.pool.workers() >= self.most_workers {
                    return false;
                }
                let number = self.pool.enlist();
                let started = workers.start(scope, move || {
                    let _guard = self.pool.guard();
                    work(number, None);
                });
                if !started {
                    self.pool.dismiss();
                }
                started
            };
            let _guard = self.pool.guard();
            work(0, Some(&start));
        });
        workers.pass_on();
    }

    /// Takes what a worker did since its last checkpoint; may start helpers and pause the worker.
    /// `waits` is how often the worker had waited for something at its last checkpoint.
    pub(crate) fn checkpoint<S: Sys>(
        &self,
        sys: &S,
        worker: usize,
        done: u64,
        waits: &mut Option<u64>,
        start: Option<Start<'_>>,
    ) {
        let wanted = match self.most_threads {
            Some(most) => Some(most),
            None => self.observe(sys, worker, done, waits),
        };
        if let Some(wanted) = wanted {
            self.pool.want(wanted);
            if let Some(start) = start {
                while self.pool.workers() < wanted && start() {}
            }
        }
        self.pool.pause(worker);
    }

    /// How many workers the governor wants, or `None` while another worker asks it.
    fn observe<S: Sys>(
        &self,
        sys: &S,
        worker: usize,
        done: u64,
        waits: &mut Option<u64>,
    ) -> Option<usize> {
        let total = sys.waits();
        // What the thread did before this operation does not count.
        let waited = waits.replace(total).map_or(0, |before| total.saturating_sub(before));
        self.entries.fetch_add(done, Ordering::Relaxed);
        self.waits.fetch_add(waited, Ordering::Relaxed);
        let mut governor = self.governor.try_lock().ok()?;
        // Taken under the lock, so that a later sample never has less than an earlier one.
        let sample = Sample {
            entries: self.entries.load(Ordering::Relaxed),
            waits: self.waits.load(Ordering::Relaxed),
            now: sys.now(),
        };
        let governor = governor.get_or_insert_with(|| Governor::new(sys.processors(), self.begin));
        Some(governor.observe(sample, worker))
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    use super::super::Sample;
    use super::Crew;
    use crate::control::Threads;
    use crate::sys::{Host, Os, Setup, Sys};

    /// The governor takes differences, and must never see less than it saw before: a worker may be
    /// held up between what it adds and what it has observed, while the others go on.
    #[test]
    fn what_workers_tell_at_the_same_time_never_goes_back() {
        let setup = Setup::default();
        let begin = Sample { now: Os::start(&setup).now(), ..Sample::default() };
        let crew: Crew<()> = Crew::new(Threads::Automatic, false, 1024, begin);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (sys, mut waits) = (Os::start(&setup), None);
                    for _ in 0..100_000 {
                        crew.checkpoint(&sys, 0, 256, &mut waits, None);
                    }
                });
            }
        });
        let governor = crew.governor.lock().expect("no worker has failed");
        assert!(governor.is_some());
    }

    #[test]
    fn what_a_helper_panics_with_reaches_the_caller() {
        let crew: Crew<()> = Crew::new(Threads::AtMost(2), false, 1024, Sample::default());
        let work = || {
            crew.work(|number, start| match start {
                Some(start) => assert!(start(), "there is a thread"),
                None => resume_unwind(Box::new(number)),
            });
        };
        let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("the helper panics");
        assert_eq!(panic.downcast_ref(), Some(&1_usize));
    }
}
