//! How a worker hands over half of the subdirectories that it has not entered yet.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::cursor::Cursor;
use super::frame::{Frame, Hold, State, Stored};
use super::rules::InForce;
use crate::name::Names;
use crate::pool;
use crate::sys::{Batch, Sys};

/// A part of one directory, for another worker to walk: subdirectories to enter, or, where the order
/// matters, entries to tell of.
pub(super) struct Piece<S: Sys> {
    /// By which it is known among all.
    pub(super) number: u64,
    dir: Arc<S::Dir>,
    names: Names<S::Unit>,
    stored: Vec<Stored>,
    path: Vec<S::Unit>,
    operand: usize,
    depth: usize,
    tag: u64,
    tags: VecDeque<u64>,
    ancestors: HashSet<(u64, u128)>,
    device: Option<u64>,
    rules: Option<Arc<InForce>>,
}

impl<S: Sys> Cursor<S> {
    /// … in one directory.
    fn children(&self, frame: &Frame<S>) -> usize {
        self.names.between(frame.next, frame.end).count()
    }

    /// Takes half of what waits in the frame nearest to the operand in which anything does. The number
    /// is asked for where there is.
    pub(super) fn split(&mut self, number: impl FnOnce() -> u64) -> Option<Piece<S>> {
        let last = self.frames.len().checked_sub(1)?;
        self.settle();
        let may_give = |frame: &Frame<S>| frame.has_children() && frame.dir().is_some();
        let index = self.frames.iter().position(may_give)?;
        let waiting = self.waiting(&self.frames[index]);
        let ours = pool::ours(waiting, index == last);
        if ours == waiting {
            return None;
        }
        let number = number();
        let dir = self.frames[index].share()?;
        let (mut names, mut stored, mut tags) = (Names::new(), Vec::new(), VecDeque::new());
        if self.frames[index].state == State::Telling {
            stored = self.split_stored(index, ours, &mut names)?;
            self.frames[index].given.push(number);
        } else {
            (names, tags) = self.split_children(index, ours)?;
        }
        let frame = &self.frames[index];
        Some(Piece {
            number,
            dir,
            names,
            stored,
            path: self.path[..frame.path_len].to_vec(),
            operand: self.operand,
            depth: frame.depth,
            tag: frame.tag,
            tags,
            ancestors: self.ancestors_of(index),
            device: self.device,
            rules: frame.rules.clone(),
        })
    }

    /// How much of a directory waits to be told of, or to be entered.
    fn waiting(&self, frame: &Frame<S>) -> usize {
        match frame.state {
            State::Telling => frame.stored.len() - frame.next_stored,
            _ => self.children(frame),
        }
    }

    /// Takes the subdirectories that were not entered yet, but for the first few.
    fn split_children(
        &mut self,
        index: usize,
        ours: usize,
    ) -> Option<(Names<S::Unit>, VecDeque<u64>)> {
        let is_topmost = index + 1 == self.frames.len();
        let frame = &mut self.frames[index];
        let (from, _) = self.names.between(frame.next, frame.end).nth(ours)?;
        let names = self.names.part(from, frame.end);
        frame.end = from;
        if is_topmost {
            self.names.truncate(from);
        }
        let tags = if frame.tags.is_empty() { VecDeque::new() } else { frame.tags.split_off(ours) };
        Some((names, tags))
    }

    /// Takes the entries that were not told of yet, but for the first few. Their place is kept.
    fn split_stored(
        &mut self,
        index: usize,
        ours: usize,
        names: &mut Names<S::Unit>,
    ) -> Option<Vec<Stored>> {
        let frame = &mut self.frames[index];
        let mut stored = frame.stored.split_off(frame.next_stored + ours);
        for entry in &mut stored {
            entry.name = names.push(self.names.get(entry.name)?);
        }
        Some(stored)
    }

    fn ancestors_of(&self, index: usize) -> HashSet<(u64, u128)> {
        let mut ancestors = self.ancestors.clone();
        for frame in &self.frames[index + 1..] {
            for identity in frame.identity.iter().chain(&frame.above) {
                ancestors.remove(identity);
            }
        }
        ancestors
    }

    /// Begins with a piece of another worker's directory.
    pub(super) fn begin_piece(&mut self, piece: Piece<S>) {
        self.path = piece.path;
        self.operand = piece.operand;
        self.names = piece.names;
        self.ancestors = piece.ancestors;
        self.device = piece.device;
        let is_told = !piece.stored.is_empty();
        let state = if is_told { State::Telling } else { State::Entering };
        let mut base = Frame::new(Hold::Shared(piece.dir), state, piece.depth, 0);
        base.stored = piece.stored;
        base.path_len = self.path.len();
        base.end = self.names.len();
        // Names of subdirectories to enter follow behind those to tell of.
        base.next = if is_told { base.end } else { 0 };
        base.listing = Batch::End;
        base.is_base = true;
        (base.tag, base.tags) = (piece.tag, piece.tags);
        base.rules = piece.rules;
        self.frames.push(base);
    }

    /// Stops here: closes everything.
    pub(super) fn abandon(&mut self) {
        for index in (0..self.frames.len()).rev() {
            self.close(index);
        }
        self.frames.clear();
        self.close_parent();
        self.names.truncate(0);
        self.stop();
    }
}
