//! What a worker knows: its callbacks, its counts, and how it reports failures.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::PathBuf;

use super::report::{Counts, Totals};
use super::shared::{Place, Shared};
use crate::control::Answer;
use crate::error::{Cause, CopyRefusal, Error, Operation};
use crate::fields::{Fields, Kind};
use crate::name::Name;
use crate::sys::copying::{Copying, End};
use crate::sys::{Identity, Request, SystemUnit, is_shortage};
use crate::tree::{Meanwhile, Member, TreePath};

pub(super) const IDENTITY: Request =
    Request { fields: Fields::ID.union(Fields::DEVICE), follow: false };

pub(super) struct Worker<'r, S: Copying> {
    pub(super) shared: &'r Shared<'r, S>,
    pub(super) sys: S,
    pub(super) member: Member<'r>,
    pub(super) counts: Counts,
    /// Whether this is the caller's thread and must poll or deliver events.
    pub(super) attends: bool,
    pub(super) reported: Totals,
    /// The last pair of file systems, and a bit for each method that they do not support.
    devices: ((u64, u64), u32),
    /// Whether the current source has several names, and its copy.
    pub(super) is_original: bool,
    pub(super) copy: Option<Identity>,
    pub(super) names: Cell<u64>,
}

/// An entry and its destination. In a dry run, `to` is only a device if the directory does not
/// exist.
pub(super) struct Ends<'a, S: Copying> {
    pub(super) from: &'a S::Dir,
    pub(super) name: Name<'a, S::Unit>,
    pub(super) source: &'a TreePath<S::Unit>,
    pub(super) device: u64,
    pub(super) follow: bool,
    pub(super) to: Result<(&'a S::Dir, &'a Place<S>), u64>,
    pub(super) fresh: Name<'a, S::Unit>,
    pub(super) target: &'a TreePath<S::Unit>,
}

impl<S: Copying> Ends<'_, S> {
    pub(super) fn devices(&self) -> (u64, u64) {
        (self.device, self.to.map_or_else(|device| device, |(_, place)| place.device))
    }
}

pub(super) enum Outcome {
    Done,
    /// The entry is a directory.
    Directory,
    /// Descriptors ran out.
    Shortage(Failure),
}

pub(super) struct Failure {
    pub(super) operation: Operation,
    pub(super) end: End,
    pub(super) cause: Cause,
}

impl Failure {
    pub(super) fn source(operation: Operation, error: io::Error) -> Self {
        Failure { operation, end: End::Source, cause: Cause::Os(error) }
    }

    pub(super) fn target(operation: Operation, error: io::Error) -> Self {
        Failure { operation, end: End::Target, cause: Cause::Os(error) }
    }

    pub(super) fn refused(refusal: CopyRefusal, target: PathBuf) -> Self {
        let cause = Cause::CopyRefused(refusal, target);
        Failure { operation: Operation::Copy, end: End::Source, cause }
    }

    fn error(&self) -> Option<&io::Error> {
        if let Cause::Os(error) = &self.cause { Some(error) } else { None }
    }

    pub(super) fn is_shortage(&self) -> bool {
        self.error().is_some_and(is_shortage)
    }

    pub(super) fn is_existing(&self) -> bool {
        let error = self.error().filter(|_| self.end == End::Target);
        error.is_some_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    }
}

pub(super) fn to_path<U: SystemUnit>(path: &TreePath<U>) -> PathBuf {
    U::path(path.units().to_vec())
}

impl<'r, S: Copying> Worker<'r, S> {
    pub(super) fn new(shared: &'r Shared<'r, S>, sys: S, member: Member<'r>) -> Self {
        Worker {
            shared,
            sys,
            attends: member.is_caller() && shared.notifier.needs_attention(),
            member: member.first_checkpoint(16),
            counts: Counts::default(),
            reported: Totals::default(),
            devices: ((0, 0), 0),
            is_original: false,
            copy: None,
            names: Cell::new(RandomState::new().build_hasher().finish()),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        if self.attends {
            self.shared.notifier.attend(|| self.sys.now());
        }
        self.shared.notifier.stop.is_stopped()
    }

    pub(super) fn while_attending<T>(&self, wait: impl FnOnce(Meanwhile<'_>) -> T) -> T {
        let attend = || _ = self.is_over();
        wait(self.attends.then_some(&attend as &dyn Fn()))
    }

    pub(super) fn fail(
        &self,
        failure: Failure,
        source: &TreePath<S::Unit>,
        target: &TreePath<S::Unit>,
    ) {
        let path = to_path(if failure.end == End::Source { source } else { target });
        let error = Error::new(failure.operation, path, failure.cause);
        self.shared.notifier.failed(self.member.is_caller(), error);
    }

    pub(super) fn show_copied(&self, source: &TreePath<S::Unit>, target: &TreePath<S::Unit>) {
        if self.shared.notifier.tells_done() {
            let paths = (to_path(source), to_path(target));
            let bytes = source.len() + target.len();
            self.shared.notifier.done(self.member.is_caller(), paths, bytes);
        }
    }

    /// Returns whether to skip an entry. Once the copy is over, returns `true` without counting it.
    pub(super) fn is_excluded(&mut self, source: &TreePath<S::Unit>, kind: Kind) -> bool {
        let Shared { options, notifier, .. } = self.shared;
        let exclude = options.callbacks.exclude.as_ref();
        let answer = notifier.stop.excludes(exclude, source, kind);
        self.counts.skipped += u64::from(answer == Answer::Yes);
        answer != Answer::No
    }

    /// Counts an entry, weighted by its calls.
    pub(super) fn tick(&mut self, calls: u32) {
        if self.member.count(calls) && !self.is_over() {
            self.show_progress();
            self.shared.pool.checkpoint(&self.sys, &mut self.member);
        }
    }

    fn show_progress(&mut self) {
        let done = self.counts.done.since(self.reported);
        self.shared.notifier.progress(self.member.is_caller(), done);
        self.reported = self.counts.done;
    }

    pub(super) fn end(mut self) {
        self.show_progress();
        self.shared.add(&self.counts, &self.sys);
    }

    /// Returns a bit for each method that does not apply to these file systems.
    pub(super) fn unsupported(&mut self, at: &Ends<'_, S>) -> u32 {
        let devices = at.devices();
        if self.devices.0 != devices {
            self.devices = (devices, self.shared.unsupported(devices));
        }
        self.devices.1
    }

    /// Notes that a method does not work for these file systems, or else only for this file.
    /// Returns whether another one follows.
    pub(super) fn gives_up(&mut self, at: &Ends<'_, S>, method: usize, error: &io::Error) -> bool {
        use io::ErrorKind::{CrossesDevices, Unsupported};
        let has_more = method + 1 < self.shared.options.methods.len();
        if has_more && matches!(error.kind(), CrossesDevices | Unsupported) {
            let devices = at.devices();
            let unsupported = self.unsupported(at) | 1_u32.checked_shl(method as u32).unwrap_or(0);
            self.devices = (devices, unsupported);
            self.shared.set_unsupported(devices, unsupported);
        }
        has_more
    }
}
