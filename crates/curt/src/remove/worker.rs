//! What a worker does with one entry, and what it counts, asks and tells.

use std::io;
use std::path::Path;

use super::frame::Level;
use super::options::{Confirm, Question, Subject};
use super::report::Report;
use super::run::{Run, to_path};
use crate::control::Unvisited;
use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Kind};
use crate::name::Name;
use crate::sys::{Ask, Entry, Removed, Setup, Sys, SystemUnit};
use crate::tree::Start;
use crate::tree::TreePath;

/// Entries between two checkpoints.
const CHECKPOINT: u32 = 256;

/// How many pieces of others a worker begins one on top of the other, each while the one below waits
/// for something. Every one takes stack and descriptors.
const NESTING: u32 = 2;

/// What a worker needs in order to deal with one entry.
pub(super) struct Worker<'r, S: Sys> {
    pub(super) run: &'r Run<'r, S>,
    pub(super) sys: S,
    pub(super) path: TreePath<S::Unit>,
    report: Report,
    pub(super) number: usize,
    /// How many pieces of others it is at, each begun while the one before waits.
    pub(super) nesting: u32,
    start: Option<Start<'r>>,
    /// Entries until the next checkpoint, and the waits and what had been done at the last.
    until_checkpoint: u32,
    waits: Option<u64>,
    progress: (u64, u64),
}

/// What became of an entry.
pub(super) enum Outcome {
    Removed,
    /// It is no longer there.
    Gone,
    /// It is removed when somebody else closes it.
    Pending,
    /// It stays: it failed, or the caller wants it to.
    Kept,
    /// It is a directory, and has to be entered.
    Directory,
}

/// Whether an entry that could not be unlinked may be a directory: that is what a refusal hides.
pub(super) fn may_hide_directory(kind: Kind, error: &io::Error) -> bool {
    kind == Kind::Unknown && error.kind() == io::ErrorKind::PermissionDenied
}

impl<'r, S: Sys> Worker<'r, S> {
    pub(super) fn new(
        run: &'r Run<'r, S>,
        setup: &Setup,
        number: usize,
        start: Option<Start<'r>>,
    ) -> Self {
        Worker {
            run,
            sys: S::start(setup),
            path: TreePath::operand(Vec::new()),
            report: Report::default(),
            number,
            nesting: 0,
            start,
            until_checkpoint: CHECKPOINT,
            waits: None,
            progress: (0, 0),
        }
    }

    /// Removes one entry that is not known to be a directory, with everything that the caller
    /// wants to know, be asked or have counted. A `chosen` one is not asked about for exclusion.
    pub(super) fn remove_entry(
        &mut self,
        dir: &S::Dir,
        entry: Entry<'_, S::Unit>,
        chosen: bool,
    ) -> Outcome {
        self.until_checkpoint = self.until_checkpoint.saturating_sub(1);
        let path_len = self.path.len();
        self.path.push(entry.name);
        let outcome = self.remove_entry_here(dir, entry, chosen);
        self.path.truncate(path_len);
        if self.until_checkpoint == 0 {
            self.checkpoint();
        }
        outcome
    }

    pub(super) fn remove_entry_here(
        &mut self,
        dir: &S::Dir,
        entry: Entry<'_, S::Unit>,
        chosen: bool,
    ) -> Outcome {
        let options = &self.run.options;
        let mut kind = entry.kind;
        let mut stat = None;
        let asks = options.confirm != Confirm::Never;
        if asks || options.count_bytes || (options.dry_run && kind == Kind::Unknown) {
            match self.sys.query(dir, entry.name, Ask::STAT) {
                Ok(known) => {
                    kind = known.kind;
                    stat = Some(known);
                }
                Err(error) => return self.failed(Operation::Remove, error),
            }
        }
        if kind == Kind::Directory {
            return Outcome::Directory;
        }
        if !chosen && self.is_excluded(kind) {
            self.skipped();
            return Outcome::Kept;
        }
        if asks && !self.confirm_file(dir, entry.name, kind, stat.as_ref()) {
            self.skipped();
            return Outcome::Kept;
        }
        let removed =
            if options.dry_run { Removed::Done } else { self.remove_child(dir, entry.name, kind) };
        match removed {
            Removed::Done => {
                self.report.files += 1;
                self.count_bytes(stat.as_ref());
                self.tell_removed(kind);
                Outcome::Removed
            }
            Removed::Gone => Outcome::Gone,
            Removed::Pending => Outcome::Pending,
            Removed::IsDirectory => Outcome::Directory,
            Removed::Failed(error) if !chosen && may_hide_directory(kind, &error) => {
                Outcome::Directory
            }
            // Some systems say that nothing can be removed before they look whether it is there.
            Removed::Failed(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
                let missing = self.sys.query(dir, entry.name, Ask::STAT).err();
                let missing = missing.filter(|error| error.kind() == io::ErrorKind::NotFound);
                self.failed(Operation::Remove, missing.unwrap_or(error))
            }
            Removed::Failed(error) => self.failed(Operation::Remove, error),
        }
    }

