//! Walking with several threads, with the results in chunks.
//!
//! Each worker gathers what a visitor makes of its entries in chunks. In a sorted walk, a part of a
//! directory that was handed off leaves its number among the chunks, so that they are consumed in
//! the order in which one thread would have made them, whichever worker was done first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::Visited;
use super::options::Walk;
use super::visit::{Sink, Summary, work};
use crate::control::Next;
use crate::error::Error;

/// The entries in one chunk.
const CHUNK: usize = 256;

/// Makes chunks of results from the entries of a walk, on several threads at once.
pub trait InOrder: Sync {
    /// A batch of results.
    type Chunk: Default + Send;

    /// Adds an entry to a chunk. The answer says how the walk goes on.
    fn entry(&self, entry: Visited<'_>, chunk: &mut Self::Chunk) -> Next;

    /// Adds a failure to a chunk: what could not be opened, read or asked about.
    fn error(&self, error: Error, chunk: &mut Self::Chunk) -> Next;
}

/// Walks, and consumes the chunks in the order in which one thread would make them.
pub(super) fn consume_in_order<V: InOrder>(
    walk: &Walk<'_>,
    visitor: &V,
    mut consume: impl FnMut(V::Chunk) + Send,
) -> Summary {
    let parts = Parts {
        made: Mutex::default(),
        front: Mutex::new(Front {
            waiting: (0..walk.operands.len() as u64).rev().collect(),
            consume: &mut consume,
        }),
    };
    let alone = walk.settings.order.is_none();
    let made = |task, made, is_complete| parts.add(task, made, is_complete);
    let summary = work(walk, alone, &|| Gatherer::new(visitor, &made));
    parts.consume();
    summary
}

/// Walks, and consumes the chunks in any order.
pub(super) fn consume_in_chunks<V: InOrder>(
    walk: &Walk<'_>,
    visitor: &V,
    consume: impl FnMut(V::Chunk) + Send,
) -> Summary {
    let consume = Mutex::new(consume);
    let made = |_, made, _| {
        if let Some(Made::Chunk(chunk)) = made {
            consume.lock().unwrap_or_else(PoisonError::into_inner)(chunk);
        }
    };
    work(walk, false, &|| Gatherer::new(visitor, &made))
}

/// The chunks that have not been consumed yet.
struct Parts<'c, C> {
    /// By the number of the task, or operand.
    made: Mutex<HashMap<u64, Part<C>>>,
    front: Mutex<Front<'c, C>>,
}

/// How far the chunks have been consumed.
struct Front<'c, C> {
    /// The tasks that are being consumed, each within the one before it.
    waiting: Vec<u64>,
    consume: &'c mut (dyn FnMut(C) + Send),
}

/// The results of one task.
struct Part<C> {
    made: VecDeque<Made<C>>,
    is_complete: bool,
}

enum Made<C> {
    Chunk(C),
    /// The results of this task belong here.
    Task(u64),
}

impl<C> Default for Part<C> {
    fn default() -> Self {
        Part { made: VecDeque::new(), is_complete: false }
    }
}

impl<C> Parts<'_, C> {
    /// Adds to a task, and consumes what can be consumed.
    fn add(&self, task: u64, made: Option<Made<C>>, is_complete: bool) {
        let may_consume = is_complete || matches!(made, Some(Made::Chunk(_)));
        let mut parts = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let part = parts.entry(task).or_default();
        part.made.extend(made);
        part.is_complete |= is_complete;
        drop(parts);
        if may_consume {
            self.consume();
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
                let Some(part) = parts.get_mut(&task) else {
                    return;
                };
                match part.made.pop_front() {
                    None if !part.is_complete => return,
                    None => {
                        parts.remove(&task);
                        None
                    }
                    next => next,
                }
            };
            match next {
                None => drop(front.waiting.pop()),
                Some(Made::Task(inner)) => front.waiting.push(inner),
                Some(Made::Chunk(chunk)) => (front.consume)(chunk),
            }
        }
    }
}

/// Fills chunks for one worker.
struct Gatherer<'v, V: InOrder, M> {
    visitor: &'v V,
    /// Takes what was made of a task, and whether the task is complete.
    made: &'v M,
    task: u64,
    chunk: V::Chunk,
    entries: usize,
}

impl<'v, V, M> Gatherer<'v, V, M>
where
    V: InOrder,
    M: Fn(u64, Option<Made<V::Chunk>>, bool),
{
    fn new(visitor: &'v V, made: &'v M) -> Self {
        Gatherer { visitor, made, task: 0, chunk: V::Chunk::default(), entries: 0 }
    }

    fn seal(&mut self) {
        if self.entries > 0 {
            self.entries = 0;
            let chunk = std::mem::take(&mut self.chunk);
            (self.made)(self.task, Some(Made::Chunk(chunk)), false);
        }
    }

    fn count(&mut self) {
        self.entries += 1;
        if self.entries >= CHUNK {
            self.seal();
        }
    }
}

impl<V, M> Sink for Gatherer<'_, V, M>
where
    V: InOrder,
    M: Fn(u64, Option<Made<V::Chunk>>, bool),
{
    fn entry(&mut self, entry: Visited<'_>) -> Next {
        let next = self.visitor.entry(entry, &mut self.chunk);
        self.count();
        next
    }

    fn error(&mut self, error: Error) -> Next {
        let next = self.visitor.error(error, &mut self.chunk);
        self.count();
        next
    }

    fn begin(&mut self, task: u64) {
        self.task = task;
    }

    fn end(&mut self) {
        self.seal();
        (self.made)(self.task, None, true);
    }

    fn stop(&mut self) {
        self.seal();
    }

    fn join(&mut self, task: u64) {
        self.seal();
        (self.made)(self.task, Some(Made::Task(task)), false);
    }
}
