//! Counting, callbacks, reporting and waiting for one worker.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::callbacks::{Question, Subject, Totals};
use super::options::Confirm;
use super::report::Counts;
use super::shared::Shared;
use crate::control::Answer;
use crate::error::{Cause, Error, Operation, RemainReason, bug};
use crate::fields::{Facts, Kind};
use crate::gone::Gone;
use crate::name::Name;
use crate::pause;
use crate::sys::{Sys, SystemUnit};
use crate::tree::{Meanwhile, Member, TreePath};

/// Entries before the first checkpoint: only a few, so that a second worker starts early if entries
/// are slow.
const FIRST_CHECKPOINT: u32 = 64;

pub(super) struct Worker<'r, S: Sys> {
    pub(super) shared: &'r Shared<'r, S>,
    pub(super) sys: S,
    pub(super) path: TreePath<S::Unit>,
    pub(super) member: Member<'r>,
    pub(super) counts: Counts,
    pub(super) gone: Gone<S::Unit>,
    /// Whether this is the caller's thread and must poll or deliver events.
    attends: bool,
    reported: Totals,
}

impl<'r, S: Sys> Worker<'r, S> {
    pub(super) fn new(shared: &'r Shared<'r, S>, sys: S, member: Member<'r>) -> Self {
        Worker {
            shared,
            sys,
            path: TreePath::default(),
            attends: member.is_caller() && shared.notifier.needs_attention(),
            member: member.first_checkpoint(FIRST_CHECKPOINT),
            counts: Counts::default(),
            gone: Gone::new(shared.options.dry_run && shared.operands_overlap),
            reported: Totals::default(),
        }
    }

    pub(super) fn fail(&self, operation: Operation, cause: Cause) {
        let error = Error::new(operation, self.to_path(self.path.len()), cause);
        self.shared.notifier.failed(self.member.is_caller(), error);
    }

    pub(super) fn refuse(&self, reason: RemainReason) {
        self.fail(Operation::Remove, Cause::Remains(reason));
    }

    #[inline]
    pub(super) fn attend(&self) {
        if self.attends {
            self.shared.notifier.attend(|| self.sys.now());
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.attend();
        self.shared.is_cancelled()
    }

    pub(super) fn flush(&self) {
        self.shared.notifier.flush(self.member.is_caller());
    }

    pub(super) fn while_attending<T>(&self, wait: impl FnOnce(Meanwhile<'_>) -> T) -> T {
        let attend = || self.attend();
        wait(self.attends.then_some(&attend as &dyn Fn()))
    }

    pub(super) fn operand_failed(&self, operation: Operation, error: io::Error) {
        self.operand_refused(operation, Cause::Os(error));
    }

    pub(super) fn operand_refused(&self, operation: Operation, cause: Cause) {
        if !self.shared.options.forgives(operation, &cause) {
            self.fail(operation, cause);
        }
    }

    /// Reports the failure of an operand that existed before. Forgives a missing operand only after
    /// a second lookup.
    #[cold]
    pub(super) fn operand_lost(
        &self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        operation: Operation,
        error: io::Error,
    ) {
        if error.kind() == io::ErrorKind::NotFound && self.is_missing(parent, name) {
            self.operand_failed(operation, error);
        } else {
            self.fail(operation, Cause::Os(error));
        }
    }

    #[cold]
    pub(super) fn internal_error(&self, state: &'static str) {
        self.fail(Operation::Remove, bug(state));
    }

    pub(super) fn removed_directory(&mut self, stat: Option<&Facts>) {
        self.counts.directories += 1;
        self.count_bytes(stat);
        self.show_removed(Kind::Directory);
    }

    pub(super) fn show_removed(&self, kind: Kind) {
        let notifier = &self.shared.notifier;
        if notifier.tells_done() {
            let path = self.to_path(self.path.len());
            let bytes = path.as_os_str().len();
            notifier.done(self.member.is_caller(), (path, kind), bytes);
        }
    }

    pub(super) fn count_bytes(&mut self, stat: Option<&Facts>) {
        let stat = stat.filter(|_| self.shared.options.dry_run);
        self.counts.bytes += stat.map_or(0, Facts::freed);
    }

    /// Returns whether to skip an entry. Once the removal is over, returns `true` without counting
    /// it.
    pub(super) fn is_excluded(&mut self, kind: Kind) -> bool {
        let Shared { options, notifier, .. } = self.shared;
        let exclude = options.callbacks.exclude.as_ref();
        let answer = notifier.stop.excludes(exclude, &self.path, kind);
        self.counts.skipped += u64::from(answer == Answer::Yes);
        answer != Answer::No
    }

    pub(super) fn excludes_directory(&mut self, name: Name<'_, S::Unit>) -> bool {
        if !self.shared.excludes() {
            return false;
        }
        let path_len = self.path.len();
        self.path.push(name);
        let is_excluded = self.is_excluded(Kind::Directory);
        self.path.truncate(path_len);
        is_excluded
    }

    pub(super) fn is_protected(&self, dir: &S::Dir, name: Name<'_, S::Unit>, kind: Kind) -> bool {
        let may_write = || self.sys.may_write(dir, name, kind).unwrap_or(false);
        self.shared.options.confirm != Confirm::Never && !may_write()
    }

    /// Returns whether the caller confirms. Counts the answer `No` as a skip, but not `Stop`.
    pub(super) fn ask(
        &mut self,
        question: Question,
        kind: Kind,
        empty_file: bool,
        write_protected: bool,
    ) -> bool {
        let path = self.to_path(self.path.len());
        let subject = Subject { path: &path, kind, empty_file, write_protected };
        let Shared { options, notifier, .. } = self.shared;
        let Some(ask) = &options.ask else { return true };
        let answer = notifier.stop.ask(Answer::No, || ask(question, &subject));
        self.counts.skipped += u64::from(answer == Answer::No);
        answer == Answer::Yes
    }

    pub(super) fn ask_about_directory(&mut self, question: Question, is_protected: bool) -> bool {
        self.ask(question, Kind::Directory, false, is_protected)
    }

    pub(super) fn to_path(&self, len: usize) -> PathBuf {
        S::Unit::path(self.path.units()[..len].to_vec())
    }

    /// Counts an entry, weighted by its calls. Without weights, the rate would fall when
    /// directories follow files, as if a new thread did not help.
    pub(super) fn tick(&mut self, calls: u32) {
        self.attend();
        if self.member.count(calls) && !self.shared.is_cancelled() {
            self.show_progress();
            self.shared.pool.checkpoint(&self.sys, &mut self.member);
        }
    }

    fn show_progress(&mut self) {
        let (files, directories) = (self.counts.files, self.counts.directories);
        let done = Totals {
            files: files - self.reported.files,
            directories: directories - self.reported.directories,
        };
        self.shared.notifier.progress(self.member.is_caller(), done);
        self.reported = Totals { files, directories };
    }

    pub(super) fn end(mut self) {
        self.show_progress();
        self.shared.add(&self.counts, &self.sys);
    }

    pub(super) fn sleep(&self, time: Duration) -> bool {
        pause::sleep_unless(|time| self.sys.sleep(time), || self.is_over(), time)
    }
}
