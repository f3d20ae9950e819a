//! What happens to one entry: it is asked about, removed, counted, or found to be a directory.

use std::io;

use super::callbacks::Question;
use super::options::Confirm;
use super::worker::Worker;
use crate::error::{Cause, Kept, Operation, bug};
use crate::fields::{Facts, Kind};
use crate::name::Name;
use crate::sys::{Ask, Entry, Opened, Removed, Sys};

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

/// How an entry was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// By the listing that is being worked through.
    Listed,
    /// By its name: an operand, or an entry that turned out to be no directory when it was opened.
    /// The caller is not asked (again) whether to exclude it.
    Named,
}

impl<S: Sys> Worker<'_, S> {
    /// Removes an entry that the directory at the path lists, unless it is a directory or the
    /// caller keeps it.
    pub(super) fn remove_listed(&mut self, dir: &S::Dir, entry: Entry<'_, S::Unit>) -> Outcome {
        let Entry { name, kind, .. } = entry;
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        let path_len = self.path.len();
        let outcome = if self.shared.is_plain {
            self.unlink(dir, name, kind).unwrap_or_else(|error| {
                // Only a failure needs the path.
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

    /// Removes the entry at the path, unless it is a directory or the caller keeps it.
    pub(super) fn remove_entry(
        &mut self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        listed: Kind,
        found: Found,
    ) -> Outcome {
        let options = self.shared.options;
        // An excluded entry is not asked about, so no failure to do so is reported.
        let is_listed = found == Found::Listed;
        if is_listed && listed != Kind::Unknown && self.is_excluded(listed) {
            return Outcome::Kept;
        }
        let needs_stat = options.confirm != Confirm::Never || options.dry_run;
        let stat = match needs_stat.then(|| self.sys.query(dir, name, Ask::STAT)).transpose() {
            Ok(stat) => stat,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Outcome::Gone,
            Err(error) => {
                // Without a question, a real run would fail to unlink it with the same error.
                let is_asked = options.confirm != Confirm::Never;
                let step = if is_asked { Operation::Stat } else { Operation::RemoveFile };
                self.fail(step, Cause::Os(error));
                return Outcome::Kept;
            }
        };
        let kind = stat.as_ref().map_or(listed, |stat| stat.kind);
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        let is_excluded = is_listed && listed == Kind::Unknown && self.is_excluded(kind);
        if is_excluded || !self.confirms_entry(dir, name, kind, stat.as_ref()) {
            return Outcome::Kept;
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
                return Outcome::Kept;
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

    /// Deals with the directory at the path that could not be opened, or with what has its name.
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
            Opened::Mount => Cause::Kept(Kept::MountPoint),
            // Another entry has taken its place, or its kind was not known.
            Opened::NotDirectory => {
                match self.remove_entry(parent, name, Kind::Unknown, Found::Named) {
                    // Another process swaps it between file and directory.
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
        Outcome::Kept
    }

    /// Tries to remove the directory at the path, which could not be opened: it may be empty. The
    /// error that is reported otherwise is that of opening it.
    fn remove_unreadable(
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
            if !self.ask_about_directory(question, true) {
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

    /// Asks the caller about the entry at the path if that is wanted. Returns whether it is to be
    /// removed.
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

    /// Removes and counts an entry, unless it turns out to be a directory.
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

    /// Reports that the entry at the path could not be removed, unless the error has another
    /// reason: it may be a directory, or missing.
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
            // The refusal hides whether it is a directory. Entering it tells.
            (PermissionDenied, Found::Listed) if kind == Kind::Unknown => Outcome::Directory,
            // The system refuses before it looks at the kind or, where nothing can be removed, at
            // whether the entry is there.
            (refusal @ (PermissionDenied | ReadOnlyFilesystem), Found::Named) => {
                match self.sys.query(dir, name, Ask::STAT) {
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
        Outcome::Kept
    }

    /// Returns whether the system says that there is no such entry.
    pub(super) fn is_missing(&self, dir: &S::Dir, name: Name<'_, S::Unit>) -> bool {
        let asked = self.sys.query(dir, name, Ask::STAT);
        asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }
}
