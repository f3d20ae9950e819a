//! The operand of a walk, and what is lost or removed on the way.

use std::io;

use super::cursor::{Cursor, Step};
use super::frame::State;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Follow, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Last, Mounts, Opened, Operand, Removed, Sys, os_error};
use crate::tree::{Links, Lost, Way};

/// The directory that an operand lies in, and its name there.
pub(super) struct Parent<S: Sys> {
    pub(super) dir: S::Dir,
    pub(super) name: Vec<S::Unit>,
    /// It was typed with a separator behind it, so that a link is followed.
    pub(super) directory_only: bool,
}

impl<S: Sys> Cursor<S> {
    /// Sees to it that the directory of a frame is open.
    pub(super) fn reopen(&mut self, index: usize) -> Result<(), Lost> {
        let links = if self.follows_all() { Links::Follow } else { Links::Refuse };
        self.stack.reopen(index, &Way { path: self.path.units(), links, sys: &self.asker.sys })
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
        let opened = sys
            .at_path(&S::path(self.path.units().to_vec()), |from, name| open(from, name, follow));
        opened.unwrap_or_else(Opened::Failed)
    }

    /// Opens the directory that the operand is to be removed from, before what the operand holds is walked.
    pub(super) fn open_parent(&mut self) -> io::Result<()> {
        let Operand { parent, last, directory_only } =
            S::operand(&S::path(self.path.units().to_vec()));
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
        let removed = match self.stack.len().checked_sub(1) {
            None => self.remove_operand().map_err(Cause::Os),
            Some(index) => self.remove_below(index),
        };
        removed.map_err(|cause| {
            Error::new(Operation::Remove, S::path(self.path.units().to_vec()), cause)
        })
    }

    fn remove_below(&mut self, index: usize) -> Result<(), Cause> {
        self.reopen(index).map_err(Lost::into_cause)?;
        let name = [&self.path.units()[self.current.name..], &[S::Unit::NUL]].concat();
        match (self.stack[index].dir(), Name::until_nul(&name)) {
            (Some(dir), Some(name)) => self.remove_child(dir, name).map_err(Cause::Os),
            _ => Err(Cause::Os(os_error(io::ErrorKind::NotFound))),
        }
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

    /// Reports that the rest of a directory is lost, and of all those below it on the stack.
    pub(super) fn gave_up(&mut self, lost: Lost) -> Step {
        let path = self.path.units()[..self.stack[lost.level].path_len()].to_vec();
        for index in lost.level..self.stack.len() {
            let frame = &mut self.stack[index];
            frame.drop_waiting();
            frame.next_stored = frame.stored.len();
            frame.later.clear();
            if frame.state == State::Listing {
                frame.state = State::Entering;
            }
        }
        Step::Error(Error::new(Operation::OpenDirectory, S::path(path), lost.into_cause()))
    }
}
