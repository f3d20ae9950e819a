//! The sink of `Walk::visit_in_chunks`, which gathers results in chunks.
//!
//! Each worker gathers what a closure makes of its entries in chunks. In a sorted walk, a part of a
//! directory that was handed off leaves its number among the chunks, so that they are consumed in
//! the order in which one thread would have made them, whichever worker was done first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::entry::Visited;
use super::options::Walk;
use super::visit::{Sink, Summary, work};
use crate::control::Next;
use crate::error::Error;
use crate::sys::{Setup, Sys};
use crate::tree::Stop;

/// The entries in one chunk.
const CHUNK: usize = 256;

/// The most chunks that are kept to be filled again.
const MOST_SPARE: usize = 8;

/// Walks, and consumes the chunks: in order if the walk is sorted.
pub(super) fn visit_in_chunks<S: Sys, C: Default + Send>(
    walk: &Walk<'_>,
    setup: &Setup,
    stop: &Stop<'_>,
    visit: &(impl Fn(Result<Visited<'_>, Error>, &mut C) -> Next + Sync),
    mut consume: impl FnMut(&mut C) + Send,
) -> Summary {
    let chunks = Chunks::new(walk.operands.len() as u64, &mut consume);
    let is_sorted = walk.settings.is_sorted;
    work::<S, _>(walk, setup, stop, false, &|| Gatherer::new(visit, &chunks, is_sorted))
}

/// The chunks that have not been consumed yet.
struct Chunks<'c, C> {
    state: Mutex<State<C>>,
    consume: Mutex<Consume<'c, C>>,
    /// Chunks that were consumed, which left them empty.
    spare: Mutex<Vec<C>>,
}

type Consume<'c, C> = &'c mut (dyn FnMut(&mut C) + Send);

struct State<C> {
    /// What was made of each task, or operand, by its number.
    made: HashMap<u64, VecDeque<Made<C>>>,
    /// The tasks that are being consumed, each within the one before it.
    waiting: Vec<u64>,
    /// Whether a thread consumes: it takes what the others add meanwhile.
    is_consumed: bool,
}

enum Made<C> {
    Chunk(C),
    /// The results of this task belong here.
    Task(u64),
    /// The task is complete.
    End,
}

impl<'c, C> Chunks<'c, C> {
    fn new(operands: u64, consume: Consume<'c, C>) -> Self {
        let waiting = (0..operands).rev().collect();
        let state = State { made: HashMap::new(), waiting, is_consumed: false };
        Chunks { state: Mutex::new(state), consume: Mutex::new(consume), spare: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to a task. Consumes all chunks whose turn has come, unless another thread does.
    fn add(&self, task: u64, made: Made<C>) {
        let mut state = self.state();
        state.made.entry(task).or_default().push_back(made);
        if std::mem::replace(&mut state.is_consumed, true) {
            return;
        }
        while let Some(chunk) = state.next() {
            drop(state);
            self.consume(chunk);
            state = self.state();
        }
        state.is_consumed = false;
    }

    fn consume(&self, mut chunk: C) {
        // Nothing is consumed after a panic, which is on its way to the caller.
        let Ok(mut consume) = self.consume.lock() else { return };
        consume(&mut chunk);
        drop(consume);
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MOST_SPARE {
            spare.push(chunk);
        }
    }

    fn take_spare(&self) -> Option<C> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl<C> State<C> {
    /// Takes the chunk whose turn it is, if it was added.
    fn next(&mut self) -> Option<C> {
        loop {
            let task = *self.waiting.last()?;
            match self.made.get_mut(&task)?.pop_front()? {
                Made::Chunk(chunk) => return Some(chunk),
                Made::Task(inner) => self.waiting.push(inner),
                Made::End => {
                    self.made.remove(&task);
                    self.waiting.pop();
                }
            }
        }
    }
}

/// Fills chunks for one worker.
struct Gatherer<'g, V, C> {
    visit: &'g V,
    chunks: &'g Chunks<'g, C>,
    is_sorted: bool,
    task: u64,
    chunk: C,
    entries: usize,
}

impl<'g, V, C: Default> Gatherer<'g, V, C> {
    fn new(visit: &'g V, chunks: &'g Chunks<'g, C>, is_sorted: bool) -> Self {
        Gatherer { visit, chunks, is_sorted, task: 0, chunk: C::default(), entries: 0 }
    }

    fn seal(&mut self) {
        if self.entries > 0 {
            self.entries = 0;
            let empty = self.chunks.take_spare().unwrap_or_default();
            let full = std::mem::replace(&mut self.chunk, empty);
            self.pass_on(Made::Chunk(full));
        }
    }

    fn pass_on(&self, made: Made<C>) {
        if self.is_sorted {
            self.chunks.add(self.task, made);
        } else if let Made::Chunk(chunk) = made {
            self.chunks.consume(chunk);
        }
    }
}

impl<V, C> Sink for Gatherer<'_, V, C>
where
    V: Fn(Result<Visited<'_>, Error>, &mut C) -> Next,
    C: Default,
{
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next {
        let next = (self.visit)(entry, &mut self.chunk);
        self.entries += 1;
        if self.entries >= CHUNK {
            self.seal();
        }
        next
    }

    fn begin(&mut self, task: u64) {
        self.task = task;
    }

    fn end(&mut self) {
        self.seal();
        self.pass_on(Made::End);
    }

    fn stop(&mut self) {
        self.seal();
    }

    fn results_of(&mut self, task: u64) {
        self.seal();
        self.pass_on(Made::Task(task));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::{Chunks, Made};

    /// A chunk whose turn has come never waits for the next one.
    #[test]
    fn last_one_that_adds_leaves_nothing_to_consume() {
        const ROUNDS: usize = 3_000;
        let consumed: Vec<AtomicU64> = (0..ROUNDS).map(|_| AtomicU64::new(0)).collect();
        let add = |count: &AtomicU64, chunk| {
            count.fetch_add(chunk, Ordering::Relaxed);
        };
        let mut closures: Vec<_> =
            consumed.iter().map(|count| move |chunk: &mut u64| add(count, *chunk)).collect();
        let rounds: Vec<Chunks<'_, u64>> =
            closures.iter_mut().map(|consume| Chunks::new(2, consume)).collect();
        let meet = Barrier::new(2);
        thread::scope(|scope| {
            for task in [0, 1] {
                let (rounds, meet) = (&rounds, &meet);
                scope.spawn(move || {
                    for chunks in rounds {
                        meet.wait();
                        chunks.add(task, Made::Chunk(task + 1));
                        chunks.add(task, Made::End);
                    }
                });
            }
        });
        for (round, consumed) in consumed.iter().enumerate() {
            assert_eq!(consumed.load(Ordering::Relaxed), 3, "round {round}");
        }
    }
}
