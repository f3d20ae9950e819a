//! Queries, opens and removes the operand of a walk.
//!
//! If contents come first, the caller may remove the operand last. The operand must then still be
//! the directory that was walked. So its parent remains open, and its identity is compared before
//! the removal.

use std::io;
use std::path::Path;

use super::options::Settings;
use super::removal::Removal;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Fields, Kind, Metadata};
use crate::gone::Gone;
use crate::name::{Name, NameBuf};
use crate::querier::{Querier, Subject};
use crate::sys::{self, Identity, Last, Mounts, Opened, Request, Sys, SystemUnit, os_error};

pub(super) struct Operand<S: Sys> {
    parent: Option<Parent<S>>,
}

struct Parent<S: Sys> {
    dir: S::Dir,
    name: NameBuf<S::Unit>,
    /// The operand's identity when it was opened, if known, and whether symlinks were followed.
    opened: Option<(Identity, bool)>,
}

impl<S: Sys> Default for Operand<S> {
    fn default() -> Self {
        Operand { parent: None }
    }
}

impl<S: Sys> Operand<S> {
    /// Opens the operand. If contents come first, opens it from its parent, which remains open.
    pub(super) fn open(&mut self, operand: &Path, settings: &Settings, sys: &S) -> Opened<S::Dir> {
        if settings.contents_first {
            if let Err(error) = self.open_parent(operand, sys) {
                return Opened::Failed(error);
            }
        }
        let follow = is_followed::<S>(operand, settings);
        match (self.open_found(operand, follow, sys), &mut self.parent) {
            (Opened::Dir(dir), Some(parent)) => match sys.query_dir(&dir, Request::STAT) {
                Ok(facts) => {
                    parent.opened = identity(&facts).map(|identity| (identity, follow));
                    Opened::Dir(dir)
                }
                // Fail, because a directory without a known identity cannot be recognized later.
                Err(error) => {
                    sys.close(dir);
                    Opened::Failed(error)
                }
            },
            (opened, _) => opened,
        }
    }

    /// Reopens the operand. Fails if the name now belongs to a different directory.
    pub(super) fn reopen(
        &self,
        operand: &Path,
        settings: &Settings,
        sys: &S,
    ) -> Result<Opened<S::Dir>, Cause> {
        let reopened = self.open_found(operand, is_followed::<S>(operand, settings), sys);
        let known = self.parent.as_ref().and_then(|parent| parent.opened);
        let (Opened::Dir(dir), Some((known, _))) = (&reopened, known) else { return Ok(reopened) };
        let found = sys.query_dir(dir, Request::STAT);
        if found.as_ref().is_ok_and(|facts| identity(facts) == Some(known)) {
            return Ok(reopened);
        }
        reopened.into_result().map(|dir| sys.close(dir)).map_err(Cause::Os)?;
        Err(found.map_or_else(Cause::Os, |_| Cause::Replaced))
    }

    fn open_found(&self, operand: &Path, follow: bool, sys: &S) -> Opened<S::Dir> {
        let Some(Parent { dir, name, .. }) = &self.parent else {
            return sys.locate(operand).map_or_else(Opened::Failed, |(from, name)| {
                open(&from, name.as_name(), follow, sys)
            });
        };
        open(dir, name.as_name(), follow, sys)
    }

    fn open_parent(&mut self, operand: &Path, sys: &S) -> io::Result<()> {
        let sys::SplitOperand { parent, last, .. } = S::Unit::operand(operand);
        if let Last::Name(name) = last {
            self.parent = Some(Parent { dir: sys.open_for_lookup(&parent)?, name, opened: None });
        }
        Ok(())
    }

    pub(super) fn close(&mut self, sys: &S) {
        if let Some(parent) = self.parent.take() {
            sys.close(parent.dir);
        }
    }

    pub(super) fn fetch(
        &self,
        operand: &Path,
        more: Fields,
        settings: &Settings,
        querier: &Querier<S>,
        metadata: &mut Metadata,
    ) {
        let follow = is_followed::<S>(operand, settings);
        let Some(Parent { dir, name, .. }) = &self.parent else {
            // Ignore the error for an invalid path, because such an operand was not yielded.
            let _ = querier.fetch_path(operand, follow, more, metadata);
            return;
        };
        let path = || operand.to_owned();
        querier.fetch(&Subject { dir, name: name.as_name(), path: &path, follow }, more, metadata);
    }

    pub(super) fn remove(
        &mut self,
        operand: &Path,
        kind: Kind,
        removal: &mut Removal<S::Unit>,
        settings: &Settings,
        sys: &S,
    ) -> Result<bool, Cause> {
        if self.parent.is_none() {
            self.open_parent(operand, sys).map_err(Cause::Os)?;
        }
        let Some(Parent { dir, name, opened, .. }) = &self.parent else {
            return Err(Cause::Os(io::ErrorKind::InvalidInput.into()));
        };
        if let Some((opened, follow)) = *opened {
            match sys.query(dir, name.as_name(), Request { follow, ..Request::STAT }) {
                Ok(facts) if identity(&facts).is_some_and(|identity| identity != opened) => {
                    return Err(Cause::Replaced);
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(Cause::Os(error)),
            }
        }
        removal.remove(dir, name.as_name(), kind, settings, sys).map_err(Cause::Os)
    }
}

pub(super) fn open<S: Sys>(
    parent: &S::Dir,
    name: Name<'_, S::Unit>,
    follow: bool,
    sys: &S,
) -> Opened<S::Dir> {
    if follow {
        sys.open_below(parent, name, true)
    } else {
        sys.open_child(parent, name, Mounts::Cross)
    }
}

fn is_followed<S: Sys>(operand: &Path, settings: &Settings) -> bool {
    settings.follows_operands() || S::Unit::operand(operand).directory_only
}

pub(super) fn query<S: Sys>(
    operand: &Path,
    settings: &Settings,
    querier: &Querier<S>,
    gone: &Gone<S::Unit>,
    metadata: &mut Metadata,
) -> Result<bool, Error> {
    let follow = is_followed::<S>(operand, settings);
    let failed = |error| Error::new(Operation::Stat, operand.to_owned(), Cause::Os(error));
    if gone.breaks(operand, follow, &querier.sys) {
        return Err(failed(os_error(io::ErrorKind::NotFound)));
    }
    querier.query_path(operand, follow, metadata).map_err(failed)?;
    if follow && settings.broken_operands_fail && metadata.facts.kind.is_link() {
        let request = Request { fields: Fields::KIND, follow };
        let (dir, name) = querier.sys.locate(operand).map_err(failed)?;
        querier.sys.query(&dir, name.as_name(), request).map_err(failed)?;
    }
    match metadata.take_failed_kind().or_else(|| metadata.take_unfollowed()) {
        Some(error) => Err(error),
        None => Ok(metadata.facts.kind == Kind::Directory && settings.max_depth > 0),
    }
}

fn identity(facts: &Facts) -> Option<Identity> {
    facts.known.contains(Fields::ID).then(|| Identity::of(facts))
}
