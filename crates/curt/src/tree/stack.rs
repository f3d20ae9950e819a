//! The levels: the directories from an operand down to the current entry, of which only some are
//! open.
//!
//! A tree may be deeper than the descriptor limit, and its paths longer than the system accepts. So
//! when the descriptor budget is used up, ancestors are *released*: closed, and reopened when the
//! traversal returns to them (ADR 7). Reopening follows names from the nearest open ancestor,
//! several in one call if the system can refuse symlinks among them. Other processes may rename
//! directories meanwhile, so a reopened directory must have the device and file number of the
//! released one. The operand's own directory is never released, so its path is resolved only once.
//!
//! Reopening one directory at a time from a distant ancestor would take time quadratic in the
//! depth. So open directories are denser near the current one, and one reopening opens several
//! levels. Then a released directory costs about 4 more calls at any depth, and paths remain short.
//!
//! With very few descriptors, paths would be as long as the tree is deep. Then the directory just
//! left remains open until its parent has been reopened from it by `..`. If `..` leads to a
//! different directory, the names are tried. A directory moved by another process is traversed to
//! its end, as if it had always been open.

use std::io;
use std::ops::{Deref, DerefMut, Index, IndexMut, Range};
use std::sync::Arc;

use super::reopen::{ReopenError, ReopenFailure};
use crate::error::Cause;
use crate::fields::Fields;
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::{Identity, Opened, Request, Sys, is_shortage};

/// The maximum path length for one call, in bytes (UTF-16 code units on Windows). Every system
/// accepts at least this much.
const LONGEST_PATH: usize = 2048;

/// With a lower budget, which only a shortage of descriptors causes, parents are reopened by `..`.
const SCARCE: usize = 8;

pub(crate) struct Stack<S: Sys, T> {
    levels: Vec<Level<S, T>>,
    names: Names<S::Unit>,
    /// The levels whose directories count against the budget, shallowest first.
    open: Vec<usize>,
    budget: usize,
    links: Links,
    left: Option<(usize, S::Dir)>,
}

pub(crate) struct Level<S: Sys, T> {
    dir: DirState<S::Dir>,
    path_len: usize,
    /// The identity, once the directory is released or if the caller of `push` knows it.
    identity: Option<Identity>,
    names: usize,
    waiting: Range<usize>,
    own: T,
}

type WithNames<'a, S, T> = (&'a mut Level<S, T>, &'a Names<<S as Sys>::Unit>);

enum DirState<D> {
    Owned(D),
    Shared(Arc<D>),
    /// Closed for now, with the permissions from before its repair.
    Released(Option<u32>),
    Closed,
}

