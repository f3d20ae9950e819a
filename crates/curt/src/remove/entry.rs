//! Handles one entry: asks the caller about it, removes it, or finds that it is a directory.

use std::io;

use super::callbacks::Question;
use super::options::Confirm;
use super::worker::Worker;
use crate::error::{Cause, Operation, RemainReason, bug};
use crate::fields::{Facts, Kind};
use crate::name::Name;
use crate::sys::{Entry, Opened, Removed, Request, Sys};

#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Removed,
    Gone,
    /// The entry disappears when another process closes it.
    Pending,
    /// The entry failed, the caller skipped it, or the removal is over.
    Remains,
    Directory,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Listed,
    /// Found by name: an operand, or an entry that turned out not to be a directory. `exclude` does
    /// not apply or was already called.
    Named,
}

impl<S: Sys> Worker<'_, S> {
    pub(super) fn remove_listed(&mut self, dir: &S::Dir, entry: Entry<'_, S::Unit>) -> Outcome {
        let Entry { name, kind, .. } = entry;
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        let path_len = self.path.len();
        let outcome = if self.shared.is_plain {
            self.unlink(dir, name, kind).unwrap_or_else(|error| {
                self.path.push(name);
                self.not_removed(dir, name, kind, Found::Listed, error)
            })
        } else {
            self.path.push(name);
            self.remove_entry(dir, name, kind, Found::Listed)
        };
        self.path.truncate(path_len);
        self.tick(1);
        outcome
    }

    pub(super) fn remove_entry(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        listed: Kind,
        found: Found,
    ) -> Outcome {
        let options = self.shared.options;
        let is_listed = found == Found::Listed;
        if is_listed && listed != Kind::Unknown && self.is_excluded(listed) {
            return Outcome::Remains;
        }
        let needs_stat = options.confirm != Confirm::Never || options.dry_run;
        let stat = match needs_stat.then(|| self.sys.query(dir, name, Request::STAT)).transpose() {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Outcome::Gone,
            Err(error) => {
                // Without a confirmation, a real run would fail in `unlink` with the same error.
                let is_asked = options.confirm != Confirm::Never;
                let step = if is_asked { Operation::Stat } else { Operation::RemoveFile };
                self.fail(step, Cause::Os(error));
                return Outcome::Remains;
            }
        };
        let kind = stat.as_ref().map_or(listed, |stat| stat.kind);
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        let is_excluded = is_listed && listed == Kind::Unknown && self.is_excluded(kind);
        if is_excluded || !self.confirms_entry(dir, name, kind, stat.as_ref()) {
            return Outcome::Remains;
        }
        let removed = match (options.dry_run, &stat) {
            (false, _) => self.unlink(dir, name, kind),
            (true, Some(stat)) => self.sys.check_removal(dir, name, stat).map(|()| {
                self.gone.add(dir, name, stat, &self.sys);
                self.counts.files += 1;
                Outcome::Removed
            }),
            (true, None) => {
                self.fail(Operation::RemoveFile, bug("a dry run has not asked about an entry"));
                return Outcome::Remains;
            }
        };
        let outcome =
            removed.unwrap_or_else(|error| self.not_removed(dir, name, kind, found, error));
        if let Outcome::Removed = outcome {
            self.count_bytes(stat.as_ref());
            self.show_removed(kind);
        }
        outcome
    }

    pub(super) fn remove_unopened(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        opened: Opened<S::Dir>,
    ) -> Outcome {
        let cause = match opened {
            Opened::Gone => return Outcome::Gone,
            Opened::Pending => return Outcome::Pending,
            Opened::Failed(error) => return self.remove_unreadable(parent, name, error),
            Opened::Mount => Cause::Remains(RemainReason::MountPoint),
            // The entry was replaced, or the listing had no kind.
            Opened::NotDirectory => {
                match self.remove_entry(parent, name, Kind::Unknown, Found::Named) {
                    // Another process keeps replacing a directory with a file and vice versa.
                    Outcome::Directory => Cause::Replaced,
                    outcome => return outcome,
                }
            }
            Opened::Dir(dir) => {
                self.sys.close(dir);
                bug("a directory that was opened is not entered")
            }
        };
        self.fail(Operation::Remove, cause);
        Outcome::Remains
    }

    /// Tries to remove an unreadable directory anyway, since it may be empty. If that fails,
    /// reports the error of opening it.
    fn remove_unreadable(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        error: io::Error,
    ) -> Outcome {
        let options = self.shared.options;
        // Like GNU rm, do not try if only write-protected entries need a confirmation.
        let is_denied = error.kind() == io::ErrorKind::PermissionDenied
            && options.confirm != Confirm::WriteProtected;
        if is_denied && options.confirm == Confirm::Always {
            let question = Question::RemoveUnreadableDirectory;
            if !self.ask_about_directory(question, true) {
                return Outcome::Remains;
            }
        }
        if is_denied && !options.dry_run && self.sys.remove_empty_dir(parent, name).is_ok() {
            self.removed_directory(None);
            return Outcome::Removed;
        }
        self.fail(Operation::OpenDirectory, Cause::Os(error));
        Outcome::Remains
    }

    fn confirms_entry(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        stat: Option<&Facts>,
    ) -> bool {
        let confirm = self.shared.options.confirm;
        if confirm == Confirm::Never {
            return true;
        }
        let is_protected = self.is_protected(dir, name, kind);
        let is_empty = kind == Kind::File && stat.is_some_and(|stat| stat.size == 0);
        !confirm.asks(is_protected) || self.ask(Question::RemoveFile, kind, is_empty, is_protected)
    }

    fn unlink(&mut self, dir: &S::Dir, name: Name<'_, S::Unit>, kind: Kind) -> io::Result<Outcome> {
        match self.sys.remove_child(dir, name, kind) {
            Removed::Done => {
                self.counts.files += 1;
                Ok(Outcome::Removed)
            }
            Removed::Gone => Ok(Outcome::Gone),
            Removed::Pending => Ok(Outcome::Pending),
            Removed::IsDirectory => Ok(Outcome::Directory),
            Removed::Failed(error) => Err(error),
        }
    }

    /// Interprets a failed removal: the entry may be a directory, or missing. Reports other errors.
    fn not_removed(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        found: Found,
        error: io::Error,
    ) -> Outcome {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match (error.kind(), found) {
            (PermissionDenied, Found::Listed) if kind == Kind::Unknown => Outcome::Directory,
            // The system may refuse before it checks the kind or, on a read-only filesystem,
            // whether the entry exists.
            (refusal @ (PermissionDenied | ReadOnlyFilesystem), Found::Named) => {
                match self.sys.query(dir, name, Request::STAT) {
                    Ok(stat) if stat.kind == Kind::Directory => Outcome::Directory,
                    Err(missing)
                        if refusal == ReadOnlyFilesystem
                            && missing.kind() == io::ErrorKind::NotFound =>
                    {
                        Outcome::Gone
                    }
                    _ => self.file_remains(error),
                }
            }
            _ => self.file_remains(error),
        }
    }

    fn file_remains(&self, error: io::Error) -> Outcome {
        self.fail(Operation::RemoveFile, Cause::Os(error));
        Outcome::Remains
    }

    pub(super) fn is_missing(&self, dir: &S::Dir, name: Name<'_, S::Unit>) -> bool {
        let asked = self.sys.query(dir, name, Request::STAT);
        asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}
