//! The branch of the tree from the operand to the current entry: how a traversal enters and leaves
//! directories.
//!
//! Opening a child by its whole path fails beyond the system's path limit, and follows a symlink
//! that another process puts in place of an ancestor. So every child is opened by name from its
//! open parent, and no rename can lead the traversal out of the tree, unless it follows symlinks. A
//! child that is one of its own ancestors is refused.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::TreePath;
use super::loops::{Limits, Loops, Reached, Verdict, ancestors};
use super::reopen::ReopenError;
use super::stack::{Level, Links, Stack};
use crate::error::{Cause, Error, Operation, bug};
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, Names};
use crate::sys::{Identity, Mounts, Opened, Request, Sys, SystemUnit, is_shortage};

/// `path` is the path of the current entry. While the stack is empty, that is the operand.
pub(crate) struct Branch<S: Sys, T> {
    pub(crate) stack: Stack<S, T>,
    pub(crate) path: TreePath<S::Unit>,
    loops: Loops,
    /// The depth of the first level: 0 unless another worker handed it off.
    base_depth: usize,
}

pub(crate) struct Admitted<D> {
    pub(crate) dir: D,
    identity: Option<Identity>,
}

impl<D> From<D> for Admitted<D> {
    fn from(dir: D) -> Self {
        Admitted { dir, identity: None }
    }
}

pub(crate) struct Handoff<S: Sys> {
    dir: Arc<S::Dir>,
    path: TreePath<S::Unit>,
    loops: Loops,
    depth: usize,
}

pub(crate) trait Own {
    /// Gives up the rest of a directory that cannot be reopened.
    fn give_up(&mut self);
}

impl Own for () {
    fn give_up(&mut self) {}
}

impl<S: Sys, T> Branch<S, T> {
    pub(crate) fn new(limits: Limits, descriptors: usize) -> Self {
        let links = if limits.follow { Links::Follow } else { Links::Refuse };
        Branch {
            stack: Stack::new(descriptors, links),
            path: TreePath::default(),
            loops: Loops::new(limits, S::MOUNTS_MAY_LOOP),
            base_depth: 0,
        }
    }