impl<D> DirState<D> {
    fn open(&self) -> Option<&D> {
        match self {
            DirState::Owned(dir) => Some(dir),
            DirState::Shared(dir) => Some(dir),
            DirState::Released(_) | DirState::Closed => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Refuse,
}

impl<S: Sys, T> Stack<S, T> {
    pub(crate) fn new(budget: usize, links: Links) -> Self {
        let (levels, names, open) = (Vec::new(), Names::new(), Vec::new());
        Stack { levels, names, open, budget, links, left: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn count_open(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn last(&self) -> Option<&Level<S, T>> {
        self.levels.last()
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Level<S, T>> {
        self.levels.last_mut()
    }

    pub(crate) fn top(&self) -> &Level<S, T> {
        &self.levels[self.levels.len() - 1]
    }

    pub(crate) fn top_mut(&mut self) -> &mut Level<S, T> {
        let top = self.levels.len() - 1;
        &mut self.levels[top]
    }

    /// Returns the level `floor`, open or not, and all open levels deeper than `floor`.
    pub(crate) fn open_from(&self, floor: usize) -> impl Iterator<Item = usize> + '_ {
        let deeper = self.open.partition_point(|&open| open <= floor);
        std::iter::once(floor).chain(self.open[deeper..].iter().copied())
    }

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

    /// Pushes a directory that is also used elsewhere: the parent of an operand, or a directory of
    /// another worker. It does not count against the budget.
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

    /// Pops the topmost level and closes its directory, unless the parent has to be reopened from
    /// it.
    pub(crate) fn pop(&mut self, sys: &S) -> Option<T> {
        let index = self.levels.len().checked_sub(1)?;
        let is_scarce = self.budget < SCARCE;
        let is_way_up = is_scarce && index > 0 && self.levels[index - 1].dir().is_none();
        if is_way_up && matches!(self.levels[index].dir, DirState::Owned(_)) {
            let left = self.take_top().map(|dir| (index, dir));
            self.keep_left(left, sys);
        } else if !is_way_up {
            self.keep_left(None, sys);
        }
        self.close(index, sys);
        let level = self.levels.pop()?;
        self.names.truncate(level.names);
        Some(level.own)
    }

    fn keep_left(&mut self, left: Option<(usize, S::Dir)>, sys: &S) {
        if let Some((_, dir)) = std::mem::replace(&mut self.left, left) {
            sys.close(dir);
        }
    }

    /// Whether the topmost directory must be reopened to get back its permissions.
    pub(crate) fn owes_permissions(&self) -> bool {
        self.last().is_some_and(|level| matches!(level.dir, DirState::Released(Some(_))))
    }

    pub(crate) fn level_with_names(&mut self, index: usize) -> WithNames<'_, S, T> {
        (&mut self.levels[index], &self.names)
    }

    pub(crate) fn names(&self) -> &Names<S::Unit> {
        &self.names
    }

    /// Stores a name and returns its index. No subdirectory may be waiting yet, because the names
    /// of waiting subdirectories must come last.
    pub(crate) fn store_name(&mut self, name: Name<'_, S::Unit>) -> usize {
        let at = self.names.push(name);
        self.top_mut().waiting = self.names.len()..self.names.len();
        at
    }

    pub(crate) fn add_waiting(&mut self, name: Name<'_, S::Unit>) {
        self.names.push(name);
        self.top_mut().waiting.end = self.names.len();
    }

    pub(crate) fn next_waiting(&mut self) -> Option<usize> {
        let waiting = &mut self.levels.last_mut()?.waiting;
        if waiting.start >= waiting.end {
            return None;
        }
        let at = waiting.start;
        waiting.start += self.names.get(at)?.terminated().len();
        Some(at)
    }

    pub(crate) fn put_back(&mut self, at: usize) {
        self.top_mut().waiting.start = at;
    }

    pub(crate) fn clear_names(&mut self) {
        let level = self.top_mut();
        if !level.has_waiting() {
            let names = level.names;
            level.waiting = names..names;
            self.names.truncate(names);
        }
    }

    pub(crate) fn count_waiting(&self, index: usize) -> usize {
        let waiting = &self.levels[index].waiting;
        self.names.between(waiting.start, waiting.end).count()
    }

    pub(crate) fn split_waiting(&mut self, index: usize) -> Option<Names<S::Unit>> {
        let is_topmost = index + 1 == self.levels.len();
        let ours = self.ours(index, self.count_waiting(index));
        let waiting = self.levels[index].waiting.clone();
        let (from, _) = self.names.between(waiting.start, waiting.end).nth(ours)?;
        let theirs = self.names.part(from, waiting.end);
        self.levels[index].waiting.end = from;
        if is_topmost {
            // The rest of the listing appends its names here.
            self.names.truncate(from);
        }
        Some(theirs)
    }

    /// Returns how many of `count` entries to keep when handing off the others. A subtree in
    /// progress counts as an entry to keep.
    pub(crate) fn ours(&self, index: usize, count: usize) -> usize {
        if index + 1 == self.levels.len() { count.div_ceil(2) } else { count / 2 }
    }

    /// Takes the topmost directory. Returns `None` if it is not open or another worker uses it.
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

    pub(crate) fn put_top_back(&mut self, dir: S::Dir) {
        self.open.push(self.levels.len() - 1);
        self.top_mut().dir = DirState::Owned(dir);
    }

    pub(crate) fn close(&mut self, index: usize, sys: &S) {
        if let Some(dir) = self.take(index) {
            sys.close(dir);
        }
    }

    pub(crate) fn release_if_full(&mut self, sys: &S) {
        if self.open.len() >= self.budget {
            self.release_one(self.levels.len().saturating_sub(1), sys);
        }
    }

    /// After a shortage, releases one directory and lowers the budget. Returns `false` if no
    /// directory can be released.
    pub(crate) fn lower_budget(&mut self, sys: &S) -> bool {
        let released = self.release_one(self.levels.len().saturating_sub(1), sys);
        if released {
            self.budget = self.open.len().max(1);
        }
        released
    }

    /// Reopens the directory of a level. `path` is the path of the topmost level.
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
            self.put_back_open(index, dir, sys);
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
                            // Release the levels just opened. Otherwise a caller that releases a
                            // directory and retries might release only these, again and again.
                            self.release_between(nearest, next, sys);
                        }
                        return Err(lost);
                    }
                }
            };
            self.put_back_open(next, dir, sys);
            from = next;
        }
        let is_open = self.levels[index].dir().is_some();
        debug_assert!(is_open, "level {index} was closed for good");
        let vanished = ReopenError { level: index, reason: ReopenFailure::Vanished };
        is_open.then_some(()).ok_or(vanished)
    }

    fn put_back_open(&mut self, index: usize, dir: S::Dir, sys: &S) {
        let level = &mut self.levels[index];
        let before = if let DirState::Released(before) = level.dir { before } else { None };
        sys.reopened(&dir, before);
        level.dir = DirState::Owned(dir);
        let position = self.open.partition_point(|&open| open < index);
        self.open.insert(position, index);
    }

    /// If descriptors are scarce, opens a level by `..` from a deeper one. Returns `None` if an
    /// open ancestor is nearer or `..` leads to a different directory.
    fn open_from_below(&mut self, index: usize, sys: &S) -> Option<S::Dir> {
        let position = self.open.partition_point(|&open| open < index);
        let deeper = self.open.get(position).copied();
        let from = deeper.or_else(|| self.left.as_ref().map(|&(level, _)| level))?;
        let above = position.checked_sub(1).map_or(0, |position| self.open[position]);
        let is_nearer = from - index <= index - above;
        if self.budget >= SCARCE || !is_nearer || !self.levels[index].is_released() {
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
            match open_names(dir?, &up, true, sys) {
                Opened::Dir(dir) => return self.check_same(dir, index, sys).ok(),
                Opened::Failed(error) if is_shortage(&error) && self.release_one(from, sys) => {}
                _ => return None,
            }
        }
    }

    #[cold]
    fn release_between(&mut self, from: usize, to: usize, sys: &S) {
        for level in from + 1..to {
            if self.levels[level].dir().is_some() {
                self.release(level, sys);
            }
        }
    }

    /// Chooses the levels to open from `open` to `index`. Half of the budget is for the levels
    /// nearest to `index`. Beyond them, distances grow by a factor of four.
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

    /// Reopens the level `to` from the level `from`. Fails if its identity has changed.
    fn open_same(
        &self,
        from: usize,
        to: usize,
        path: &[S::Unit],
        sys: &S,
    ) -> Result<S::Dir, ReopenFailure> {
        let names = &path[self.levels[from].path_len..self.levels[to].path_len];
        let Some(dir) = self.levels[from].dir() else { return Err(ReopenFailure::Vanished) };
        match open_names(dir, names, self.links == Links::Follow, sys) {
            Opened::Dir(dir) => self.check_same(dir, to, sys),
            Opened::Gone | Opened::Pending => Err(ReopenFailure::Vanished),
            Opened::Failed(error) => Err(ReopenFailure::Failed(Cause::Os(error))),
            Opened::NotDirectory | Opened::Mount => Err(ReopenFailure::Failed(Cause::Replaced)),
        }
    }

    fn check_same(&self, dir: S::Dir, index: usize, sys: &S) -> Result<S::Dir, ReopenFailure> {
        let cause = match identity(&dir, sys) {
            Ok(identity) if Some(identity) == self.levels[index].identity => return Ok(dir),
            Ok(_) => Cause::Replaced,
            Err(error) => Cause::Os(error),
        };
        sys.close(dir);
        Err(ReopenFailure::Failed(cause))
    }

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

    /// Releases a directory other than the topmost, the first open one, and the one of level
    /// `keep`. One that another worker uses would remain open, and that worker would take back its
    /// permissions.
    fn release_one(&mut self, keep: usize, sys: &S) -> bool {
        let topmost = self.levels.len().saturating_sub(1);
        let mut best: Option<(usize, usize, usize)> = None;
        for at in 1..self.open.len() {
            let (shallower, index) = (self.open[at - 1], self.open[at]);
            if index == topmost || index == keep || self.levels[index].is_used_elsewhere() {
                continue;
            }
            // Prefer the level with the smallest gap between its open neighbors, relative to its
            // distance from the topmost level.
            let deeper = self.open.get(at + 1).copied().unwrap_or(topmost);
            let (gap, far) = (deeper - shallower, topmost - index);
            if best.is_none_or(|(_, best_gap, best_far)| gap * best_far < best_gap * far) {
                best = Some((index, gap, far));
            }
        }
        best.is_some_and(|(index, ..)| self.release(index, sys))
    }

    /// Closes a directory temporarily. Returns `false` if its identity cannot be determined.
    fn release(&mut self, index: usize, sys: &S) -> bool {
        let level = &mut self.levels[index];
        if level.identity.is_none() {
            level.identity = level.dir().and_then(|dir| identity(dir, sys).ok());
        }
        let is_known = level.identity.is_some();
        if is_known {
            let before = self.take(index).and_then(|dir| sys.close_for_now(dir));
            self.levels[index].dir = DirState::Released(before);
        }
        is_known
    }

    /// Takes a directory from its level, unless another worker uses it.
    fn take(&mut self, index: usize) -> Option<S::Dir> {
        self.uncount(index);
        match std::mem::replace(&mut self.levels[index].dir, DirState::Closed) {
            DirState::Owned(dir) => Some(dir),
            DirState::Shared(dir) => Arc::into_inner(dir),
            DirState::Released(_) | DirState::Closed => None,
        }
    }

    fn uncount(&mut self, index: usize) {
        if let Ok(position) = self.open.binary_search(&index) {
            self.open.remove(position);
        }
    }
}

