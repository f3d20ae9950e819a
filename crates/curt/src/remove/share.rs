//! How a worker hands over half of what it has not begun with, and how it takes such a piece.

use std::sync::{Arc, PoisonError};

use super::engine::Engine;
use super::frame::{Frame, Left, Level, Role};
use super::run::{Piece, Task};
use super::worker::may_hide_directory;
use crate::fields::Kind;
use crate::name::Names;
use crate::sys::{Batch, Listing, Removed, Sys};
use crate::tree::TreePath;

/// With fewer entries than this in the buffer, a hand-over is not worth its price.
const LEAST_SLICE: usize = 128;

/// How many pieces of others a worker begins one on top of the other, each while the one below waits
/// for something. Every one takes stack and descriptors.
const NESTING: u32 = 2;

impl<S: Sys> Engine<'_, S> {
    /// Whether somebody wants work and may be given some of ours. A piece that is nested as deep as
    /// pieces may be is done alone: what was handed over would have to be waited for, and whoever
    /// waits must be able to take any piece, or all might wait for what nobody takes.
    pub(super) fn may_give(&self) -> bool {
        self.nesting < NESTING && self.at.run.pool().is_hungry()
    }

    /// Hands over half of the waiting children of the frame nearest to the operand that has any.
    pub(super) fn share_directories(&mut self, floor: usize) {
        let Some(index) = self.stack.open_from(floor).find(|&index| {
            let frame = &self.stack[index];
            // A directory that has to be listed again must know what failed in it.
            frame.has_waiting() && frame.forgotten == 0
        }) else {
            return;
        };
        let Some((names, _)) = self.stack.split_waiting(index) else { return };
        let path = self.path_of(index);
        self.give(index, names, Piece::Directories, path);
    }

    /// Hands over half of the entries of the buffer from `position` on. Returns the position of
    /// the next entry that is still ours.
    pub(super) fn share_files(&mut self, position: usize, found: &mut u64) -> usize {
        let rest = self.buf.left(position);
        if rest < LEAST_SLICE || !self.may_give_files() {
            return position;
        }
        let mut theirs = Vec::new();
        let mut at = position;
        while self.buf.left(at) > rest / 2 {
            let Some((_, next)) = self.buf.entry(at) else { break };
            theirs.push(at);
            at = next;
        }
        *found += self.give_files(theirs);
        at
    }

    /// The same for entries in another order, of which the first `done` are dealt with. Returns
    /// how many of the others are not passed over.
    pub(super) fn share_ordered(&mut self, order: &mut Vec<(u64, usize)>, done: usize) -> u64 {
        let rest = order.len() - done;
        if rest < LEAST_SLICE || !self.may_give_files() {
            return 0;
        }
        let theirs = order.split_off(done + rest / 2);
        self.give_files(theirs.into_iter().map(|(_, position)| position))
    }

    fn may_give_files(&self) -> bool {
        let alone = |frame: &Level<S>| frame.forgotten > 0;
        self.at.run.plain && !self.stack.last().is_none_or(alone)
    }

    /// Hands over the entries at these positions; those that are known to be directories stay here.
    /// Returns how many are not passed over.
    fn give_files(&mut self, positions: impl IntoIterator<Item = usize>) -> u64 {
        let mut found = 0;
        let mut files = Names::new();
        let mut kind = Kind::File;
        for position in positions {
            let Some((entry, _)) = self.buf.entry(position) else { break };
            if self.stack.last().is_some_and(|frame| frame.passes_over(entry.name)) {
                continue;
            }
            found += 1;
            match entry.kind {
                Kind::Directory => {
                    self.stack.wait(entry.name);
                    continue;
                }
                Kind::Unknown => kind = Kind::Unknown,
                _ => {}
            }
            files.push(entry.name);
        }
        if files.len() > 0 {
            let path = self.at.path.clone();
            self.give(self.stack.len() - 1, files, Piece::Files(kind), path);
        }
        found
    }

    fn give(&mut self, index: usize, names: Names<S::Unit>, what: Piece, path: TreePath<S::Unit>) {
        let frame = &mut self.stack[index];
        let join = Arc::clone(frame.join.get_or_insert_with(Arc::default));
        let left = Arc::clone(frame.left.get_or_insert_with(Arc::default));
        let Some(dir) = frame.share() else { return };
        join.add();
        self.at.run.pool().give(Task { dir, names, what, path, join, left });
    }

    /// The path of a frame.
    pub(super) fn path_of(&self, index: usize) -> TreePath<S::Unit> {
        let mut path = self.at.path.clone();
        if index + 1 < self.stack.len() {
            path.truncate(self.stack[index].path_len());
        }
        path
    }

    /// Does a piece of another worker's directory.
    pub(super) fn run_task(&mut self, task: Task<S>) {
        let Task { dir, mut names, what, path, join, left } = task;
        let before = std::mem::replace(&mut self.at.path, path);
        let mut kept = false;
        if let Piece::Files(kind) = what {
            (kept, names) = self.remove_files(&dir, &names, kind, &left);
        }
        if names.len() > 0 {
            kept |= self.remove_directories(&dir, &names, left);
        }
        self.at.path = before;
        // Whoever waits for the join takes the directory back, so ours must be gone by then.
        drop(dir);
        self.at.run.pool().finish(&join, kept);
    }

    /// Removes files by name. Returns whether one stays, and the names of directories among them:
    /// the listing did not tell, or they were put there since.
    fn remove_files(
        &mut self,
        dir: &Arc<S::Dir>,
        names: &Names<S::Unit>,
        kind: Kind,
        left: &Left<S::Unit>,
    ) -> (bool, Names<S::Unit>) {
        let mut kept = false;
        let mut directories = Names::new();
        for (_, name) in names.between(0, names.len()) {
            if self.at.run.is_cancelled() {
                return (true, Names::new());
            }
            match self.at.remove_child(dir, name, kind) {
                Removed::Done => self.at.report.files += 1,
                Removed::Gone => self.at.report.vanished += 1,
                Removed::IsDirectory => {
                    directories.push(name);
                }
                // A listing that shows it again says so.
                Removed::Pending => {}
                Removed::Failed(error) if may_hide_directory(kind, &error) => {
                    directories.push(name);
                }
                Removed::Failed(error) => {
                    self.at.fail_in(name, error);
                    let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                    left.insert(name.units().to_vec());
                    kept = true;
                }
            }
            self.at.tick();
        }
        (kept, directories)
    }

    /// Removes the trees with these names in the directory of another worker. Returns whether
    /// anything stays.
    fn remove_directories(
        &mut self,
        dir: &Arc<S::Dir>,
        names: &Names<S::Unit>,
        left: Left<S::Unit>,
    ) -> bool {
        let floor = self.stack.len();
        let mut base = Frame::new(Role::Base, 0);
        base.listing = Batch::End;
        base.left = Some(left);
        self.stack.push_base(Arc::clone(dir), self.at.path.len(), names, base);
        self.drive(floor);
        self.base_kept
    }
}
