//! What happens when descriptors run out: directories nearest to the operand are closed, and opened
//! again when their turn comes.
//!
//! They are opened again by the names from the nearest directory that is still open, many names in one
//! call where the system can refuse links on the way. As many are opened at once as there may be,
//! nearest first, so that a deep tree costs a bounded number of calls for each directory, and no path
//! is ever longer than the system takes.

use std::io;
use std::path::PathBuf;

use super::cursor::{Cursor, Step};
use super::frame::{Hold, State};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Follow, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Last, Mounts, Opened, Removed, Sys};

/// The longest path, in units, that is given to the system at once: below the limit of any.
const LONGEST: usize = 2048;

impl<S: Sys> Cursor<S> {
    /// Sees to it that one more directory may be open.
    pub(super) fn make_room(&mut self) {
        let last = self.frames.len().saturating_sub(1);
        if self.held >= self.settings.descriptors {
            if let Some(index) = self.frames[..last].iter().position(super::frame::Frame::is_held) {
                self.release(index);
            }
        }
    }

    /// Closes all directories but one. Whether there were any.
    pub(super) fn release_all_but(&mut self, index: usize) -> bool {
        let before = self.held;
        for other in (0..self.frames.len()).filter(|&other| other != index) {
            if self.frames[other].is_held() {
                self.release(other);
            }
        }
        self.held < before
    }

    fn release(&mut self, index: usize) {
        self.close(index);
        self.frames[index].hold = Hold::Released;
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
        let base = self.frames[..index].iter().rposition(|frame| frame.dir().is_some());
        let most = (self.settings.descriptors / 2).max(1);
        let released = base.map_or(0, |base| base + 1)..=index;
        let mut wanted: Vec<usize> =
            released.rev().filter(|&at| self.frames[at].is_released()).take(most).collect();
        let mut from = base;
        while let Some(next) = wanted.pop() {
            match self.open_between(from, next) {
                Opened::Dir(dir) => {
                    self.frames[next].hold = Hold::Own(dir);
                    self.held += 1;
                    from = Some(next);
                }
                Opened::Failed(error) | Opened::Shortage(error) => {
                    self.trouble = Cause::Os(error);
                    return false;
                }
                Opened::Gone | Opened::NotDirectory | Opened::Mount | Opened::Pending => {
                    self.trouble = Cause::Replaced;
                    return false;
                }
            }
        }
        self.frames[index].dir().is_some()
    }

    /// Opens the directory of the frame `to` from that of the frame `from`, or from the operand's path.
    fn open_between(&self, from: Option<usize>, to: usize) -> Opened<S::Dir> {
        let end = self.frames[to].path_len;
        let follow = self.settings.plan.follow == Follow::Links;
        let (mut at, mut last) = match from {
            Some(from) => (self.frames[from].path_len, None),
            None => match self.open_operand() {
                Opened::Dir(dir) => (self.frames[0].path_len, Some(dir)),
                other => return other,
            },
        };
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
            let dir = last.as_ref().or_else(|| from.and_then(|from| self.frames[from].dir()));
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

    /// Opens the operand, as it was typed.
    pub(super) fn open_operand(&self) -> Opened<S::Dir> {
        let end = self.frames.first().map_or(self.path.len(), |frame| frame.path_len);
        let sys = &self.asker.sys;
        let opened = sys.at_path(&S::path(self.path[..end].to_vec()), |from, name| {
            if self.settings.plan.follow == Follow::Never {
                sys.open_child(from, name, Mounts::Cross)
            } else {
                sys.open_below(from, name, true)
            }
        });
        opened.unwrap_or_else(Opened::Failed)
    }

    /// Removes what is told of.
    pub(super) fn remove(&mut self) -> Result<(), Error> {
        let removed = match self.frames.len().checked_sub(1) {
            None => self.remove_operand(),
            Some(index) if !self.reopen(index) => Err(io::ErrorKind::NotFound.into()),
            Some(index) => {
                let name = [&self.path[self.current.name..], &[S::Unit::NUL]].concat();
                match (self.frames[index].dir(), Name::until_nul(&name)) {
                    (Some(dir), Some(name)) => self.remove_child(dir, name),
                    _ => Err(io::ErrorKind::NotFound.into()),
                }
            }
        };
        removed.map_err(|error| {
            Error::new(Operation::Remove, S::path(self.path.clone()), Cause::Os(error))
        })
    }

    fn remove_operand(&self) -> io::Result<()> {
        let operand = S::operand(&S::path(self.path.clone()));
        let Last::Name(name) = operand.last else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let parent = self.asker.sys.open_parent(&operand.parent)?;
        let removed = match Name::until_nul(&name) {
            Some(name) => self.remove_child(&parent, name),
            None => Ok(()),
        };
        self.asker.sys.close(parent);
        removed
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
            Removed::IsDirectory => Err(io::ErrorKind::IsADirectory.into()),
            Removed::Failed(error) => Err(error),
        }
    }

    /// Reports that the rest of a directory is lost.
    pub(super) fn gave_up(&mut self, index: usize) -> Step {
        let cause = std::mem::replace(&mut self.trouble, Cause::Replaced);
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