    pub(crate) fn begin(&mut self, operand: Vec<S::Unit>) {
        self.path = TreePath::operand(operand);
        self.loops.begin();
        self.base_depth = 0;
    }

    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.base_depth + self.stack.len()
    }

    pub(crate) fn to_path(&self) -> PathBuf {
        S::Unit::path(self.path.units().to_vec())
    }

    pub(crate) fn name(&self) -> &[S::Unit] {
        match self.stack.last() {
            Some(level) => self.path.below(level.path_len()),
            None => self.path.units(),
        }
    }

    pub(crate) fn parent_and_name(&self) -> Result<(&S::Dir, Name<'_, S::Unit>), Cause> {
        let level = self.stack.last().ok_or_else(|| bug("an operand lies in no directory"))?;
        let dir = level.dir().ok_or_else(|| bug("a directory in use was closed"))?;
        let name =
            self.path.name_below(level.path_len()).ok_or_else(|| bug("a path has no end"))?;
        Ok((dir, name))
    }

    pub(crate) fn reopen(&mut self, sys: &S) -> Result<(), ReopenError> {
        let Some(index) = self.stack.len().checked_sub(1) else { return Ok(()) };
        self.stack.reopen(index, self.path.units(), sys)
    }

    pub(crate) fn add_waiting(&mut self) {
        let Branch { stack, path, .. } = self;
        if let Some(name) = stack.last().and_then(|level| path.name_below(level.path_len())) {
            stack.add_waiting(name);
        }
    }

    /// Opens a waiting subdirectory. Returns `None` to skip it.
    fn open(
        &mut self,
        at: usize,
        release: &mut dyn FnMut() -> bool,
        sys: &S,
    ) -> Result<Option<Admitted<S::Dir>>, Cause> {
        self.stack.release_if_full(sys);
        // Drop the identity of the previous sibling, in case the sibling was not entered.
        self.loops.leave(self.depth());
        let name = self.stack.names().get(at).ok_or_else(|| bug("a name was forgotten"))?;
        self.path.push(name);
        loop {
            let (dir, name) = self.parent_and_name()?;
            let (mut opened, reached) = self.open_child(dir, name, sys);
            if matches!(opened, Opened::NotDirectory) && self.loops.lacks_ancestors() {
                // This may be a symlink. Before following it, collect the ancestors to compare
                // with.
                match self.add_ancestors(sys) {
                    Ok(()) => continue,
                    Err(error) => opened = Opened::Failed(error),
                }
            }
            match opened {
                Opened::Failed(error) if is_shortage(&error) => {
                    if !(self.stack.lower_budget(sys) | release()) {
                        return Err(Cause::Os(error));
                    }
                }
                opened => return self.decide(opened, reached, sys),
            }
        }
    }

    #[cold]
    fn add_ancestors(&mut self, sys: &S) -> io::Result<()> {
        let depth = self.depth();
        let dir = self.stack.last().and_then(Level::dir).ok_or(io::ErrorKind::NotFound)?;
        self.loops.add_ancestors(dir, depth, sys)
    }

    /// Opens a child. Follows a symlink only while ancestors are compared, because the symlink may
    /// close a loop.
    fn open_child(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        sys: &S,
    ) -> (Opened<S::Dir>, Reached) {
        let Limits { follow, refuse_mounts, .. } = self.loops.limits;
        let may_follow = follow && self.loops.needs_identities();
        if refuse_mounts {
            match sys.open_child(dir, name, Mounts::Refuse) {
                Opened::NotDirectory if may_follow => {}
                opened => return (opened, Reached::OnSameMount),
            }
        }
        if may_follow {
            return (sys.open_below(dir, name, true), Reached::Anywhere);
        }
        if S::MOUNTS_MAY_LOOP && !self.loops.needs_identities() {
            // Refuse mounts first, which reports a mount without an additional call.
            return match sys.open_child(dir, name, Mounts::Refuse) {
                Opened::Mount => (sys.open_child(dir, name, Mounts::Cross), Reached::Mount),
                opened => (opened, Reached::OnSameMount),
            };
        }
        (sys.open_child(dir, name, Mounts::Cross), Reached::Anywhere)
    }

    pub(crate) fn admit(
        &mut self,
        opened: Opened<S::Dir>,
        sys: &S,
    ) -> Result<Option<Admitted<S::Dir>>, Cause> {
        self.decide(opened, Reached::Anywhere, sys)
    }

    /// Decides whether to enter a directory. If not, closes it and returns `None`.
    fn decide(
        &mut self,
        opened: Opened<S::Dir>,
        reached: Reached,
        sys: &S,
    ) -> Result<Option<Admitted<S::Dir>>, Cause> {
        let dir = match opened {
            Opened::Mount => return Ok(None),
            opened => opened.into_result().map_err(Cause::Os)?,
        };
        let depth = self.depth();
        let parent = self.stack.last().and_then(Level::dir);
        match self.loops.enter(&dir, depth, reached, parent, sys) {
            Ok(Verdict::Enter(identity)) => Ok(Some(Admitted { dir, identity })),
            skipped => {
                sys.close(dir);
                let Verdict::Loop(ancestor) = skipped? else { return Ok(None) };
                let path = self.to_path();
                let ancestor = path.ancestors().nth(depth - ancestor).unwrap_or(&path);
                Err(Cause::Loop(ancestor.to_owned()))
            }
        }
    }

    pub(crate) fn enter(&mut self, admitted: Admitted<S::Dir>, own: T) {
        let Admitted { dir, identity } = admitted;
        self.stack.push(dir, self.path.len(), identity, own);
    }

    pub(crate) fn leave(&mut self, sys: &S) -> Option<T> {
        let own = self.stack.pop(sys)?;
        self.loops.leave(self.depth());
        Some(own)
    }

    pub(crate) fn hand_off(&mut self, index: usize) -> Option<Handoff<S>> {
        let dir = self.stack[index].share()?;
        let depth = self.base_depth + index;
        let mut path = self.path.clone();
        path.truncate(self.stack[index].path_len());
        Some(Handoff { dir, path, loops: self.loops.clone(), depth })
    }

    /// Continues with a part that another worker handed off. The branch must be empty.
    pub(crate) fn take_over(&mut self, handoff: Handoff<S>, waiting: &Names<S::Unit>, own: T) {
        (self.path, self.loops, self.base_depth) = (handoff.path, handoff.loops, handoff.depth);
        self.stack.push_base(handoff.dir, self.path.len(), waiting, own);
    }

    /// Returns whether the entry is one of its own ancestors. Makes system calls only at a mount or
    /// a followed symlink.
    #[inline]
    pub(crate) fn is_own_ancestor(&mut self, facts: &Facts, is_link: bool, sys: &S) -> bool {
        if facts.kind != Kind::Directory {
            return false;
        }
        if facts.is_known_mount() {
            return self.mount_is_own_ancestor(sys).unwrap_or(false);
        }
        if is_link && self.loops.lacks_ancestors() {
            let _ = self.reopen(sys).map(|()| self.add_ancestors(sys));
        }
        !self.loops.is_empty()
            && Identity::known(facts).is_some_and(|identity| self.loops.contain(identity))
    }

    #[cold]
    fn mount_is_own_ancestor(&mut self, sys: &S) -> Result<bool, Cause> {
        let depth = self.depth();
        if self.stack.len() == 0 {
            return Ok(false);
        }
        self.reopen(sys).map_err(ReopenError::into_cause)?;
        let (dir, name) = self.parent_and_name()?;
        let request = Request { fields: Fields::ID | Fields::DEVICE, follow: false };
        let identity = Identity::of(&sys.query(dir, name, request).map_err(Cause::Os)?);
        let ancestors = ancestors(dir, depth, sys).map_err(Cause::Os)?;
        Ok(ancestors.contains(&identity) || self.loops.contain(identity))
    }
}

