//! The directories from the operand to where a traversal is, of which as many are open as may be.
//!
//! When descriptors run out, directories on the way are closed, and opened again when their turn
//! comes: by the names from the nearest directory that is still open, many names in one call where
//! the system can refuse links on the way. They must then be what they were: the same number on the
//! same device. The operand's own directory is never closed, so its path is not resolved a second
//! time.
//!
//! Those that stay open lie closer together the nearer they are, and several are opened again at
//! once. So a directory that was closed costs about 4 calls more at any depth, and no path is ever
//! longer than the system takes.

use std::io;
use std::ops::{Deref, DerefMut, Index, IndexMut, Range};
use std::sync::Arc;

use crate::error::Cause;
use crate::fields::Fields;
use crate::name::{Name, Names, Unit};
use crate::sys::{Ask, Identity, Opened, Sys};

/// The longest path, in units, that is given to the system at once: below the limit of any.
const LONGEST: usize = 2048;

/// The stack of directories, with what a policy keeps of each.
pub(crate) struct Stack<S: Sys, T> {
    levels: Vec<Level<S, T>>,
    /// The names of each level, one level behind the other.
    names: Names<S::Unit>,
    /// The levels whose directory counts against the descriptors, from the operand down.
    held: Vec<usize>,
    /// How many may.
    descriptors: usize,
}

/// One directory of the stack.
pub(crate) struct Level<S: Sys, T> {
    hold: Hold<S::Dir>,
    /// How long its path is.
    path_len: usize,
    /// Which directory it is; known once it was closed, or where the policy asked.
    identity: Option<Identity>,
    /// Where its names begin.
    names: usize,
    /// Where the names of those of its subdirectories lie that wait to be entered.
    waiting: Range<usize>,
    own: T,
}

/// A level, and the names that are kept.
type WithNames<'a, S, T> = (&'a mut Level<S, T>, &'a Names<<S as Sys>::Unit>);

/// How a level has its directory.
enum Hold<D> {
    /// Nobody else uses it.
    Own(D),
    /// Other threads use it, too.
    Shared(Arc<D>),
    /// It is closed, and opened again when its turn comes.
    Released,
    /// It is closed and not needed any more.
    Closed,
}

/// A directory could not be opened again.
pub(crate) struct Lost {
    pub(crate) level: usize,
    pub(crate) why: Why,
}

impl Lost {
    /// The reason to be reported.
    pub(crate) fn into_cause(self) -> Cause {
        match self.why {
            Why::Vanished => Cause::Replaced,
            Why::Shortage(error) => Cause::Os(error),
            Why::Failed(cause) => cause,
        }
    }
}

/// Why a directory could not be opened again.
#[derive(Debug)]
pub(crate) enum Why {
    Vanished,
    /// There is no descriptor, or no memory.
    Shortage(io::Error),
    Failed(Cause),
}

/// How directories are opened again: whether links on the way are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Refuse,
}

/// The way to directories that are opened again.
pub(crate) struct Way<'a, S: Sys> {
    /// The path of the topmost level.
    pub(crate) path: &'a [S::Unit],
    pub(crate) links: Links,
    pub(crate) sys: &'a S,
}

impl<S: Sys, T> Stack<S, T> {
    /// An empty stack that may hold so many directories open.
    pub(crate) fn new(descriptors: usize) -> Self {
        Stack { levels: Vec::new(), names: Names::new(), held: Vec::new(), descriptors }
    }

    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    pub(crate) fn last(&self) -> Option<&Level<S, T>> {
        self.levels.last()
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Level<S, T>> {
        self.levels.last_mut()
    }

    /// The level `floor` and those above it whose directory is open, from there up.
    pub(crate) fn open_from(&self, floor: usize) -> impl Iterator<Item = usize> + '_ {
        let above = self.held.partition_point(|&held| held <= floor);
        std::iter::once(floor).chain(self.held[above..].iter().copied())
    }

