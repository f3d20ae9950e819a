//! Helper threads for an operation on a tree.
//!
//! # How work is shared
//!
//! Every worker runs the same depth-first algorithm on what it was given. Nobody queues work in
//! advance: a worker that has nothing to do says that it is *hungry*, and a busy one, which looks
//! at that (one relaxed load per directory), hands over half of what it has not begun yet. So the
//! price of sharing is paid per hand-over and not per entry, and a tree that one thread finishes
//! alone costs nothing extra.
//!
//! A directory whose children were handed over can only be finished after them. Its worker waits
//! for their [`Join`], and takes other work meanwhile, on top of its own stack. This cannot
//! deadlock: a worker only ever waits for work that was begun after what it waits with, so no two
//! can wait for each other in a circle.
//!
//! # When helpers pay
//!
//! See [`Governor`](super::governor::Governor): they are started when the work is large, kept while the measured rate shows
//! that they pay, and paused when it does not.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What is outstanding of a directory: the pieces of its work that were handed over.
#[derive(Debug, Default)]
pub(crate) struct Join {
    pieces: AtomicUsize,
    kept: AtomicBool,
}

impl Join {
    /// Whether a piece left an entry behind.
    pub(crate) fn kept(&self) -> bool {
        self.kept.load(Ordering::Acquire)
    }

    /// One more piece is handed over.
    pub(crate) fn add(&self) {
        self.pieces.fetch_add(1, Ordering::Relaxed);
    }

    fn is_done(&self) -> bool {
        self.pieces.load(Ordering::Acquire) == 0
    }
}

/// The meeting place of the workers of one operation; `T` is a piece of work.
pub(crate) struct Pool<T> {
    state: Mutex<State<T>>,
    /// Hungry workers and those that wait for a join sleep here.
    work: Condvar,
    /// Paused workers sleep here.
    pause: Condvar,
    /// How many hungry workers no piece is waiting for yet. Read without the lock.
    hungry: AtomicUsize,
    /// Workers with a number of at least this are paused.
    wanted: AtomicUsize,
}

struct State<T> {
    pieces: VecDeque<T>,
    /// Workers in the operation, the caller's thread included.
    workers: usize,
    /// Workers without any work at all, asleep.
    idle: usize,
    /// Workers asleep that would take a piece.
    waiting: usize,
    /// Workers paused, in the middle of their work or without any.
    paused: usize,
    /// Workers asleep for any of these reasons.
    asleep: usize,
    over: bool,
}

impl<T> State<T> {
    fn awake(&self) -> usize {
        self.workers - self.asleep
    }
}

/// What a worker does next.
pub(crate) enum Work<O, T> {
    Operand(O),
    Piece(T),
}

/// What somebody who waited for a join gets.
pub(crate) enum Waited<T> {
    /// The join is complete.
    Joined,
    /// Something to do meanwhile.
    Piece(T),
}

impl<T> Pool<T> {
    /// A pool of one worker: the caller.
    pub(crate) fn new() -> Self {
        Pool {
            state: Mutex::new(State {
                pieces: VecDeque::new(),
                workers: 1,
                idle: 0,
                waiting: 0,
                paused: 0,
                asleep: 0,
                over: false,
            }),
            work: Condvar::new(),
            pause: Condvar::new(),
            hungry: AtomicUsize::new(0),
            wanted: AtomicUsize::new(1),
        }
    }

    /// Whether a hand-over would be welcome.
    pub(crate) fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// How many workers there are, the caller's thread included.
    pub(crate) fn workers(&self) -> usize {
        self.lock().workers
    }

    /// Counts in a worker that is about to be started, and returns its number.
    pub(crate) fn enlist(&self) -> usize {
        let mut state = self.lock();
        state.workers += 1;
        state.workers - 1
    }

    /// Counts out a worker that could not be started.
    pub(crate) fn dismiss(&self) {
        let mut state = self.lock();
        state.workers -= 1;
        self.settle(&state);
    }

    /// Says how many workers are wanted. Those beyond pause at their next checkpoint.
    pub(crate) fn want(&self, workers: usize) {
        if workers == self.wanted() {
            return;
        }
        let state = self.lock();
        self.wanted.store(workers, Ordering::Relaxed);
        self.settle(&state);
    }

    /// Hands over a piece of work.
    pub(crate) fn give(&self, piece: T) {
        let mut state = self.lock();
        state.pieces.push_back(piece);
        self.settle(&state);
        let awaited = state.waiting > 0;
        drop(state);
        if awaited {
            self.work.notify_one();
        }
    }

