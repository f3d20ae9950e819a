//! Completes the fields of one entry. Takes the fields that the listing has, and queries each
//! remaining field once, with as few calls as possible.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Fields, Freshness, Metadata, Plan};
use crate::name::Name;
use crate::sys::{Request, Sys, SystemUnit, is_loop, kind_by_target};

pub(crate) struct Querier<S: Sys> {
    pub(crate) sys: S,
    plan: Cell<Plan>,
    needs: Cell<Fields>,
    reports_unfollowable_links: bool,
}

pub(crate) struct Subject<'a, S: Sys> {
    pub(crate) dir: &'a S::Dir,
    pub(crate) name: Name<'a, S::Unit>,
    pub(crate) path: &'a dyn Fn() -> PathBuf,
    pub(crate) follow: bool,
}

const ACCESS: Fields = Fields::READABLE.union(Fields::WRITABLE).union(Fields::EXECUTABLE);

impl<S: Sys> Querier<S> {
    pub(crate) fn new(sys: S, plan: Plan) -> Self {
        let needs = plan.fields.needs(&S::SOURCES);
        Querier {
            sys,
            plan: Cell::new(plan),
            needs: Cell::new(needs),
            reports_unfollowable_links: false,
        }
    }

    /// Queries every entry, so that a missing entry is always an error.
    pub(crate) fn always_querying(self) -> Self {
        if !self.needs.get().intersects(S::SOURCES.query) {
            self.needs.set(self.needs.get() | Fields::KIND);
        }
        self
    }

    /// Reports links that cannot be followed, as `find -L` does.
    ///
    /// A broken link yields its own metadata without an error, and a link loop only the error.
    /// Other such links yield their own metadata and an error that affects no field.
    pub(crate) fn report_unfollowable_links(self) -> Self {
        Querier { reports_unfollowable_links: true, ..self }
    }

    pub(crate) fn set_plan(&self, plan: Plan) {
        self.plan.set(plan);
        self.needs.set(plan.fields.needs(&S::SOURCES));
    }

    pub(crate) fn plan(&self) -> Plan {
        self.plan.get()
    }

    pub(crate) fn is_in_listings(&self) -> bool {
        self.plan.get().is_in_listings(&S::SOURCES)
    }

    pub(crate) fn reset(&self, into: &mut Metadata) {
        into.reset(self.plan.get().fields);
    }

    pub(crate) fn complete(&self, subject: &Subject<'_, S>, into: &mut Metadata) {
        let known = into.facts.known;
        let plan = self.plan.get();
        let mut needs = self.needs.get();
        if plan.freshness != Freshness::Exact {
            needs = needs.without(known);
        }
        // A listing describes the link, not its target.
        let has_kind = known.contains(Fields::KIND);
        let is_link = has_kind && into.facts.kind.is_link();
        if subject.follow && (is_link || !has_kind) {
            needs = self.needs.get() | Fields::KIND;
        }
        if !needs.is_empty() {
            self.fetch_missing(subject, needs, into);
        }
        if subject.follow && is_link && !into.facts.kind.is_link() {
            (into.has_more, into.followed) = (true, true);
        }
    }

    /// Queries the fields of the plan. Fails only if the path is not valid text; a system failure
    /// is stored in the metadata.
    pub(crate) fn query_path(
        &self,
        path: &Path,
        follow: bool,
        into: &mut Metadata,
    ) -> io::Result<()> {
        let (dir, name) = self.sys.locate(path)?;
        let (dir, name) = (&dir, name.as_name());
        self.reset(into);
        self.complete(&Subject { dir, name, path: &|| path.to_owned(), follow }, into);
        Ok(())
    }

    pub(crate) fn fetch_path(
        &self,
        path: &Path,
        follow: bool,
        more: Fields,
        into: &mut Metadata,
    ) -> io::Result<()> {
        let (dir, name) = self.sys.locate(path)?;
        let (dir, name) = (&dir, name.as_name());
        self.fetch(&Subject { dir, name, path: &|| path.to_owned(), follow }, more, into);
        Ok(())
    }

    pub(crate) fn fetch(&self, subject: &Subject<'_, S>, more: Fields, into: &mut Metadata) {
        let new = more.without(into.requested);
        into.requested |= new;
        let needs = new.needs(&S::SOURCES).without(into.facts.known);
        let is_link = into.facts.known.contains(Fields::KIND) && into.facts.kind.is_link();
        if !needs.is_empty() {
            let follow = subject.follow && !is_link;
            self.fetch_missing(&Subject { follow, ..*subject }, needs, into);
        }
    }