    /// Puts a directory that was just opened on top. Its path has this length; which directory it is
    /// may be known.
    pub(crate) fn push(
        &mut self,
        dir: S::Dir,
        path_len: usize,
        identity: Option<Identity>,
        own: T,
    ) {
        self.held.push(self.levels.len());
        self.put(Hold::Own(dir), path_len, identity, own);
    }

    /// Puts a directory on top that somebody else keeps open: the parent of an operand, or the
    /// directory of which another thread has handed over a part. It counts against nothing. The
    /// subdirectories with these names wait in it.
    pub(crate) fn push_base(
        &mut self,
        dir: Arc<S::Dir>,
        path_len: usize,
        waiting: &Names<S::Unit>,
        own: T,
    ) {
        self.put(Hold::Shared(dir), path_len, None, own);
        self.names.append(waiting);
        if let Some(level) = self.levels.last_mut() {
            level.waiting.end = self.names.len();
        }
    }

    fn put(&mut self, hold: Hold<S::Dir>, path_len: usize, identity: Option<Identity>, own: T) {
        let names = self.names.len();
        self.levels.push(Level { hold, path_len, identity, names, waiting: names..names, own });
    }

    /// Takes the topmost level off, forgets its names, and closes its directory.
    pub(crate) fn pop(&mut self, sys: &S) -> Option<T> {
        self.close(self.levels.len().checked_sub(1)?, sys);
        let level = self.levels.pop()?;
        self.names.truncate(level.names);
        Some(level.own)
    }

