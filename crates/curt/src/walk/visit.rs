//! Walking with several threads.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::cursor::{Cursor, Step};
use super::options::{Settings, Walk};
use super::share::Piece;
use super::{FEWEST_DESCRIPTORS, Visited};
use crate::calls::Calls;
use crate::control::{Cancel, Threads};
use crate::error::Error;
use crate::pool::{Crew, Sample, Start};
use crate::sys::{Os, Setup, Sys, Usage};

/// Entries between two looks at the clock.
const CHECKPOINT: u64 = 1024;

/// What a walk does after an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// It goes on.
    #[default]
    Continue,
    /// It does not enter the entry, if that is a directory, and goes on.
    Skip,
    /// It ends.
    Stop,
}

/// Who is told of the entries by one thread of a walk.
pub trait Visitor {
    /// An entry. With several threads, entries of different directories come in any order; a directory
    /// still comes before what it holds.
    fn entry(&mut self, entry: &mut Visited<'_>) -> Next;

    /// Something that could not be opened, read or asked about.
    fn error(&mut self, error: Error) -> Next;
}

/// What a walk did.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// How many entries were told of.
    pub entries: u64,
    /// How many failures were told of.
    pub errors: u64,
    /// How many threads worked, the caller's included.
    pub threads: usize,
    /// Whether it ended because it was cancelled, or because a visitor said so.
    pub stopped: bool,
    /// The calls made.
    pub calls: Calls,
}

/// What the workers of one walk share.
struct Shared<'r> {
    crew: Crew<Piece<Os>>,
    settings: Settings,
    operands: &'r [&'r Path],
    next_operand: AtomicUsize,
    stopped: AtomicBool,
    cancel: Option<&'r Cancel>,
    summary: Mutex<Summary>,
}

impl Walk<'_> {
    /// Walks the operands with as many threads as pay. `make` is called once by each thread, for a
    /// visitor of its own; visitors are dropped when their thread has no more to do.
    pub fn visit<'v>(
        &self,
        operands: &[&Path],
        make: &(dyn Fn() -> Box<dyn Visitor + 'v> + Sync),
    ) -> Summary {
        let setup = self.setup(&Setup::default());
        let first = Os::start(&setup);
        let budget = self.budget(&first);
        let most_workers = budget / FEWEST_DESCRIPTORS;
        let alone = self.settings.order.is_some() || self.settings.contents_first;
        let most_threads = match self.threads {
            _ if alone || most_workers == 1 => Some(1),
            Threads::AtMost(threads) => Some(threads.clamp(1, most_workers)),
            Threads::Automatic => None,
        };
        let begin = Sample { now: first.now(), ..Sample::default() };
        let shared = Shared {
            crew: Crew::new(most_threads, most_workers, begin),
            settings: self.settings.clone(),
            operands,
            next_operand: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            cancel: self.cancel,
            summary: Mutex::new(Summary { calls: first.calls(), ..Summary::default() }),
        };
        shared.crew.work(|number, start| {
            let mut settings = shared.settings.clone();
            // Nobody knows how many workers will come: the first has half, the second half of the rest.
            let halves = if shared.crew.may_share() { number as u32 + 1 } else { 0 };
            settings.descriptors = budget.checked_shr(halves).unwrap_or(0).max(FEWEST_DESCRIPTORS);
            let cursor = Cursor::new(Os::start(&setup), settings);
            let visitor = make();
            Worker { shared: &shared, cursor, visitor, number, start, done: Done::default() }
                .work();
        });
        let threads = shared.crew.pool.workers();
        let stopped = shared.is_over();
        let summary = shared.summary.into_inner().unwrap_or_else(PoisonError::into_inner);
        Summary { threads, stopped, ..summary }
    }
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) || self.cancel.is_some_and(Cancel::is_cancelled)
    }
}

/// What a worker counts.
#[derive(Default)]
struct Done {
    entries: u64,
    errors: u64,
    used: Usage,
}

/// One thread of a walk.
struct Worker<'r, 'v> {
    shared: &'r Shared<'r>,
    cursor: Cursor<Os>,
    visitor: Box<dyn Visitor + 'v>,
    number: usize,
    start: Option<Start<'r>>,
    done: Done,
}

impl<'r> Worker<'r, '_> {
    fn work(mut self) {
        let pool = &self.shared.crew.pool;
        loop {
            if let Some(piece) = pool.try_take() {
                self.cursor.begin_piece(piece);
                self.drive();
            } else if let Some(operand) = self.next_operand() {
                if let Some(step) = self.cursor.begin(operand) {
                    self.tell(step);
                }
                self.drive();
            } else if let Some(piece) = pool.take(self.number) {
                self.cursor.begin_piece(piece);
                self.drive();
            } else {
                break;
            }
        }
        let mut summary = self.shared.summary.lock().unwrap_or_else(PoisonError::into_inner);
        summary.entries += self.done.entries;
        summary.errors += self.done.errors;
        summary.calls.add(&self.cursor.asker.sys.calls());
    }

    fn next_operand(&self) -> Option<&'r Path> {
        let operands = self.shared.operands;
        operands.get(self.shared.next_operand.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Walks to the end of the operand, or of the piece.
    fn drive(&mut self) {
        loop {
            if self.shared.is_over() {
                return self.cursor.abandon();
            }
            let Some(step) = self.cursor.next() else {
                return;
            };
            self.tell(step);
            if self.shared.crew.pool.is_hungry() {
                if let Some(piece) = self.cursor.split() {
                    self.shared.crew.pool.give(piece);
                }
            }
        }
    }

    fn tell(&mut self, step: Step) {
        let next = match step {
            Step::Entry => {
                self.done.entries += 1;
                if self.done.entries % CHECKPOINT == 0 && self.shared.crew.may_share() {
                    self.checkpoint();
                }
                self.visitor.entry(&mut Visited { cursor: &mut self.cursor })
            }
            Step::Error(error) => {
                self.done.errors += 1;
                self.visitor.error(error)
            }
        };
        match next {
            Next::Continue => {}
            Next::Skip => self.cursor.skip(),
            Next::Stop => self.shared.stopped.store(true, Ordering::Relaxed),
        }
    }

    fn checkpoint(&mut self) {
        let sys = &self.cursor.asker.sys;
        let used = std::mem::replace(&mut self.done.used, sys.thread_usage());
        let since = Usage {
            processor: self.done.used.processor.saturating_sub(used.processor),
            waits: self.done.used.waits.saturating_sub(used.waits),
        };
        self.shared.crew.checkpoint(sys, self.number, CHECKPOINT, since, self.start);
    }
}
