//! Manages the workers of one operation: how many there are, and how they start.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::governor::{Governor, Sample, WINDOW};
use super::stop::Stop;
use super::task_queue::TaskQueue;
use super::workers::Workers;
use crate::control::Threads;
use crate::sys::{Setup, Sys};

const MAX_DESCRIPTORS: usize = 1024;
/// The minimum descriptor budget of a worker. With this minimum, all workers together may have
/// twice the operation's budget, not counting directories handed off.
const MIN_DESCRIPTORS: usize = 8;

pub(crate) fn descriptor_budget<S: Sys>(sys: &S, set: Option<usize>) -> usize {
    let descriptors = set.unwrap_or_else(|| sys.descriptor_limit() / 2);
    descriptors.clamp(MIN_DESCRIPTORS, MAX_DESCRIPTORS)
}

/// How long the caller's thread works alone if listings answer all queries. A thousand entries then
/// take less time than starting a second thread.
const ALONE_WITH_CHEAP: Duration = Duration::from_millis(1);

const CHECKPOINT: u32 = 256;

pub(crate) struct Member<'c> {
    /// The worker's number, which is 0 for the caller's thread.
    pub(crate) number: usize,
    pub(crate) descriptors: usize,
    /// Starts one more worker if possible. Only worker 0 may.
    start: Option<&'c dyn Fn() -> bool>,
    left: u32,
    done: u64,
    /// The number of blocking waits of this thread up to the last checkpoint.
    waits: Option<u64>,
}

impl<'c> Member<'c> {
    fn new(number: usize, descriptors: usize, start: Option<&'c dyn Fn() -> bool>) -> Self {
        Member { number, descriptors, start, left: CHECKPOINT, done: 0, waits: None }
    }

    pub(crate) fn first_checkpoint(self, entries: u32) -> Self {
        Member { left: entries, ..self }
    }

    pub(crate) fn is_caller(&self) -> bool {
        self.number == 0
    }

    /// Counts an entry as `work` entries. Returns whether a [checkpoint](WorkerPool::checkpoint) is
    /// due.
    #[inline]
    pub(crate) fn count(&mut self, work: u32) -> bool {
        self.done += u64::from(work);
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    fn begin_again(&mut self) -> u64 {
        self.left = CHECKPOINT;
        std::mem::take(&mut self.done)
    }
}

pub(crate) struct WorkerPool<T> {
    pub(crate) queue: TaskQueue<T>,
    /// The maximum number of workers. `None` if the governor decides.
    max_threads: Option<usize>,
    budget: usize,
    begin: Sample,
    alone: Duration,
    governor: Mutex<Option<Governor>>,
    entries: AtomicU64,
    waits: AtomicU64,
}

impl<T: Send> WorkerPool<T> {
    pub(crate) fn new<S: Sys>(
        sys: &S,
        threads: Threads,
        is_alone: bool,
        descriptors: Option<usize>,
    ) -> Self {
        let budget = descriptor_budget(sys, descriptors);
        let max_workers = budget / MIN_DESCRIPTORS;
        let max_threads = match threads {
            _ if is_alone || max_workers == 1 => Some(1),
            Threads::AtMost(threads) => Some(threads.clamp(1, max_workers)),
            Threads::Automatic => None,
        };
        WorkerPool {
            queue: TaskQueue::new(),
            max_threads,
            budget,
            begin: Sample { now: sys.now(), ..Sample::default() },
            alone: WINDOW.1,
            governor: Mutex::default(),
            entries: AtomicU64::new(0),
            waits: AtomicU64::new(0),
        }
    }

    pub(crate) fn for_cheap_entries(self, are_cheap: bool) -> Self {
        WorkerPool { alone: if are_cheap { ALONE_WITH_CHEAP } else { self.alone }, ..self }
    }

    /// Returns the descriptor budget of a worker. A single worker has the whole budget. Otherwise
    /// the first has half, the second a quarter, and so on, because the final number of workers is
    /// unknown.
    fn budget_of(&self, worker: usize) -> usize {
        let halves = if self.is_parallel() { worker + 1 } else { 0 };
        let part = u32::try_from(halves).ok().and_then(|halves| self.budget.checked_shr(halves));
        part.unwrap_or(0).max(MIN_DESCRIPTORS)
    }

    pub(crate) fn is_parallel(&self) -> bool {
        self.max_threads != Some(1)
    }

