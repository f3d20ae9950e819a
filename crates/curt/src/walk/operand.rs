//! The operand of a walk: asked about, opened, and removed where it was found.

use std::io;
use std::path::Path;

use super::options::Settings;
use crate::ask::{Asker, Subject};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Follow, Kind, Metadata};
use crate::name::{Name, NameBuf};
use crate::sys::{Ask, Last, Mounts, Opened, Operand, Removed, Sys, SystemUnit, os_error};

/// The directory that an operand lies in, where that is kept open: the operand may be removed from it
/// after it was walked.
pub(super) struct Parent<S: Sys>(Option<Place<S>>);

struct Place<S: Sys> {
    dir: S::Dir,
    /// The operand's name, terminated.
    name: NameBuf<S::Unit>,
    /// It was typed with a separator behind it, so that a link is followed.
    directory_only: bool,
}

impl<S: Sys> Default for Parent<S> {
    fn default() -> Self {
        Parent(None)
    }
}

impl<S: Sys> Parent<S> {
    /// Opens it, and keeps it open.
    pub(super) fn open(&mut self, operand: &Path, sys: &S) -> io::Result<()> {
        let Operand { parent, last, directory_only } = S::Unit::operand(operand);
        if let Last::Name(name) = last {
            let dir = sys.open_parent(&parent)?;
            self.0 = Some(Place { dir, name, directory_only });
        }
        Ok(())
    }

    pub(super) fn close(&mut self, sys: &S) {
        if let Some(place) = self.0.take() {
            sys.close(place.dir);
        }
    }

    /// Opens the operand, as it was typed; from its parent where that is open.
    pub(super) fn open_operand(
        &self,
        operand: &Path,
        settings: &Settings,
        sys: &S,
    ) -> Opened<S::Dir> {
        let open = |from: &S::Dir, name: Name<'_, S::Unit>, follow: bool| {
            if follow {
                sys.open_below(from, name, true)
            } else {
                sys.open_child(from, name, Mounts::Cross)
            }
        };
        let follow = settings.follows_operands();
        let Some(Place { dir, name, directory_only }) = &self.0 else {
            let opened = sys.at_path(operand, |from, name| open(from, name, follow));
            return opened.unwrap_or_else(Opened::Failed);
        };
        open(dir, name.as_name(), follow || *directory_only)
    }

    /// Asks for more about the operand.
    pub(super) fn fetch(
        &self,
        operand: &Path,
        more: Fields,
        settings: &Settings,
        asker: &Asker<S>,
        metadata: &mut Metadata,
    ) {
        let follow = settings.follows_operands();
        let Some(Place { dir, name, directory_only }) = &self.0 else {
            // What cannot be a path was not told of.
            let _ = asker.fetch_path(operand, follow, more, metadata);
            return;
        };
        let (path, follow) = (|| operand.to_owned(), follow || *directory_only);
        asker.fetch(&Subject { dir, name: name.as_name(), path: &path, follow }, more, metadata);
    }

    /// Removes the operand from its parent, which is open where the operand was walked before it was
    /// told of.
    pub(super) fn remove_operand(&mut self, operand: &Path, kind: Kind, sys: &S) -> io::Result<()> {
        if self.0.is_none() {
            self.open(operand, sys)?;
        }
        let Some(Place { dir, name, .. }) = &self.0 else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        remove_child(dir, name.as_name(), kind, sys)
    }
}

/// Asks about an operand.
pub(super) fn ask<S: Sys>(
    operand: &Path,
    settings: &Settings,
    asker: &Asker<S>,
    metadata: &mut Metadata,
) -> Result<(), Error> {
    let follow = settings.follows_operands();
    let failed = |error| Error::new(Operation::Stat, operand.to_owned(), Cause::Os(error));
    asker.tell_path(operand, follow, metadata).map_err(failed)?;
    if follow && settings.broken_operands_fail && metadata.facts.kind.is_link() {
        let ask = Ask { fields: Fields::KIND, follow, cached: false };
        let answer = asker.sys.at_path(operand, |dir, name| asker.sys.query(dir, name, ask));
        answer.and_then(|facts| facts).map_err(failed)?;
    }
    let stray = metadata.take_stray();
    metadata.take_failure(Fields::KIND).or(stray).map_or(Ok(()), Err)
}

/// Removes an entry, which is a directory only if it is empty. One that vanished is as good as removed.
pub(super) fn remove_child<S: Sys>(
    dir: &S::Dir,
    name: Name<'_, S::Unit>,
    kind: Kind,
    sys: &S,
) -> io::Result<()> {
    if kind == Kind::Directory {
        return match sys.remove_empty_dir(dir, name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        };
    }
    match sys.remove_child(dir, name, kind) {
        Removed::Done | Removed::Gone | Removed::Pending => Ok(()),
        Removed::IsDirectory => Err(os_error(io::ErrorKind::IsADirectory)),
        Removed::Failed(error) => Err(error),
    }
}

impl Settings {
    /// Whether an operand that is a link is followed.
    fn follows_operands(&self) -> bool {
        self.plan.follow != Follow::Never
    }
}
