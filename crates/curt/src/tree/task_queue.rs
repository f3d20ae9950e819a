//! Hands off work from one worker of an operation to another.
//!
//! The shape of a tree is unknown until it is read, so it cannot be split in advance. Work-stealing
//! deques would cost every directory an allocation and two atomic counters (ADR 4). So every worker
//! runs the same depth-first algorithm on its own, and work is split on demand. A worker without
//! work makes the queue *want tasks*. A busy worker notices this (one relaxed load per step of a
//! walk; in a removal, per directory and per 16 entries) and hands off half of the work that it has
//! not started. The price is paid per hand-off, not per entry.
//!
//! A removal can finish a directory only after all parts of it that were handed off are finished.
//! The directory's worker waits for the [`Join`] of these parts, and meanwhile runs other tasks,
//! nested in its own. A waiting worker takes only tasks not yet started. This cannot deadlock: a
//! worker waits only for tasks that started later than the task in which it waits, and any tasks
//! suspended on its stack started even earlier. Along any chain of waiting workers the start times
//! increase, so the chain never closes.
//!
//! The operation ends when a worker finds no task and all other workers are idle. That is checked
//! under the lock, and only a worker with work can add a task.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::stop::POLL_INTERVAL;
use crate::sys::Condvar;

#[derive(Debug, Default)]
pub(crate) struct Join(AtomicUsize);

impl Join {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether all parts are finished. After a worker's panic, [`TaskQueue::wait_for`] may
    /// return although they are not.
    pub(crate) fn is_done(&self) -> bool {
        self.0.load(Ordering::Acquire) == 0
    }
}

pub(crate) struct TaskQueue<T> {
    state: Mutex<State<T>>,
    /// Wakes idle workers, and workers that wait for a join.
    work: Condvar,
    pause: Condvar,
    /// How many sleeping workers should be woken, minus the tasks already queued. Read without the
    /// lock.
    wanted_tasks: AtomicUsize,
    /// The number of workers wanted. A worker whose number is not below this pauses.
    wanted: AtomicUsize,
}

struct State<T> {
    tasks: VecDeque<T>,
    workers: usize,
    idle: usize,
    /// The number of sleeping workers that would take a task: idle ones, and those that wait for a
    /// [`Join`].
    waiting: usize,
    paused: usize,
    over: bool,
}

impl<T> State<T> {
    fn awake(&self) -> usize {
        self.workers - self.waiting - self.paused
    }
}

pub(crate) type Meanwhile<'a> = Option<&'a dyn Fn()>;

pub(crate) enum Work<O, T> {
    Operand(O),
    Task(T),
}

pub(crate) enum Waited<T> {
    Joined,
    Task(T),
}

impl<T> TaskQueue<T> {
    pub(crate) fn new() -> Self {
        TaskQueue {
            state: Mutex::new(State {
                tasks: VecDeque::new(),
                workers: 1,
                idle: 0,
                waiting: 0,
                paused: 0,
                over: false,
            }),
            work: Condvar::new(),
            pause: Condvar::new(),
            wanted_tasks: AtomicUsize::new(0),
            wanted: AtomicUsize::new(1),
        }
    }

