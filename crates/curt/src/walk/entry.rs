//! What a consumer may do with the current entry: ask for more about it, or remove it.

use std::borrow::Cow;
use std::ffi::OsStr;

use super::cursor::Cursor;
use super::operand;
use crate::ask::Subject;
use crate::error::{Cause, Error, Operation};
use crate::fields::Fields;
use crate::sys::{Sys, SystemUnit};
use crate::tree::ReopenError;

impl<S: Sys> Cursor<S> {
    /// Its path.
    pub(super) fn text(&self) -> Cow<'_, OsStr> {
        S::Unit::text(self.branch.path.units())
    }

    /// The last part of its path; the whole operand for an operand.
    pub(super) fn name(&self) -> Cow<'_, OsStr> {
        S::Unit::text(self.branch.name())
    }

    fn is_operand(&self) -> bool {
        self.branch.stack.len() == 0
    }

    /// Asks for more about it.
    pub(super) fn fetch(&mut self, more: Fields) {
        if self.metadata.requested.contains(more) {
            return;
        }
        let follow = self.settings.follows_all();
        if self.is_operand() {
            let path = self.path();
            let Cursor { asker, operand, settings, metadata, .. } = self;
            return operand.fetch(&path, more, settings, asker, metadata);
        }
        let reopened = self.branch.reopen(&self.asker.sys).map_err(ReopenError::into_cause);
        let Cursor { asker, branch, metadata, .. } = self;
        let path = || S::Unit::path(branch.path.units().to_vec());
        match reopened.and_then(|()| branch.place()) {
            Ok((dir, name)) => {
                asker.fetch(&Subject { dir, name, path: &path, follow }, more, metadata);
            }
            Err(cause) => {
                metadata.requested |= more;
                metadata.fail(more, Error::new(Operation::Stat, path(), cause));
            }
        }
    }

    /// Removes it.
    pub(super) fn remove(&mut self) -> Result<(), Error> {
        let removed = if self.is_operand() {
            let (path, kind) = (self.path(), self.metadata.facts.kind);
            self.operand.remove(&path, kind, &self.asker.sys)
        } else {
            self.remove_below()
        };
        removed.map_err(|cause| Error::new(Operation::Remove, self.path(), cause))
    }

    fn remove_below(&mut self) -> Result<(), Cause> {
        let (sys, kind) = (&self.asker.sys, self.metadata.facts.kind);
        self.branch.reopen(sys).map_err(ReopenError::into_cause)?;
        let (dir, name) = self.branch.place()?;
        operand::remove_child(dir, name, kind, sys).map_err(Cause::Os)
    }

    /// Whether the current entry is a mount of one of its ancestors. Makes calls only for mounts.
    #[inline]
    pub(super) fn is_mounted_ancestor(&mut self) -> bool {
        self.branch.leads_back(&self.metadata.facts, &self.asker.sys)
    }
}
