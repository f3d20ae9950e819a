//! Creates directories, and finishes them.

use std::io::ErrorKind::{AlreadyExists, NotFound};
use std::sync::Arc;

use super::options::Existing;
use super::shared::Place;
use super::worker::{Failure, Worker, to_path};
use crate::error::{Cause, CopyRefusal, Operation};
use crate::fields::{Facts, Fields};
use crate::name::Name;
use crate::sys::beneath::Open;
use crate::sys::copying::{Attributes, COPIED, Copying, End, Kept, Target};
use crate::sys::{Identity, Mounts, Opened, OsError, Request, Sys, os_error};
use crate::tree::TreePath;

const OWNER: u32 = 0o700;

/// The state of a destination directory.
pub(super) struct Filling<S: Sys> {
    pub(super) place: Place<S>,
    pub(super) identity: Option<Identity>,
    pub(super) finish: Option<Arc<Finish>>,
}

/// What a directory gets after its entries.
pub(super) struct Finish {
    facts: Facts,
    attributes: Attributes,
    /// Permissions of the owner that the directory has only while it is filled.
    surplus: u32,
}

pub(super) type Directory<S> = (<S as Sys>::Dir, Filling<S>);

impl<S: Copying> Worker<'_, S> {
    /// Creates a directory, or opens an existing one. In a dry run, returns `None` if it does not
    /// exist. `dir` is the source, if it is open.
    pub(super) fn make_directory(
        &mut self,
        parent: Option<(&S::Dir, &Place<S>)>,
        name: Name<'_, S::Unit>,
        dir: Option<&S::Dir>,
        facts: &Facts,
        (source, path): (&TreePath<S::Unit>, &TreePath<S::Unit>),
    ) -> Result<Option<Directory<S>>, Failure> {
        let Some((to, place)) = parent else {
            self.count_directory(source, path);
            return Ok(None);
        };
        let sys = &self.sys;
        let options = self.shared.options;
        let by_umask = options.directories_by_umask && !self.shared.kept.mode;
        let facts = &Facts { mode: if by_umask { 0o777 } else { facts.mode }, ..*facts };
        let creating = |error| Failure::target(Operation::CreateDirectory, error);
        let is_new = if options.dry_run {
            match sys.query(to, name, Request { fields: Fields::KIND, follow: false }) {
                Ok(_) => false,
                Err(error) if error.kind() == NotFound => {
                    self.may_create(to, Operation::CreateDirectory)?;
                    self.count_directory(source, path);
                    return Ok(None);
                }
                Err(error) => return Err(Failure::target(Operation::Stat, error)),
            }
        } else if name.units() == S::ITSELF.units() {
            false
        } else {
            match sys.create_dir(to, name, self.first_mode(facts) | OWNER) {
                Ok(()) => true,
                Err(error) if error.kind() == AlreadyExists => false,
                Err(error) => return Err(creating(error)),
            }
        };
        if !is_new && place.is_new {
            return Err(Failure::refused(CopyRefusal::JustCreated, to_path(path)));
        }
        if !is_new && options.existing == Existing::Fail {
            return Err(creating(OsError::Exists.error()));
        }
        // A mount on a directory that was just created is none that the caller knows.
        let mounts = if is_new { Mounts::Refuse } else { Mounts::Cross };
        let made = match sys.open_child(to, name, mounts) {
            Opened::Dir(made) => made,
            Opened::NotDirectory if !is_new => {
                return Err(Failure::refused(CopyRefusal::DirectoryOverFile, to_path(path)));
            }
            Opened::NotDirectory | Opened::Mount => {
                let (operation, end) = (Operation::OpenDirectory, End::Target);
                return Err(Failure { operation, end, cause: Cause::Replaced });
            }
            opened => {
                if is_new {
                    // The caller may try again.
                    let _ = sys.remove_empty_dir(to, name);
                }
                return Err(Failure::target(
                    Operation::OpenDirectory,
                    opened.into_result().err().unwrap_or_else(|| os_error(NotFound)),
                ));
            }
        };
        match self.describe(place, dir, facts, &made, is_new, (source, path)) {
            Ok(of) => {
                if is_new {
                    self.count_directory(source, path);
                }
                Ok(Some((made, of)))
            }
            Err(failure) => {
                self.sys.close(made);
                if is_new {
                    let _ = self.sys.remove_empty_dir(to, name);
                }
                Err(failure)
            }
        }
    }

    fn count_directory(&mut self, source: &TreePath<S::Unit>, path: &TreePath<S::Unit>) {
        self.counts.done.directories += 1;
        self.show_copied(source, path);
    }

    fn describe(
        &self,
        parent: &Place<S>,
        dir: Option<&S::Dir>,
        facts: &Facts,
        made: &S::Dir,
        is_new: bool,
        (source, path): (&TreePath<S::Unit>, &TreePath<S::Unit>),
    ) -> Result<Filling<S>, Failure> {
        let kept = self.shared.kept;
        let found = self.sys.query_dir(made, Request { fields: COPIED, follow: false });
        let found = found.map_err(|error| Failure::target(Operation::Stat, error))?;
        let identity = Identity::known(&found);
        if identity.is_some() && identity == Identity::known(facts) {
            return Err(Failure::refused(CopyRefusal::SameEntry, to_path(path)));
        }
        let place = Place { is_new, device: found.device, ..parent.clone() };
        let has_mode = is_new && facts.known.contains(Fields::MODE);
        let mut surplus = if has_mode && !kept.mode { OWNER & !facts.mode } else { 0 };
        let lacking = if has_mode { OWNER & !found.mode } else { 0 };
        if lacking != 0 {
            // The umask concerns even the owner.
            self.change_mode(made, |mode| mode | OWNER, (source, path));
            surplus |= if kept.mode { 0 } else { lacking };
        }
        let is_left =
            self.shared.options.dry_run || !is_new && !self.shared.options.update_directories;
        if is_left || kept == Kept::default() && surplus == 0 {
            return Ok(Filling { place, identity, finish: None });
        }
        let attributes = match dir {
            Some(dir) => self.sys.attributes(Open::Dir(dir), kept),
            None => Ok(Attributes::new()),
        };
        let attributes = attributes.unwrap_or_else(|error| {
            self.fail(Failure::source(Operation::ReadAttributes, error), source, path);
            Attributes::new()
        });
        let finish = Some(Arc::new(Finish { facts: *facts, attributes, surplus }));
        Ok(Filling { place, identity, finish })
    }

    pub(super) fn apply(
        &self,
        dir: &S::Dir,
        finish: Finish,
        source: &TreePath<S::Unit>,
        path: &TreePath<S::Unit>,
    ) {
        let Finish { facts, attributes, surplus } = finish;
        if surplus != 0 {
            self.change_mode(dir, |mode| mode & !surplus, (source, path));
        }
        let target = Target::Open(Open::Dir(dir));
        self.keep((source, path), &target, &facts, &attributes, self.shared.kept);
    }

    /// Changes permissions. What the directory has inherited remains: its access rules, and the
    /// set-group-ID bit.
    fn change_mode(
        &self,
        dir: &S::Dir,
        change: impl FnOnce(u32) -> u32,
        ends: (&TreePath<S::Unit>, &TreePath<S::Unit>),
    ) {
        let kept = Kept { mode: true, ..Kept::default() };
        let rules = self.sys.attributes(Open::Dir(dir), kept);
        let rules = rules.map_err(|error| (Operation::ReadAttributes, error));
        let own = self.sys.query_dir(dir, Request { fields: COPIED, follow: false });
        match own.map_err(|error| (Operation::Stat, error)).and_then(|own| Ok((own, rules?))) {
            Ok((own, rules)) => {
                let facts = Facts { mode: change(own.mode), ..own };
                self.keep(ends, &Target::Open(Open::Dir(dir)), &facts, &rules, kept);
            }
            Err((operation, error)) => {
                self.fail(Failure::target(operation, error), ends.0, ends.1);
            }
        }
    }
}