    pub(crate) fn wants_tasks(&self) -> bool {
        self.wanted_tasks.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn workers(&self) -> usize {
        self.lock().workers
    }

    pub(crate) fn enlist(&self) -> usize {
        let mut state = self.lock();
        state.workers += 1;
        state.workers - 1
    }

    pub(crate) fn dismiss(&self) {
        let mut state = self.lock();
        state.workers -= 1;
        self.update(&state);
    }

    pub(crate) fn want(&self, workers: usize) {
        if workers == self.wanted() {
            return;
        }
        let state = self.lock();
        self.wanted.store(workers, Ordering::Relaxed);
        self.update(&state);
    }

    pub(crate) fn hand_off(&self, task: T) {
        let mut state = self.lock();
        state.tasks.push_back(task);
        self.update(&state);
        let awaited = state.waiting > 0;
        drop(state);
        if awaited {
            self.work.notify_one();
        }
    }

    /// Returns a queued task or the next operand, or waits for a task. Returns `None` at the end.
    /// Calls `operand` under the lock.
    pub(crate) fn next<O>(
        &self,
        worker: usize,
        operand: impl FnOnce() -> Option<O>,
        meanwhile: Meanwhile<'_>,
    ) -> Option<Work<O, T>> {
        let mut operand = Some(operand);
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                self.update(&state);
                return Some(Work::Task(task));
            }
            if let Some(operand) = operand.take().and_then(|operand| operand()) {
                return Some(Work::Operand(operand));
            }
            if state.over || state.idle + 1 == state.workers {
                state.over = true;
                let is_alone = state.workers == 1;
                drop(state);
                if !is_alone {
                    self.wake_all();
                }
                return None;
            }
            state.idle += 1;
            state = if worker < self.wanted() {
                self.sleep_until_task(state, meanwhile)
            } else {
                self.sleep_paused(state)
            };
            state.idle -= 1;
        }
    }

    pub(crate) fn wait_for(&self, join: &Join, meanwhile: Meanwhile<'_>) -> Waited<T> {
        let mut state = self.lock();
        loop {
            if join.is_done() || state.over {
                return Waited::Joined;
            }
            if let Some(task) = state.tasks.pop_front() {
                self.update(&state);
                return Waited::Task(task);
            }
            // Sleep even in an unwanted worker. This lets a paused worker run, which may have the
            // awaited task.
            state = self.sleep_until_task(state, meanwhile);
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().over
    }

    /// Ends the operation after a worker's panic. The other workers stop waiting for that worker,
    /// so that the panic reaches the caller.
    pub(crate) fn end(&self) {
        self.lock().over = true;
        self.wake_all();
    }

    pub(crate) fn finish(&self, join: &Join) {
        // Take the lock first. Otherwise a worker that has checked the join but is not yet asleep
        // would miss the wake-up.
        let state = self.lock();
        let is_last = join.0.fetch_sub(1, Ordering::AcqRel) == 1;
        let awaited = state.waiting > 0;
        drop(state);
        if is_last && awaited {
            self.work.notify_all();
        }
    }

    /// Pauses a surplus worker until it is wanted, or until one of the wanted workers sleeps.
    pub(crate) fn pause(&self, worker: usize) {
        if worker < self.wanted() {
            return;
        }
        let mut state = self.lock();
        while worker >= self.wanted() && state.awake() > self.wanted() && !state.over {
            state = self.sleep_paused(state);
        }
    }

    fn sleep_until_task<'a>(
        &'a self,
        mut state: MutexGuard<'a, State<T>>,
        meanwhile: Meanwhile<'_>,
    ) -> MutexGuard<'a, State<T>> {
        state.waiting += 1;
        self.update(&state);
        // Ignore poisoning, because `workers.rs` resumes the panic after all workers have ended.
        state = match meanwhile {
            None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(attend) => {
                let woken = self.work.wait_timeout(state, POLL_INTERVAL);
                drop(woken);
                attend();
                self.lock()
            }
        };
        state.waiting -= 1;
        self.update(&state);
        state
    }

    fn sleep_paused<'a>(&self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        state.paused += 1;
        self.update(&state);
        state = self.pause.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.paused -= 1;
        self.update(&state);
        state
    }

    /// Recomputes `wanted_tasks`, and wakes paused workers if too few are awake. If enough workers
    /// are awake, no task is wanted, even if a worker waits for a join. Without this rule, the last
    /// tasks of an unwanted worker would be handed off again and again.
    fn update(&self, state: &State<T>) {
        let missing = self.wanted().saturating_sub(state.awake());
        let wanted_tasks = state.waiting.min(missing).saturating_sub(state.tasks.len());
        self.wanted_tasks.store(wanted_tasks, Ordering::Relaxed);
        if state.paused > 0 && missing > 0 {
            self.pause.notify_all();
        }
    }

    fn wake_all(&self) {
        self.work.notify_all();
        self.pause.notify_all();
    }

    fn wanted(&self) -> usize {
        self.wanted.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Join, TaskQueue, Waited, Work};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    fn take<T>(queue: &TaskQueue<T>, worker: usize) -> Option<T> {
        queue.next(worker, || None::<()>, None).and_then(|work| match work {
            Work::Task(task) => Some(task),
            Work::Operand(()) => None,
        })
    }

    fn sum(
        queue: &TaskQueue<(u64, u64, Arc<Join>)>,
        worker: usize,
        from: u64,
        to: u64,
        total: &AtomicU64,
    ) {
        let join = Arc::new(Join::default());
        let (mut next, mut end) = (from, to);
        while next < end {
            if queue.wants_tasks() && end - next > 1 {
                let middle = next + (end - next) / 2;
                join.add();
                queue.hand_off((middle, end, Arc::clone(&join)));
                end = middle;
            }
            total.fetch_add(next, Ordering::Relaxed);
            next += 1;
            queue.pause(worker);
            std::thread::yield_now();
        }
        while let Waited::Task((from, to, theirs)) = queue.wait_for(&join, None) {
            sum(queue, worker, from, to, total);
            queue.finish(&theirs);
        }
    }

    #[test]
    fn every_task_is_done_once_however_many_workers_are_wanted() {
        for (workers, changes, last) in
            [(1, false, 5_000), (2, false, 5_000), (5, false, 5_000), (4, true, 20_000)]
        {
            let (queue, total, over) =
                (TaskQueue::new(), AtomicU64::new(0), AtomicBool::new(false));
            std::thread::scope(|scope| {
                queue.want(workers);
                for _ in 1..workers {
                    let number = queue.enlist();
                    let (queue, total) = (&queue, &total);
                    scope.spawn(move || {
                        while let Some((from, to, join)) = take(queue, number) {
                            sum(queue, number, from, to, total);
                            queue.finish(&join);
                        }
                    });
                }
                if changes {
                    let (queue, over) = (&queue, &over);
                    scope.spawn(move || {
                        while !over.load(Ordering::Relaxed) {
                            for wanted in [4, 1, 2, 1, 3, 1] {
                                queue.want(wanted);
                                std::thread::yield_now();
                            }
                        }
                    });
                }
                sum(&queue, 0, 0, last, &total);
                if !changes {
                    queue.want(1);
                }
                assert!(take(&queue, 0).is_none());
                over.store(true, Ordering::Relaxed);
            });
            assert_eq!(total.into_inner(), last * (last - 1) / 2);
        }
    }

    #[test]
    fn worker_that_waits_for_one_that_does_not_pay_wants_no_task() {
        let queue: TaskQueue<u32> = TaskQueue::new();
        let join = Join::default();
        let worker = queue.enlist();
        queue.want(2);
        join.add();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !queue.wants_tasks() {
                    std::thread::yield_now();
                }
                queue.want(1);
                assert!(!queue.wants_tasks(), "one is awake, and one is wanted");
                queue.pause(worker);
                queue.want(2);
                assert!(queue.wants_tasks(), "two are wanted, and one is awake");
                queue.finish(&join);
            });
            assert!(matches!(queue.wait_for(&join, None), Waited::Joined));
        });
    }

    #[test]
    fn panicked_worker_is_not_waited_for() {
        let queue: TaskQueue<u32> = TaskQueue::new();
        let join = Join::default();
        let worker = queue.enlist();
        queue.want(2);
        join.add();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !queue.wants_tasks() {
                    std::thread::yield_now();
                }
                queue.end();
            });
            assert!(matches!(queue.wait_for(&join, None), Waited::Joined));
            assert!(!join.is_done());
            assert!(take(&queue, worker).is_none());
        });
    }
}