    fn fetch_missing(&self, subject: &Subject<'_, S>, needs: Fields, into: &mut Metadata) {
        let sources = &S::SOURCES;
        let queried = needs.intersection(sources.query);
        if !queried.is_empty() && !self.query(subject, queried, into) {
            // The other queries would fail for the same reason.
            let rest = needs.without(queried).without(into.facts.known);
            if let Some((fields, _)) = into.failed.last_mut() {
                *fields |= rest;
            }
            return;
        }
        if into.facts.known.contains(needs) {
            return;
        }
        if needs.contains(Fields::TARGET) && into.facts.kind.is_link() {
            self.read_target(subject, into);
        }
        let access = needs.intersection(ACCESS).without(into.facts.known);
        if !access.is_empty() {
            match self.sys.may(subject.dir, subject.name, access) {
                Ok(allowed) => {
                    into.facts.allowed |= allowed;
                    into.facts.known |= access;
                }
                Err(error) => fail(subject, into, access, Operation::Access, error),
            }
        }
        let extended = needs.intersection(sources.extended);
        if !extended.is_empty() {
            self.read_extended(subject, extended, into);
        }
        let owners = needs.intersection(Fields::USER | Fields::GROUP | sources.secured);
        if !owners.is_empty() {
            self.read_owners(subject, owners, into);
        }
    }

    fn query(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) -> bool {
        let query = |follow: bool, known: &mut Facts| {
            let request = Request { fields, follow };
            self.sys.query_into(subject.dir, subject.name, request, known)
        };
        let mut answer = query(subject.follow, &mut into.facts);
        if let Err(error) = &answer {
            let may_be_link = subject.follow && self.may_be_itself(error);
            if may_be_link && query(false, &mut into.facts).is_ok() {
                let error = std::mem::replace(&mut answer, Ok(())).err();
                let is_broken = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
                let reported = error.filter(|error| !is_broken(error));
                if let (true, Some(error)) = (self.reports_unfollowable_links, reported) {
                    fail(subject, into, Fields::NONE, Operation::Stat, error);
                }
            }
        }
        match answer {
            Ok(()) => true,
            Err(error) => {
                fail(subject, into, fields, Operation::Stat, error);
                false
            }
        }
    }

    /// Returns whether to try the link's own metadata after this failure to follow it.
    fn may_be_itself(&self, error: &io::Error) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        if is_loop(error) {
            return !self.reports_unfollowable_links;
        }
        self.reports_unfollowable_links
            || matches!(error.kind(), NotFound | NotADirectory | PermissionDenied)
    }

    fn read_target(&self, subject: &Subject<'_, S>, into: &mut Metadata) {
        let mut target = Vec::new();
        match self.sys.read_link(subject.dir, subject.name, &mut target) {
            Ok(()) => {
                into.facts.kind = kind_by_target(into.facts.kind, &target);
                into.has_more = true;
                into.target = Some(S::Unit::path(target));
            }
            Err(error) => fail(subject, into, Fields::TARGET, Operation::ReadLink, error),
        }
    }

    fn read_extended(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) {
        let known = into.facts.known.contains(Fields::DEVICE);
        let device = known.then_some(into.facts.device);
        // Query the link itself if it could not be followed.
        let follow = subject.follow && !into.facts.kind.is_link();
        match self.sys.extended(subject.dir, subject.name, fields, follow, device) {
            Ok(Some(extended)) => {
                into.facts.present |= extended.present;
                into.facts.known |= fields.without(Fields::LABEL);
                into.has_more = true;
                into.label = extended.label;
            }
            Ok(None) => {}
            Err(error) => fail(subject, into, fields, Operation::ReadAttributes, error),
        }
    }

    fn read_owners(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) {
        match self.sys.owners(subject.dir, subject.name, fields, &into.facts) {
            Ok(owners) => {
                into.has_more = true;
                into.user = owners.user.or_else(|| into.user.take());
                into.group = owners.group.or_else(|| into.group.take());
                if let Some(acl) = owners.acl {
                    into.facts.known |= Fields::ACL;
                    if acl {
                        into.facts.present |= Fields::ACL;
                    }
                }
            }
            Err(error) => fail(subject, into, fields, Operation::ReadOwner, error),
        }
    }
}

fn fail<S: Sys>(
    subject: &Subject<'_, S>,
    into: &mut Metadata,
    fields: Fields,
    operation: Operation,
    error: io::Error,
) {
    into.fail(fields, Error::new(operation, (subject.path)(), Cause::Os(error)));
}