pub(crate) fn identity<S: Sys>(dir: &S::Dir, sys: &S) -> io::Result<Identity> {
    let request = Request { fields: Fields::ID | Fields::DEVICE, follow: true };
    Ok(Identity::of(&sys.query_dir(dir, request)?))
}

/// Opens a directory by several names, in as few calls as the system's path limit allows.
pub(crate) fn open_names<S: Sys>(
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
    pub(crate) fn dir(&self) -> Option<&S::Dir> {
        self.dir.open()
    }

    pub(crate) fn split(&mut self) -> (Option<&S::Dir>, &mut T) {
        (self.dir.open(), &mut self.own)
    }

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

    pub(crate) fn path_len(&self) -> usize {
        self.path_len
    }

    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting.start < self.waiting.end
    }

    pub(crate) fn drop_waiting(&mut self) {
        self.waiting.start = self.waiting.end;
    }

    /// Returns whether the directory was released. Valid only for a level pushed without an
    /// identity. A separate flag would make a deep stack larger.
    pub(crate) fn was_released(&self) -> bool {
        self.identity.is_some()
    }

    fn is_released(&self) -> bool {
        matches!(self.dir, DirState::Released(_))
    }

    fn is_used_elsewhere(&self) -> bool {
        matches!(&self.dir, DirState::Shared(dir) if Arc::strong_count(dir) > 1)
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
        stack.push(sys.open_for_lookup(Path::new(".")).unwrap(), 0, None, ());
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
