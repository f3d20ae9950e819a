//! The directories from an operand down to the current entry, not all of them open.
//!
//! When the descriptor budget is used up, ancestors of the current entry are released, that is
//! closed for a while, and reopened when the traversal comes back to them: by the names that lead
//! there from the nearest directory that is still open, several names in one call where the system
//! can refuse links. A reopened directory must be the same one, by device and file number. The
//! operand's own directory is never released, so its path is never resolved a second time.
//!
//! Directories stay open more densely the nearer they are to the top of the stack, and a reopening
//! opens several at once. A released directory therefore costs about 4 calls more at any depth, and
//! no path is longer than the system accepts.
//!
//! Where the system has so few descriptors that this would need paths as long as the tree is deep,
//! the directory that is left stays open, and `..` leads back from there; by names only if that
//! leads elsewhere. A directory that was moved is then traversed to its end, like one that stays
//! open.

use std::io;
use std::ops::{Deref, DerefMut, Index, IndexMut, Range};
use std::sync::Arc;

use super::reopen::{ReopenError, ReopenFailure};
use crate::error::Cause;
use crate::fields::Fields;
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::{Ask, Identity, Opened, Sys, is_shortage};

/// The longest path, in units, that is passed to the system at once: below every system's limit.
const LONGEST_PATH: usize = 2048;

/// With a smaller budget the way back is `..`. The smallest one that a caller can set is as large.
const FEW: usize = 8;

/// A stack of directories, each with the state that a policy keeps for it.
pub(crate) struct Stack<S: Sys, T> {
    levels: Vec<Level<S, T>>,
    /// The names that each level keeps, level after level.
    names: Names<S::Unit>,
    /// The levels whose directory counts against the budget, the shallowest first.
    open: Vec<usize>,
    /// The descriptor budget: how many directories may be open.
    budget: usize,
    links: Links,
    /// The directory that was popped last, and its level, where descriptors are few and its parent
    /// is not open.
    left: Option<(usize, S::Dir)>,
}

/// One directory of a stack.
pub(crate) struct Level<S: Sys, T> {
    dir: DirState<S::Dir>,
    path_len: usize,
    /// Known once the directory was released, or when the policy asked for it.
    identity: Option<Identity>,
    /// Where the names of this level begin.
    names: usize,
    /// The range of names of subdirectories not entered yet.
    waiting: Range<usize>,
    own: T,
}

/// A level, and the names that the stack keeps.
type WithNames<'a, S, T> = (&'a mut Level<S, T>, &'a Names<<S as Sys>::Unit>);

/// How a level holds its directory.
enum DirState<D> {
    Owned(D),
    /// Other workers use it too.
    Shared(Arc<D>),
    /// Closed for a while, to be reopened when needed.
    Released,
    /// Closed for good.
    Closed,
}

impl<D> DirState<D> {
    fn open(&self) -> Option<&D> {
        match self {
            DirState::Owned(dir) => Some(dir),
            DirState::Shared(dir) => Some(dir),
            DirState::Released | DirState::Closed => None,
        }
    }
}

/// Whether a reopening follows the links on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Refuse,
}