    /// The topmost level, and the names that are kept, by where they lie.
    pub(crate) fn last_with_names(&mut self) -> Option<WithNames<'_, S, T>> {
        Some((self.levels.last_mut()?, &self.names))
    }

    /// A level, and the names that are kept, by where they lie.
    pub(crate) fn level_with_names(&mut self, index: usize) -> WithNames<'_, S, T> {
        (&mut self.levels[index], &self.names)
    }

    /// The names that are kept, by where they lie.
    pub(crate) fn names(&self) -> &Names<S::Unit> {
        &self.names
    }

    /// Keeps a name for the topmost level, of something that does not wait to be entered. Returns
    /// where it lies.
    pub(crate) fn keep(&mut self, name: Name<'_, S::Unit>) -> usize {
        let at = self.names.push(name);
        if let Some(level) = self.levels.last_mut() {
            level.waiting = self.names.len()..self.names.len();
        }
        at
    }

    /// Keeps the name of a subdirectory of the topmost level that is to be entered in its turn.
    /// Returns where it lies.
    pub(crate) fn wait(&mut self, name: Name<'_, S::Unit>) -> usize {
        let at = self.names.push(name);
        if let Some(level) = self.levels.last_mut() {
            level.waiting.end = self.names.len();
        }
        at
    }

    /// The same, of a name that is kept already.
    pub(crate) fn wait_again(&mut self, kept: usize) -> Option<usize> {
        let name = self.names.get(kept)?.units().to_vec();
        let at = self.names.push_units(&name);
        self.levels.last_mut()?.waiting.end = self.names.len();
        Some(at)
    }

    /// The subdirectory of the topmost level whose name is kept at `kept` is entered next, and no
    /// other one waits.
    pub(crate) fn wait_for(&mut self, kept: usize) {
        let length = self.names.get(kept).map_or(0, |name| name.terminated().len());
        if let Some(level) = self.levels.last_mut() {
            level.waiting = kept..kept + length;
        }
    }

    /// The subdirectory that was told to wait last, whose name lies here, does not.
    pub(crate) fn wait_no_more(&mut self, at: usize) {
        if let Some(level) = self.levels.last_mut() {
            self.names.truncate(at);
            level.waiting.end = at;
        }
    }

    /// Where the name of the next subdirectory of the topmost level lies. It no longer waits.
    pub(crate) fn next_waiting(&mut self) -> Option<usize> {
        let waiting = &mut self.levels.last_mut()?.waiting;
        if waiting.start >= waiting.end {
            return None;
        }
        let at = waiting.start;
        waiting.start += self.names.get(at)?.terminated().len();
        Some(at)
    }

    /// The subdirectory that was taken last, whose name lies here, waits again.
    pub(crate) fn put_back(&mut self, at: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.waiting.start = at;
        }
    }

    /// Forgets the names of the topmost level, if none waits.
    pub(crate) fn clear_names(&mut self) {
        if let Some(level) = self.levels.last_mut().filter(|level| !level.has_waiting()) {
            self.names.truncate(level.names);
            level.waiting = level.names..level.names;
        }
    }

    /// How much room the names of the topmost level take.
    pub(crate) fn names_of_topmost(&self) -> usize {
        self.levels.last().map_or(0, |level| self.names.len() - level.names)
    }

    /// How many subdirectories of a level wait.
    pub(crate) fn count_waiting(&self, index: usize) -> usize {
        let waiting = &self.levels[index].waiting;
        self.names.between(waiting.start, waiting.end).count()
    }

    /// Takes the names of half of the subdirectories of a level that wait, for another thread. `None`
    /// if there are too few. Beside them, how many stay.
    pub(crate) fn split_waiting(&mut self, index: usize) -> Option<(Names<S::Unit>, usize)> {
        let is_topmost = index + 1 == self.levels.len();
        let ours = self.ours(index, self.count_waiting(index));
        let waiting = self.levels[index].waiting.clone();
        let (from, _) = self.names.between(waiting.start, waiting.end).nth(ours)?;
        let theirs = self.names.part(from, waiting.end);
        self.levels[index].waiting.end = from;
        if is_topmost {
            // What is listed next is appended, and must not bring back what was given away.
            self.names.truncate(from);
        }
        Some((theirs, ours))
    }

    /// How many of so many stay with a thread that hands some over: what it is at below counts as one
    /// of its own, unless there is nothing below.
    pub(crate) fn ours(&self, index: usize, count: usize) -> usize {
        if index + 1 == self.levels.len() { count.div_ceil(2) } else { count / 2 }
    }

    /// Takes out the directory of the topmost level. `None` if it is closed, or somebody else still uses it.
    pub(crate) fn take(&mut self) -> Option<S::Dir> {
        let index = self.levels.len().checked_sub(1)?;
        self.forget(index);
        let level = &mut self.levels[index];
        if level.is_released() {
            // It can still be opened again.
            return None;
        }
        match std::mem::replace(&mut level.hold, Hold::Closed) {
            Hold::Own(dir) => Some(dir),
            Hold::Shared(dir) => Arc::into_inner(dir),
            Hold::Released | Hold::Closed => None,
        }
    }

    /// Puts the directory of the topmost level back that was taken out.
    pub(crate) fn give_back(&mut self, dir: S::Dir) {
        if let Some(index) = self.levels.len().checked_sub(1) {
            self.levels[index].hold = Hold::Own(dir);
            self.held.push(index);
        }
    }

    /// Closes the directory of a level for good.
    pub(crate) fn close(&mut self, index: usize, sys: &S) {
        self.let_go(index, Hold::Closed, sys);
    }

    /// Sees to it that one more directory may be opened.
    pub(crate) fn make_room(&mut self, sys: &S) {
        if self.held.len() >= self.descriptors {
            self.release_one(self.levels.len().saturating_sub(1), sys);
        }
    }

    /// Holds fewer directories open from now on, since the system has no descriptor left. Returns
    /// whether one was closed; the topmost and those that are never closed stay open.
    pub(crate) fn hold_fewer(&mut self, sys: &S) -> bool {
        let released = self.release_one(self.levels.len().saturating_sub(1), sys);
        if released {
            self.descriptors = self.held.len().max(1);
        }
        released
    }

    /// Sees to it that the directory of a level is open.
    pub(crate) fn reopen(&mut self, index: usize, way: &Way<'_, S>) -> Result<(), Lost> {
        if self.levels[index].dir().is_some() {
            return Ok(());
        }
        let Some(base) = self.levels[..index].iter().rposition(|level| level.dir().is_some())
        else {
            return Err(Lost { level: index, why: Why::Vanished });
        };
        let mut from = base;
        for next in self.to_open(base, index) {
            if self.held.len() >= self.descriptors {
                self.release_one(from, way.sys);
            }
            let dir = loop {
                match self.open_same(from, next, way) {
                    Ok(dir) => break dir,
                    Err(Why::Shortage(_)) if self.release_one(from, way.sys) => {}
                    Err(why) => {
                        let first = self.first_lost(from, next, way);
                        return Err(first.unwrap_or(Lost { level: next, why }));
                    }
                }
            };
            self.levels[next].hold = Hold::Own(dir);
            let place = self.held.partition_point(|&held| held < next);
            self.held.insert(place, next);
            from = next;
        }
        // One that was closed for good: whoever asks for it again must not be told that it is open.
        let is_open = self.levels[index].dir().is_some();
        debug_assert!(is_open, "level {index} was closed for good");
        if is_open { Ok(()) } else { Err(Lost { level: index, why: Why::Vanished }) }
    }

    /// Which levels are opened on the way to one that is closed: as many of the nearest as make up
    /// half of the descriptors, and farther away some at distances that grow by four.
    fn to_open(&self, base: usize, index: usize) -> Vec<usize> {
        let near = (self.descriptors / 2).max(1);
        let mut wanted: Vec<usize> = (base + 1..=index)
            .rev()
            .filter(|&at| self.levels[at].is_released())
            .take(near)
            .collect();
        let mut distance = near * 4;
        while let Some(at) = index.checked_sub(distance).filter(|&at| at > base) {
            if self.levels[at].is_released() && wanted.last().is_some_and(|&nearer| at < nearer) {
                wanted.push(at);
            }
            distance *= 4;
        }
        wanted.reverse();
        wanted
    }

    /// Opens the directory of the level `to` again, from that of the level `from`.
    fn open_same(&self, from: usize, to: usize, way: &Way<'_, S>) -> Result<S::Dir, Why> {
        let dir = match self.open_between(from, to, way) {
            Opened::Dir(dir) => dir,
            Opened::Gone | Opened::Pending => return Err(Why::Vanished),
            Opened::Shortage(error) => return Err(Why::Shortage(error)),
            Opened::Failed(error) => return Err(Why::Failed(Cause::Os(error))),
            Opened::NotDirectory | Opened::Mount => {
                return Err(Why::Failed(Cause::Replaced));
            }
        };
        let cause = match identity(&dir, way.sys) {
            Ok(identity) if Some(identity) == self.levels[to].identity => return Ok(dir),
            Ok(_) => Cause::Replaced,
            Err(error) => Cause::Os(error),
        };
        way.sys.close(dir);
        Err(Why::Failed(cause))
    }

    /// Opens what has the names that lead from the level `from` to the level `to`.
    fn open_between(&self, from: usize, to: usize, way: &Way<'_, S>) -> Opened<S::Dir> {
        let mut names = &way.path[self.levels[from].path_len..self.levels[to].path_len];
        let mut last: Option<S::Dir> = None;
        loop {
            let (now, later) = names.split_at(piece(names));
            names = later;
            let begin = now.iter().take_while(|unit| unit.is_separator()).count();
            let name = [&now[begin..], &[S::Unit::NUL]].concat();
            let Some(dir) = last.as_ref().or_else(|| self.levels[from].dir()) else {
                return Opened::Gone;
            };
            let Some(name) = Name::until_nul(&name) else { return Opened::Gone };
            let opened = way.sys.open_below(dir, name, way.links == Links::Follow);
            if let Some(before) = last.take() {
                way.sys.close(before);
            }
            match opened {
                Opened::Dir(dir) if !names.is_empty() => last = Some(dir),
                opened => return opened,
            }
        }
    }

    /// Which level between two others is the first that cannot be opened again.
    #[cold]
    fn first_lost(&self, from: usize, to: usize, way: &Way<'_, S>) -> Option<Lost> {
        let is_known = |&level: &usize| self.levels[level].identity.is_some();
        for level in (from + 1..to).filter(is_known) {
            match self.open_same(from, level, way) {
                Ok(dir) => way.sys.close(dir),
                Err(why) => return Some(Lost { level, why }),
            }
        }
        None
    }

    /// Closes one directory for a while, if there is one to spare: not the topmost, not that of the
    /// level `keep`, and not the first that is held. Returns whether there was one.
    fn release_one(&mut self, keep: usize, sys: &S) -> bool {
        let topmost = self.levels.len().saturating_sub(1);
        let mut best: Option<(usize, usize, usize)> = None;
        for at in 1..self.held.len() {
            let (below, index) = (self.held[at - 1], self.held[at]);
            if index == topmost || index == keep {
                continue;
            }
            // The gap that it leaves, in proportion to how far away it is.
            let above = self.held.get(at + 1).copied().unwrap_or(topmost);
            let (gap, far) = (above - below, topmost - index);
            if best.is_none_or(|(_, best_gap, best_far)| gap * best_far < best_gap * far) {
                best = Some((index, gap, far));
            }
        }
        best.is_some_and(|(index, ..)| self.release(index, sys))
    }

    /// Closes the directory of a level for a while. One of which nobody can say which it is stays open.
    fn release(&mut self, index: usize, sys: &S) -> bool {
        let level = &mut self.levels[index];
        if level.identity.is_none() {
            level.identity = level.dir().and_then(|dir| identity(dir, sys).ok());
        }
        let is_known = level.identity.is_some();
        if is_known {
            self.let_go(index, Hold::Released, sys);
        }
        is_known
    }

    fn let_go(&mut self, index: usize, hold: Hold<S::Dir>, sys: &S) {
        self.forget(index);
        match std::mem::replace(&mut self.levels[index].hold, hold) {
            Hold::Own(dir) => sys.close(dir),
            Hold::Shared(dir) => {
                if let Some(dir) = Arc::into_inner(dir) {
                    sys.close(dir);
                }
            }
            Hold::Released | Hold::Closed => {}
        }
    }

    /// It no longer counts against the descriptors.
    fn forget(&mut self, index: usize) {
        if let Ok(place) = self.held.binary_search(&index) {
            self.held.remove(place);
        }
    }
}

