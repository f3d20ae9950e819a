//! How the fields of one entry are gathered: what the listing told is taken, the rest is asked for,
//! with as few calls as the platform has sources for it. Nothing is asked twice.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error, Operation};
use crate::fields::{Facts, Fields, Follow, Freshness, Kind, Metadata, Plan};
use crate::name::Name;
use crate::sys::{Ask, Sys, SystemUnit, is_loop, kind_by_target};

/// One worker's way of asking.
pub(crate) struct Asker<S: Sys> {
    pub(crate) sys: S,
    plan: Cell<Plan>,
    needs: Cell<Fields>,
    names_strays: bool,
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
        Asker { sys, plan: Cell::new(plan), needs: Cell::new(needs), names_strays: false }
    }

    /// Asks the system about every entry, even where the plan wants nothing that a query answers,
    /// so that what is missing is an error whatever the plan says.
    pub(crate) fn looking_always(self) -> Self {
        if !self.needs.get().intersects(S::SOURCES.query) {
            self.needs.set(self.needs.get() | Fields::KIND);
        }
        self
    }

    /// Asks for what another plan says from now on.
    pub(crate) fn set_plan(&self, plan: Plan) {
        self.plan.set(plan);
        self.needs.set(Plan::needs(plan.fields, &S::SOURCES));
    }

    /// Links that lead nowhere are told of as themselves in any case. So are others that could not
    /// be followed; now with a failure that takes no field away, or, where links lead round in a
    /// circle, as a failure alone. So `find -L` has it.
    pub(crate) fn name_strays(mut self) -> Self {
        self.names_strays = true;
        self
    }

    pub(crate) fn plan(&self) -> Plan {
        self.plan.get()
    }

    /// Whether listings carry everything that the plan wants, and it may be taken from them.
    pub(crate) fn is_in_listings(&self) -> bool {
        self.plan.get().freshness != Freshness::Exact
            && S::SOURCES.listing.contains(self.needs.get())
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
        if self.plan.get().cygwin_links {
            self.read_cygwin_link(subject, into);
        }
    }

    /// Tells everything that the plan wants of a path, as a caller typed it. The error is that
    /// there can be no such path; what the system refused is in the metadata.
    pub(crate) fn tell_path(
        &self,
        path: &Path,
        follow: bool,
        into: &mut Metadata,
    ) -> io::Result<()> {
        self.sys.at_path(path, |dir, name| self.tell_at(dir, name, path, follow, into))
    }

    /// The same, of a name in a directory that a path comes to.
    pub(crate) fn tell_at(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        path: &Path,
        follow: bool,
        into: &mut Metadata,
    ) {
        self.begin(into);
        self.tell(&Subject { dir, name, path: &|| path.to_owned(), follow }, into);
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
        // What was followed and is a link all the same leads nowhere.
        let strays = into.facts.known.contains(Fields::KIND) && into.facts.kind.is_link();
        if !needs.is_empty() {
            self.ask(&Subject { follow: subject.follow && !strays, ..*subject }, needs, into);
        }
    }

    fn ask(&self, subject: &Subject<'_, S>, needs: Fields, into: &mut Metadata) {
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
        if into.facts.known.contains(needs) {
            return;
        }
        if needs.contains(Fields::TARGET) && into.facts.kind.is_link() {
            if into.facts.kind == Kind::CygwinSymlink {
                self.read_cygwin_link(subject, into);
            } else {
                self.read_target(subject, into);
            }
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
        let query = |ask: Ask, known: &mut Facts| {
            self.sys.query_more(subject.dir, subject.name, ask, known)
        };
        let asked = match query(ask, &mut into.facts) {
            // A link that leads nowhere is told of as the link that it is.
            Err(error) if subject.follow && self.may_be_itself(&error) => {
                match query(Ask { follow: false, ..ask }, &mut into.facts) {
                    Ok(()) => {
                        if self.names_strays && error.kind() != io::ErrorKind::NotFound {
                            fail(subject, into, Fields::NONE, Operation::Stat, error);
                        }
                        Ok(())
                    }
                    Err(_) => Err(error),
                }
            }
            asked => asked,
        };
        match asked {
            Ok(()) => {
                into.listed = into.listed.without(fields);
                true
            }
            Err(error) => {
                fail(subject, into, fields, Operation::Stat, error);
                false
            }
        }
    }

    /// Whether a link that could not be followed, for this reason, may still be told of as itself.
    fn may_be_itself(&self, error: &io::Error) -> bool {
        use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        if is_loop(error) {
            return !self.names_strays;
        }
        self.names_strays || matches!(error.kind(), NotFound | NotADirectory | PermissionDenied)
    }

    fn read_target(&self, subject: &Subject<'_, S>, into: &mut Metadata) {
        let mut target = Vec::new();
        match self.sys.read_link(subject.dir, subject.name, &mut target) {
            Ok(()) => {
                let kind = kind_by_target(into.facts.kind, &target);
                if kind != into.facts.kind {
                    into.facts.kind = kind;
                    into.listed = into.listed.without(Fields::KIND);
                }
                into.has_more = true;
                into.target = Some(S::Unit::path(target));
            }
            Err(error) => fail(subject, into, Fields::TARGET, Operation::ReadLink, error),
        }
    }

    /// Reads what may be a link of Cygwin.
    fn read_cygwin_link(&self, subject: &Subject<'_, S>, into: &mut Metadata) {
        match self.sys.cygwin_target(subject.dir, subject.name, &into.facts) {
            Ok(Some(target)) => {
                into.facts.kind = Kind::CygwinSymlink;
                into.listed = into.listed.without(Fields::KIND);
                if into.requested.contains(Fields::TARGET) {
                    into.has_more = true;
                    into.target = Some(S::Unit::path(target));
                }
            }
            Ok(None) => {}
            Err(error) => fail(subject, into, Fields::NONE, Operation::ReadLink, error),
        }
    }

    fn read_extended(&self, subject: &Subject<'_, S>, fields: Fields, into: &mut Metadata) {
        let known = into.facts.known.contains(Fields::DEVICE);
        let device = known.then_some(into.facts.device);
        // A link that led nowhere is asked about itself.
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
    let error = Error::new(operation, (subject.path)(), Cause::Os(error));
    into.has_more = true;
    into.failed.push((fields, error));
}
