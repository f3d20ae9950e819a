//! The sink of `Walk::visit_in_chunks`: gathers results on each worker, and consumes them in order.
//!
//! In a sorted walk the chunks must be consumed in the order of a single thread, whichever worker
//! finishes first. So each operand and each task has a number and a queue of chunks. When a worker
//! hands off part of a directory, it puts the number of the new task into its own queue, where the
//! results of that task belong. The consumer follows these numbers: it takes the chunks of the
//! innermost task up to its end, then continues with the enclosing task. If the next chunk is
//! missing, the consumer stops, and the worker that adds it continues. Only one worker consumes at
//! a time. It looks for the next chunk and clears `is_consumed` under one lock, so a chunk added
//! meanwhile is not left behind.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::entry::Visited;
use super::options::Walk;
use super::visit::{Sink, Summary, work};
use crate::control::Next;
use crate::error::Error;
use crate::sys::{Setup, Sys};
use crate::tree::Stop;

const CHUNK: usize = 256;

const MAX_SPARE: usize = 8;

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

struct Chunks<'c, C> {
    state: Mutex<State<C>>,
    consume: Mutex<Consume<'c, C>>,
    spare: Mutex<Vec<C>>,
}

type Consume<'c, C> = &'c mut (dyn FnMut(&mut C) + Send);

struct State<C> {
    made: HashMap<u64, VecDeque<Made<C>>>,
    /// The numbers of the tasks to consume, the innermost last.
    waiting: Vec<u64>,
    is_consumed: bool,
}

enum Made<C> {
    Chunk(C),
    Task(u64),
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
        // If `consume` has panicked, discard the chunk.
        let Ok(mut consume) = self.consume.lock() else { return };
        consume(&mut chunk);
        drop(consume);
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MAX_SPARE {
            spare.push(chunk);
        }
    }

    fn take_spare(&self) -> Option<C> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl<C> State<C> {
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
