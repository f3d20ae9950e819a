//! The sinks of [`Walk::visit_in_order`] and [`Walk::visit_in_chunks`], which gather results in
//! chunks.
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
use crate::tree::Events;

/// The entries in one chunk.
const CHUNK: usize = 256;
/// What one chunk takes in the queue for the caller's thread: sixteen of them fill it.
const CHUNK_BYTES: usize = 16 << 10;

/// Walks, and consumes the chunks in the order in which one thread would make them.
pub(super) fn consume_in_order<C: Default + Send, N: Into<Next>>(
    walk: &Walk<'_>,
    visit: &(impl Fn(Result<Visited<'_>, Error>, &mut C) -> N + Sync),
    mut consume: impl FnMut(C) + Send,
) -> Summary {
    let parts = Parts {
        made: Mutex::default(),
        front: Mutex::new(Front {
            waiting: (0..walk.operands.len() as u64).rev().collect(),
            consume: &mut consume,
        }),
    };
    let on_caller = walk.callbacks_on_caller_thread;
    let alone = walk.settings.order.is_none();
    let consume_parts = || parts.consume();
    let attend = on_caller.then_some(&consume_parts as &(dyn Fn() + Sync));
    let summary = work(walk, alone, attend, &|is_caller| {
        let parts = &parts;
        Gatherer::new(visit, move |task, made| parts.add(task, made, is_caller || !on_caller))
    });
    parts.consume();
    summary
}

/// Walks, and consumes the chunks in any order.
pub(super) fn consume_in_chunks<C: Default + Send, N: Into<Next>>(
    walk: &Walk<'_>,
    visit: &(impl Fn(Result<Visited<'_>, Error>, &mut C) -> N + Sync),
    consume: impl FnMut(C) + Send,
) -> Summary {
    let consume = Mutex::new(consume);
    // Nothing is consumed after a panic, which is on its way to the caller.
    let take = |chunk| {
        if let Ok(mut consume) = consume.lock() {
            consume(chunk);
        }
    };
    let events = walk.callbacks_on_caller_thread.then(Events::new);
    let deliver = || events.iter().flat_map(Events::take).for_each(&take);
    let attend = events.is_some().then_some(&deliver as &(dyn Fn() + Sync));
    let summary = work(walk, false, attend, &|is_caller| {
        let (events, take) = (&events, &take);
        let closing = is_caller.then(|| Closing(events.as_ref()));
        Gatherer::new(visit, move |_, made| match (made, events, &closing) {
            (Made::Chunk(chunk), Some(events), None) => events.push(chunk, CHUNK_BYTES),
            (Made::Chunk(chunk), ..) => take(chunk),
            (Made::Task(_) | Made::End, ..) => {}
        })
    });
    deliver();
    summary
}

/// Closes the queue when the caller's thread takes nothing from it any more, also by a panic, so
/// that no other thread waits for room.
struct Closing<'e, C>(Option<&'e Events<C>>);

impl<C> Drop for Closing<'_, C> {
    fn drop(&mut self) {
        self.0.into_iter().for_each(Events::close);
    }
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
    /// Adds to a task, and consumes what can be consumed if this thread may.
    fn add(&self, task: u64, made: Made<C>, may_consume: bool) {
        let may_consume = may_consume && !matches!(made, Made::Task(_));
        let mut parts = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        parts.entry(task).or_default().push_back(made);
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

impl<V, C, N, M> Sink for Gatherer<'_, V, C, M>
where
    V: Fn(Result<Visited<'_>, Error>, &mut C) -> N,
    C: Default,
    N: Into<Next>,
    M: Fn(u64, Made<C>),
{
    fn visit(&mut self, entry: Result<Visited<'_>, Error>) -> Next {
        let next = (self.visit)(entry, &mut self.chunk).into();
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
