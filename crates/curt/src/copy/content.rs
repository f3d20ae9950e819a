//! The content and metadata of a file.

use std::io;

use super::options::Method;
use super::report::Totals;
use super::worker::{Ends, Failure, IDENTITY, Worker};
use crate::error::{Cause, Operation};
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::beneath::{Create, How, Open, Step};
use crate::sys::copying::{Attributes, Copying, End, Kept, Target};
use crate::sys::{Identity, OsError, Removed, is_shortage, os_error};
use crate::tree::TreePath;

/// The permission bits that a copy gets without [`Preserve::MODE`](super::Preserve::MODE).
const USUAL_MODE: u32 = 0o1777;
/// While content is written, nobody else may read a file whose permissions are preserved.
const PRIVATE_MODE: u32 = 0o700;
const GROUP_MODE: u32 = 0o070;

impl<S: Copying> Worker<'_, S> {
    /// Returns the permission bits of a new entry before it gets those of its source.
    pub(super) fn first_mode(&self, facts: &Facts) -> u32 {
        let bits = if facts.known.contains(Fields::MODE) { facts.mode } else { 0o666 };
        bits & if self.shared.kept.mode { PRIVATE_MODE } else { USUAL_MODE }
    }

    /// Creates a file with the content and metadata of another one, or leaves nothing. It takes
    /// over the permissions of `old`, which it will replace.
    pub(super) fn create(
        &mut self,
        at: &Ends<'_, S>,
        (from, facts): (&S::Handle, &Facts),
        (to, name): (&S::Dir, Name<'_, S::Unit>),
        old: Option<&Facts>,
        methods: &[Method],
    ) -> Result<(u64, Method), Failure> {
        let creating = |error| Failure::target(Operation::CreateFile, error);
        let old = old.map(|old| (old, self.left_attributes(to, at.fresh)));
        let old = match old {
            Some((_, Err(error))) if is_shortage(&error) => {
                return Err(Failure::target(Operation::Open, error));
            }
            old => old,
        };
        // As with `cp`, only directories get the sticky bit unless the mode is preserved.
        let mode = if old.is_some() { 0o600 } else { self.first_mode(facts) & 0o777 };
        let how = How { write: true, create: Create::New, mode, ..How::default() };
        let file = match self.sys.open(to, name, &how) {
            Step::Done(file) => file,
            Step::Other => return Err(creating(os_error(io::ErrorKind::AlreadyExists))),
            Step::Failed(error) => return Err(creating(error)),
        };
        let made = self.fill(at, (from, facts), &file, methods);
        if made.is_ok() {
            // The name may belong to another file by now.
            self.remember(at, |sys| sys.query_file(&file));
            self.keep_file(at, from, &file, facts, old);
        }
        let own = made.is_err().then(|| self.sys.query_file(&file));
        let closed = self.sys.finish_file(file);
        let closed = closed.map_err(|error| Failure::target(Operation::WriteFile, error));
        match made.and_then(|made| closed.map(|()| made)) {
            Ok(made) => Ok(made),
            Err(failure) => {
                self.remove_incomplete(to, name, own.and_then(Result::ok))?;
                Err(failure)
            }
        }
    }

    /// Removes a file that this worker has created, unless it is known that another entry has taken
    /// its name.
    fn remove_incomplete(
        &self,
        to: &S::Dir,
        name: Name<'_, S::Unit>,
        own: Option<Facts>,
    ) -> Result<(), Failure> {
        let is_ours =
            match (own.as_ref().and_then(Identity::known), self.sys.query(to, name, IDENTITY)) {
                (Some(own), Ok(found)) => Identity::known(&found) == Some(own),
                (own, _) => own.is_none(),
            };
        match is_ours.then(|| self.sys.remove_child(to, name, Kind::File)) {
            Some(Removed::Failed(error)) => Err(Failure::target(Operation::RemoveFile, error)),
            _ => Ok(()),
        }
    }

    fn fill(
        &mut self,
        at: &Ends<'_, S>,
        (from, facts): (&S::Handle, &Facts),
        to: &S::Handle,
        methods: &[Method],
    ) -> Result<(u64, Method), Failure> {
        let devices = at.devices(facts.device);
        let mut last = None;
        for &method in methods {
            if self.is_unsupported(method, devices) {
                continue;
            }
            if method == Method::Data {
                return Ok((self.fill_with_data(from, to, facts)?, method));
            }
            match self.sys.reflink(from, to, facts.size) {
                Ok(()) => return Ok((facts.size, method)),
                Err(error) => {
                    self.note_failure(method, devices, &error);
                    last = Some(error);
                }
            }
        }
        let error = last.unwrap_or_else(|| io::ErrorKind::Unsupported.into());
        Err(Failure::target(Operation::Clone, error))
    }

    fn fill_with_data(
        &mut self,
        from: &S::Handle,
        to: &S::Handle,
        facts: &Facts,
    ) -> Result<u64, Failure> {
        let mut copied = 0;
        let reported = &mut self.reported;
        let (shared, is_caller) = (self.shared, self.member.is_caller());
        let (sys, attends) = (&self.sys, self.attends);
        let result = sys.copy_data(from, to, facts, &mut |bytes| {
            copied += bytes;
            if copied < facts.size {
                let done = Totals { bytes, ..Default::default() };
                shared.notifier.progress(is_caller, done);
                reported.bytes += bytes;
            }
            if attends {
                shared.notifier.attend(|| sys.now());
            }
            !shared.notifier.stop.is_stopped()
        });
        result.map_err(|(end, error)| {
            let read = end == End::Source;
            let operation = if read { Operation::ReadFile } else { Operation::WriteFile };
            Failure { operation, end, cause: Cause::Os(error) }
        })
    }

    /// Returns what a file that will be replaced leaves to its successor: its access rules, and the
    /// attributes that its users have given it.
    fn left_attributes(&self, to: &S::Dir, name: Name<'_, S::Unit>) -> io::Result<Attributes> {
        let kept = Kept { mode: !self.shared.kept.mode, attributes: true, ..Kept::default() };
        let attributes = match self.sys.open_source(to, name, false) {
            Step::Done(old) => {
                let attributes = self.sys.attributes(Open::File(&old), kept);
                self.sys.close_handle(old);
                attributes
            }
            Step::Other => return Err(OsError::Stale.error()),
            Step::Failed(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.sys.attributes_by_name(to, name, false, kept)
            }
            Step::Failed(error) => return Err(error),
        };
        // The kernel takes others from a file that is written, such as capabilities.
        let mut attributes = attributes?;
        attributes.retain(|(name, _)| name.starts_with(b"user.") || name.starts_with(b"system."));
        Ok(attributes)
    }

    fn keep_file(
        &self,
        at: &Ends<'_, S>,
        from: &S::Handle,
        file: &S::Handle,
        facts: &Facts,
        old: Option<(&Facts, io::Result<Attributes>)>,
    ) {
        let kept = self.shared.kept;
        let target = Target::Open(Open::File(file));
        if let Some((old, rules)) = old {
            let (owner, mode) = (!kept.owner, !kept.mode);
            let kept = Kept { owner, mode, attributes: true, times: false };
            // Beside unknown rules, the bits of the group may be the mask of these rules.
            let bits = if rules.is_ok() { USUAL_MODE } else { USUAL_MODE & !GROUP_MODE };
            let facts = Facts { mode: old.mode & bits, ..*old };
            let rules = rules.unwrap_or_else(|error| {
                self.fail(Failure::target(Operation::ReadAttributes, error), at.source, at.target);
                Attributes::new()
            });
            self.sys.keep(&target, &facts, &rules, kept, &mut |operation, error| {
                if operation != Operation::SetOwner {
                    self.fail(Failure::target(operation, error), at.source, at.target);
                }
            });
        }
        if kept == Kept::default() {
            return;
        }
        let attributes = self.sys.attributes(Open::File(from), kept).unwrap_or_else(|error| {
            self.fail(Failure::source(Operation::ReadAttributes, error), at.source, at.target);
            Vec::new()
        });
        self.keep((at.source, at.target), &target, facts, &attributes, kept);
    }

    pub(super) fn keep(
        &self,
        (source, path): (&TreePath<S::Unit>, &TreePath<S::Unit>),
        target: &Target<'_, S>,
        facts: &Facts,
        attributes: &Attributes,
        kept: Kept,
    ) {
        self.sys.keep(target, facts, attributes, kept, &mut |operation, error| {
            self.fail(Failure::target(operation, error), source, path);
        });
    }
}
