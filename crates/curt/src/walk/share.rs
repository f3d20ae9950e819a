//! How a worker hands over half of what it has not begun with.

use std::collections::VecDeque;
use std::sync::Arc;

use super::frame::{Frame, Level, State};
use super::loops::Loops;
use super::rules::InForce;
use super::stored::Stored;
use crate::name::Names;
use crate::sys::{Batch, Sys};
use crate::tree::{Stack, TreePath};

/// A part of one directory, for another worker to walk: subdirectories to enter, or, where the order
/// matters, entries to tell of.
pub(super) struct Piece<S: Sys> {
    /// By which it is known among all.
    pub(super) number: u64,
    dir: Arc<S::Dir>,
    names: Names<S::Unit>,
    stored: Stored,
    path: TreePath<S::Unit>,
    depth: usize,
    tag: u64,
    tags: VecDeque<u64>,
    loops: Loops,
    rules: Option<Arc<InForce>>,
}

impl<S: Sys> Piece<S> {
    /// Takes half of what waits in the directory nearest to the operand in which anything does. The
    /// number is asked for where there is.
    pub(super) fn split(
        stack: &mut Stack<S, Frame>,
        path: &TreePath<S::Unit>,
        loops: &Loops,
        number: impl FnOnce() -> u64,
    ) -> Option<Self> {
        if stack.len() == 0 {
            return None;
        }
        let index = stack.open_from(0).find(|&index| stack[index].is_needed())?;
        let is_telling = stack[index].state == State::Telling;
        let waiting =
            if is_telling { stack[index].stored.left() } else { stack.count_waiting(index) };
        let ours = stack.ours(index, waiting);
        if ours == waiting {
            return None;
        }
        let number = number();
        let dir = stack[index].share()?;
        let (mut stored, mut tags) = (Stored::default(), VecDeque::new());
        let names;
        if is_telling {
            let (level, all) = stack.level_with_names(index);
            (stored, names) = level.stored.split(ours, number, all)?;
        } else {
            let ours;
            (names, ours) = stack.split_waiting(index)?;
            let tags_here = &mut stack[index].tags;
            if !tags_here.is_empty() {
                tags = tags_here.split_off(ours);
            }
        }
        let mut loops = loops.clone();
        for above in index + 1..stack.len() {
            loops.leave(stack[above].identity(), &stack[above].above);
        }
        let level = &stack[index];
        let mut path = path.clone();
        path.truncate(level.path_len());
        let (depth, tag, rules) = (level.depth, level.tag, level.rules.clone());
        Some(Piece { number, dir, names, stored, path, depth, tag, tags, loops, rules })
    }

    /// Puts it on an empty stack. Returns its path, and the directories on the way to it.
    pub(super) fn begin(self, stack: &mut Stack<S, Frame>) -> (TreePath<S::Unit>, Loops) {
        let is_telling = self.stored.has_next();
        let mut base = Frame::new(self.depth);
        base.state = if is_telling { State::Telling } else { State::Entering };
        base.listing = Batch::End;
        base.stored = self.stored;
        (base.tag, base.tags) = (self.tag, self.tags);
        base.rules = self.rules;
        stack.push_base(self.dir, self.path.len(), &self.names, base);
        if is_telling {
            // Names of subdirectories to enter follow behind those to tell of.
            stack.last_mut().map(Level::drop_waiting);
        }
        (self.path, self.loops)
    }
}
