//! Walking with several threads: the workers, and the sinks that take what each of them yields.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::cursor::Cursor;
use super::entry::Visited;
use super::options::{Settings, Walk};
use super::step::Step;
use super::task::Task;
use crate::calls::Calls;
use crate::control::{Exclude, Next, Poll, Poller, Stop};
use crate::error::Error;
use crate::sys::{Host, Os, Setup, Sys};
use crate::tree::{Crew, Member, Work};

/// Visits the entries that one thread of a walk yields; see [`Walk::visit_with`].
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use curt::walk::{Visited, Visitor};
/// use curt::{Error, Next};
///
/// /// Counts files. Each thread has its own count, and adds it to the total at its end.
/// struct Files<'t> {
///     count: u64,
///     total: &'t AtomicU64,
/// }
///
/// impl Visitor for Files<'_> {
///     fn entry(&mut self, entry: Visited<'_>) -> Next {
///         self.count += u64::from(entry.kind().is_file());
///         Next::Continue
///     }
///
///     fn error(&mut self, error: Error) -> Next {
///         eprintln!("{error}");
///         Next::Continue
///     }
/// }
///
/// impl Drop for Files<'_> {
///     fn drop(&mut self) {
///         self.total.fetch_add(self.count, Ordering::Relaxed);
///     }
/// }
///
/// let total = AtomicU64::new(0);
/// let summary = curt::walk("src").visit_with(|| Files { count: 0, total: &total });
/// assert_eq!(summary.errors, 0);
/// assert!(total.into_inner() > 10);
/// ```
pub trait Visitor {
    /// Visits an entry. The answer says how the walk goes on.
    fn entry(&mut self, entry: Visited<'_>) -> Next;

    /// Reports what could not be opened, read or asked about.
    fn error(&mut self, error: Error) -> Next;
}

/// The result of a walk.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
#[must_use = "a walk may have failed; the summary says so"]
pub struct Summary {
    /// The number of entries visited.
    pub entries: u64,
    /// The number of failures reported.
    pub errors: u64,
    /// The number of threads that worked, the caller's included.
    pub threads: usize,
    /// Whether the walk was cancelled, or stopped by a callback.
    pub stopped: bool,
    /// The calls made.
    pub calls: Calls,
}

/// Receives the results of one worker, in order.
pub(super) trait Sink {
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next;
    /// The operand, or the task, of this number begins.
    fn begin(&mut self, task: u64) {
        let _ = task;
    }
    /// It ends here.
    fn end(&mut self) {}
    /// The task was stopped early.
    fn stop(&mut self) {}
    /// The task of this number belongs here.
    fn results_of(&mut self, task: u64) {
        let _ = task;
    }
}

/// A closure that is called in any order.
pub(super) struct Closure<'f, F>(pub(super) &'f F);

impl<N: Into<Next>, F: Fn(Result<Visited<'_>, Error>) -> N> Sink for Closure<'_, F> {
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next {
        (self.0)(entry).into()
    }
}

/// A visitor that is called in any order.
pub(super) struct AnyOrder<V>(pub(super) V);

impl<V: Visitor> Sink for AnyOrder<V> {
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next {
        match entry {
            Ok(entry) => self.0.entry(entry),
            Err(error) => self.0.error(error),
        }
    }
}

/// What the workers of one walk share.
struct Shared<'r> {
    crew: Crew<Task<Os>>,
    settings: Settings,
    exclude: Option<&'r Exclude<'r>>,
    operands: &'r [PathBuf],
    next_operand: AtomicUsize,
    /// The number of the next task; the first numbers are those of the operands.
    next_task: AtomicU64,
    stop: Stop<'r>,
    poller: Option<Poller<'r>>,
    summary: Mutex<Summary>,
}

/// Walks the operands, with a sink for each worker.
pub(super) fn work<K: Sink>(
    walk: &Walk<'_>,
    alone: bool,
    make: &(dyn Fn() -> K + Sync),
) -> Summary {
    let setup = walk.setup(&Setup::default());
    let first = Os::start(&setup);
    let shared = Shared {
        crew: Crew::new(&first, walk.threads, alone, walk.most_descriptors),
        settings: walk.settings.clone(),
        exclude: walk.exclude.as_ref(),
        operands: &walk.operands,
        next_operand: AtomicUsize::new(0),
        next_task: AtomicU64::new(walk.operands.len() as u64),
        stop: Stop::new(walk.cancel),
        poller: walk.poll.as_ref().map(Poll::begin),
        summary: Mutex::new(Summary { calls: first.calls(), ..Summary::default() }),
    };
    shared.crew.work(|member| {
        let settings = Settings { descriptors: member.descriptors, ..shared.settings.clone() };
        let _guard = shared.stop.guard();
        let cursor = Cursor::new(Os::start(&setup), settings);
        let sink = make();
        Worker { shared: &shared, cursor, sink, member, entries: 0, errors: 0 }.work();
    });
    let threads = shared.crew.pool.workers();
    let stopped = shared.stop.is_stopped();
    let summary = shared.summary.into_inner().unwrap_or_else(PoisonError::into_inner);
    Summary { threads, stopped, ..summary }
}

