//! How a worker hands over half of the subdirectories that it has not entered yet.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::cursor::Cursor;
use super::frame::{Frame, Hold, State};
use super::rules::InForce;
use crate::name::Names;
use crate::sys::{Batch, Sys};

/// Subdirectories of one directory, for another worker to enter.
pub(super) struct Piece<S: Sys> {
    dir: Arc<S::Dir>,
    names: Names<S::Unit>,
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
    /// Takes half of the waiting subdirectories of the frame nearest to the operand that has any.
    pub(super) fn split(&mut self) -> Option<Piece<S>> {
        let last = self.frames.len().checked_sub(1)?;
        self.settle();
        let may_give = |frame: &Frame<S>| {
            frame.next < frame.end && frame.dir().is_some() && frame.state != State::Telling
        };
        let index = self.frames.iter().position(may_give)?;
        let frame = &self.frames[index];
        let mut starts = Vec::new();
        let mut at = frame.next;
        while let Some(name) = self.names.get(at).filter(|_| at < frame.end) {
            starts.push(at);
            at += name.terminated().len();
        }
        // What is being walked below counts as ours. What is being listed may be all there is.
        let ours = if index == last { starts.len().div_ceil(2) } else { starts.len() / 2 };
        let from = *starts.get(ours)?;
        let mut names = Names::new();
        for &at in &starts[ours..] {
            names.push(self.names.get(at)?);
        }
        let frame = &mut self.frames[index];
        frame.end = from;
        let tags = if frame.tags.is_empty() { VecDeque::new() } else { frame.tags.split_off(ours) };
        let was_held = frame.is_held();
        let dir = frame.share()?;
        self.held -= usize::from(was_held);
        if index == last {
            self.names.truncate(from);
        }
        let frame = &self.frames[index];
        Some(Piece {
            dir,
            names,
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

    fn ancestors_of(&self, index: usize) -> HashSet<(u64, u128)> {
        let mut ancestors = self.ancestors.clone();
        for identity in self.frames[index + 1..].iter().filter_map(|frame| frame.identity) {
            ancestors.remove(&identity);
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
        let mut base = Frame::new(Hold::Shared(piece.dir), State::Entering, piece.depth, 0);
        base.path_len = self.path.len();
        base.end = self.names.len();
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
        self.names.truncate(0);
        self.stop();
    }
}