impl<S: Sys, T: Own> Branch<S, T> {
    /// Opens the next waiting subdirectory of the topmost directory, and makes its path the current
    /// path. Returns `None` if no subdirectory waits, and `Some(Ok(None))` to skip this one.
    ///
    /// After the last subdirectory, closes the topmost directory, unless `keeps` returns `true` or
    /// the directory is the first level, from which others are reopened. If the topmost directory
    /// cannot be reopened, gives it up.
    pub(crate) fn open_next(
        &mut self,
        keeps: impl FnOnce(&T) -> bool,
        sys: &S,
    ) -> Option<Result<Option<Admitted<S::Dir>>, Error>> {
        self.open_next_or(keeps, &mut || false, sys)
    }

    /// As [`Branch::open_next`]. Calls `release` if descriptors run out, which returns whether it
    /// has closed a directory elsewhere.
    pub(crate) fn open_next_or(
        &mut self,
        keeps: impl FnOnce(&T) -> bool,
        release: &mut dyn FnMut() -> bool,
        sys: &S,
    ) -> Option<Result<Option<Admitted<S::Dir>>, Error>> {
        let index = self.stack.len().checked_sub(1)?;
        self.path.truncate(self.stack[index].path_len());
        let at = self.stack.next_waiting()?;
        while let Err(lost) = self.reopen(sys) {
            if !(lost.reason.is_shortage() && release()) {
                return Some(Err(self.give_up(lost)));
            }
        }
        let opened = self.open(at, release, sys).map_err(|cause| self.not_opened(cause));
        let level = &self.stack[index];
        if index > 0 && !level.has_waiting() && !keeps(level) {
            self.stack.close(index, sys);
        }
        Some(opened)
    }

    /// Gives up a directory that could not be reopened, and all deeper ones. The error names the
    /// shallowest one.
    pub(crate) fn give_up(&mut self, lost: ReopenError) -> Error {
        for index in lost.level..self.stack.len() {
            self.stack[index].drop_waiting();
            self.stack[index].give_up();
        }
        let path = &self.path.units()[..self.stack[lost.level].path_len()];
        let path = S::Unit::path(path.to_vec());
        Error::new(Operation::OpenDirectory, path, lost.into_cause())
    }

    pub(crate) fn not_opened(&self, cause: Cause) -> Error {
        Error::new(Operation::OpenDirectory, self.to_path(), cause)
    }
}

#[cfg(test)]
mod tests;
