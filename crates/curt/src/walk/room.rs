//! What happens when descriptors run out: directories near the operand are closed, and opened again when
//! their turn comes.
//!
//! They are opened again by the names from the nearest directory that is still open, many names in one
//! call where the system can refuse links on the way, and must then be what they were: the same number
//! on the same device. The operand's own directory is never closed, so its path is not resolved a second
//! time. As many are opened at once as there may be, nearest first, so that a deep tree costs a bounded
//! number of calls for each directory, and no path is ever longer than the system takes.

use std::io;
use std::path::PathBuf;

use super::cursor::{Cursor, Step};
use super::frame::{Hold, State};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Follow, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Ask, Last, Mounts, Opened, Operand, Removed, Sys, os_error};

/// The longest path, in units, that is given to the system at once: below the limit of any.
const LONGEST: usize = 2048;

/// The directory that an operand lies in, and its name there.
pub(super) struct Parent<S: Sys> {
    pub(super) dir: S::Dir,
    pub(super) name: Vec<S::Unit>,
    /// It was typed with a separator behind it, so that a link is followed.
    pub(super) directory_only: bool,
}

impl<S: Sys> Cursor<S> {
    /// Sees to it that one more directory may be open.
    pub(super) fn make_room(&mut self) {
        let last = self.frames.len().saturating_sub(1);
        if self.held >= self.settings.descriptors {
            if let Some(index) = (1..last).find(|&index| self.frames[index].is_held()) {
                self.release(index);
            }
        }
    }

    /// Closes all directories but the operand's and one more. Whether there were any.
    pub(super) fn release_all_but(&mut self, index: usize) -> bool {
        let before = self.held;
        for other in (1..self.frames.len()).filter(|&other| other != index) {
            if self.frames[other].is_held() {
                self.release(other);
            }
        }
        self.held < before
    }

    /// Closes the directory of a frame for a while. One of which nobody can say which it is stays open.
    fn release(&mut self, index: usize) {
        let frame = &self.frames[index];
        let identity = match (frame.identity, frame.dir()) {
            (None, Some(dir)) => self.identity(dir).ok(),
            (known, _) => known,
        };
        if identity.is_some() {
            self.close(index);
            self.frames[index].identity = identity;
            self.frames[index].hold = Hold::Released;
        }
    }

    /// Which directory it is: the numbers of its device and of its own.
    pub(super) fn identity(&self, dir: &S::Dir) -> io::Result<(u64, u128)> {
        let ask = Ask { fields: Fields::ID | Fields::DEVICE, follow: true, cached: false };
        self.asker.sys.query_dir(dir, ask).map(|facts| (facts.device, facts.id))
    }

    /// Closes the directory of a frame for good.
    pub(super) fn close(&mut self, index: usize) {
        self.held -= usize::from(self.frames[index].is_held());
        match std::mem::replace(&mut self.frames[index].hold, Hold::Closed) {
            Hold::Own(dir) => self.asker.sys.close(dir),
            Hold::Shared(dir) => {
                if let Some(dir) = std::sync::Arc::into_inner(dir) {
                    self.asker.sys.close(dir);
                }
            }
            Hold::Released | Hold::Closed => {}
        }
    }

    /// Sees to it that the directory of a frame is open. `false` if it could not be opened again; then
    /// `trouble` says why.
    pub(super) fn reopen(&mut self, index: usize) -> bool {
        if self.frames[index].dir().is_some() {
            return true;
        }
        let Some(base) = self.frames[..index].iter().rposition(|frame| frame.dir().is_some())
        else {
            return false;
        };
        let most = (self.settings.descriptors / 2).max(1);
        let released = base + 1..=index;
        let mut wanted: Vec<usize> =
            released.rev().filter(|&at| self.frames[at].is_released()).take(most).collect();
        let mut from = base;
        while let Some(next) = wanted.pop() {
            match self.open_same(from, next) {
                Ok(dir) => {
                    self.frames[next].hold = Hold::Own(dir);
                    self.held += 1;
                    from = next;
                }
                Err(cause) => {
                    self.trouble = cause;
                    return false;
                }
            }
        }
        self.frames[index].dir().is_some()
    }

    /// Opens the directory of the frame `to` again, from that of the frame `from`.
    fn open_same(&self, from: usize, to: usize) -> Result<S::Dir, Cause> {
        let dir = match self.open_between(from, to) {
            Opened::Dir(dir) => dir,
            Opened::Failed(error) | Opened::Shortage(error) => return Err(Cause::Os(error)),
            Opened::Gone | Opened::NotDirectory | Opened::Mount | Opened::Pending => {
                return Err(Cause::Replaced);
            }
        };
        match self.identity(&dir) {
            Ok(identity) if Some(identity) == self.frames[to].identity => Ok(dir),
            answer => {
                self.asker.sys.close(dir);
                Err(answer.err().map_or(Cause::Replaced, Cause::Os))
            }
        }
    }

