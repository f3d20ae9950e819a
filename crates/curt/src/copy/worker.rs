//! What a worker knows: its callbacks, its counts, and how it reports failures.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::PathBuf;

use super::options::Method;
use super::report::{Counts, Totals};
use super::shared::{Place, Shared, Unsupported};
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
    /// The last pair of file systems, and the methods that they do not support.
    devices: ((u64, u64), Unsupported),
    pub(super) first_copy: FirstCopy,
    pub(super) next_temporary: u64,
}

/// Whether the entry in progress is the first copy of a source with several names.
pub(super) enum FirstCopy {
    No,
    Begun,
    Made(Identity),
}

/// Where an entry goes.
pub(super) enum To<'a, S: Copying> {
    Dir(&'a S::Dir, &'a Place<S>),
    /// In a dry run, into a directory that does not exist, and would be on this device.
    Absent(u64),
}

impl<S: Copying> Clone for To<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copying> std::marker::Copy for To<'_, S> {}

/// An entry and its destination.
pub(super) struct Ends<'a, S: Copying> {
    pub(super) from: &'a S::Dir,
    pub(super) name: Name<'a, S::Unit>,
    pub(super) source: &'a TreePath<S::Unit>,
    pub(super) device: u64,
    pub(super) follow: bool,
    pub(super) to: To<'a, S>,
    pub(super) fresh: Name<'a, S::Unit>,
    pub(super) target: &'a TreePath<S::Unit>,
}

impl<S: Copying> Ends<'_, S> {
    /// Returns the devices of a source and its destination.
    pub(super) fn devices(&self, source: u64) -> (u64, u64) {
        let to = match self.to {
            To::Dir(_, place) => place.device,
            To::Absent(device) => device,
        };
        (source, to)
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
            devices: Default::default(),
            first_copy: FirstCopy::No,
            next_temporary: RandomState::new().build_hasher().finish(),
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

    pub(super) fn is_unsupported(&mut self, method: Method, devices: (u64, u64)) -> bool {
        if self.devices.0 != devices {
            self.devices = (devices, self.shared.unsupported(devices));
        }
        self.devices.1.contains(method)
    }

    /// Notes that a method failed: if the error concerns these file systems, and another method
    /// follows, it will not be tried for them again.
    pub(super) fn note_failure(&mut self, method: Method, devices: (u64, u64), error: &io::Error) {
        use io::ErrorKind::{CrossesDevices, Unsupported};
        let is_last = self.shared.options.methods.last() == Some(&method);
        if !is_last && matches!(error.kind(), CrossesDevices | Unsupported) {
            self.devices = (devices, self.shared.add_unsupported(devices, method));
        }
    }
}
