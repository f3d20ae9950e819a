//! What happens to one entry: it is asked about, removed, counted, or found to be a directory.

use std::io;

use super::callbacks::Question;
use super::options::Confirm;
use super::worker::Worker;
use crate::error::{Cause, Operation};
use crate::fields::{Facts, Kind};
use crate::name::Name;
use crate::sys::{Ask, Entry, Removed, Sys};

/// The result of removing an entry.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Removed,
    /// It is no longer there.
    Gone,
    /// It goes when another process closes it.
    Pending,
    /// It stays: it failed, the caller wants to keep it, or the removal is over.
    Kept,
    /// It is a directory, and has to be entered.
    Directory,
}

impl<S: Sys> Worker<'_, S> {
    /// Removes an entry of the directory at the path, unless it is a directory or the caller wants
    /// to keep it.
    pub(super) fn remove_entry(&mut self, dir: &S::Dir, entry: Entry<'_, S::Unit>) -> Outcome {
        let Entry { name, kind, .. } = entry;
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        let path_len = self.path.len();
        let outcome = if self.shared.is_plain {
            self.unlink(dir, name, kind).unwrap_or_else(|error| {
                // Only a failure needs the path.
                self.path.push(name);
                self.not_unlinked(kind, error)
            })
        } else {
            self.path.push(name);
            self.unlink_listed(dir, name, kind)
        };
        self.path.truncate(path_len);
        self.tick();
        outcome
    }

    /// Removes the entry at the path, whose kind the listing says, unless it is a directory or the
    /// caller excludes it or wants to keep it.
    fn unlink_listed(&mut self, dir: &S::Dir, name: Name<'_, S::Unit>, kind: Kind) -> Outcome {
        match self.look_at(dir, name, kind) {
            Err(outcome) => outcome,
            Ok((kind, _)) if kind != Kind::Directory && self.is_excluded(kind) => Outcome::Kept,
            Ok((kind, stat)) => self
                .confirm_and_unlink(dir, name, kind, stat.as_ref())
                .unwrap_or_else(|error| self.not_unlinked(kind, error)),
        }
    }

    /// Reports that the entry at the path could not be removed, unless it may be a directory.
    fn not_unlinked(&self, kind: Kind, error: io::Error) -> Outcome {
        if kind == Kind::Unknown && error.kind() == io::ErrorKind::PermissionDenied {
            // The refusal hides whether it is one. Entering it tells.
            return Outcome::Directory;
        }
        self.fail(Operation::RemoveFile, Cause::Os(error));
        Outcome::Kept
    }

    /// Removes the entry at the path, whose kind is not known (any more) and which the caller does
    /// not exclude, unless it is a directory or the caller wants to keep it.
    pub(super) fn unlink_of_unknown_kind(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
    ) -> Outcome {
        let (kind, stat) = match self.look_at(dir, name, Kind::Unknown) {
            Ok(known) => known,
            Err(outcome) => return outcome,
        };
        match self.confirm_and_unlink(dir, name, kind, stat.as_ref()) {
            Ok(outcome) => outcome,
            // Some systems say that nothing can be removed before they look whether it is there.
            Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
                let missing = self.sys.query(dir, name, Ask::STAT).err();
                let missing = missing.filter(|error| error.kind() == io::ErrorKind::NotFound);
                self.kept_or_gone(Operation::RemoveFile, missing.unwrap_or(error))
            }
            Err(error) => self.kept_or_gone(Operation::RemoveFile, error),
        }
    }

    /// Tries to remove the directory at the path, which could not be opened: it may be empty. The
    /// error that is reported otherwise is the one of opening it.
    pub(super) fn remove_unreadable(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        error: io::Error,
    ) -> Outcome {
        let options = self.shared.options;
        // Like GNU rm, which leaves such a directory alone if it asks about protected entries only.
        let is_denied = error.kind() == io::ErrorKind::PermissionDenied
            && options.confirm != Confirm::WriteProtected;
        if is_denied && options.confirm == Confirm::Always {
            let question = Question::RemoveUnreadableDirectory;
            if !self.ask(question, Kind::Directory, false, true) {
                return Outcome::Kept;
            }
        }
        if is_denied && !options.dry_run && self.sys.remove_empty_dir(parent, name).is_ok() {
            self.removed_directory(None);
            return Outcome::Removed;
        }
        self.fail(Operation::OpenDirectory, Cause::Os(error));
        Outcome::Kept
    }

    /// Asks the system about the entry at the path, if the options need to know more than the
    /// listing tells.
    fn look_at(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
    ) -> Result<(Kind, Option<Facts>), Outcome> {
        let options = self.shared.options;
        let needs_stat = options.confirm != Confirm::Never
            || options.count_bytes
            || (options.dry_run && kind == Kind::Unknown);
        if !needs_stat {
            return Ok((kind, None));
        }
        match self.sys.query(dir, name, Ask::STAT) {
            Ok(stat) => Ok((stat.kind, Some(stat))),
            Err(error) => Err(self.kept_or_gone(Operation::Stat, error)),
        }
    }

    /// Asks the caller about the entry at the path if needed, then removes it.
    fn confirm_and_unlink(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        stat: Option<&Facts>,
    ) -> io::Result<Outcome> {
        if kind == Kind::Directory {
            return Ok(Outcome::Directory);
        }
        let options = self.shared.options;
        if options.confirm != Confirm::Never {
            let is_protected = self.is_protected(dir, name, kind);
            let is_empty = kind == Kind::File && stat.is_some_and(|stat| stat.size == 0);
            if options.confirm.asks(is_protected)
                && !self.ask(Question::RemoveFile, kind, is_empty, is_protected)
            {
                return Ok(Outcome::Kept);
            }
        }
        let outcome = if options.dry_run {
            self.report.files += 1;
            Outcome::Removed
        } else {
            self.unlink(dir, name, kind)?
        };
        if let Outcome::Removed = outcome {
            self.count_bytes(stat);
            self.show_removed(kind);
        }
        Ok(outcome)
    }

    /// Removes an entry, which may be a directory, and counts it.
    fn unlink(&mut self, dir: &S::Dir, name: Name<'_, S::Unit>, kind: Kind) -> io::Result<Outcome> {
        match self.remove_child(dir, name, kind) {
            Removed::Done => {
                self.report.files += 1;
                Ok(Outcome::Removed)
            }
            Removed::Gone => Ok(Outcome::Gone),
            Removed::Pending => Ok(Outcome::Pending),
            Removed::IsDirectory => Ok(Outcome::Directory),
            Removed::Failed(error) => Err(error),
        }
    }

    fn kept_or_gone(&self, operation: Operation, error: io::Error) -> Outcome {
        if error.kind() == io::ErrorKind::NotFound {
            return Outcome::Gone;
        }
        self.fail(operation, Cause::Os(error));
        Outcome::Kept
    }
}
