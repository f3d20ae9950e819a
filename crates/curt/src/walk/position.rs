use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

use super::entries::Spare;
use super::frame::Frame;
use super::operand::{self, Operand};
use super::options::{Settings, Walk, with_device};
use super::removal::Removal;
use crate::error::{Cause, Error, Operation, bug};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::gone::Gone;
use crate::querier::{Querier, Subject};
use crate::sys::{Opened, Sys, SystemUnit};
use crate::tree::{Branch, ReopenError};

pub(super) struct Position<S: Sys> {
    pub(super) querier: Querier<S>,
    pub(super) settings: Settings,
    pub(super) branch: Branch<S, Frame>,
    pub(super) operand: Operand<S>,
    pub(super) removal: Removal<S::Unit>,
    pub(super) spare: Spare,
    pub(super) is_boundary: bool,
}

pub(super) trait CurrentEntry {
    fn path(&self) -> Cow<'_, Path>;
    fn relative_path(&self) -> Cow<'_, Path>;
    fn name(&self) -> Cow<'_, OsStr>;
    fn fetch(&mut self, more: Fields, metadata: &mut Metadata);
    fn remove(&mut self, kind: Kind) -> Result<bool, Error>;
    fn is_empty(&mut self) -> Result<bool, Error>;
    fn is_boundary(&self) -> bool;
    fn is_own_ancestor(&mut self, facts: &Facts, is_link: bool) -> bool;
}

impl<S: Sys> Position<S> {
    pub(super) fn new(sys: S, walk: &Walk<'_>, descriptors: usize) -> Self {
        let settings = walk.settings.clone();
        let gone = Gone::new(settings.dry_run && walk.operands.len() > 1);
        Position {
            querier: Querier::new(sys, settings.plan).report_unfollowable_links(),
            branch: Branch::new(settings.limits(), descriptors),
            removal: Removal { gone, remaining: None, freed: 0 },
            spare: Spare::default(),
            settings,
            operand: Operand::default(),
            is_boundary: false,
        }
    }

    pub(super) fn is_operand(&self) -> bool {
        self.branch.stack.len() == 0
    }

    pub(super) fn error(&self, operation: Operation, cause: Cause) -> Error {
        Error::new(operation, self.branch.to_path(), cause)
    }

    pub(super) fn listed_dir(&self) -> Result<&S::Dir, Cause> {
        let dir = self.branch.stack.top().dir();
        dir.ok_or_else(|| bug("a directory was closed while it was listed"))
    }

    fn fetch_below(&mut self, more: Fields, metadata: &mut Metadata) -> Result<(), Cause> {
        let Position { querier, branch, settings, .. } = self;
        branch.reopen(&querier.sys).map_err(ReopenError::into_cause)?;
        let (dir, name) = branch.parent_and_name()?;
        let (path, follow) = (|| branch.to_path(), settings.follows_all());
        querier.fetch(&Subject { dir, name, path: &path, follow }, more, metadata);
        Ok(())
    }

    fn remove_below(&mut self, kind: Kind) -> Result<bool, Cause> {
        let Position { querier: Querier { sys, .. }, branch, removal, settings, .. } = self;
        branch.reopen(sys).map_err(ReopenError::into_cause)?;
        let (dir, name) = branch.parent_and_name()?;
        let was_there = removal.remove(dir, name, kind, settings, sys).map_err(Cause::Os)?;
        let remaining = &mut branch.stack.top_mut().remaining;
        *remaining = remaining.saturating_sub(1);
        Ok(was_there)
    }

    fn open(&mut self) -> Result<Opened<S::Dir>, Cause> {
        let Position { querier: Querier { sys, .. }, branch, settings, operand, .. } = self;
        if branch.stack.len() == 0 {
            return operand.reopen(&branch.to_path(), settings, sys);
        }
        branch.reopen(sys).map_err(ReopenError::into_cause)?;
        let (dir, name) = branch.parent_and_name()?;
        Ok(operand::open(dir, name, settings.follows_all(), sys))
    }
}

fn as_path(text: Cow<'_, OsStr>) -> Cow<'_, Path> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}

impl<S: Sys> CurrentEntry for Position<S> {
    fn path(&self) -> Cow<'_, Path> {
        as_path(S::Unit::text(self.branch.path.units()))
    }

    fn relative_path(&self) -> Cow<'_, Path> {
        as_path(S::Unit::text(self.branch.path.relative()))
    }

    fn name(&self) -> Cow<'_, OsStr> {
        S::Unit::text(self.branch.name())
    }

    fn fetch(&mut self, more: Fields, metadata: &mut Metadata) {
        let more = with_device(more);
        if self.is_operand() {
            let Position { querier, branch, operand, settings, .. } = self;
            return operand.fetch(&branch.to_path(), more, settings, querier, metadata);
        }
        let unknown = more.without(metadata.requested | metadata.facts.known);
        if unknown.is_empty() {
            metadata.requested |= more;
        } else if let Err(cause) = self.fetch_below(more, metadata) {
            metadata.requested |= more;
            metadata.fail(unknown, self.error(Operation::Stat, cause));
        }
    }

    fn remove(&mut self, kind: Kind) -> Result<bool, Error> {
        let removed = if self.is_operand() {
            let Position { querier, branch, operand, removal, settings, .. } = self;
            operand.remove(&branch.to_path(), kind, removal, settings, &querier.sys)
        } else {
            self.remove_below(kind)
        };
        removed.map_err(|cause| self.error(Operation::Remove, cause))
    }

    fn is_empty(&mut self) -> Result<bool, Error> {
        if let Some(remaining) = self.removal.remaining {
            return Ok(remaining == 0);
        }
        let opened = self.open().map_err(|cause| (Operation::OpenDirectory, cause));
        let empty = opened.and_then(|opened| self.removal.is_empty(opened, &self.querier.sys));
        empty.map_err(|(operation, cause)| self.error(operation, cause))
    }

    fn is_boundary(&self) -> bool {
        self.is_boundary
    }

    fn is_own_ancestor(&mut self, facts: &Facts, is_link: bool) -> bool {
        self.branch.is_own_ancestor(facts, is_link, &self.querier.sys)
    }
}