    /// What a worker that has nothing to do does next: a piece that waits, else the next operand, else
    /// a piece as soon as there is one. `None` when all workers are out of work.
    pub(crate) fn next<O>(
        &self,
        worker: usize,
        operand: impl FnOnce() -> Option<O>,
    ) -> Option<Work<O, T>> {
        if let Some(piece) = self.try_take() {
            return Some(Work::Piece(piece));
        }
        match operand() {
            Some(operand) => Some(Work::Operand(operand)),
            None => self.take(worker).map(Work::Piece),
        }
    }

    /// A piece that waits, if any.
    fn try_take(&self) -> Option<T> {
        let mut state = self.lock();
        let piece = state.pieces.pop_front();
        self.settle(&state);
        piece
    }

    /// Waits for a piece; `None` when all workers are out of work, which ends the operation.
    pub(crate) fn take(&self, worker: usize) -> Option<T> {
        let mut state = self.lock();
        loop {
            if let Some(piece) = state.pieces.pop_front() {
                self.settle(&state);
                return Some(piece);
            }
            if state.over || state.idle + 1 == state.workers {
                state.over = true;
                // Alone, there is nobody to tell, and telling is a call.
                let alone = state.workers == 1;
                drop(state);
                if !alone {
                    self.work.notify_all();
                    self.pause.notify_all();
                }
                return None;
            }
            state.idle += 1;
            state = if worker < self.wanted() {
                self.sleep_hungry(state)
            } else {
                self.sleep_paused(state)
            };
            state.idle -= 1;
        }
    }

    /// Waits until a join is complete, or until there is something to do meanwhile.
    pub(crate) fn wait_for(&self, join: &Join) -> Waited<T> {
        let mut state = self.lock();
        loop {
            if join.is_done() {
                return Waited::Joined;
            }
            if state.over {
                // Abandoned: what was handed over may still be there.
                join.kept.store(true, Ordering::Release);
                return Waited::Joined;
            }
            if let Some(piece) = state.pieces.pop_front() {
                self.settle(&state);
                return Waited::Piece(piece);
            }
            // What we wait for may be in the hands of a paused worker, which then takes our place.
            state = self.sleep_hungry(state);
        }
    }

    /// Whether the work has ended; where a worker still has some, because another one panicked.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().over
    }

    /// To be held by each worker while it works: should it panic (an observer may), then the others
    /// do not wait for it, so that the panic reaches the caller.
    pub(crate) fn guard(&self) -> Guard<'_, T> {
        Guard(self)
    }

    /// One piece of a join is finished; `kept` says whether it left an entry behind.
    pub(crate) fn finish(&self, join: &Join, kept: bool) {
        if kept {
            join.kept.store(true, Ordering::Release);
        }
        // Under the lock, so that whoever is about to wait for it cannot miss the notice.
        let state = self.lock();
        let last = join.pieces.fetch_sub(1, Ordering::AcqRel) == 1;
        let awaited = state.waiting > 0;
        drop(state);
        if last && awaited {
            self.work.notify_all();
        }
    }

    /// Pauses a worker that is not wanted, until it can take the place of one that waits.
    pub(crate) fn pause(&self, worker: usize) {
        if worker < self.wanted() {
            return;
        }
        let mut state = self.lock();
        while worker >= self.wanted() && state.awake() > self.wanted() && !state.over {
            state = self.sleep_paused(state);
        }
    }

    fn sleep_hungry<'a>(&self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        state.waiting += 1;
        state = self.sleep(&self.work, state);
        state.waiting -= 1;
        self.settle(&state);
        state
    }

    fn sleep_paused<'a>(&self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        state.paused += 1;
        state = self.sleep(&self.pause, state);
        state.paused -= 1;
        self.settle(&state);
        state
    }

    fn sleep<'a>(
        &self,
        reason: &Condvar,
        mut state: MutexGuard<'a, State<T>>,
    ) -> MutexGuard<'a, State<T>> {
        state.asleep += 1;
        self.settle(&state);
        // A worker that panicked is heard of when all have ended: see `panics.rs`.
        state = reason.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.asleep -= 1;
        state
    }

    /// After every change: says who is hungry, and lets paused workers look where there is room for
    /// them. A worker that only waits for a join is not hungry when as many as are wanted are awake:
    /// otherwise the last pieces of a helper that did not pay would be shared out again.
    fn settle(&self, state: &State<T>) {
        let room = self.wanted().saturating_sub(state.awake());
        let hungry = state.waiting.min(room).saturating_sub(state.pieces.len());
        self.hungry.store(hungry, Ordering::Relaxed);
        if state.paused > 0 && room > 0 {
            self.pause.notify_all();
        }
    }

    fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // A worker that panicked is heard of when all have ended: see `panics.rs`.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Pool::guard`].