impl<S: Sys, T> Stack<S, T> {
    /// Returns an empty stack with a descriptor budget.
    pub(crate) fn new(budget: usize, links: Links) -> Self {
        let (levels, names, open) = (Vec::new(), Names::new(), Vec::new());
        Stack { levels, names, open, budget, links, left: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    /// Returns how many directories are open.
    pub(crate) fn count_open(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn last(&self) -> Option<&Level<S, T>> {
        self.levels.last()
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Level<S, T>> {
        self.levels.last_mut()
    }

    /// Returns the topmost level of a stack that is not empty.
    pub(crate) fn top(&self) -> &Level<S, T> {
        &self.levels[self.levels.len() - 1]
    }

    /// Returns the topmost level of a stack that is not empty.
    pub(crate) fn top_mut(&mut self) -> &mut Level<S, T> {
        let top = self.levels.len() - 1;
        &mut self.levels[top]
    }

    /// Iterates over the level `floor`, open or not, and the deeper ones that are open.
    pub(crate) fn open_from(&self, floor: usize) -> impl Iterator<Item = usize> + '_ {
        let deeper = self.open.partition_point(|&open| open <= floor);
        std::iter::once(floor).chain(self.open[deeper..].iter().copied())
    }

    /// Pushes a directory that was just opened.
    pub(crate) fn push(
        &mut self,
        dir: S::Dir,
        path_len: usize,
        identity: Option<Identity>,
        own: T,
    ) {
        self.open.push(self.levels.len());
        self.push_level(DirState::Owned(dir), path_len, identity, own);
    }

    /// Pushes a directory that is open elsewhere: the parent of an operand, or a directory of
    /// another worker. It does not count against the budget. The subdirectories with the names
    /// `waiting` wait in it.
    pub(crate) fn push_base(
        &mut self,
        dir: Arc<S::Dir>,
        path_len: usize,
        waiting: &Names<S::Unit>,
        own: T,
    ) {
        self.push_level(DirState::Shared(dir), path_len, None, own);
        self.names.append(waiting);
        self.top_mut().waiting.end = self.names.len();
    }

    fn push_level(
        &mut self,
        dir: DirState<S::Dir>,
        path_len: usize,
        identity: Option<Identity>,
        own: T,
    ) {
        let names = self.names.len();
        self.levels.push(Level { dir, path_len, identity, names, waiting: names..names, own });
    }

    /// Pops the topmost level, drops its names, and closes its directory, unless the one below on
    /// the stack may have to be reopened from there. `None` if the stack is empty.
    pub(crate) fn pop(&mut self, sys: &S) -> Option<T> {
        let index = self.levels.len().checked_sub(1)?;
        let is_scarce = self.budget < FEW;
        let leads_back = is_scarce && index > 0 && self.levels[index - 1].dir().is_none();
        if leads_back && matches!(self.levels[index].dir, DirState::Owned(_)) {
            let left = self.take_top().map(|dir| (index, dir));
            self.keep_left(left, sys);
        } else if !leads_back {
            self.keep_left(None, sys);
        }
        self.close(index, sys);
        let level = self.levels.pop()?;
        self.names.truncate(level.names);
        Some(level.own)
    }

    /// Closes the directory that was popped last, and keeps another one open in its place.
    fn keep_left(&mut self, left: Option<(usize, S::Dir)>, sys: &S) {
        if let Some((_, dir)) = std::mem::replace(&mut self.left, left) {
            sys.close(dir);
        }
    }

    /// Returns a level, and the names that the stack keeps.
    pub(crate) fn level_with_names(&mut self, index: usize) -> WithNames<'_, S, T> {
        (&mut self.levels[index], &self.names)
    }

    /// Returns the names that the stack keeps.
    pub(crate) fn names(&self) -> &Names<S::Unit> {
        &self.names
    }

    /// Stores the name of an entry of the topmost level. Returns its position. No subdirectory may
    /// wait: those that will are behind it.
    pub(crate) fn store_name(&mut self, name: Name<'_, S::Unit>) -> usize {
        let at = self.names.push(name);
        self.top_mut().waiting = self.names.len()..self.names.len();
        at
    }

    /// Adds a subdirectory of the topmost level to those that wait.
    pub(crate) fn add_waiting(&mut self, name: Name<'_, S::Unit>) {
        self.names.push(name);
        self.top_mut().waiting.end = self.names.len();
    }

    /// Takes the next subdirectory of the topmost level from those that wait. Returns its name's
    /// position.
    pub(crate) fn next_waiting(&mut self) -> Option<usize> {
        let waiting = &mut self.levels.last_mut()?.waiting;
        if waiting.start >= waiting.end {
            return None;
        }
        let at = waiting.start;
        waiting.start += self.names.get(at)?.terminated().len();
        Some(at)
    }

    /// Makes the subdirectory that was taken last, whose name lies at `at`, wait again.
    pub(crate) fn put_back(&mut self, at: usize) {
        self.top_mut().waiting.start = at;
    }

    /// Drops the names of the topmost level, unless a subdirectory waits.
    pub(crate) fn clear_names(&mut self) {
        let level = self.top_mut();
        if !level.has_waiting() {
            let names = level.names;
            level.waiting = names..names;
            self.names.truncate(names);
        }
    }

    /// Counts the subdirectories of a level that wait.
    pub(crate) fn count_waiting(&self, index: usize) -> usize {
        let waiting = &self.levels[index].waiting;
        self.names.between(waiting.start, waiting.end).count()
    }

    /// Takes the names of half of the subdirectories that wait in a level, to be handed off.
    /// `None` if there are too few.
    pub(crate) fn split_waiting(&mut self, index: usize) -> Option<Names<S::Unit>> {
        let is_topmost = index + 1 == self.levels.len();
        let ours = self.ours(index, self.count_waiting(index));
        let waiting = self.levels[index].waiting.clone();
        let (from, _) = self.names.between(waiting.start, waiting.end).nth(ours)?;
        let theirs = self.names.part(from, waiting.end);
        self.levels[index].waiting.end = from;
        if is_topmost {
            // Names that are listed next are appended, and must not revive those handed off.
            self.names.truncate(from);
        }
        Some(theirs)
    }

    /// Returns how many of `count` entries of a level stay with the worker that hands some off. The
    /// subtree that it is working on counts as one of them.
    pub(crate) fn ours(&self, index: usize, count: usize) -> usize {
        if index + 1 == self.levels.len() { count.div_ceil(2) } else { count / 2 }
    }

    /// Takes the directory out of the topmost level. `None` if it is not open, or if another worker
    /// uses it: then it stays as it is.
    pub(crate) fn take_top(&mut self) -> Option<S::Dir> {
        let index = self.levels.len().checked_sub(1)?;
        let state = &mut self.levels[index].dir;
        let dir = match std::mem::replace(state, DirState::Closed) {
            DirState::Owned(dir) => Ok(dir),
            DirState::Shared(dir) => Arc::try_unwrap(dir).map_err(DirState::Shared),
            not_open => Err(not_open),
        };
        match dir {
            Ok(dir) => {
                self.uncount(index);
                Some(dir)
            }
            Err(before) => {
                *state = before;
                None
            }
        }
    }

    /// Puts the directory back that [`Stack::take_top`] took out.
    pub(crate) fn put_top_back(&mut self, dir: S::Dir) {
        self.open.push(self.levels.len() - 1);
        self.top_mut().dir = DirState::Owned(dir);
    }

    /// Closes the directory of a level for good.
    pub(crate) fn close(&mut self, index: usize, sys: &S) {
        self.close_as(index, DirState::Closed, sys);
    }

    /// Makes sure that one more directory can be opened within the budget.
    pub(crate) fn make_room(&mut self, sys: &S) {
        if self.open.len() >= self.budget {
            self.release_one(self.levels.len().saturating_sub(1), sys);
        }
    }

    /// Lowers the budget because the system has no descriptor left. Returns whether a directory was
    /// released: the topmost one and those that are never released stay open.
    pub(crate) fn lower_budget(&mut self, sys: &S) -> bool {
        let released = self.release_one(self.levels.len().saturating_sub(1), sys);
        if released {
            self.budget = self.open.len().max(1);
        }
        released
    }

    /// Makes sure that the directory of a level is open. `path` is the path of the topmost level.
    pub(crate) fn reopen(
        &mut self,
        index: usize,
        path: &[S::Unit],
        sys: &S,
    ) -> Result<(), ReopenError> {
        if self.levels[index].dir().is_some() {
            return Ok(());
        }
        let back = self.open_from_below(index, sys);
        self.keep_left(None, sys);
        if let Some(dir) = back {
            self.put_back_open(index, dir);
            return Ok(());
        }
        let Some(nearest) = self.levels[..index].iter().rposition(|level| level.dir().is_some())
        else {
            return Err(ReopenError { level: index, reason: ReopenFailure::Vanished });
        };
        let mut from = nearest;
        for next in self.levels_to_open(nearest, index) {
            if self.open.len() >= self.budget {
                self.release_one(from, sys);
            }
            let dir = loop {
                match self.open_same(from, next, path, sys) {
                    Ok(dir) => break dir,
                    Err(reason) if reason.is_shortage() && self.release_one(from, sys) => {}
                    Err(reason) => {
                        let first = self.first_lost(from, next, path, sys);
                        let lost = first.unwrap_or(ReopenError { level: next, reason });
                        if lost.reason.is_shortage() {
                            // A caller that makes room must not find only these, for ever.
                            self.release_between(nearest, next, sys);
                        }
                        return Err(lost);
                    }
                }
            };
            self.put_back_open(next, dir);
            from = next;
        }
        // A caller that asks for a directory that was closed for good must not be told it is open.
        let is_open = self.levels[index].dir().is_some();
        debug_assert!(is_open, "level {index} was closed for good");
        let vanished = ReopenError { level: index, reason: ReopenFailure::Vanished };
        is_open.then_some(()).ok_or(vanished)
    }

    /// Gives a released level its directory again.
    fn put_back_open(&mut self, index: usize, dir: S::Dir) {
        self.levels[index].dir = DirState::Owned(dir);
        let place = self.open.partition_point(|&open| open < index);
        self.open.insert(place, index);
    }

    /// Opens the directory of a level by `..`, from the nearest deeper one that is open. `None` if
    /// an ancestor is nearer, or that leads to another directory.
    fn open_from_below(&mut self, index: usize, sys: &S) -> Option<S::Dir> {
        let place = self.open.partition_point(|&open| open < index);
        let deeper = self.open.get(place).copied();
        let from = deeper.or_else(|| self.left.as_ref().map(|&(level, _)| level))?;
        let above = place.checked_sub(1).map_or(0, |place| self.open[place]);
        let is_nearer = from - index <= index - above;
        if self.budget >= FEW || !is_nearer || !self.levels[index].is_released() {
            return None;
        }
        let up = [S::Unit::ascii(b'.'), S::Unit::ascii(b'.'), S::Unit::SEPARATOR];
        let up = up.repeat(from - index);
        if self.open.len() + usize::from(deeper.is_none()) >= self.budget {
            self.release_one(from, sys);
        }
        loop {
            let dir = match deeper {
                Some(level) => self.levels[level].dir(),
                None => self.left.as_ref().map(|(_, dir)| dir),
            };
            match self.open_names(dir?, &up, true, sys) {
                Opened::Dir(dir) => return self.check_same(dir, index, sys).ok(),
                Opened::Failed(error) if is_shortage(&error) && self.release_one(from, sys) => {}
                _ => return None,
            }
        }
    }

    /// Releases the levels between two others that are open.
    #[cold]
    fn release_between(&mut self, from: usize, to: usize, sys: &S) {
        for level in from + 1..to {
            if self.levels[level].dir().is_some() {
                self.release(level, sys);
            }
        }
    }

    /// Chooses the levels to open in order to reach the level `index` from the level `open`: as
    /// many of the nearest to `index` as make up half of the budget, and farther away some at
    /// distances that grow by four.
    fn levels_to_open(&self, open: usize, index: usize) -> Vec<usize> {
        let near = (self.budget / 2).max(1);
        let mut wanted: Vec<usize> = (open + 1..=index)
            .rev()
            .filter(|&at| self.levels[at].is_released())
            .take(near)
            .collect();
        let mut distance = near * 4;
        while let Some(at) = index.checked_sub(distance).filter(|&at| at > open) {
            if self.levels[at].is_released() && wanted.last().is_some_and(|&nearer| at < nearer) {
                wanted.push(at);
            }
            distance *= 4;
        }
        wanted.reverse();
        wanted
    }

    /// Reopens the directory of the level `to` from that of the level `from`, and checks that it is
    /// the same one.
    fn open_same(
        &self,
        from: usize,
        to: usize,
        path: &[S::Unit],
        sys: &S,
    ) -> Result<S::Dir, ReopenFailure> {
        let names = &path[self.levels[from].path_len..self.levels[to].path_len];
        let Some(dir) = self.levels[from].dir() else { return Err(ReopenFailure::Vanished) };
        match self.open_names(dir, names, self.links == Links::Follow, sys) {
            Opened::Dir(dir) => self.check_same(dir, to, sys),
            Opened::Gone | Opened::Pending => Err(ReopenFailure::Vanished),
            Opened::Failed(error) => Err(ReopenFailure::Failed(Cause::Os(error))),
            Opened::NotDirectory | Opened::Mount => Err(ReopenFailure::Failed(Cause::Replaced)),
        }
    }

    /// Returns a directory that was opened for a level, if it is the one that was released.
    fn check_same(&self, dir: S::Dir, index: usize, sys: &S) -> Result<S::Dir, ReopenFailure> {
        let cause = match identity(&dir, sys) {
            Ok(identity) if Some(identity) == self.levels[index].identity => return Ok(dir),
            Ok(_) => Cause::Replaced,
            Err(error) => Cause::Os(error),
        };
        sys.close(dir);
        Err(ReopenFailure::Failed(cause))
    }

    /// Opens the directory that some names lead to from an open one.
    #[allow(clippy::unused_self, reason = "a type parameter of its own would not be known")]
    fn open_names(
        &self,
        from: &S::Dir,
        mut names: &[S::Unit],
        follow: bool,
        sys: &S,
    ) -> Opened<S::Dir> {
        let mut last: Option<S::Dir> = None;
        loop {
            let (now, later) = names.split_at(piece(names));
            names = later;
            let begin = now.iter().take_while(|unit| unit.is_separator()).count();
            let opened = match NameBuf::new(now[begin..].to_vec()) {
                Ok(name) => sys.open_below(last.as_ref().unwrap_or(from), name.as_name(), follow),
                Err(error) => Opened::Failed(error),
            };
            if let Some(before) = last.take() {
                sys.close(before);
            }
            match opened {
                Opened::Dir(dir) if !names.is_empty() => last = Some(dir),
                opened => return opened,
            }
        }
    }

    /// Finds the first level between two others that cannot be reopened.
    #[cold]
    fn first_lost(&self, from: usize, to: usize, path: &[S::Unit], sys: &S) -> Option<ReopenError> {
        let is_known = |&level: &usize| self.levels[level].identity.is_some();
        for level in (from + 1..to).filter(is_known) {
            match self.open_same(from, level, path, sys) {
                Ok(dir) => sys.close(dir),
                Err(reason) => return Some(ReopenError { level, reason }),
            }
        }
        None
    }

    /// Releases one directory: not the topmost, not that of the level `keep`, and not the first
    /// that is open. Returns whether one was released.
    fn release_one(&mut self, keep: usize, sys: &S) -> bool {
        let topmost = self.levels.len().saturating_sub(1);
        let mut best: Option<(usize, usize, usize)> = None;
        for at in 1..self.open.len() {
            let (shallower, index) = (self.open[at - 1], self.open[at]);
            if index == topmost || index == keep {
                continue;
            }
            // The one that leaves the smallest gap in proportion to its distance.
            let deeper = self.open.get(at + 1).copied().unwrap_or(topmost);
            let (gap, far) = (deeper - shallower, topmost - index);
            if best.is_none_or(|(_, best_gap, best_far)| gap * best_far < best_gap * far) {
                best = Some((index, gap, far));
            }
        }
        best.is_some_and(|(index, ..)| self.release(index, sys))
    }

    /// Releases the directory of a level, unless its identity cannot be determined.
    fn release(&mut self, index: usize, sys: &S) -> bool {
        let level = &mut self.levels[index];
        if level.identity.is_none() {
            level.identity = level.dir().and_then(|dir| identity(dir, sys).ok());
        }
        let is_known = level.identity.is_some();
        if is_known {
            self.close_as(index, DirState::Released, sys);
        }
        is_known
    }

    fn close_as(&mut self, index: usize, state: DirState<S::Dir>, sys: &S) {
        self.uncount(index);
        match std::mem::replace(&mut self.levels[index].dir, state) {
            DirState::Owned(dir) => sys.close(dir),
            DirState::Shared(dir) => {
                if let Some(dir) = Arc::into_inner(dir) {
                    sys.close(dir);
                }
            }
            DirState::Released | DirState::Closed => {}
        }
    }

    /// Counts the directory of a level against the budget no longer.
    fn uncount(&mut self, index: usize) {
        if let Ok(place) = self.open.binary_search(&index) {
            self.open.remove(place);
        }
    }
}

/// Returns the device and the file number of an open directory.
pub(crate) fn identity<S: Sys>(dir: &S::Dir, sys: &S) -> io::Result<Identity> {
    let ask = Ask { fields: Fields::ID | Fields::DEVICE, follow: true };
    Ok(Identity::of(&sys.query_dir(dir, ask)?))
}

/// Returns how much of a path to pass to the system at once.
fn piece<U: Unit>(names: &[U]) -> usize {
    match names.get(LONGEST_PATH) {
        None => names.len(),
        Some(_) => names[..LONGEST_PATH]
            .iter()
            .rposition(|unit| unit.is_separator())
            .filter(|&length| length > 0)
            .unwrap_or(names.len()),
    }
}

impl<S: Sys, T> Index<usize> for Stack<S, T> {
    type Output = Level<S, T>;

    fn index(&self, index: usize) -> &Level<S, T> {
        &self.levels[index]
    }
}

impl<S: Sys, T> IndexMut<usize> for Stack<S, T> {
    fn index_mut(&mut self, index: usize) -> &mut Level<S, T> {
        &mut self.levels[index]
    }
}

impl<S: Sys, T> Level<S, T> {
    /// Returns the directory, if it is open.
    pub(crate) fn dir(&self) -> Option<&S::Dir> {
        self.dir.open()
    }

    /// Returns the directory, if it is open, and the state that the policy keeps for it.
    pub(crate) fn split(&mut self) -> (Option<&S::Dir>, &mut T) {
        (self.dir.open(), &mut self.own)
    }

    /// Shares the open directory with other workers. `None` if it is closed.
    pub(crate) fn share(&mut self) -> Option<Arc<S::Dir>> {
        match std::mem::replace(&mut self.dir, DirState::Closed) {
            DirState::Owned(dir) => self.dir = DirState::Shared(Arc::new(dir)),
            other => self.dir = other,
        }
        match &self.dir {
            DirState::Shared(dir) => Some(Arc::clone(dir)),
            _ => None,
        }
    }

    /// Returns the length of its path.
    pub(crate) fn path_len(&self) -> usize {
        self.path_len
    }

    /// Returns whether subdirectories wait to be entered.
    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting.start < self.waiting.end
    }

    /// Drops the subdirectories that wait.
    pub(crate) fn drop_waiting(&mut self) {
        self.waiting.start = self.waiting.end;
    }

    /// Returns whether its directory was released, and so is listed from its beginning again. Only
    /// for one that was pushed without an identity: a flag would make a deep stack larger.
    pub(crate) fn was_released(&self) -> bool {
        self.identity.is_some()
    }

    fn is_released(&self) -> bool {
        matches!(self.dir, DirState::Released)
    }
}

impl<S: Sys, T> Deref for Level<S, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.own
    }
}

impl<S: Sys, T> DerefMut for Level<S, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.own
    }
}

#[cfg(test)]
mod tests {
    use super::{Links, Stack};
    use crate::sys::{Os, Setup, Sys};
    use std::path::Path;

    #[test]
    fn directory_that_another_worker_uses_stays_open() {
        let sys = Os::start(&Setup::default());
        let mut stack = Stack::new(8, Links::Refuse);
        stack.push(sys.open_place(Path::new(".")).unwrap(), 0, None, ());
        let theirs = stack.top_mut().share();
        assert!(stack.take_top().is_none());
        assert!(stack.top().dir().is_some() && stack.count_open() == 1);
        drop(theirs);
        let dir = stack.take_top().unwrap();
        assert_eq!(stack.count_open(), 0);
        stack.put_top_back(dir);
        assert_eq!(stack.count_open(), 1);
        stack.pop(&sys);
    }
}