    fn failed(&mut self, operation: Operation, error: io::Error) -> Outcome {
        if error.kind() == io::ErrorKind::NotFound {
            return Outcome::Gone;
        }
        self.fail(operation, Cause::Os(error));
        Outcome::Kept
    }

    /// Whether the caller wants to keep the entry that the path names.
    pub(super) fn is_excluded(&self, kind: Kind) -> bool {
        let Some(exclude) = &self.run.options.exclude else { return false };
        let (path, relative) =
            (S::Unit::text(self.path.units()), S::Unit::text(self.path.relative()));
        exclude(&Unvisited { path: Path::new(&path), relative: Path::new(&relative), kind })
    }

    /// Whether the caller wants to keep a subdirectory of the directory at the path.
    pub(super) fn excludes_directory(&mut self, name: Name<'_, S::Unit>) -> bool {
        if self.run.options.exclude.is_none() {
            return false;
        }
        let path_len = self.path.len();
        self.path.push(name);
        let excluded = self.is_excluded(Kind::Directory);
        self.path.truncate(path_len);
        excluded
    }

    /// Whether the process may not write to an entry, where questions are asked.
    pub(super) fn is_protected(&self, dir: &S::Dir, name: Name<'_, S::Unit>, kind: Kind) -> bool {
        self.run.options.confirm != Confirm::Never && !self.sys.may_write(dir, name, kind)
    }

    fn confirm_file(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
        stat: Option<&Facts>,
    ) -> bool {
        let protected = self.is_protected(dir, name, kind);
        if !self.run.options.confirm.asks(protected) {
            return true;
        }
        let empty = kind == Kind::File && stat.is_some_and(|stat| stat.size == 0);
        self.ask(Question::RemoveFile, kind, empty, protected)
    }

    /// Asks the observer about the entry that the path names.
    pub(super) fn ask(
        &self,
        question: Question,
        kind: Kind,
        empty_file: bool,
        write_protected: bool,
    ) -> bool {
        let path = to_path::<S>(&self.path);
        let subject = Subject { path: &path, kind, empty_file, write_protected };
        self.run.options.observer.confirm(question, &subject) && !self.run.is_cancelled()
    }

    /// Tries to remove a directory that could not be opened: it may be empty. The error that is
    /// reported otherwise is that of opening it.
    pub(super) fn remove_unreadable(
        &mut self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        error: io::Error,
    ) -> Outcome {
        let options = &self.run.options;
        // Where only what is protected is asked about, GNU rm leaves such a directory alone.
        let denied = error.kind() == io::ErrorKind::PermissionDenied
            && options.confirm != Confirm::WriteProtected;
        if denied && options.confirm == Confirm::Always {
            let question = Question::RemoveUnreadableDirectory;
            if !self.ask(question, Kind::Directory, false, true) {
                self.skipped();
                return Outcome::Kept;
            }
        }
        if denied && !options.dry_run && self.sys.remove_empty_dir(parent, name).is_ok() {
            self.removed_directory(None);
            return Outcome::Removed;
        }
        self.fail(Operation::Remove, Cause::Os(error));
        Outcome::Kept
    }

    /// Reports a failure at the path.
    pub(super) fn fail(&mut self, operation: Operation, cause: Cause) {
        let path = to_path::<S>(&self.path);
        let error = Error::new(operation, path, cause);
        self.run.options.observer.failed(&error);
        self.report.error_count += 1;
        if self.report.errors.len() < self.run.options.keep_errors {
            self.report.errors.push(error);
        }
    }

