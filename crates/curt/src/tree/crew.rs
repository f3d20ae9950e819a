//! The workers of one operation: how many there are, and how they are started.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use super::governor::{Governor, Sample, WINDOW};
use super::pool::Pool;
use super::stop::Stop;
use super::workers::Workers;
use crate::control::Threads;
use crate::sys::{Setup, Sys};

/// The greatest descriptor budget of an operation.
const MOST_DESCRIPTORS: usize = 1024;
/// How many directories a worker may always open. All workers together stay below twice the budget,
/// without the directories that were handed off.
const FEWEST_DESCRIPTORS: usize = 8;

/// Returns how many directories an operation may hold open: what the caller has set, or else half
/// of the process's limit, within bounds.
pub(crate) fn descriptor_budget<S: Sys>(sys: &S, set: Option<usize>) -> usize {
    let descriptors = set.unwrap_or_else(|| sys.descriptor_limit() / 2);
    descriptors.clamp(FEWEST_DESCRIPTORS, MOST_DESCRIPTORS)
}

/// How long the caller's thread works alone at least, where listings answer everything: a thousand
/// entries take less time than a second thread takes to start and to end.
const ALONE_WITH_CHEAP: Duration = Duration::from_millis(1);

/// Entries between two checkpoints of a worker.
const CHECKPOINT: u32 = 256;

/// A worker's place in its crew, and its checkpoints.
pub(crate) struct Member<'c> {
    /// The number of the worker; 0 is the caller's thread.
    pub(crate) number: usize,
    /// Its part of the descriptor budget.
    pub(crate) descriptors: usize,
    /// Starts a worker; returns `false` if the system gave no thread. Worker 0 alone has it.
    start: Option<&'c dyn Fn() -> bool>,
    /// How many entries are left until the next checkpoint.
    left: u32,
    /// What was done since the last one.
    done: u64,
    /// How often the thread had waited for something at the last checkpoint.
    waits: Option<u64>,
}

impl<'c> Member<'c> {
    fn new(number: usize, descriptors: usize, start: Option<&'c dyn Fn() -> bool>) -> Self {
        Member { number, descriptors, start, left: CHECKPOINT, done: 0, waits: None }
    }

    /// Sets how many entries there are before the first checkpoint.
    pub(crate) fn first_checkpoint(self, entries: u32) -> Self {
        Member { left: entries, ..self }
    }

    /// Returns whether this is the caller's thread.
    pub(crate) fn is_caller(&self) -> bool {
        self.number == 0
    }

    /// Counts an entry, and how much work it was: that of this many others. Returns whether a
    /// [checkpoint](Crew::checkpoint) is due.
    #[inline]
    pub(crate) fn count(&mut self, work: u32) -> bool {
        self.done += u64::from(work);
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }

    /// Begins the entries up to the next checkpoint. Returns what was done before this one.
    fn begin_again(&mut self) -> u64 {
        self.left = CHECKPOINT;
        std::mem::take(&mut self.done)
    }
}

/// The workers of one operation; `T` is a task that one of them hands off.
pub(crate) struct Crew<T> {
    pub(crate) pool: Pool<T>,
    /// How many threads may work; `None` if the governor decides.
    most_threads: Option<usize>,
    /// The descriptor budget of all workers together.
    budget: usize,
    begin: Sample,
    /// The least time before the governor tries a second worker.
    alone: Duration,
    /// Created at the first checkpoint.
    governor: Mutex<Option<Governor>>,
    entries: AtomicU64,
    waits: AtomicU64,
}

impl<T: Send> Crew<T> {
    /// Returns a crew that begins now: of the caller's thread alone, or of as many as the caller
    /// and the descriptor budget allow.
    pub(crate) fn new<S: Sys>(
        sys: &S,
        threads: Threads,
        is_alone: bool,
        descriptors: Option<usize>,
    ) -> Self {
        let budget = descriptor_budget(sys, descriptors);
        let most_workers = budget / FEWEST_DESCRIPTORS;
        let most_threads = match threads {
            _ if is_alone || most_workers == 1 => Some(1),
            Threads::AtMost(threads) => Some(threads.clamp(1, most_workers)),
            Threads::Automatic => None,
        };
        Crew {
            pool: Pool::new(),
            most_threads,
            budget,
            begin: Sample { now: sys.now(), ..Sample::default() },
            alone: WINDOW.1,
            governor: Mutex::default(),
            entries: AtomicU64::new(0),
            waits: AtomicU64::new(0),
        }
    }

    /// Says whether listings answer all that is asked about an entry.
    pub(crate) fn for_cheap_entries(self, are_cheap: bool) -> Self {
        Crew { alone: if are_cheap { ALONE_WITH_CHEAP } else { self.alone }, ..self }
    }

    /// Returns the part of the descriptor budget for one worker: all of it if it is alone.
    /// Otherwise the first has half, the second half of the rest, and so on, since the number of
    /// workers is not known in advance.
    fn budget_of(&self, worker: usize) -> usize {
        let halves = if self.may_share() { worker + 1 } else { 0 };
        let part = u32::try_from(halves).ok().and_then(|halves| self.budget.checked_shr(halves));
        part.unwrap_or(0).max(FEWEST_DESCRIPTORS)
    }

    /// Returns whether threads may be started at all.
    pub(crate) fn may_share(&self) -> bool {
        self.most_threads != Some(1)
    }

