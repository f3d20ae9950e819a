//! Creates a destination, or replaces what is there.

use std::io;

use super::options::Existing;
use super::shared::{Place, Shared};
use super::worker::{Ends, Failure, To, Worker, to_path};
use crate::control::Answer;
use crate::error::{CopyRefusal, Operation, bug};
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, NameBuf, Unit};
use crate::sys::copying::{COPIED, Copying, End};
use crate::sys::{Identity, OsError, Request, SystemUnit, is_loop, is_missing, os_error};

/// Whether a destination becomes another name of a file that exists.
#[derive(Clone, Copy)]
pub(super) enum NewName {
    No,
    OfSource,
    OfCopy(Identity),
}

/// What happens to an existing destination.
pub(super) enum Existed {
    Kept,
    /// A copy of the content takes its place, with the permissions of this file.
    Replaced(Facts),
    /// The copy gets its own permissions, as if the old entry was removed first.
    ReplacedAnew,
}

impl<S: Copying> Worker<'_, S> {
    /// Creates a destination by `make`. If it exists and is to be replaced, creates it under
    /// another name first, so that the old entry remains until the new one is complete. Returns
    /// `None` if the old entry is kept.
    pub(super) fn place<T>(
        &mut self,
        at: &Ends<'_, S>,
        facts: Option<&Facts>,
        link: NewName,
        mut make: impl FnMut(
            &mut Self,
            &S::Dir,
            Name<'_, S::Unit>,
            Option<&Facts>,
        ) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let To::Dir(to, place) = at.to else {
            let cause = bug("a file is created in no directory");
            return Err(Failure { operation: Operation::Copy, end: End::Target, cause });
        };
        let existing = match make(self, to, at.fresh, None) {
            Err(failure) if failure.is_existing() => failure,
            made => return made.map(Some),
        };
        let old = match self.replaceable(at, (to, place), facts, link, existing)? {
            Existed::Kept => return Ok(None),
            Existed::ReplacedAnew => None,
            Existed::Replaced(old) => Some(old),
        };
        let temporary =
            self.temporary_name().map_err(|error| Failure::target(Operation::CreateFile, error))?;
        let made = make(self, to, temporary.as_name(), old.as_ref())?;
        if let Err(error) = self.sys.replace(to, temporary.as_name(), at.fresh) {
            let _ = self.sys.remove_child(to, temporary.as_name(), Kind::Unknown);
            return Err(Failure::target(Operation::Rename, error));
        }
        Ok(Some(made))
    }

    fn temporary_name(&mut self) -> io::Result<NameBuf<S::Unit>> {
        self.next_temporary = self.next_temporary.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let text = format!(".curt-{:016x}", self.next_temporary);
        NameBuf::new(text.bytes().map(S::Unit::ascii).collect())
    }

    /// Looks for an existing destination, and decides what happens to it.
    pub(super) fn meet_existing(
        &mut self,
        at: &Ends<'_, S>,
        facts: &Facts,
        link: NewName,
    ) -> Result<Option<Existed>, Failure> {
        let To::Dir(to, place) = at.to else { return Ok(None) };
        match self.sys.query(to, at.fresh, Request { fields: Fields::KIND, follow: false }) {
            Ok(_) => {
                let exists = Failure::target(Operation::CreateFile, OsError::Exists.error());
                self.replaceable(at, (to, place), Some(facts), link, exists).map(Some)
            }
            // The copy from another source of this name would exist by now.
            Err(error) if error.kind() == io::ErrorKind::NotFound && place.is_new => {
                Err(Failure::refused(CopyRefusal::JustCreated, to_path(at.target)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::target(Operation::Stat, error)),
        }
    }

    /// Decides what happens to an existing destination.
    fn replaceable(
        &mut self,
        at: &Ends<'_, S>,
        (to, place): (&S::Dir, &Place<S>),
        facts: Option<&Facts>,
        link: NewName,
        existing: Failure,
    ) -> Result<Existed, Failure> {
        let Shared { options, notifier, .. } = self.shared;
        if place.is_new {
            return Err(Failure::refused(CopyRefusal::JustCreated, to_path(at.target)));
        }
        let is_refused = |is_link| {
            matches!(options.existing, Existing::Fail | Existing::Merge)
                || is_link && !options.links_replace
        };
        // Without facts, it is the copy of a symlink.
        let is_link = facts.is_none_or(|facts| facts.kind.is_link());
        if matches!(link, NewName::No) && is_refused(is_link) {
            return Err(existing);
        }
        let request = Request { fields: COPIED, follow: false };
        let old = self.sys.query(to, at.fresh, request);
        let old = old.map_err(|error| Failure::target(Operation::Stat, error))?;
        if old.kind == Kind::Directory {
            return Err(Failure::refused(CopyRefusal::FileOverDirectory, to_path(at.target)));
        }
        let source = match facts {
            Some(facts) => *facts,
            None => self.query_source(at, COPIED)?,
        };
        let wanted = match link {
            NewName::OfCopy(copy) => Some(copy),
            _ => Identity::known(&source),
        };
        let is_same = wanted.is_some_and(|wanted| Identity::known(&old) == Some(wanted));
        if is_same && !matches!(link, NewName::No) {
            return Ok(Existed::Kept);
        }
        if is_refused(source.kind.is_link()) {
            return Err(existing);
        }
        if options.existing == Existing::Keep {
            return Ok(Existed::Kept);
        }
        let is_link_to =
            source.kind.is_link() && old.kind == Kind::File && self.leads_to(at, &old)?;
        if is_same || is_link_to {
            return Err(Failure::refused(CopyRefusal::SameEntry, to_path(at.target)));
        }
        let is_kept = match options.existing {
            // As with `cp -u`, only a name of the copy is up to date.
            _ if matches!(link, NewName::OfCopy(_)) => false,
            Existing::ReplaceOlder => old.modified >= source.modified,
            Existing::ReplaceChanged => {
                (old.kind, old.size, old.modified) == (source.kind, source.size, source.modified)
            }
            _ => false,
        };
        if is_kept {
            // As with `cp -u`, further names of the source become names of it, unless it is a
            // stranger's file.
            if old.user_id == source.user_id || self.sys.is_own(&old) {
                self.remember(at, |_| Ok(old));
            }
            return Ok(Existed::Kept);
        }
        if self.is_special(to, at.fresh, old.kind)? {
            return Err(Failure::refused(CopyRefusal::Special, to_path(at.target)));
        }
        if let Some(ask) = &options.confirm {
            let (from, to) = (to_path(at.source), to_path(at.target));
            if notifier.stop.ask(Answer::No, || ask(&from, &to)) != Answer::Yes {
                return Ok(Existed::Kept);
            }
        }
        // Only content is written to a file. Other entries take its place, as with `cp`.
        let has_content =
            source.kind == Kind::File || self.reads_special_files() && !source.kind.is_link();
        if !has_content || old.kind != Kind::File {
            return Ok(Existed::ReplacedAnew);
        }
        let may_write = self.sys.may_write(to, at.fresh, old.kind);
        if may_write.map_err(|error| Failure::target(Operation::Access, error))? {
            return Ok(Existed::Replaced(old));
        }
        if !options.replace_read_only {
            let denied = os_error(io::ErrorKind::PermissionDenied);
            return Err(Failure::target(Operation::CreateFile, denied));
        }
        Ok(Existed::ReplacedAnew)
    }

    /// Returns whether an existing entry is a device or a pipe, or a symlink to one, or one into
    /// `/dev` or `/proc`: `/dev/stdout` leads to whatever is open there.
    fn is_special(
        &self,
        to: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
    ) -> Result<bool, Failure> {
        if !kind.is_link() {
            return Ok(kind != Kind::File);
        }
        let target = self.query_target(to, name, Fields::KIND);
        let target = target.map_err(|error| Failure::target(Operation::Stat, error))?;
        let mut text = Vec::new();
        let read = self.sys.read_link(to, name, &mut text);
        read.map_err(|error| Failure::target(Operation::ReadLink, error))?;
        let text = S::Unit::path(text);
        Ok(text.starts_with("/dev")
            || text.starts_with("/proc")
            || target.is_some_and(|facts| !matches!(facts.kind, Kind::File | Kind::Directory)))
    }

    /// Returns whether a symlink leads to this entry. A copy of the symlink in its place would lead
    /// to itself, and the content would be lost.
    fn leads_to(&self, at: &Ends<'_, S>, old: &Facts) -> Result<bool, Failure> {
        let target = self.query_target(at.from, at.name, Fields::ID | Fields::DEVICE);
        let target = target.map_err(|error| Failure::source(Operation::Stat, error))?;
        let identity = target.as_ref().and_then(Identity::known);
        Ok(identity.is_some() && identity == Identity::known(old))
    }

    /// Returns `None` for a broken symlink.
    fn query_target(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        fields: Fields,
    ) -> io::Result<Option<Facts>> {
        match self.sys.query(dir, name, Request { fields, follow: true }) {
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(None),
            Err(error) if is_missing(&error) || is_loop(&error) => Ok(None),
            found => found.map(Some),
        }
    }
}
