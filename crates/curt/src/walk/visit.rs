use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::control::Control;
use super::cursor::{Cursor, Step};
use super::entry::Visited;
use super::options::Walk;
use super::task::Task;
use crate::calls::Calls;
use crate::control::Next;
use crate::error::Error;
use crate::sys::{Setup, Sys};
use crate::tree::{Member, Stop, Work, WorkerPool};

/// The result of a walk.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use = "a walk may have failed; the summary says so"]
pub struct Summary {
    /// The number of entries visited.
    pub entries: u64,
    /// The number of failures reported.
    pub error_count: u64,
    /// The number of threads that worked, including the caller's.
    pub threads: usize,
    /// In a dry run, the allocated bytes of entries that would be removed and have no other link.
    pub freed: u64,
    /// Whether a token or a callback stopped the walk.
    pub stopped: bool,
    /// The system calls made.
    pub calls: Calls,
}

pub(super) trait Sink {
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next;
    fn begin(&mut self, task: u64) {
        let _ = task;
    }
    fn end(&mut self) {}
    fn stop(&mut self) {}
    fn results_of(&mut self, task: u64) {
        let _ = task;
    }
    fn finish(self)
    where
        Self: Sized,
    {
    }
}

/// Calls a closure with each entry, in any order, and with a value for each worker.
pub(super) struct AnyOrder<'v, T, F> {
    pub(super) value: T,
    pub(super) visit: &'v F,
    pub(super) values: &'v Mutex<Vec<T>>,
}

impl<T, N, F> Sink for AnyOrder<'_, T, F>
where
    N: Into<Next>,
    F: Fn(&mut T, Result<Visited<'_>, Error>) -> N,
{
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next {
        (self.visit)(&mut self.value, entry).into()
    }

    fn finish(self) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).push(self.value);
    }
}

struct Shared<'r, S: Sys> {
    walk: &'r Walk<'r>,
    pool: WorkerPool<Task<S>>,
    next_operand: AtomicUsize,
    next_task: AtomicU64,
    summary: Mutex<Summary>,
}

pub(super) fn work<S: Sys, K: Sink>(
    walk: &Walk<'_>,
    setup: &Setup,
    stop: &Stop<'_>,
    one_thread: bool,
    make: &(dyn Fn() -> K + Sync),
) -> Summary {
    let setup = walk.setup(setup);
    let sys = S::start(&setup);
    // If contents come first, use one thread, because stored metadata of directories cannot be
    // handed off.
    let one_thread = one_thread || walk.settings.contents_first;
    let shared = Shared::<S> {
        walk,
        pool: WorkerPool::new(&sys, walk.threads, one_thread, walk.max_descriptors)
            .for_cheap_entries(walk.settings.plan.is_in_listings(&S::SOURCES)),
        next_operand: AtomicUsize::new(0),
        next_task: AtomicU64::new(walk.operands.len() as u64),
        summary: Mutex::default(),
    };
    shared.pool.work(sys, &setup, stop, |member, sys| {
        let cursor = Cursor::new(sys, walk, member.descriptors);
        let polls = member.is_caller() && stop.polls();
        let control = Control { stop, exclude: walk.exclude.as_ref(), polls };
        let sink = make();
        Worker { shared: &shared, control, cursor, sink, member, entries: 0, errors: 0 }.work();
    });
    let threads = shared.pool.queue.workers();
    let summary = shared.summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    Summary { threads, stopped: stop.is_stopped(), ..summary }
}

impl<'r, S: Sys> Shared<'r, S> {
    fn next_operand(&self) -> Option<(u64, &'r Path)> {
        let number = self.next_operand.fetch_add(1, Ordering::Relaxed);
        Some((number as u64, self.walk.operands.get(number)?))
    }
}

struct Worker<'r, S: Sys, K> {
    shared: &'r Shared<'r, S>,
    control: Control<'r>,
    cursor: Cursor<S>,
    sink: K,
    member: Member<'r>,
    entries: u64,
    errors: u64,
}

impl<S: Sys, K: Sink> Worker<'_, S, K> {
    fn work(mut self) {
        let Worker { shared, control, .. } = self;
        loop {
            let poll = || {
                control.must_stop(self.cursor.sys());
            };
            poll();
            let meanwhile = control.polls.then_some(&poll as &dyn Fn());
            let operand = || shared.next_operand();
            match shared.pool.queue.next(self.member.number, operand, meanwhile) {
                None => break,
                Some(Work::Task(task)) => {
                    self.sink.begin(task.number);
                    task.begin(&mut self.cursor.at.branch);
                }
                Some(Work::Operand(_)) if control.stop.is_stopped() => continue,
                Some(Work::Operand((number, operand))) => {
                    self.sink.begin(number);
                    if let Some(step) = self.cursor.begin(operand) {
                        self.take(step);
                    }
                }
            }
            self.drive();
        }
        self.sink.finish();
        let mut summary = shared.summary.lock().unwrap_or_else(PoisonError::into_inner);
        summary.entries += self.entries;
        summary.error_count += self.errors;
        summary.freed += self.cursor.at.removal.freed;
        summary.calls.add(&self.cursor.sys().calls());
    }

    fn drive(&mut self) {
        let Worker { shared, control, .. } = *self;
        while !control.must_stop(self.cursor.sys()) {
            let Some(step) = self.cursor.next(&control) else { break };
            self.take(step);
            if shared.pool.queue.wants_tasks() {
                self.hand_off();
            }
        }
        if control.stop.is_stopped() {
            self.cursor.abandon();
            self.sink.stop();
        } else {
            self.sink.end();
        }
    }

    fn hand_off(&mut self) {
        let next = &self.shared.next_task;
        let number = || next.fetch_add(1, Ordering::Relaxed);
        if let Some(task) = Task::split(&mut self.cursor.at.branch, number) {
            self.shared.pool.queue.hand_off(task);
        }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Entry => {
                self.entries += 1;
                if self.member.count(1) {
                    let Worker { shared, cursor, member, .. } = self;
                    shared.pool.checkpoint(cursor.sys(), member);
                }
                match self.sink.visit(Ok(self.cursor.entry())) {
                    Next::Continue => {}
                    Next::Skip => self.cursor.skip(),
                    Next::Stop => self.control.stop.stop(),
                }
            }
            Step::Error(error) => {
                self.errors += 1;
                if self.sink.visit(Err(error)) == Next::Stop {
                    self.control.stop.stop();
                }
            }
            Step::ResultsOf(task) => self.sink.results_of(task),
        }
    }
}
