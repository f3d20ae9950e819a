//! How a worker hands over half of the subdirectories that it has not entered yet.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::cursor::Cursor;
use super::frame::{Frame, State, Stored};
use super::rules::InForce;
use crate::name::Names;
use crate::pool;
use crate::sys::{Batch, Identity, Sys};
use crate::tree::TreePath;

/// A part of one directory, for another worker to walk: subdirectories to enter, or, where the order
/// matters, entries to tell of.
pub(super) struct Piece<S: Sys> {
    /// By which it is known among all.
    pub(super) number: u64,
    dir: Arc<S::Dir>,
    names: Names<S::Unit>,
    stored: Vec<Stored>,
    path: TreePath<S::Unit>,
    depth: usize,
    tag: u64,
    tags: VecDeque<u64>,
    ancestors: HashSet<Identity>,
    device: Option<u64>,
    rules: Option<Arc<InForce>>,
}

impl<S: Sys> Cursor<S> {
    /// … in one directory.
    fn children(&self, frame: &Frame) -> usize {
        self.names.between(frame.next, frame.end).count()
    }

    /// Takes half of what waits in the frame nearest to the operand in which anything does. The number
    /// is asked for where there is.
    pub(super) fn split(&mut self, number: impl FnOnce() -> u64) -> Option<Piece<S>> {
        let last = self.stack.len().checked_sub(1)?;
        self.settle();
        let index = self.stack.open_from(0).find(|&index| self.stack[index].has_children())?;
        let waiting = self.waiting(&self.stack[index]);
        let ours = pool::ours(waiting, index == last);
        if ours == waiting {
            return None;
        }
        let number = number();
        let dir = self.stack[index].share()?;
        let (mut names, mut stored, mut tags) = (Names::new(), Vec::new(), VecDeque::new());
        if self.stack[index].state == State::Telling {
            stored = self.split_stored(index, ours, &mut names)?;
            self.stack[index].given.push(number);
        } else {
            (names, tags) = self.split_children(index, ours)?;
        }
        let frame = &self.stack[index];
        Some(Piece {
            number,
            dir,
            names,
            stored,
            path: self.path_of(index),
            depth: frame.depth,
            tag: frame.tag,
            tags,
            ancestors: self.ancestors_of(index),
            device: self.device,
            rules: frame.rules.clone(),
        })
    }

    /// How much of a directory waits to be told of, or to be entered.
    fn waiting(&self, frame: &Frame) -> usize {
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
        let is_topmost = index + 1 == self.stack.len();
        let frame = &mut self.stack[index];
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
        let frame: &mut Frame = &mut self.stack[index];
        let mut stored = frame.stored.split_off(frame.next_stored + ours);
        for entry in &mut stored {
            entry.name = names.push(self.names.get(entry.name)?);
        }
        Some(stored)
    }

    fn path_of(&self, index: usize) -> TreePath<S::Unit> {
        let mut path = self.path.clone();
        path.truncate(self.stack[index].path_len());
        path
    }

    fn ancestors_of(&self, index: usize) -> HashSet<Identity> {
        let mut ancestors = self.ancestors.clone();
        for index in index + 1..self.stack.len() {
            let frame = &self.stack[index];
            for identity in frame.identity().iter().chain(&frame.above) {
                ancestors.remove(identity);
            }
        }
        ancestors
    }

    /// Begins with a piece of another worker's directory.
    pub(super) fn begin_piece(&mut self, piece: Piece<S>) {
        self.path = piece.path;
        self.names = piece.names;
        self.ancestors = piece.ancestors;
        self.device = piece.device;
        let is_told = !piece.stored.is_empty();
        let state = if is_told { State::Telling } else { State::Entering };
        let mut base = Frame::new(state, piece.depth, 0);
        base.stored = piece.stored;
        base.end = self.names.len();
        // Names of subdirectories to enter follow behind those to tell of.
        base.next = if is_told { base.end } else { 0 };
        base.listing = Batch::End;
        (base.tag, base.tags) = (piece.tag, piece.tags);
        base.rules = piece.rules;
        self.stack.push_base(piece.dir, self.path.len(), base);
    }

    /// Stops here: closes everything.
    pub(super) fn abandon(&mut self) {
        while self.stack.pop(&self.asker.sys).is_some() {}
        self.close_parent();
        self.names.truncate(0);
        self.stop();
    }
}