impl<'r> Shared<'r> {
    fn next_operand(&self) -> Option<(u64, &'r Path)> {
        let number = self.next_operand.fetch_add(1, Ordering::Relaxed);
        Some((number as u64, self.operands.get(number)?))
    }

    /// Polls. Only for the caller's thread.
    fn attend(&self, sys: &Os) {
        if let Some(poller) = &self.poller {
            if !self.stop.is_stopped() && poller.look(sys.now()) == Next::Stop {
                self.stop.stop();
            }
        }
    }
}

/// One worker of a walk.
struct Worker<'r, K> {
    shared: &'r Shared<'r>,
    cursor: Cursor<Os>,
    sink: K,
    member: Member<'r>,
    entries: u64,
    errors: u64,
}

impl<K: Sink> Worker<'_, K> {
    fn work(mut self) {
        let shared = self.shared;
        let pool = &shared.crew.pool;
        loop {
            self.attend();
            let attend = || shared.attend(&self.cursor.asker.sys);
            let meanwhile = self.attends().then_some(&attend as &dyn Fn());
            let next = pool.next(self.member.number, || shared.next_operand(), meanwhile);
            let Some(work) = next else { break };
            match work {
                Work::Task(task) => {
                    self.sink.begin(task.number);
                    task.begin(&mut self.cursor.branch);
                }
                Work::Operand(_) if shared.stop.is_stopped() => continue,
                Work::Operand((number, operand)) => {
                    self.sink.begin(number);
                    if let Some(step) = self.cursor.begin(operand) {
                        self.take(step);
                    }
                }
            }
            self.drive();
        }
        let mut summary = self.shared.summary.lock().unwrap_or_else(PoisonError::into_inner);
        summary.entries += self.entries;
        summary.errors += self.errors;
        summary.calls.add(&self.cursor.asker.sys.calls());
    }

    fn attends(&self) -> bool {
        self.member.is_caller() && self.shared.poller.is_some()
    }

    fn attend(&self) {
        if self.attends() {
            self.shared.attend(&self.cursor.asker.sys);
        }
    }

    /// Walks to the end of the operand, or of the task.
    fn drive(&mut self) {
        loop {
            let (shared, attends) = (self.shared, self.attends());
            let must_stop = |sys: &Os| {
                if attends {
                    shared.attend(sys);
                }
                shared.stop.is_stopped()
            };
            let stops_now = self.cursor.is_stopped || must_stop(&self.cursor.asker.sys);
            let step = if stops_now { None } else { self.cursor.next(must_stop, shared.exclude) };
            let Some(step) = step else {
                if self.cursor.is_stopped {
                    shared.stop.stop();
                }
                if shared.stop.is_stopped() {
                    self.cursor.abandon();
                    return self.sink.stop();
                }
                return self.sink.end();
            };
            self.take(step);
            if self.shared.crew.pool.is_hungry() {
                self.hand_off();
            }
        }
    }

    fn hand_off(&mut self) {
        let next = &self.shared.next_task;
        let number = || next.fetch_add(1, Ordering::Relaxed);
        if let Some(task) = Task::split(&mut self.cursor.branch, number) {
            self.shared.crew.pool.hand_off(task);
        }
    }

    /// Passes a step to the sink, and does what the sink answers.
    fn take(&mut self, step: Step) {
        let (next, yielded) = match step {
            Step::Entry(yielded) => {
                self.entries += 1;
                if self.member.count() {
                    let Worker { shared, cursor, member, .. } = self;
                    shared.crew.checkpoint(&cursor.asker.sys, member);
                }
                (self.sink.visit(Ok(Visited { cursor: &mut self.cursor, yielded })), Some(yielded))
            }
            Step::Error(error) => {
                self.errors += 1;
                (self.sink.visit(Err(error)), None)
            }
            Step::ResultsOf(task) => return self.sink.results_of(task),
        };
        match next {
            Next::Continue => {}
            Next::Skip => yielded.into_iter().for_each(|yielded| self.cursor.skip(yielded)),
            Next::Stop => self.shared.stop.stop(),
        }
    }
}
