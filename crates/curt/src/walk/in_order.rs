//! Walking with several threads, and told of in order all the same.
//!
//! Each thread gathers what it makes of its entries in chunks. Where a part of a directory was handed
//! over, its place is kept among the chunks, so that they come together as one thread would have made
//! them, whichever thread was done first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::Visited;
use super::options::Walk;
use super::visit::{Sink, Summary};
use crate::control::Next;
use crate::error::Error;

/// Entries in one chunk.
const CHUNK: usize = 256;

/// What becomes of the entries of a walk, by several threads at once.
pub trait InOrder: Sync {
    /// What is made of a few hundred entries.
    type Chunk: Default + Send;

    /// Adds an entry to a chunk.
    fn entry(&self, entry: Visited<'_>, chunk: &mut Self::Chunk) -> Next;

    /// Adds something that could not be opened, read or asked about.
    fn error(&self, error: Error, chunk: &mut Self::Chunk) -> Next;
}

impl Walk<'_> {
    /// Walks the operands with as many threads as pay, and hands over what `visitor` makes of the
    /// entries in the order in which one thread would tell of them. That order is always the same where
    /// the walk is sorted; a walk that is not sorted has one thread here.
    ///
    /// `consume` is called by one thread at a time, as soon as a chunk's turn has come; what is made
    /// before its turn waits in memory. A walk that is stopped hands over what came before the first
    /// part that is missing.
    pub fn visit_in_order<V: InOrder>(
        &self,
        visitor: &V,
        mut consume: impl FnMut(V::Chunk) + Send,
    ) -> Summary {
        let parts = Parts {
            made: Mutex::default(),
            front: Mutex::new(Front {
                waiting: (0..self.operands.len() as u64).rev().collect(),
                consume: &mut consume,
            }),
        };
        let alone = self.settings.order.is_none();
        let summary = self.work(alone, &|| Gatherer {
            visitor,
            parts: &parts,
            piece: 0,
            chunk: V::Chunk::default(),
            entries: 0,
        });
        parts.hand_over();
        summary
    }
}

/// What was made and not handed over yet.
struct Parts<'c, C> {
    /// By the number of the piece, or operand.
    made: Mutex<HashMap<u64, Part<C>>>,
    front: Mutex<Front<'c, C>>,
}

/// Where the handing over is: in the last of these, which lies in the one before it.
struct Front<'c, C> {
    waiting: Vec<u64>,
    consume: &'c mut (dyn FnMut(C) + Send),
}

/// What was made of one piece.
struct Part<C> {
    made: VecDeque<Made<C>>,
    is_complete: bool,
}

enum Made<C> {
    Chunk(C),
    /// What was made of this piece belongs here.
    Piece(u64),
}

impl<C> Default for Part<C> {
    fn default() -> Self {
        Part { made: VecDeque::new(), is_complete: false }
    }
}

impl<C> Parts<'_, C> {
    /// Adds to a piece.
    fn add(&self, piece: u64, made: Option<Made<C>>, is_complete: bool) {
        let mut parts = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let part = parts.entry(piece).or_default();
        part.made.extend(made);
        part.is_complete |= is_complete;
    }

    /// Hands over all chunks whose turn has come, unless another thread is at it.
    fn hand_over(&self) {
        let Ok(mut front) = self.front.try_lock() else {
            return;
        };
        while let Some(&piece) = front.waiting.last() {
            let next = {
                let mut parts = self.made.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(part) = parts.get_mut(&piece) else {
                    return;
                };
                match part.made.pop_front() {
                    None if !part.is_complete => return,
                    None => {
                        parts.remove(&piece);
                        None
                    }
                    next => next,
                }
            };
            match next {
                None => drop(front.waiting.pop()),
                Some(Made::Piece(below)) => front.waiting.push(below),
                Some(Made::Chunk(chunk)) => (front.consume)(chunk),
            }
        }
    }
}

/// One thread's gathering.
struct Gatherer<'v, 'c, V: InOrder> {
    visitor: &'v V,
    parts: &'v Parts<'c, V::Chunk>,
    piece: u64,
    chunk: V::Chunk,
    entries: usize,
}

impl<V: InOrder> Gatherer<'_, '_, V> {
    fn seal(&mut self) {
        if self.entries > 0 {
            self.entries = 0;
            let chunk = std::mem::take(&mut self.chunk);
            self.parts.add(self.piece, Some(Made::Chunk(chunk)), false);
        }
    }

    fn count(&mut self) {
        self.entries += 1;
        if self.entries >= CHUNK {
            self.seal();
            self.parts.hand_over();
        }
    }
}

impl<V: InOrder> Sink for Gatherer<'_, '_, V> {
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

    fn begin(&mut self, piece: u64) {
        self.piece = piece;
    }

    fn end(&mut self) {
        self.seal();
        self.parts.add(self.piece, None, true);
        self.parts.hand_over();
    }

    fn join(&mut self, piece: u64) {
        self.seal();
        self.parts.add(self.piece, Some(Made::Piece(piece)), false);
    }
}
