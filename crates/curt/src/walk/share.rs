//! How a worker hands over half of the subdirectories that it has not entered yet.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::cursor::Cursor;
use super::frame::{Frame, State, Stored};
use super::rules::InForce;
use crate::name::Names;
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
    /// Takes half of what waits in the frame nearest to the operand in which anything does. The number
    /// is asked for where there is.
    pub(super) fn split(&mut self, number: impl FnOnce() -> u64) -> Option<Piece<S>> {
        if self.stack.len() == 0 {
            return None;
        }
        self.settle();
        let has_some = |index: &usize| {
            let frame = &self.stack[*index];
            frame.has_waiting() || frame.has_stored()
        };
        let index = self.stack.open_from(0).find(has_some)?;
        let waiting = self.waiting(index);
        let mut ours = self.stack.ours(index, waiting);
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
            (names, ours) = self.stack.split_waiting(index)?;
            let tags_here = &mut self.stack[index].tags;
            if !tags_here.is_empty() {
                tags = tags_here.split_off(ours);
            }
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
    fn waiting(&self, index: usize) -> usize {
        let frame = &self.stack[index];
        match frame.state {
            State::Telling => frame.stored.len() - frame.next_stored,
            _ => self.stack.count_waiting(index),
        }
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
            entry.name = names.push(self.stack.names().get(entry.name)?);
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
        self.ancestors = piece.ancestors;
        self.device = piece.device;
        let is_told = !piece.stored.is_empty();
        let state = if is_told { State::Telling } else { State::Entering };
        let mut base = Frame::new(state, piece.depth);
        base.stored = piece.stored;
        base.listing = Batch::End;
        (base.tag, base.tags) = (piece.tag, piece.tags);
        base.rules = piece.rules;
        self.stack.push_base(piece.dir, self.path.len(), &piece.names, base);
        if is_told {
            // Names of subdirectories to enter follow behind those to tell of.
            self.stack[0].drop_waiting();
        }
    }

    /// Stops here: closes everything.
    pub(super) fn abandon(&mut self) {
        while self.stack.pop(&self.asker.sys).is_some() {}
        self.close_parent();
        self.stop();
    }
}
