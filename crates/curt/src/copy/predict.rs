//! What a dry run tells about one entry.

use std::io;

use super::entry::Made;
use super::options::Method;
use super::place::{Existed, NewName};
use super::worker::{Ends, Failure, To, Worker};
use crate::error::Operation;
use crate::fields::{Fields, Kind};
use crate::sys::copying::{COPIED, Copying};
use crate::sys::{OsError, os_error};

impl<S: Copying> Worker<'_, S> {
    pub(super) fn predict(&mut self, at: &Ends<'_, S>, kind: Kind) -> Result<Made, Failure> {
        if kind == Kind::Directory {
            return Ok(Made::Directory);
        }
        let facts = self.query_source(at, COPIED)?;
        if facts.kind == Kind::Directory {
            return Ok(Made::Directory);
        }
        let methods = &self.shared.options.methods;
        let links = methods.first() == Some(&Method::HardLink) && !(at.follow && kind.is_link());
        let (from_device, to_device) = at.devices(at.device);
        let is_hard_link = links && from_device == to_device;
        if !is_hard_link {
            self.check_special(at, facts.kind)?;
        }
        let link = if is_hard_link { NewName::OfSource } else { NewName::No };
        let existed = self.meet_existing(at, &facts, link);
        if let Ok(Some(Existed::Kept)) = existed {
            return Ok(Made::Skipped);
        }
        if facts.kind == Kind::File && !is_hard_link {
            self.check_readable(at)?;
        }
        existed?;
        if let To::Dir(to, _) = at.to {
            self.may_create(to, Operation::CreateFile)?;
        }
        if is_hard_link {
            return Ok(Made::File(0, Some(Method::HardLink)));
        }
        if links && methods.len() == 1 {
            return Err(Failure::target(Operation::CreateLink, OsError::OtherDevice.error()));
        }
        let several = self.with_several_names(at, &facts);
        let is_again = several.is_some_and(|source| !self.shared.links.is_first(source));
        let has_content = facts.kind == Kind::File && !is_again;
        Ok(Made::File(if has_content { facts.size } else { 0 }, None))
    }

    fn check_readable(&self, at: &Ends<'_, S>) -> Result<(), Failure> {
        let opening = |error| Failure::source(Operation::Open, error);
        let may = self.sys.may(at.from, at.name, Fields::READABLE).map_err(opening)?;
        let denied = || opening(os_error(io::ErrorKind::PermissionDenied));
        may.contains(Fields::READABLE).then_some(()).ok_or_else(denied)
    }

    /// Predicts whether an entry could be created in a directory.
    pub(super) fn may_create(&self, to: &S::Dir, operation: Operation) -> Result<(), Failure> {
        let wanted = Fields::WRITABLE | Fields::EXECUTABLE;
        let may = self.sys.may(to, S::ITSELF, wanted);
        match may.map_err(|error| Failure::target(operation, error))? {
            may if may.contains(wanted) => Ok(()),
            _ => Err(Failure::target(operation, os_error(io::ErrorKind::PermissionDenied))),
        }
    }
}
