//! What a consumer may do with the entry that it is told of: ask for more about it, or remove it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;

use super::cursor::Cursor;
use super::{loops, operand};
use crate::ask::Subject;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Kind};
use crate::name::{Name, Unit};
use crate::sys::{Ask, Identity, Sys, SystemUnit, os_error};
use crate::tree::ReopenError;

/// What is being told of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Current {
    pub(super) depth: usize,
    /// Where its name begins in the path.
    pub(super) name: usize,
    pub(super) place: Place,
}

/// Where more can be asked about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// By its path.
    #[default]
    Path,
    /// In the buffer, below the topmost directory.
    Buffer(usize),
    /// Among the names that are kept, below the topmost directory.
    Kept(usize),
}

impl<S: Sys> Cursor<S> {
    /// Its path.
    pub(super) fn text(&self) -> Cow<'_, OsStr> {
        S::Unit::text(self.path.units())
    }

    /// The last part of the path; the whole operand for an operand.
    pub(super) fn name(&self) -> Cow<'_, OsStr> {
        S::Unit::text(&self.path.units()[self.current.name..])
    }

    /// Its name in the topmost directory, terminated.
    fn terminated_name(&self) -> Vec<S::Unit> {
        [&self.path.units()[self.current.name..], &[S::Unit::NUL]].concat()
    }

    /// Asks for more about it.
    pub(super) fn fetch(&mut self, more: Fields) {
        if self.metadata.requested.contains(more) {
            return;
        }
        let Some(index) = self.stack.len().checked_sub(1) else {
            let path = self.path();
            let Cursor { parent, settings, asker, metadata, .. } = self;
            return parent.fetch(&path, more, settings, asker, metadata);
        };
        if let Err(lost) = self.reopen(index) {
            let error = Error::new(Operation::Stat, self.path(), lost.into_cause());
            self.metadata.requested |= more;
            self.metadata.has_more = true;
            self.metadata.failed.push((more, error));
            return;
        }
        let (follow, last) = (self.follows_all(), self.terminated_name());
        let Cursor { asker, stack, path, metadata, reader, current, .. } = self;
        let name = match current.place {
            Place::Buffer(at) => reader.name(at),
            Place::Kept(at) => stack.names().get(at),
            Place::Path => Name::until_nul(&last),
        };
        let path = || S::Unit::path(path.units().to_vec());
        if let (Some(name), Some(dir)) = (name, stack[index].dir()) {
            asker.fetch(&Subject { dir, name, path: &path, follow }, more, metadata);
        }
    }

    /// Removes it.
    pub(super) fn remove(&mut self) -> Result<(), Error> {
        let removed = match self.stack.len().checked_sub(1) {
            None => {
                let (path, kind) = (self.path(), self.metadata.facts.kind);
                self.parent.remove_operand(&path, kind, &self.asker.sys).map_err(Cause::Os)
            }
            Some(index) => self.remove_below(index),
        };
        removed.map_err(|cause| Error::new(Operation::Remove, self.path(), cause))
    }

    fn remove_below(&mut self, index: usize) -> Result<(), Cause> {
        self.reopen(index).map_err(ReopenError::into_cause)?;
        let name = self.terminated_name();
        let (Some(dir), Some(name)) = (self.stack[index].dir(), Name::until_nul(&name)) else {
            return Err(Cause::Os(os_error(io::ErrorKind::NotFound)));
        };
        let kind = self.metadata.facts.kind;
        operand::remove_child(dir, name, kind, &self.asker.sys).map_err(Cause::Os)
    }

    /// Whether it is a directory above it, mounted there or above there. No call for anything but
    /// mounts, and what lies below one of the same file system.
    #[inline]
    pub(super) fn is_mounted_ancestor(&mut self) -> bool {
        let facts = &self.metadata.facts;
        if facts.kind != Kind::Directory {
            return false;
        }
        if facts.is_mount {
            return self.is_ancestor();
        }
        !self.loops.is_empty()
            && facts.known.contains(Fields::ID | Fields::DEVICE)
            && self.loops.contain(Identity { device: facts.device, file: facts.id })
    }

    #[cold]
    fn is_ancestor(&mut self) -> bool {
        let Some(index) = self.stack.len().checked_sub(1) else { return false };
        if self.reopen(index).is_err() {
            return false;
        }
        let (name, sys) = (self.terminated_name(), &self.asker.sys);
        let level = &self.stack[index];
        let (Some(dir), Some(name)) = (level.dir(), Name::until_nul(&name)) else {
            return false;
        };
        let fields = Fields::ID | Fields::DEVICE;
        let ask = Ask { fields, follow: false, cached: false };
        let Ok(facts) = sys.query(dir, name, ask) else { return false };
        let identity = Identity { device: facts.device, file: facts.id };
        self.loops.contain(identity)
            || loops::above(level, sys).is_ok_and(|above| above.contains(&identity))
    }
}
