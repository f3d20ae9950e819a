//! The sink of `Walk::visit_in_chunks`, which gathers results in chunks.
//!
//! Each worker gathers what a closure makes of its entries in chunks. In a sorted walk, a part of a
//! directory that was handed off leaves its number among the chunks, so that they are consumed in
//! the order in which one thread would have made them, whichever worker was done first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::entry::Visited;
use super::options::Walk;
use super::visit::{Sink, Summary, work};
use crate::control::Next;
use crate::error::Error;
use crate::sys::{Setup, Sys};

/// The entries in one chunk.
const CHUNK: usize = 256;

/// Walks, and consumes the chunks: in order if the walk is sorted.
pub(super) fn visit_in_chunks<S: Sys, C: Default + Send>(
    walk: &Walk<'_>,
    setup: &Setup,
    visit: &(impl Fn(Result<Visited<'_>, Error>, &mut C) -> Next + Sync),
    mut consume: impl FnMut(C) + Send,
) -> Summary {
    let waiting = (0..walk.operands.len() as u64).rev().collect();
    let front = Mutex::new(Front { waiting, consume: &mut consume });
    let parts = Parts { made: Mutex::default(), front };
    let is_sorted = walk.settings.order.is_some();
    let summary = work::<S, _>(walk, setup, false, &|| {
        Gatherer::new(visit, |task, made| match made {
            made if is_sorted => parts.add(task, made),
            Made::Chunk(chunk) => parts.consume_at_once(chunk),
            Made::Task(_) | Made::End => {}
        })
    });
    if is_sorted {
        parts.consume();
    }
    summary
}

/// The chunks that have not been consumed yet.
struct Parts<'c, C> {
    /// What was made of each task, or operand, by its number.
    made: Mutex<HashMap<u64, VecDeque<Made<C>>>>,
    front: Mutex<Front<'c, C>>,
}

/// How far the chunks have been consumed.
struct Front<'c, C> {
    /// The tasks that are being consumed, each within the one before it.
    waiting: Vec<u64>,
    consume: &'c mut (dyn FnMut(C) + Send),
}

enum Made<C> {
    Chunk(C),
    /// The results of this task belong here.
    Task(u64),
    /// The task is complete.
    End,
}

impl<C> Parts<'_, C> {
    /// Adds to a task, and consumes what can be consumed.
    fn add(&self, task: u64, made: Made<C>) {
        let may_consume = !matches!(made, Made::Task(_));
        let mut parts = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        parts.entry(task).or_default().push_back(made);
        drop(parts);
        if may_consume {
            self.consume();
        }
    }

    /// Consumes a chunk out of turn.
    fn consume_at_once(&self, chunk: C) {
        // Nothing is consumed after a panic, which is on its way to the caller.
        if let Ok(mut front) = self.front.lock() {
            (front.consume)(chunk);
        }
    }

    /// Consumes all chunks whose turn has come, unless another thread does.
    fn consume(&self) {
        let Ok(mut front) = self.front.try_lock() else {
            return;
        };
        while let Some(&task) = front.waiting.last() {
            let next = {
                let mut parts = self.made.lock().unwrap_or_else(PoisonError::into_inner);
                let next = parts.get_mut(&task).and_then(VecDeque::pop_front);
                if let Some(Made::End) = next {
                    parts.remove(&task);
                }
                next
            };
            match next {
                None => return,
                Some(Made::End) => drop(front.waiting.pop()),
                Some(Made::Task(inner)) => front.waiting.push(inner),
                Some(Made::Chunk(chunk)) => (front.consume)(chunk),
            }
        }
    }
}

/// Fills chunks for one worker.
struct Gatherer<'v, V, C, M> {
    visit: &'v V,
    /// Takes what was made of a task.
    made: M,
    task: u64,
    chunk: C,
    entries: usize,
}

impl<'v, V, C: Default, M: Fn(u64, Made<C>)> Gatherer<'v, V, C, M> {
    fn new(visit: &'v V, made: M) -> Self {
        Gatherer { visit, made, task: 0, chunk: C::default(), entries: 0 }
    }

    fn seal(&mut self) {
        if self.entries > 0 {
            self.entries = 0;
            (self.made)(self.task, Made::Chunk(std::mem::take(&mut self.chunk)));
        }
    }
}

impl<V, C, M> Sink for Gatherer<'_, V, C, M>
where
    V: Fn(Result<Visited<'_>, Error>, &mut C) -> Next,
    C: Default,
    M: Fn(u64, Made<C>),
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
        (self.made)(self.task, Made::End);
    }

    fn stop(&mut self) {
        self.seal();
    }

    fn results_of(&mut self, task: u64) {
        self.seal();
        (self.made)(self.task, Made::Task(task));
    }
}