pub(crate) struct Guard<'a, T>(&'a Pool<T>);

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().over = true;
            self.0.work.notify_all();
            self.0.pause.notify_all();
        }
    }
}

/// A join that is shared with the pieces of its work.
pub(crate) type SharedJoin = Arc<Join>;

#[cfg(test)]
mod tests {
    use super::{Join, Pool, Waited};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    /// Adds up the numbers of a range by halving it as long as somebody is hungry.
    fn sum(
        pool: &Pool<(u64, u64, Arc<Join>)>,
        worker: usize,
        from: u64,
        to: u64,
        total: &AtomicU64,
    ) {
        let join = Arc::new(Join::default());
        let (mut next, mut end) = (from, to);
        while next < end {
            if pool.is_hungry() && end - next > 1 {
                let middle = next + (end - next) / 2;
                join.add();
                pool.give((middle, end, Arc::clone(&join)));
                end = middle;
            }
            total.fetch_add(next, Ordering::Relaxed);
            next += 1;
            pool.pause(worker);
            std::thread::yield_now();
        }
        while let Waited::Piece((from, to, theirs)) = pool.wait_for(&join) {
            sum(pool, worker, from, to, total);
            pool.finish(&theirs, false);
        }
    }

    #[test]
    fn all_work_is_done_once_and_the_pool_ends() {
        for workers in 1..6 {
            let pool = Pool::new();
            let total = AtomicU64::new(0);
            std::thread::scope(|scope| {
                pool.want(workers);
                for _ in 1..workers {
                    let number = pool.enlist();
                    let (pool, total) = (&pool, &total);
                    scope.spawn(move || {
                        while let Some((from, to, join)) = pool.take(number) {
                            sum(pool, number, from, to, total);
                            pool.finish(&join, false);
                        }
                    });
                }
                sum(&pool, 0, 0, 5000, &total);
                pool.want(1);
                assert!(pool.take(0).is_none());
            });
            assert_eq!(total.into_inner(), 5000 * 4999 / 2);
        }
    }

    #[test]
    fn the_number_of_workers_may_change_at_any_time() {
        let pool = Pool::new();
        let total = AtomicU64::new(0);
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 1..4 {
                let number = pool.enlist();
                let (pool, total) = (&pool, &total);
                scope.spawn(move || {
                    while let Some((from, to, join)) = pool.take(number) {
                        sum(pool, number, from, to, total);
                        pool.finish(&join, false);
                    }
                });
            }
            let (changed, over) = (&pool, &over);
            scope.spawn(move || {
                for wanted in [4, 1, 2, 1, 3].into_iter().cycle() {
                    changed.want(wanted);
                    std::thread::yield_now();
                    if over.load(Ordering::Relaxed) {
                        return changed.want(1);
                    }
                }
            });
            sum(&pool, 0, 0, 50_000, &total);
            assert!(pool.take(0).is_none());
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(total.into_inner(), 50_000 * 49_999 / 2);
    }

    #[test]
    fn who_waits_for_a_helper_that_does_not_pay_takes_no_work_from_it() {
        let pool: Pool<u32> = Pool::new();
        let join = Join::default();
        let helper = pool.enlist();
        pool.want(2);
        join.add();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !pool.is_hungry() {
                    std::thread::yield_now();
                }
                pool.want(1);
                assert!(!pool.is_hungry(), "one is awake, and one is wanted");
                pool.pause(helper);
                pool.want(2);
                assert!(pool.is_hungry(), "there is room for the one that waits");
                pool.finish(&join, false);
            });
            assert!(matches!(pool.wait_for(&join), Waited::Joined));
        });
    }

    #[test]
    fn nobody_waits_for_a_worker_that_panicked() {
        let pool: Pool<u32> = Pool::new();
        let join = Join::default();
        let helper = pool.enlist();
        pool.want(2);
        join.add();
        std::thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let _guard = pool.guard();
                while !pool.is_hungry() {
                    std::thread::yield_now();
                }
                std::panic::resume_unwind(Box::new("an observer's"));
            });
            assert!(matches!(pool.wait_for(&join), Waited::Joined));
            assert!(join.kept());
            assert!(pool.take(helper).is_none());
            assert!(panicking.join().is_err());
        });
    }

    #[test]
    fn a_join_remembers_that_something_was_kept() {
        let pool: Pool<()> = Pool::new();
        let join = Join::default();
        join.add();
        join.add();
        pool.finish(&join, true);
        pool.finish(&join, false);
        assert!(matches!(pool.wait_for(&join), Waited::Joined));
        assert!(join.kept());
    }
}
