//! How the fields of one entry are gathered: what the listing told is taken, the rest is asked for,
//! with as few calls as the platform has sources for it. Nothing is asked twice.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Follow, Freshness, Metadata, Plan};
use crate::name::Name;
use crate::sys::{Ask, Sys};

/// One worker's way of asking.
pub(crate) struct Asker<S: Sys> {
    pub(crate) sys: S,
    plan: Cell<Plan>,
    needs: Cell<Fields>,
}

/// What is asked about: an entry of an open directory, and the words for it in an error.
pub(crate) struct Subject<'a, S: Sys> {
    pub(crate) dir: &'a S::Dir,
    pub(crate) name: Name<'a, S::Unit>,
    pub(crate) path: &'a dyn Fn() -> PathBuf,
    /// Whether a link is followed.
    pub(crate) follow: bool,
}

const ACCESS: Fields = Fields::READABLE.union(Fields::WRITABLE).union(Fields::EXECUTABLE);

impl<S: Sys> Asker<S> {
    pub(crate) fn new(sys: S, plan: Plan) -> Self {
        let needs = Plan::needs(plan.fields, &S::SOURCES);
        Asker { sys, plan: Cell::new(plan), needs: Cell::new(needs) }
    }

    /// Asks for what another plan says from now on.
    pub(crate) fn set_plan(&self, plan: Plan) {
        self.plan.set(plan);
        self.needs.set(Plan::needs(plan.fields, &S::SOURCES));
    }

    pub(crate) fn plan(&self) -> Plan {
        self.plan.get()
    }

    /// Makes it that of another entry, of which nothing is known yet.
    pub(crate) fn begin(&self, into: &mut Metadata) {
        into.begin(self.plan.get().fields);
    }

    /// Tells everything that the plan wants of an entry of which it has what a listing told.
    pub(crate) fn tell(&self, subject: &Subject<'_, S>, into: &mut Metadata) {
        let known = into.facts.known;
        into.listed = known;
        let mut needs = self.needs.get();
        if self.plan.get().freshness != Freshness::Exact {
            needs = needs.without(known);
        }
        // What a link leads to is in no listing.
        let may_be_link = !known.contains(Fields::KIND) || into.facts.kind.is_link();
        if subject.follow && may_be_link && self.plan.get().follow == Follow::Links {
            needs = self.needs.get() | Fields::KIND;
        }
        if !needs.is_empty() {
            self.ask(subject, needs, into);
        }
    }

    /// Tells everything that the plan wants of a path, as a caller typed it. The error is that there can
    /// be no such path; what the system refused is in the metadata.
    pub(crate) fn tell_path(
        &self,
        path: &Path,
        follow: bool,
        into: &mut Metadata,
    ) -> io::Result<()> {
        self.begin(into);
        self.sys.at_path(path, |dir, name| {
            self.tell(&Subject { dir, name, path: &|| path.to_owned(), follow }, into);
        })
    }

    /// Asks for more fields of a path.
    pub(crate) fn fetch_path(
        &self,
        path: &Path,
        follow: bool,
        more: Fields,
        into: &mut Metadata,
    ) -> io::Result<()> {
        self.sys.at_path(path, |dir, name| {
            self.fetch(&Subject { dir, name, path: &|| path.to_owned(), follow }, more, into);
        })
    }

    /// Asks for more fields of the same entry.
    pub(crate) fn fetch(&self, subject: &Subject<'_, S>, more: Fields, into: &mut Metadata) {
        let new = more.without(into.requested);
        into.requested |= new;
        let needs = Plan::needs(new, &S::SOURCES).without(into.facts.known);
        if !needs.is_empty() {
            self.ask(subject, needs, into);
        }
    }

    fn ask(&self, subject: &Subject<'_, S>, needs: Fields, into: &mut Metadata) {
        into.has_more = true;
        let sources = &S::SOURCES;
        let queried = needs.intersection(sources.query);
        if !queried.is_empty() && !self.query(subject, queried, into) {
            // The entry is gone, or hidden: everything else would fail the same way.
            let rest = needs.without(queried).without(into.facts.known);
            if let Some((fields, _)) = into.failed.last_mut() {
                *fields |= rest;
            }
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
        let owners = Fields::USER | Fields::GROUP | sources.secured;
        let owners = needs.intersection(owners);
        if !owners.is_empty() {
            self.read_owners(subject, owners, into);
        }
    }

    /// Whether the system answered.
    fn query(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) -> bool {
        let cached = self.plan.get().freshness == Freshness::Cached;
        let ask = Ask { fields, follow: subject.follow, cached };
        let asked = match self.sys.query(subject.dir, subject.name, ask) {
            // A link that leads nowhere is told of as the link that it is.
            Err(error) if subject.follow && leads_nowhere(&error) => {
                let itself = Ask { follow: false, ..ask };
                self.sys.query(subject.dir, subject.name, itself).map_err(|_| error)
            }
            asked => asked,
        };
        match asked {
            Ok(mut facts) => {
                facts.adopt(&into.facts);
                into.listed = into.listed.without(fields);
                into.facts = facts;
                true
            }
            Err(error) => {
                fail(subject, into, fields, Operation::Stat, error);
                false
            }
        }
    }

    fn read_target(&self, subject: &Subject<'_, S>, into: &mut Metadata) {
        let mut target = Vec::new();
        match self.sys.read_link(subject.dir, subject.name, &mut target) {
            Ok(()) => into.target = Some(S::path(target)),
            Err(error) => fail(subject, into, Fields::TARGET, Operation::ReadLink, error),
        }
    }

    fn read_extended(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) {
        let known = into.facts.known.contains(Fields::DEVICE);
        let device = known.then_some(into.facts.device);
        match self.sys.extended(subject.dir, subject.name, fields, device) {
            Ok(Some(extended)) => {
                into.facts.present |= extended.present;
                into.facts.known |= fields.without(Fields::LABEL);
                into.label = extended.label;
            }
            Ok(None) => {}
            Err(error) => fail(subject, into, fields, Operation::ReadAttributes, error),
        }
    }

    fn read_owners(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) {
        match self.sys.owners(subject.dir, subject.name, fields, &into.facts) {
            Ok(owners) => {
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

/// Whether a link that was followed may still be told of as itself.
fn leads_nowhere(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) || is_loop(error)
}

/// The kind for a loop of links has no stable name in the standard library.
fn is_loop(error: &io::Error) -> bool {
    format!("{:?}", error.kind()) == "FilesystemLoop"
}

fn fail<S: Sys>(
    subject: &Subject<'_, S>,
    into: &mut Metadata,
    fields: Fields,
    operation: Operation,
    error: io::Error,
) {
    let error = Error::new(operation, (subject.path)(), Cause::Os(error));
    into.failed.push((fields, error));
}