/// Which directory it is.
pub(crate) fn identity<S: Sys>(dir: &S::Dir, sys: &S) -> io::Result<Identity> {
    let ask = Ask { fields: Fields::ID | Fields::DEVICE, follow: true, cached: false };
    let facts = sys.query_dir(dir, ask)?;
    Ok(Identity { device: facts.device, file: facts.id })
}

/// How much of some names the system takes at once.
fn piece<U: Unit>(names: &[U]) -> usize {
    match names.get(LONGEST) {
        None => names.len(),
        Some(_) => names[..LONGEST]
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
    /// The open directory, unless it is closed.
    pub(crate) fn dir(&self) -> Option<&S::Dir> {
        match &self.hold {
            Hold::Own(dir) => Some(dir),
            Hold::Shared(dir) => Some(dir),
            Hold::Released | Hold::Closed => None,
        }
    }

    /// The open directory, to be used by other threads, too.
    pub(crate) fn share(&mut self) -> Option<Arc<S::Dir>> {
        match std::mem::replace(&mut self.hold, Hold::Closed) {
            Hold::Own(dir) => self.hold = Hold::Shared(Arc::new(dir)),
            other => self.hold = other,
        }
        match &self.hold {
            Hold::Shared(dir) => Some(Arc::clone(dir)),
            _ => None,
        }
    }

    /// How long its path is.
    pub(crate) fn path_len(&self) -> usize {
        self.path_len
    }

    /// Whether subdirectories wait to be entered.
    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting.start < self.waiting.end
    }

    /// None of its subdirectories waits any more.
    pub(crate) fn drop_waiting(&mut self) {
        self.waiting.start = self.waiting.end;
    }

    fn is_released(&self) -> bool {
        matches!(self.hold, Hold::Released)
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