    /// Runs `work` on the caller's thread, as worker 0, which alone can start others, and on the
    /// threads that it starts. Worker 0 goes on with the platform `sys`, every other one starts its
    /// own. Returns when all have returned and their threads are gone. If one panics (a callback
    /// may), the others stop, and the panic reaches the caller.
    pub(crate) fn work<S: Sys>(
        &self,
        sys: S,
        setup: &Setup,
        stop: &Stop<'_>,
        work: impl Fn(Member<'_>, S) + Sync,
    ) {
        if !self.may_share() {
            return work(Member::new(0, self.budget_of(0), None), sys);
        }
        let (work, workers) = (&work, Workers::default());
        // Taken where it is needed: moved into the scope, it would be copied from frame to frame.
        let mut first = Some(sys);
        thread::scope(|scope| {
            let threads = RefCell::new(Vec::new());
            let start = || {
                if self.pool.workers() >= self.budget / FEWEST_DESCRIPTORS {
                    return false;
                }
                let number = self.pool.enlist();
                let started = workers.start(scope, move || {
                    let _ends = EndOnPanic { pool: &self.pool, stop };
                    work(Member::new(number, self.budget_of(number), None), S::start(setup));
                });
                let is_started = started.is_some();
                if !is_started {
                    self.pool.dismiss();
                }
                threads.borrow_mut().extend(started);
                is_started
            };
            let _ends = EndOnPanic { pool: &self.pool, stop };
            if let Some(sys) = first.take() {
                work(Member::new(0, self.budget_of(0), Some(&start)), sys);
            }
            Workers::join(threads.take());
        });
        workers.pass_on();
    }

    /// Counts what a worker has done since its last checkpoint; may start workers and pause this
    /// one.
    pub(crate) fn checkpoint<S: Sys>(&self, sys: &S, member: &mut Member<'_>) {
        let done = member.begin_again();
        if !self.may_share() {
            return;
        }
        let wanted = match self.most_threads {
            Some(most) => Some(most),
            None => self.observe(sys, done, member),
        };
        if let Some(wanted) = wanted {
            self.pool.want(wanted);
            if let Some(start) = member.start {
                while self.pool.workers() < wanted && start() {}
            }
        }
        self.pool.pause(member.number);
    }

    /// Returns how many workers the governor wants, or `None` while another worker asks it.
    fn observe<S: Sys>(&self, sys: &S, done: u64, member: &mut Member<'_>) -> Option<usize> {
        let total = sys.waits();
        // The waits before this operation do not count.
        let waited = member.waits.replace(total).map_or(0, |before| total.saturating_sub(before));
        self.entries.fetch_add(done, Ordering::Relaxed);
        self.waits.fetch_add(waited, Ordering::Relaxed);
        let mut governor = self.governor.try_lock().ok()?;
        // Taken under the lock, so that a later sample never has less than an earlier one.
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

/// Held by a worker while it works.
struct EndOnPanic<'a, T> {
    pool: &'a Pool<T>,
    stop: &'a Stop<'a>,
}

impl<T> Drop for EndOnPanic<'_, T> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.stop.stop();
            self.pool.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::{CHECKPOINT, Crew, Member};
    use crate::control::Threads;
    use crate::sys::{Os, Setup, Sys};
    use crate::tree::Stop;

    /// What a thread keeps until it is gone.
    struct Kept;

    static GONE: AtomicUsize = AtomicUsize::new(0);

    impl Drop for Kept {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(30));
            GONE.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn threads_are_gone_when_the_work_is_done() {
        thread_local!(static KEPT: Kept = const { Kept });
        let setup = Setup::default();
        let (sys, stop) = (Os::start(&setup), Stop::new(None, None));
        let crew: Crew<()> = Crew::new(&sys, Threads::AtMost(4), false, Some(1024));
        crew.work(sys, &setup, &stop, |mut member, sys| {
            if member.is_caller() {
                member.count(CHECKPOINT);
                crew.checkpoint(&sys, &mut member);
            } else {
                KEPT.with(|_| ());
            }
        });
        assert_eq!(GONE.load(Ordering::Relaxed), 3);
    }

    /// They exceed it together only because each may have eight directories open.
    #[test]
    fn workers_share_the_budget() {
        for budget in [8, 64, 100, 1024] {
            let sys = Os::start(&Setup::default());
            let of = |threads| {
                let crew: Crew<()> = Crew::new(&sys, Threads::AtMost(threads), false, Some(budget));
                (0..threads).map(|worker| crew.budget_of(worker)).collect::<Vec<_>>()
            };
            assert_eq!(of(1), [budget]);
            for threads in [2, 3, budget / 8] {
                let together: usize = of(threads).iter().sum();
                let least = 8 * threads;
                assert!(together <= (budget + least).min(2 * budget.max(least)), "{together}");
            }
        }
    }

    /// The governor takes differences and must never see a total go down, although a worker may be
    /// held up between adding its part and observing the sum.
    #[test]
    fn progress_reported_concurrently_never_goes_backwards() {
        let setup = Setup::default();
        let crew: Crew<()> = Crew::new(&Os::start(&setup), Threads::Automatic, false, Some(1024));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let (sys, mut member) = (Os::start(&setup), Member::new(0, 8, None));
                    for _ in 0..100_000 {
                        member.count(CHECKPOINT);
                        crew.checkpoint(&sys, &mut member);
                    }
                });
            }
        });
        let governor = crew.governor.lock().expect("no worker has failed");
        assert!(governor.is_some());
    }
}
