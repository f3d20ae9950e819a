//! Begins with one source: finds its destination, and refuses what would never end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine::{Engine, Parent};
use super::shared::{Destination, Place, same_name};
use super::worker::{Ends, Failure, Outcome, To, to_path};
use crate::error::{Cause, CopyRefusal, Operation};
use crate::fields::{Facts, Fields, Follow, Kind};
use crate::name::{NameBuf, Unit};
use crate::sys::canonical::{Links, Missing};
use crate::sys::copying::{COPIED, Copying, End};
use crate::sys::{Identity, Last, Mounts, Request, SplitOperand, SystemUnit, os_error};
use crate::tree::TreePath;

/// The destination of one source.
struct Goal<U> {
    /// The path to report.
    path: PathBuf,
    /// The directory that contains the destination, and its name there.
    parent: PathBuf,
    name: NameBuf<U>,
    /// Whether `parent` is the destination itself, because the path ends in no name.
    is_itself: bool,
    directory_only: bool,
}

impl<S: Copying> Engine<'_, S> {
    pub(super) fn copy_operand(&mut self, source: &Path) {
        self.source.begin(S::Unit::units(source));
        self.above.clear();
        let goal = match self.goal(source) {
            Ok(goal) => goal,
            Err(failure) => {
                self.path = TreePath::default();
                return self.worker.fail(failure, &self.source.path, &self.path);
            }
        };
        self.path = TreePath::operand(S::Unit::units(&goal.path));
        if let Err(failure) = self.begin_operand(source, &goal) {
            self.worker.fail(failure, &self.source.path, &self.path);
        }
    }

    fn goal(&self, source: &Path) -> Result<Goal<S::Unit>, Failure> {
        let name = match S::Unit::operand(source).last {
            Last::Invalid(kind) => return Err(Failure::source(Operation::Stat, os_error(kind))),
            Last::Name(name) => Some(name),
            Last::DotOrDotDot | Last::Root => None,
        };
        let (path, is_kept) = match (self.worker.shared.destination, name) {
            (Destination::Into(directory), Some(name)) => {
                let path = directory.join(S::Unit::path(name.as_name().units().to_vec()));
                let (parent, is_itself) = (directory.to_owned(), false);
                return Ok(Goal { path, parent, name, is_itself, directory_only: false });
            }
            (Destination::Into(path), None) => (path.to_owned(), false),
            (Destination::Path(path), _) => (path.to_owned(), true),
        };
        let SplitOperand { parent, last, directory_only } = S::Unit::operand(&path);
        let (parent, name, is_itself) = match last {
            Last::Invalid(kind) => {
                return Err(Failure::target(Operation::CreateFile, os_error(kind)));
            }
            Last::Name(name) if is_kept && !(directory_only && self.is_directory(&path)) => {
                (parent, name, false)
            }
            _ => (path.clone(), S::ITSELF.into(), true),
        };
        Ok(Goal { path, parent, name, is_itself, directory_only })
    }

    /// With a slash after it, a symlink stands for its target.
    fn is_directory(&self, path: &Path) -> bool {
        let request = Request { fields: Fields::KIND, follow: true };
        let sys = &self.worker.sys;
        let facts =
            sys.locate(path).and_then(|(dir, name)| sys.query(&dir, name.as_name(), request));
        facts.is_ok_and(|facts| facts.kind == Kind::Directory)
    }

    fn begin_operand(&mut self, source: &Path, goal: &Goal<S::Unit>) -> Result<(), Failure> {
        let options = self.worker.shared.options;
        let operand = S::Unit::operand(source);
        let follow = options.follow != Follow::Never || operand.directory_only;
        let failed = |error| Failure::source(Operation::Stat, error);
        let (from, name) = self.worker.sys.locate(source).map_err(failed)?;
        let request = Request { fields: COPIED, follow };
        let facts = self.worker.sys.query(&from, name.as_name(), request).map_err(failed)?;
        if facts.kind == Kind::Directory {
            if !options.recursive {
                return Err(self.refused(CopyRefusal::IsADirectory));
            }
            return self.begin_directory(&from, &name, follow, &facts, goal);
        }
        if operand.directory_only {
            let error = os_error(io::ErrorKind::NotADirectory);
            return Err(Failure::source(Operation::Stat, error));
        }
        let mut place = self.open_parent(goal, Operation::CreateFile)?;
        if goal.is_itself {
            return Err(self.refused(CopyRefusal::FileOverDirectory));
        }
        if goal.directory_only {
            let refused = os_error(io::ErrorKind::NotADirectory);
            return Err(Failure::target(Operation::CreateFile, refused));
        }
        let Engine { worker, source, path, taken, .. } = self;
        let shared = worker.shared.are_repeated.then(|| same_name::<S>(goal.path.as_os_str()));
        place.is_new = shared.as_ref().is_some_and(|path| taken.contains(path));
        let before = worker.counts.done.files;
        let ends = Ends {
            from: &from,
            name: name.as_name(),
            source: &source.path,
            device: facts.device,
            follow,
            to: To::Dir(&*place.root, &place),
            fresh: goal.name.as_name(),
            target: path,
        };
        // A hard link is never one to a symlink that is followed.
        let kind = if follow { Kind::Unknown } else { facts.kind };
        match worker.copy(&ends, kind) {
            Outcome::Done => {
                taken.extend(shared.filter(|_| worker.counts.done.files > before));
                Ok(())
            }
            Outcome::Shortage(failure) => Err(failure),
            Outcome::Directory => {
                let (operation, end) = (Operation::Copy, End::Source);
                Err(Failure { operation, end, cause: Cause::Replaced })
            }
        }
    }

    fn refused(&self, refusal: CopyRefusal) -> Failure {
        Failure::refused(refusal, to_path(&self.path))
    }

    fn begin_directory(
        &mut self,
        from: &S::Dir,
        name: &NameBuf<S::Unit>,
        follow: bool,
        facts: &Facts,
        goal: &Goal<S::Unit>,
    ) -> Result<(), Failure> {
        let place = self.open_parent(goal, Operation::CreateDirectory)?;
        let identity = Identity::known(facts);
        match self.ancestors().iter().position(|ancestor| Some(*ancestor) == identity) {
            Some(0) if goal.is_itself => return Err(self.refused(CopyRefusal::SameEntry)),
            Some(_) => return Err(self.refused(CopyRefusal::IntoItself)),
            None => {}
        }
        let Engine { worker, source, .. } = self;
        let opened = if follow {
            worker.sys.open_below(from, name.as_name(), true)
        } else {
            worker.sys.open_child(from, name.as_name(), Mounts::Cross)
        };
        let opening =
            |cause| Failure { operation: Operation::OpenDirectory, end: End::Source, cause };
        let Some(admitted) = source.admit(opened, &worker.sys).map_err(opening)? else {
            return Ok(());
        };
        let request = Request { fields: COPIED, follow: false };
        let made = match worker.sys.query_dir(&admitted.dir, request) {
            Ok(facts) if Identity::known(&facts) != identity => Err(opening(Cause::Replaced)),
            Ok(facts) => {
                let (parent, dir) = (Some((&*place.root, &place)), Some(&admitted.dir));
                let fresh = goal.name.as_name();
                worker.make_directory(parent, fresh, dir, &facts, (&source.path, &self.path))
            }
            Err(error) => Err(Failure::source(Operation::Stat, error)),
        };
        match made {
            Ok(made) => {
                self.descend(admitted, facts.device, made);
                Ok(())
            }
            Err(failure) => {
                self.worker.sys.close(admitted.dir);
                Err(failure)
            }
        }
    }

    /// Opens the directory that will contain the destination.
    fn open_parent(
        &mut self,
        goal: &Goal<S::Unit>,
        operation: Operation,
    ) -> Result<Place<S>, Failure> {
        let units = self.path.units();
        let end = units.iter().rposition(|unit| !unit.is_separator()).map_or(0, |last| last + 1);
        let name_len = goal.name.as_name().units().len();
        let root_len = if goal.is_itself { units.len() } else { end.saturating_sub(name_len) };
        let is_known = self.parent.as_ref().is_some_and(|known| known.path == goal.parent);
        if !is_known {
            self.close_parent();
            let sys = &self.worker.sys;
            let opened = sys.open_for_lookup(&goal.parent);
            let dir = opened.map_err(|error| Failure::target(operation, error))?;
            let request = Request { fields: Fields::DEVICE, follow: false };
            let facts = sys.query_dir(&dir, request);
            let facts = facts.map_err(|error| Failure::target(Operation::Stat, error))?;
            let (path, device) = (goal.parent.clone(), facts.device);
            self.parent = Some(Parent { path, dir: Arc::new(dir), device, ancestors: None });
        }
        match &self.parent {
            Some(Parent { dir, device, .. }) => {
                let (root, device) = (Arc::clone(dir), *device);
                Ok(Place { root, root_len, device, is_new: false })
            }
            None => Err(Failure::target(operation, os_error(io::ErrorKind::NotFound))),
        }
    }

    pub(super) fn close_parent(&mut self) {
        if let Some(dir) = self.parent.take().and_then(|parent| Arc::into_inner(parent.dir)) {
            self.worker.sys.close(dir);
        }
    }

    /// Returns the identities of the directory that will contain the destination and of all above
    /// it. Unknown ones are met during the copy: an entered source is compared with its own copy.
    fn ancestors(&mut self) -> &[Identity] {
        let Some(parent) = &mut self.parent else { return &[] };
        let sys = &self.worker.sys;
        parent.ancestors.get_or_insert_with(|| {
            let is_here = parent.path.as_os_str().is_empty();
            let path = if is_here { Path::new(".") } else { &parent.path };
            let Ok(path) = sys.canonical_name(path, Missing::Nothing, Links::Follow) else {
                return Vec::new();
            };
            let request = Request { fields: Fields::ID | Fields::DEVICE, follow: true };
            let identity = |path: &Path| {
                let (dir, name) = sys.locate(path).ok()?;
                Identity::known(&sys.query(&dir, name.as_name(), request).ok()?)
            };
            path.ancestors().filter_map(identity).collect()
        })
    }
}