    /// Reports an operand that could not be found, unless that is fine. A refusal is never fine: only
    /// where the system says that a name is invalid, nothing can have it.
    pub(super) fn operand_failed(&mut self, error: io::Error) {
        use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
        let missing = match error.kind() {
            NotFound | NotADirectory => true,
            InvalidInput => error.raw_os_error().is_some(),
            _ => false,
        };
        if !(missing && self.run.options.missing_is_fine) {
            self.fail(Operation::Remove, Cause::Os(error));
        }
    }

    /// Reports why the directory at the path is left as it is; that somebody writes to it, once.
    pub(super) fn report_left(&mut self, cause: Cause) {
        let is_written_to = matches!(cause, Cause::BeingWrittenTo);
        if !is_written_to || self.run.writers.leave(to_path::<S>(&self.path)) {
            self.fail(Operation::Remove, cause);
        }
    }

    /// Reports that an entry of the directory at the path could not be removed.
    pub(super) fn fail_in(&mut self, name: Name<'_, S::Unit>, error: io::Error) {
        let path_len = self.path.len();
        self.path.push(name);
        self.fail(Operation::Remove, Cause::Os(error));
        self.path.truncate(path_len);
    }

    /// A directory, that at the path, was removed.
    pub(super) fn removed_directory(&mut self, stat: Option<&Facts>) {
        self.report.directories += 1;
        self.count_bytes(stat);
        self.tell_removed(Kind::Directory);
    }

    /// Tells the observer that the entry at the path is gone.
    pub(super) fn tell_removed(&self, kind: Kind) {
        if self.run.options.observer.wants_removed() {
            self.run.options.observer.removed(&to_path::<S>(&self.path), kind);
        }
    }

    /// A file was removed of which nobody wants to know more.
    pub(super) fn removed_file(&mut self) {
        self.report.files += 1;
    }

    /// An entry is no longer there.
    pub(super) fn vanished(&mut self) {
        self.report.vanished += 1;
    }

    /// The caller wants an entry to stay.
    pub(super) fn skipped(&mut self) {
        self.report.skipped += 1;
    }

    /// So many entries were added meanwhile.
    pub(super) fn appeared(&mut self, count: u64) {
        self.report.appeared += count;
    }

    /// Adds what an entry gives back when its last link goes.
    pub(super) fn count_bytes(&mut self, stat: Option<&Facts>) {
        if let Some(stat) = stat {
            if self.run.options.count_bytes && (stat.links <= 1 || stat.kind == Kind::Directory) {
                *self.report.bytes.get_or_insert(0) += stat.allocated;
            }
        }
    }

    /// Counts one entry towards the next checkpoint.
    pub(super) fn tick(&mut self) {
        self.until_checkpoint -= 1;
        if self.until_checkpoint == 0 {
            self.checkpoint();
        }
    }

    /// There is no more work: adds to the report what was done.
    pub(super) fn end(&mut self) {
        self.tell_progress();
        self.run.add(&mut self.report, &self.sys);
    }

    /// The path of a directory on the way to where this worker is.
    pub(super) fn path_of(&self, level: &Level<S>) -> TreePath<S::Unit> {
        let mut path = self.path.clone();
        path.truncate(level.path_len());
        path
    }

    /// Whether somebody wants work and may be given some of ours. A piece that is nested as deep as
    /// pieces may be is done alone: what was handed over would have to be waited for, and whoever
    /// waits must be able to take any piece, or all might wait for what nobody takes.
    pub(super) fn may_give(&self) -> bool {
        self.nesting < NESTING && self.run.pool().is_hungry()
    }

    /// Tells the observer what was done since it was last told.
    fn tell_progress(&mut self) {
        let done = (self.report.files, self.report.directories);
        self.run.progress(done.0 - self.progress.0, done.1 - self.progress.1);
        self.progress = done;
    }

    /// Tells the observer and the others what was done since the last checkpoint.
    fn checkpoint(&mut self) {
        self.until_checkpoint = CHECKPOINT;
        self.tell_progress();
        if !self.run.may_share() {
            return;
        }
        let done = u64::from(CHECKPOINT);
        self.run.crew.checkpoint(&self.sys, self.number, done, &mut self.waits, self.start);
    }
}