    /// Opens what has the names that lead from the frame `from` to the frame `to`.
    fn open_between(&self, from: usize, to: usize) -> Opened<S::Dir> {
        let end = self.frames[to].path_len;
        let follow = self.settings.plan.follow == Follow::Links;
        let (mut at, mut last) = (self.frames[from].path_len, None);
        while at < end {
            let rest = &self.path[at..end];
            let length = match rest.get(LONGEST) {
                None => rest.len(),
                Some(_) => rest[..LONGEST]
                    .iter()
                    .rposition(|unit| unit.is_separator())
                    .filter(|&length| length > 0)
                    .unwrap_or(rest.len()),
            };
            let begin = rest[..length].iter().take_while(|unit| unit.is_separator()).count();
            let name = [&rest[begin..length], &[S::Unit::NUL]].concat();
            at += length;
            let dir = last.as_ref().or_else(|| self.frames[from].dir());
            let (Some(dir), Some(name)) = (dir, Name::until_nul(&name)) else {
                return Opened::Gone;
            };
            let opened = self.asker.sys.open_below(dir, name, follow);
            if let Some(before) = last.take() {
                self.asker.sys.close(before);
            }
            match opened {
                Opened::Dir(dir) => last = Some(dir),
                other => return other,
            }
        }
        last.map_or(Opened::Gone, Opened::Dir)
    }

    /// Opens the operand, as it was typed; from its parent where that is open.
    pub(super) fn open_operand(&self) -> Opened<S::Dir> {
        let sys = &self.asker.sys;
        let follow = self.settings.plan.follow != Follow::Never;
        let open = |from: &S::Dir, name: Name<'_, S::Unit>, follow: bool| {
            if follow {
                sys.open_below(from, name, true)
            } else {
                sys.open_child(from, name, Mounts::Cross)
            }
        };
        if let Some(Parent { dir, name, directory_only }) = &self.parent {
            return match Name::until_nul(name) {
                Some(name) => open(dir, name, follow || *directory_only),
                None => Opened::Gone,
            };
        }
        let opened =
            sys.at_path(&S::path(self.path.clone()), |from, name| open(from, name, follow));
        opened.unwrap_or_else(Opened::Failed)
    }

    /// Opens the directory that the operand is to be removed from, before what the operand holds is walked.
    pub(super) fn open_parent(&mut self) -> io::Result<()> {
        let Operand { parent, last, directory_only } = S::operand(&S::path(self.path.clone()));
        if let Last::Name(name) = last {
            let dir = self.asker.sys.open_parent(&parent)?;
            self.parent = Some(Parent { dir, name, directory_only });
        }
        Ok(())
    }

    pub(super) fn close_parent(&mut self) {
        if let Some(parent) = self.parent.take() {
            self.asker.sys.close(parent.dir);
        }
    }

    /// Removes what is told of.
    pub(super) fn remove(&mut self) -> Result<(), Error> {
        let removed = match self.frames.len().checked_sub(1) {
            None => self.remove_operand().map_err(Cause::Os),
            Some(index) if !self.reopen(index) => Err(self.take_trouble()),
            Some(index) => {
                let name = [&self.path[self.current.name..], &[S::Unit::NUL]].concat();
                match (self.frames[index].dir(), Name::until_nul(&name)) {
                    (Some(dir), Some(name)) => self.remove_child(dir, name).map_err(Cause::Os),
                    _ => Err(Cause::Os(os_error(io::ErrorKind::NotFound))),
                }
            }
        };
        removed.map_err(|cause| Error::new(Operation::Remove, S::path(self.path.clone()), cause))
    }

    /// From its parent, which is open where the operand was walked before it was told of.
    fn remove_operand(&mut self) -> io::Result<()> {
        if self.parent.is_none() {
            self.open_parent()?;
        }
        let Some(Parent { dir, name, .. }) = &self.parent else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        match Name::until_nul(name) {
            Some(name) => self.remove_child(dir, name),
            None => Ok(()),
        }
    }

    fn remove_child(&self, dir: &S::Dir, name: Name<'_, S::Unit>) -> io::Result<()> {
        let kind = self.metadata.facts.kind;
        if kind == Kind::Directory {
            return match self.asker.sys.remove_empty_dir(dir, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
        }
        match self.asker.sys.remove_child(dir, name, kind) {
            Removed::Done | Removed::Gone | Removed::Pending => Ok(()),
            Removed::IsDirectory => Err(os_error(io::ErrorKind::IsADirectory)),
            Removed::Failed(error) => Err(error),
        }
    }

    /// Why a directory could not be opened again.
    pub(super) fn take_trouble(&mut self) -> Cause {
        std::mem::replace(&mut self.trouble, Cause::Replaced)
    }

    /// Reports that the rest of a directory is lost.
    pub(super) fn gave_up(&mut self, index: usize) -> Step {
        let cause = self.take_trouble();
        let frame = &mut self.frames[index];
        frame.next = frame.end;
        frame.next_stored = frame.stored.len();
        frame.later.clear();
        if frame.state == State::Listing {
            frame.state = State::Entering;
        }
        let path: PathBuf = S::path(self.path[..frame.path_len].to_vec());
        Step::Error(Error::new(Operation::OpenDirectory, path, cause))
    }
}
