//! Copies one entry that is no directory.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::links::{Claim, Original};
use super::options::{Existing, Method};
use super::place::{Existed, NewName};
use super::worker::{Ends, Failure, FirstCopy, IDENTITY, Outcome, To, Worker, to_path};
use crate::error::{Cause, CopyRefusal, Operation};
use crate::fields::{Facts, Fields, Kind};
use crate::name::{Name, NameBuf, Unit};
use crate::sys::beneath::Step;
use crate::sys::copying::{COPIED, Copying, End, Target};
use crate::sys::{Identity, Request};
use crate::tree::{POLL_INTERVAL, open_names};

/// What was made of a source.
pub(super) enum Made {
    /// A copy with these bytes, by one of the methods.
    File(u64, Option<Method>),
    Skipped,
    Directory,
}

impl<S: Copying> Worker<'_, S> {
    /// Copies an entry and reports what happens. `kind` comes from the listing.
    pub(super) fn copy(&mut self, at: &Ends<'_, S>, kind: Kind) -> Outcome {
        let is_dry = self.shared.options.dry_run;
        let made = self.kind(at, kind).and_then(|kind| {
            if is_dry { self.predict(at, kind) } else { self.copy_by_kind(at, kind) }
        });
        let mut calls = 7;
        match made {
            Ok(Made::Directory) => return Outcome::Directory,
            Ok(Made::Skipped) => self.counts.skipped += 1,
            Ok(Made::File(bytes, method)) => {
                self.counts.done.files += 1;
                self.counts.done.bytes += bytes;
                if method == Some(Method::HardLink) {
                    self.counts.hard_links += 1;
                    calls = 1;
                }
                self.counts.reflinks += u64::from(method == Some(Method::Reflink));
                self.show_copied(at.source, at.target);
            }
            Err(failure) if failure.is_shortage() => return Outcome::Shortage(failure),
            Err(failure) => self.fail(failure, at.source, at.target),
        }
        self.tick(calls);
        Outcome::Done
    }

    /// Returns the kind of the entry itself, even if symlinks are followed.
    fn kind(&self, at: &Ends<'_, S>, listed: Kind) -> Result<Kind, Failure> {
        if listed != Kind::Unknown {
            return Ok(listed);
        }
        let facts =
            self.sys.query(at.from, at.name, Request { fields: Fields::KIND, follow: false });
        facts.map(|facts| facts.kind).map_err(|error| Failure::source(Operation::Stat, error))
    }

    /// Tries the methods in turn. A hard link takes the place of a new file, so the list is split
    /// at hard links, and each part is for the content of one new file.
    fn copy_by_kind(&mut self, at: &Ends<'_, S>, kind: Kind) -> Result<Made, Failure> {
        if kind == Kind::Directory {
            return Ok(Made::Directory);
        }
        let may_link = !(at.follow && kind.is_link());
        let devices = at.devices(at.device);
        let mut failed = Failure::target(Operation::Clone, io::ErrorKind::Unsupported.into());
        let all = &self.shared.options.methods;
        let has_others = all.iter().any(|method| *method != Method::HardLink);
        let parts = all.split(|method| *method == Method::HardLink);
        for (number, methods) in parts.enumerate() {
            if number > 0 && may_link && !self.is_unsupported(Method::HardLink, devices) {
                if let Some(made) = self.link_source(at, devices)? {
                    return Ok(made);
                }
            }
            if methods.is_empty() && (may_link || has_others) {
                continue;
            }
            match self.copy_anew(at, kind, methods) {
                Err(failure) if failure.operation == Operation::Clone => failed = failure,
                made => return made,
            }
        }
        Err(failed)
    }

    fn copy_anew(
        &mut self,
        at: &Ends<'_, S>,
        kind: Kind,
        methods: &[Method],
    ) -> Result<Made, Failure> {
        match kind {
            Kind::File => self.copy_file(at, methods),
            kind if kind.is_link() && !at.follow => self.copy_link(at),
            _ if self.reads_special_files() => self.copy_file(at, methods),
            _ => {
                let facts = self.query_source(at, COPIED)?;
                self.copy_by_facts(at, &facts, methods)
            }
        }
    }

    pub(super) fn reads_special_files(&self) -> bool {
        !self.shared.options.recursive && self.shared.options.special_files
    }

    pub(super) fn query_source(&self, at: &Ends<'_, S>, fields: Fields) -> Result<Facts, Failure> {
        let request = Request { fields, follow: at.follow };
        let facts = self.sys.query(at.from, at.name, request);
        facts.map_err(|error| Failure::source(Operation::Stat, error))
    }

    /// Makes the destination another name of the source. Returns `None` if the next method should
    /// be tried.
    fn link_source(
        &mut self,
        at: &Ends<'_, S>,
        devices: (u64, u64),
    ) -> Result<Option<Made>, Failure> {
        let is_last = self.shared.options.methods.last() == Some(&Method::HardLink);
        let made = self.place(at, None, NewName::OfSource, |worker, to, name, _| {
            let linked = worker.sys.hard_link(at.from, at.name, to, name);
            linked.map_err(|error| Failure::target(Operation::CreateLink, error))
        });
        match made {
            Ok(Some(())) => Ok(Some(Made::File(0, Some(Method::HardLink)))),
            Ok(None) => Ok(Some(Made::Skipped)),
            Err(Failure { operation: Operation::CreateLink, cause: Cause::Os(error), .. })
                if !matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists
                        | io::ErrorKind::NotFound
                        | io::ErrorKind::StorageFull
                ) && !is_last =>
            {
                self.note_failure(Method::HardLink, devices, &error);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    fn copy_link(&mut self, at: &Ends<'_, S>) -> Result<Made, Failure> {
        let kept = self.shared.kept;
        let needs_facts = kept.owner || kept.times || self.shared.keeps_links();
        let facts = if needs_facts { Some(self.query_source(at, COPIED)?) } else { None };
        let path = self.shared.options.absolute_links.then(|| to_path(at.source));
        let base = path.as_deref().and_then(Path::parent);
        self.once(at, facts.as_ref(), |worker| {
            let made = worker.place(at, facts.as_ref(), NewName::No, |worker, to, name, _| {
                let copied = worker.sys.copy_link(at.from, at.name, to, name, base);
                copied.map_err(|(operation, error)| match operation {
                    Operation::ReadLink => Failure::source(operation, error),
                    _ => Failure::target(operation, error),
                })?;
                if let Some(facts) = &facts {
                    worker.remember(at, |sys| sys.query(to, name, IDENTITY));
                    let ends = (at.source, at.target);
                    worker.keep(ends, &Target::Named(to, name), facts, &Vec::new(), kept);
                }
                Ok(())
            })?;
            Ok(made.map_or(Made::Skipped, |()| Made::File(0, None)))
        })
    }

    /// Copies an entry whose kind was not listed: what a symlink leads to, or a special file.
    fn copy_by_facts(
        &mut self,
        at: &Ends<'_, S>,
        facts: &Facts,
        methods: &[Method],
    ) -> Result<Made, Failure> {
        match facts.kind {
            Kind::File => return self.copy_file(at, methods),
            Kind::Directory => return Ok(Made::Directory),
            _ => {}
        }
        self.check_special(at, facts.kind)?;
        let kept = self.shared.kept;
        let attributes = self.sys.attributes_by_name(at.from, at.name, at.follow, kept);
        let attributes =
            attributes.map_err(|error| Failure::source(Operation::ReadAttributes, error))?;
        self.once(at, Some(facts), |worker| {
            let made = worker.place(at, Some(facts), NewName::No, |worker, to, name, _| {
                let mode = worker.first_mode(facts);
                let made = worker.sys.create_special(to, name, facts, mode);
                made.map_err(|error| Failure::target(Operation::CreateSpecial, error))?;
                worker.remember(at, |sys| sys.query(to, name, IDENTITY));
                let ends = (at.source, at.target);
                worker.keep(ends, &Target::Named(to, name), facts, &attributes, kept);
                Ok(())
            })?;
            Ok(made.map_or(Made::Skipped, |()| Made::File(0, None)))
        })
    }

    pub(super) fn check_special(&self, at: &Ends<'_, S>, kind: Kind) -> Result<(), Failure> {
        let refusal = match kind {
            _ if self.shared.options.special_files => return Ok(()),
            Kind::Fifo => CopyRefusal::IsANamedPipe,
            Kind::Socket => CopyRefusal::IsASocket,
            kind if kind == Kind::File || kind.is_link() => return Ok(()),
            _ => CopyRefusal::IsADevice,
        };
        Err(Failure::refused(refusal, to_path(at.target)))
    }

    fn copy_file(&mut self, at: &Ends<'_, S>, methods: &[Method]) -> Result<Made, Failure> {
        let file = loop {
            match self.sys.open_source(at.from, at.name, at.follow) {
                Step::Done(file) => break file,
                Step::Other => {
                    let (operation, end) = (Operation::Open, End::Source);
                    return Err(Failure { operation, end, cause: Cause::Replaced });
                }
                // The holder of a lease, such as a file server, writes the content first.
                Step::Failed(error)
                    if error.kind() == io::ErrorKind::WouldBlock && !self.is_over() =>
                {
                    self.sys.sleep(POLL_INTERVAL);
                }
                Step::Failed(error) => {
                    let kept = self.is_kept_unread(at).then_some(Made::Skipped);
                    return kept.ok_or_else(|| Failure::source(Operation::Open, error));
                }
            }
        };
        let facts = self.sys.query_file(&file);
        let made = match facts {
            Err(error) => Err(Failure::source(Operation::Stat, error)),
            Ok(facts) if facts.kind == Kind::Directory => Ok(Made::Directory),
            Ok(facts) if facts.kind != Kind::File && !self.reads_special_files() => {
                self.copy_by_facts(at, &facts, methods)
            }
            Ok(facts) => self.once(at, Some(&facts), |worker| {
                let made =
                    worker.place(at, Some(&facts), NewName::No, |worker, to, name, old| {
                        worker.create(at, (&file, &facts), (to, name), old, methods)
                    })?;
                Ok(made.map_or(Made::Skipped, |(bytes, method)| Made::File(bytes, Some(method))))
            }),
        };
        self.sys.close_handle(file);
        made
    }

    /// Whether the destination is kept: then its source need not be readable.
    fn is_kept_unread(&mut self, at: &Ends<'_, S>) -> bool {
        use Existing::{Keep, ReplaceChanged, ReplaceOlder};
        matches!(self.shared.options.existing, Keep | ReplaceChanged | ReplaceOlder)
            && self.query_source(at, COPIED).is_ok_and(|facts| {
                let existed = self.meet_existing(at, &facts, NewName::No);
                matches!(existed, Ok(Some(Existed::Kept)))
            })
    }

    /// Returns the identity of a source whose names become names of one copy. A followed symlink is
    /// another name of its target.
    pub(super) fn with_several_names(&self, at: &Ends<'_, S>, facts: &Facts) -> Option<Identity> {
        let has_several = at.follow || facts.has_several_names();
        Identity::known(facts).filter(|_| has_several && self.shared.keeps_links())
    }

    /// Copies a source unless it has another name that was copied already. If so, creates a hard
    /// link to that copy.
    fn once(
        &mut self,
        at: &Ends<'_, S>,
        facts: Option<&Facts>,
        copy: impl FnOnce(&mut Self) -> Result<Made, Failure>,
    ) -> Result<Made, Failure> {
        let known = facts.and_then(|facts| self.with_several_names(at, facts));
        let Some(source) = known else { return copy(self) };
        let links = &self.shared.links;
        match self.while_attending(|meanwhile| links.claim(source, meanwhile)) {
            Claim::Link(original) => self.link_copy(at, &original),
            Claim::Copy(mut pending) => {
                self.first_copy = FirstCopy::Begun;
                let made = copy(self);
                let first = std::mem::replace(&mut self.first_copy, FirstCopy::No);
                pending.original = match (first, at.to) {
                    (FirstCopy::Made(identity), To::Dir(_, place)) if made.is_ok() => {
                        let path = at.target.below(place.root_len).to_vec();
                        Some(Original { root: Arc::clone(&place.root), path, identity })
                    }
                    _ => None,
                };
                made
            }
        }
    }

    /// Remembers the new entry if it is the copy of a source with several names.
    pub(super) fn remember(
        &mut self,
        at: &Ends<'_, S>,
        query: impl FnOnce(&S) -> io::Result<Facts>,
    ) {
        if let FirstCopy::Begun = self.first_copy {
            match query(&self.sys) {
                Ok(facts) => {
                    if let Some(identity) = Identity::known(&facts) {
                        self.first_copy = FirstCopy::Made(identity);
                    }
                }
                // The other names will be files of their own.
                Err(error) => {
                    self.fail(Failure::target(Operation::Stat, error), at.source, at.target);
                }
            }
        }
    }

    /// The path of the original is followed through no symlink, and what it leads to is compared
    /// before and after.
    fn link_copy(&mut self, at: &Ends<'_, S>, original: &Original<S>) -> Result<Made, Failure> {
        let failed = |error| Failure::target(Operation::CreateLink, error);
        let path = &original.path;
        let split = path.iter().rposition(|unit| unit.is_separator());
        let name = split.map_or(0, |separator| separator + 1);
        let last = NameBuf::new(path[name..].to_vec()).map_err(failed)?;
        let opened = match split {
            Some(end) => {
                let opened = open_names(&*original.root, &path[..end], false, &self.sys);
                Some(opened.into_result().map_err(failed)?)
            }
            None => None,
        };
        let from = opened.as_ref().unwrap_or(&*original.root);
        let link = NewName::OfCopy(original.identity);
        let made = self.place(at, None, link, |worker, to, name, _| {
            worker.link_same(from, last.as_name(), original.identity, to, name)
        });
        if let Some(dir) = opened {
            self.sys.close(dir);
        }
        Ok(made?.map_or(Made::Skipped, |()| Made::File(0, None)))
    }

    fn link_same(
        &self,
        from: &S::Dir,
        name: Name<'_, S::Unit>,
        identity: Identity,
        to: &S::Dir,
        fresh: Name<'_, S::Unit>,
    ) -> Result<(), Failure> {
        let linked = self.sys.hard_link(from, name, to, fresh);
        linked.map_err(|error| Failure::target(Operation::CreateLink, error))?;
        match self.sys.query(to, fresh, IDENTITY) {
            Ok(facts) if Identity::of(&facts) == identity => Ok(()),
            answer => {
                let _ = self.sys.remove_child(to, fresh, Kind::File);
                let cause = answer.map_or_else(Cause::Os, |_| Cause::Replaced);
                Err(Failure { operation: Operation::CreateLink, end: End::Target, cause })
            }
        }
    }
}