    /// Runs `work` on the caller's thread, as worker 0, and on the threads that the pool starts,
    /// each with its own `S`. Returns when all threads have exited. If one panics, the others stop,
    /// and the panic is resumed on the caller's thread.
    pub(crate) fn work<S: Sys>(
        &self,
        sys: S,
        setup: &Setup,
        stop: &Stop<'_>,
        work: impl Fn(Member<'_>, S) + Sync,
    ) {
        if !self.is_parallel() {
            return work(Member::new(0, self.budget_of(0), None), sys);
        }
        let (work, workers) = (&work, Workers::default());
        // Borrow `sys`, because moving it into the scope would copy it from stack frame to stack
        // frame.
        let mut first = Some(sys);
        thread::scope(|scope| {
            let threads = RefCell::new(Vec::new());
            let start = || {
                if self.queue.workers() >= self.budget / MIN_DESCRIPTORS {
                    return false;
                }
                let number = self.queue.enlist();
                let started = workers.start(scope, move || {
                    let _ends = EndOnPanic { queue: &self.queue, stop };
                    work(Member::new(number, self.budget_of(number), None), S::start(setup));
                });
                let is_started = started.is_some();
                if !is_started {
                    self.queue.dismiss();
                }
                threads.borrow_mut().extend(started);
                is_started
            };
            let _ends = EndOnPanic { queue: &self.queue, stop };
            if let Some(sys) = first.take() {
                work(Member::new(0, self.budget_of(0), Some(&start)), sys);
            }
            Workers::join(threads.take());
        });
        workers.resume_panic();
    }

    /// Starts workers if more are wanted. Pauses this one if it is not wanted.
    pub(crate) fn checkpoint<S: Sys>(&self, sys: &S, member: &mut Member<'_>) {
        let done = member.begin_again();
        if !self.is_parallel() {
            return;
        }
        let wanted = match self.max_threads {
            Some(most) => Some(most),
            None => self.observe(sys, done, member),
        };
        if let Some(wanted) = wanted {
            self.queue.want(wanted);
            if let Some(start) = member.start {
                while self.queue.workers() < wanted && start() {}
            }
        }
        self.queue.pause(member.number);
    }

    /// Returns `None` while another worker consults the governor.
    fn observe<S: Sys>(&self, sys: &S, done: u64, member: &mut Member<'_>) -> Option<usize> {
        let total = sys.waits();
        let waited = member.waits.replace(total).map_or(0, |before| total.saturating_sub(before));
        self.entries.fetch_add(done, Ordering::Relaxed);
        self.waits.fetch_add(waited, Ordering::Relaxed);
        let mut governor = self.governor.try_lock().ok()?;
        // Sample under the lock, so that totals never decrease from one sample to the next.
        let sample = Sample {
            entries: self.entries.load(Ordering::Relaxed),
            waits: self.waits.load(Ordering::Relaxed),
            now: sys.now(),
        };
        let governor =
            governor.get_or_insert_with(|| Governor::new(sys.processors(), self.begin, self.alone));
        Some(governor.observe(sample, member.number))
    }
}

struct EndOnPanic<'a, T> {
    queue: &'a TaskQueue<T>,
    stop: &'a Stop<'a>,
}

impl<T> Drop for EndOnPanic<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.stop.stop();
            self.queue.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{CHECKPOINT, Member, WorkerPool};
    use crate::control::Threads;
    use crate::sys::{Os, Setup, Sys};
    use crate::tree::Stop;

    struct Marker;

    static GONE: AtomicUsize = AtomicUsize::new(0);

    impl Drop for Marker {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(30));
            GONE.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn threads_are_gone_when_the_work_is_done() {
        thread_local!(static MARKER: Marker = const { Marker });
        let setup = Setup::default();
        let (sys, stop) = (Os::start(&setup), Stop::new(None, None));
        let pool: WorkerPool<()> = WorkerPool::new(&sys, Threads::AtMost(4), false, Some(1024));
        pool.work(sys, &setup, &stop, |mut member, sys| {
            if member.is_caller() {
                member.count(CHECKPOINT);
                pool.checkpoint(&sys, &mut member);
            } else {
                MARKER.with(|_| ());
            }
        });
        assert_eq!(GONE.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn workers_share_the_budget() {
        for budget in [8, 64, 100, 1024] {
            let sys = Os::start(&Setup::default());
            let of = |threads| {
                let pool =
                    WorkerPool::<()>::new(&sys, Threads::AtMost(threads), false, Some(budget));
                (0..threads).map(|worker| pool.budget_of(worker)).collect::<Vec<_>>()
            };
            assert_eq!(of(1), [budget]);
            for threads in [2, 3, budget / 8] {
                let together: usize = of(threads).iter().sum();
                let least = 8 * threads;
                assert!(together <= (budget + least).min(2 * budget.max(least)), "{together}");
            }
        }
    }

    /// Repeats the race in which a worker is preempted between adding its part and reading the sum.
    #[test]
    fn progress_reported_concurrently_never_goes_backwards() {
        let setup = Setup::default();
        let pool = WorkerPool::<()>::new(&Os::start(&setup), Threads::Automatic, false, Some(1024));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (sys, mut member) = (Os::start(&setup), Member::new(0, 8, None));
                    for _ in 0..100_000 {
                        member.count(CHECKPOINT);
                        pool.checkpoint(&sys, &mut member);
                    }
                });
            }
        });
        let governor = pool.governor.lock().expect("no worker has failed");
        assert!(governor.is_some());
    }
}
