//! Implements the operations beneath a root, for any platform.
//!
//! An operation on an existing entry resolves the whole path in one call (`Beneath::whole`, on
//! Linux `openat2(2)`) or, without that call, in single steps ([`steps::resolve`]). An operation
//! that only needs a name opens the parent this way and acts there ([`Confined::at_name`]).

use std::io;
use std::path::Path;

use super::options::Scope;
use super::steps::{self, Act, Failure, Wanted};
use super::text::Text;
use crate::fields::{Fields, Follow, Kind, Metadata, Plan};
use crate::name::{Name, Unit};
use crate::querier::{Querier, Subject};
use crate::sys::beneath::{
    Beneath, Change, Create, How, Link, OsError, Purpose, Reading, Rules, Step, Want, Whole,
};
use crate::sys::{Removed, Request, SystemUnit};
use curt_paths::{Aliases, Flavor, PathCheck, Refusal};

pub(super) struct Confined<'a, S: Beneath> {
    pub(super) querier: &'a Querier<S>,
    pub(super) dir: &'a S::Dir,
    pub(super) policy: Policy,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policy {
    pub(super) scope: Scope,
    pub(super) aliases: Aliases,
}

impl Policy {
    pub(super) fn rules(self) -> Rules {
        let no_links = self.aliases == Aliases::Strict;
        Rules { in_root: self.scope == Scope::InRoot, no_links }
    }
}

pub(super) fn open_root<S: Beneath>(sys: &S, path: &Path) -> io::Result<S::Dir> {
    if path.as_os_str().is_empty() {
        return Err(OsError::NotFound.error());
    }
    sys.open_for_lookup(path)
}

#[derive(Debug)]
pub(super) struct PairFailure {
    pub(super) is_second: bool,
    pub(super) failure: Failure,
}

impl PairFailure {
    fn first(failure: impl Into<Failure>) -> PairFailure {
        PairFailure { is_second: false, failure: failure.into() }
    }

    fn second(failure: impl Into<Failure>) -> PairFailure {
        PairFailure { is_second: true, failure: failure.into() }
    }

    /// Attributes an error of a call with two names. Errors of these kinds are about the new name.
    fn of_both(error: io::Error) -> PairFailure {
        use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, IsADirectory};
        let is_second = matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | IsADirectory);
        PairFailure { is_second, failure: error.into() }
    }

    fn join(answer: Result<Result<io::Result<()>, Failure>, Failure>) -> Result<(), PairFailure> {
        let both = answer.map_err(PairFailure::first)?.map_err(PairFailure::second)?;
        both.map_err(PairFailure::of_both)
    }
}

impl<'a, S: Beneath> Confined<'a, S> {
    pub(super) fn sys(&self) -> &'a S {
        &self.querier.sys
    }

    /// Checks the text of a path. On POSIX it permits escapes, because the text does not show where
    /// `..` leads after a symlink.
    pub(super) fn text(
        &self,
        path: &Path,
        mut buffer: Vec<S::Unit>,
    ) -> Result<Text<S::Unit>, Failure> {
        buffer.clear();
        S::Unit::append_units(path, &mut buffer);
        // Refuse this length before any lookup, as the system does. Single steps never pass the
        // whole path to the system.
        if buffer.len() >= S::LONGEST {
            return Err(OsError::TooLong.error().into());
        }
        let Policy { scope, aliases } = self.policy;
        let check = PathCheck::new(S::FLAVOR).aliases(aliases).in_root(scope == Scope::InRoot);
        let checked = match S::FLAVOR {
            Flavor::Posix => match check.check(&buffer) {
                Err(Refusal::Escape) => check.in_root(true).check(&buffer),
                answer => answer,
            },
            // On Windows the system must not see `.` and `..`, so pass the folded path.
            Flavor::Windows => match check.name(&buffer) {
                Ok(name) => return Ok(Text::new(name.into_owned())?),
                Err(refusal) => Err(refusal),
            },
        };
        match checked {
            Ok(()) => Ok(Text::below_root(buffer)?),
            // Report an escape instead, because it takes precedence.
            Err(refusal) if refusal > Refusal::Escape && self.escapes(&buffer) => {
                Err(Failure::ESCAPE)
            }
            Err(refusal) => Err(refusal.into()),
        }
    }

    /// Returns whether following symlinks would lead out of the root.
    fn escapes(&self, path: &[S::Unit]) -> bool {
        let rules = Rules { no_links: false, ..self.policy.rules() };
        let mut look =
            |at: &S::Dir, name: Name<'_, S::Unit>| match self.sys().link(at, name, Reading::Look) {
                Ok(Link::No) => Step::Done(()),
                Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Other,
                Err(error) => Step::Failed(error),
            };
        let answer = steps::resolve(self.sys(), self.dir, rules, Wanted::Anything, path, &mut look);
        matches!(answer, Err(Failure::Refused(Refusal::Escape)))
    }

    /// Resolves a path in single steps. If a refused symlink leaves the root, reports an escape.
    pub(super) fn resolve<T>(
        &self,
        path: &[S::Unit],
        wanted: Wanted,
        act: &mut Act<'_, S, T>,
    ) -> Result<(T, Vec<S::Unit>), Failure> {
        let rules = self.policy.rules();
        match steps::resolve(self.sys(), self.dir, rules, wanted, path, act) {
            Err(Failure::Refused(Refusal::Link)) if rules.no_links && self.escapes(path) => {
                Err(Failure::ESCAPE)
            }
            answer => answer,
        }
    }

    pub(super) fn whole(
        &self,
        path: &Text<S::Unit>,
        want: Want<'_>,
        rules: Rules,
    ) -> Result<Option<S::Handle>, Failure> {
        let follow = if let Want::File(how) = want { how.follow } else { true };
        match self.sys().whole(self.dir, path.name(), want, rules) {
            Whole::Opened(opened) => Ok(Some(opened)),
            Whole::Escape => Err(Failure::ESCAPE),
            Whole::Unfollowed(error) => Err(self.unfollowed(path, follow, error)),
            Whole::Failed(error) => Err(error.into()),
            Whole::Unanswered => Ok(None),
        }
    }

    fn unfollowed(&self, path: &Text<S::Unit>, follow: bool, error: io::Error) -> Failure {
        let mut look =
            |at: &S::Dir, name: Name<'_, S::Unit>| match self.sys().link(at, name, Reading::Look) {
                Ok(Link::No) => Step::Done(false),
                Ok(_) if !follow => Step::Done(true),
                Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Other,
                Err(error) => Step::Failed(error),
            };
        match self.resolve(path.units(), Wanted::Anything, &mut look) {
            Err(refused @ Failure::Refused(_)) => refused,
            // The caller does not follow symlinks, and this one is the last component.
            Ok((true, _)) => error.into(),
            // The symlink was replaced meanwhile, but is refused anyway.
            _ if self.policy.rules().no_links => Failure::LINK,
            _ => error.into(),
        }
    }

    pub(super) fn open_file(&self, path: &Text<S::Unit>, how: &How) -> Result<S::Handle, Failure> {
        if let Some(handle) = self.whole(path, Want::File(how), self.policy.rules())? {
            return Ok(handle);
        }
        let makes = how.create != Create::Never;
        let wanted = if makes { Wanted::File } else { Wanted::Anything };
        let mut open = |at: &S::Dir, name: Name<'_, S::Unit>| match self.sys().open(at, name, how) {
            Step::Other if !how.follow => Step::Failed(OsError::TooManyLinks.error()),
            step => step,
        };
        self.resolve(path.units(), wanted, &mut open).map(|(handle, _)| handle)
    }

    pub(super) fn enter(&self, path: &Text<S::Unit>, purpose: Purpose) -> Result<S::Dir, Failure> {
        if let Some(handle) = self.whole(path, Want::Directory(purpose), self.policy.rules())? {
            return Ok(self.sys().dir_from(handle, self.dir, purpose)?);
        }
        let mut enter = |at: &S::Dir, name: Name<'_, S::Unit>| self.sys().enter(at, name, purpose);
        self.resolve(path.units(), Wanted::Directory, &mut enter).map(|(dir, _)| dir)
    }

    /// Opens a parent. On POSIX, appends `.`, because `protected_symlinks` treats a symlink at the
    /// end of a path differently from one inside it.
    pub(super) fn enter_parent(&self, parent: &Text<S::Unit>) -> Result<S::Dir, Failure> {
        let dot = [S::Unit::ascii(b'.')];
        if S::FLAVOR != Flavor::Posix && !parent.units().is_empty() {
            return self.enter(parent, Purpose::Lookup);
        }
        self.enter(&Text::new([parent.units(), &dot].concat())?, Purpose::Lookup)
    }

    fn in_parent<T>(
        &self,
        parent: &Text<S::Unit>,
        act: impl FnOnce(&S::Dir) -> T,
    ) -> Result<T, Failure> {
        if parent.units().is_empty() {
            return Ok(act(self.dir));
        }
        Ok(self.in_dir(self.enter_parent(parent)?, act))
    }

    fn in_dir<T>(&self, dir: S::Dir, act: impl FnOnce(&S::Dir) -> T) -> T {
        let answer = act(&dir);
        self.sys().close(dir);
        answer
    }

    /// Acts on the last component in its parent, or on `.` if the path must be a directory. If
    /// `act` returns [`Step::Other`] for a symlink, follows the symlink.
    fn at_last<T>(&self, path: &Text<S::Unit>, act: &mut Act<'_, S, T>) -> Result<T, Failure> {
        let split = path.split().filter(|_| !path.is_directory());
        let step = if let Some((parent, name)) = split {
            self.in_parent(&parent, |dir| act(dir, name.name()))?
        } else {
            let dir = self.enter(path, Purpose::Lookup)?;
            self.in_dir(dir, |dir| act(dir, S::ITSELF))
        };
        match step {
            Step::Done(answer) => Ok(answer),
            Step::Failed(error) => Err(error.into()),
            Step::Other => self.resolve(path.units(), Wanted::Anything, act).map(|(what, _)| what),
        }
    }

    /// Acts on the last component without following it. Ignores trailing separators. If the path
    /// ends in `.` or `..`, looks it up, then fails with `error`.
    fn at_name<T>(
        &self,
        path: &Text<S::Unit>,
        error: OsError,
        act: impl FnOnce(&S::Dir, Name<'_, S::Unit>) -> io::Result<T>,
    ) -> Result<T, Failure> {
        let Some((parent, name)) = path.split() else {
            self.sys().close(self.enter(path, Purpose::Lookup)?);
            return Err(error.error().into());
        };
        Ok(self.in_parent(&parent, |dir| act(dir, name.name()))??)
    }

    pub(super) fn create_dir(&self, path: &Text<S::Unit>, mode: u32) -> Result<(), Failure> {
        self.at_name(path, OsError::Exists, |at, name| self.sys().create_dir(at, name, mode))
    }

    /// Creates each directory by its path from the root, so that a concurrent swap cannot lead
    /// outside. Creates parents first, each only once. A parent that disappears again is an error.
    pub(super) fn create_dir_all(&self, path: &Text<S::Unit>, mode: u32) -> Result<(), Failure> {
        match self.is_entered(path) {
            // If an ancestor is not a directory, creating the directory fails with the right error.
            Err(failure) if failure.is_missing() || failure.is(io::ErrorKind::NotADirectory) => {}
            answer => return answer,
        }
        let mut waiting = vec![path.clone()];
        while let Some(path) = waiting.last() {
            match (self.create_or_enter(path, mode), path.parent()) {
                (Err(failure), Some(parent)) if failure.is_missing() => waiting.push(parent),
                (Err(failure), _) => return Err(failure),
                (Ok(()), _) => break,
            }
        }
        waiting.pop();
        waiting.iter().rev().try_for_each(|path| self.create_or_enter(path, mode))
    }

    fn create_or_enter(&self, path: &Text<S::Unit>, mode: u32) -> Result<(), Failure> {
        match self.create_dir(path, mode) {
            Err(exists) if exists.is(io::ErrorKind::AlreadyExists) => match self.is_entered(path) {
                Err(Failure::System(_)) => Err(exists),
                answer => answer,
            },
            answer => answer,
        }
    }

    fn is_entered(&self, path: &Text<S::Unit>) -> Result<(), Failure> {
        self.sys().close(self.enter(path, Purpose::Lookup)?);
        Ok(())
    }

    pub(super) fn remove_dir(&self, path: &Text<S::Unit>) -> Result<(), Failure> {
        let dots = if path.is_parent() { OsError::NotEmpty } else { OsError::Invalid };
        self.at_name(path, dots, |at, name| self.sys().remove_empty_dir(at, name))
    }

    pub(super) fn symlink(
        &self,
        target: Name<'_, S::Unit>,
        path: &Text<S::Unit>,
    ) -> Result<(), Failure> {
        self.at_new_name(path, |at, name| self.sys().symlink(target, at, name))
    }

    /// Checks in the kernel's order: the first path, the second path's parent, the second name. A
    /// first path that ends in a separator or dots must be a directory, which cannot be
    /// hard-linked.
    pub(super) fn hard_link(
        &self,
        from: &Text<S::Unit>,
        to: Result<Text<S::Unit>, Failure>,
    ) -> Result<(), PairFailure> {
        if from.is_directory() {
            self.is_entered(from).map_err(PairFailure::first)?;
            // The system checks the new name before it refuses a directory.
            return PairFailure::join(Ok(to.and_then(|to| {
                self.at_new_name(&to, |at, fresh| {
                    Ok(self.sys().hard_link(at, S::ITSELF, at, fresh))
                })
            })));
        }
        PairFailure::join(self.at_name(from, OsError::NotPermitted, |at, name| {
            let linked = to.and_then(|to| {
                self.at_new_name(&to, |into, fresh| Ok(self.sys().hard_link(at, name, into, fresh)))
            });
            if linked.is_err() {
                self.sys().query(at, name, Request::STAT)?;
            }
            Ok(linked)
        }))
    }

    /// Acts on a name to be created. As in the kernel, a trailing separator is an error.
    fn at_new_name<T>(
        &self,
        path: &Text<S::Unit>,
        act: impl FnOnce(&S::Dir, Name<'_, S::Unit>) -> io::Result<T>,
    ) -> Result<T, Failure> {
        self.at_name(path, OsError::Exists, |at, name| {
            if path.is_directory() {
                self.sys().query(at, name, Request::STAT)?;
                return Err(OsError::Exists.error());
            }
            act(at, name)
        })
    }

    pub(super) fn change(&self, path: &Text<S::Unit>, change: &Change) -> Result<(), Failure> {
        if let Some(changed) = self.whole(path, Want::Change(change), self.policy.rules())? {
            self.sys().close_handle(changed);
            return Ok(());
        }
        self.at_last(path, &mut |at, name| self.sys().change(at, name, change))
    }

    pub(super) fn remove_file(&self, path: &Text<S::Unit>) -> Result<(), Failure> {
        let is_directory = path.is_directory();
        self.at_name(path, OsError::IsDirectory, |at, name| {
            if is_directory {
                let found = self.sys().query(at, name, Request::STAT)?.kind;
                let is_found = found == Kind::Directory;
                let error = if is_found { OsError::IsDirectory } else { OsError::NotDirectory };
                return Err(error.error());
            }
            match self.sys().remove_child(at, name, Kind::Unknown) {
                Removed::Done | Removed::Pending => Ok(()),
                Removed::IsDirectory => Err(OsError::IsDirectory.error()),
                Removed::Gone => Err(OsError::NotFound.error()),
                Removed::Failed(error) => Err(error),
            }
        })
    }

    #[allow(clippy::type_complexity, reason = "a directory and a name")]
    pub(super) fn open_parent(
        &self,
        path: &Text<S::Unit>,
    ) -> Result<Option<(S::Dir, Text<S::Unit>)>, Failure> {
        let Some((parent, name)) = path.split() else {
            self.sys().close(self.enter(path, Purpose::Lookup)?);
            return Ok(None);
        };
        Ok(Some((self.enter_parent(&parent)?, name)))
    }

    /// Renames an entry. Checks in the kernel's order: both parents, whether both paths end in a
    /// name, the old name.
    pub(super) fn rename(
        &self,
        from: &Text<S::Unit>,
        to: Result<Text<S::Unit>, Failure>,
        replace: bool,
    ) -> Result<(), PairFailure> {
        let busy = if replace { OsError::Busy } else { OsError::Exists };
        if from.split().is_none() {
            self.is_entered(from).map_err(PairFailure::first)?;
            let to = to.map_err(PairFailure::second)?;
            self.at_name(&to, OsError::Busy, |_, _| Ok(())).map_err(PairFailure::second)?;
            return Err(PairFailure::first(OsError::Busy.error()));
        }
        let directories = from.is_directory() || to.as_ref().is_ok_and(Text::is_directory);
        let rename = |at: &S::Dir, name: Name<'_, _>, into: &S::Dir, fresh: Name<'_, _>| {
            if directories && self.sys().query(at, name, Request::STAT)?.kind != Kind::Directory {
                return Err(match self.sys().query(into, fresh, Request::STAT) {
                    Ok(_) if !replace => OsError::Exists.error(),
                    Err(error) if error.kind() != io::ErrorKind::NotFound => error,
                    _ => OsError::NotDirectory.error(),
                });
            }
            self.sys().rename(at, name, into, fresh, replace)
        };
        PairFailure::join(self.at_name(from, OsError::Busy, |at, name| {
            Ok(to.and_then(|to| {
                self.at_name(&to, busy, |into, fresh| Ok(rename(at, name, into, fresh)))
            }))
        }))
    }

    pub(super) fn read_link(&self, path: &Text<S::Unit>) -> Result<Vec<S::Unit>, Failure> {
        let mut target = Vec::new();
        self.at_last(path, &mut |at, name| match self.sys().read_link(at, name, &mut target) {
            Ok(()) => Step::Done(()),
            Err(error) => Step::Failed(error),
        })?;
        Ok(target)
    }

    pub(super) fn stat(
        &self,
        path: &Text<S::Unit>,
        shown: &Path,
        plan: Plan,
    ) -> Result<Metadata, Failure> {
        self.querier.set_plan(Plan { fields: plan.fields | Fields::KIND, ..plan });
        let follow = plan.follow != Follow::Never;
        self.at_last(path, &mut |dir, name| {
            let mut metadata = Metadata::default();
            let subject = Subject { dir, name, path: &|| shown.to_owned(), follow: false };
            self.querier.reset(&mut metadata);
            // Query the open directory, because a query by name would need search permission.
            let own = (name == S::ITSELF).then(|| self.sys().query_dir(dir, Request::STAT));
            if let Some(Ok(own)) = own {
                metadata.facts = own;
            }
            self.querier.complete(&subject, &mut metadata);
            match metadata.whole() {
                Err(error) => Step::Failed(error.into_system()),
                Ok(metadata) if follow && metadata.facts.kind.is_link() => Step::Other,
                Ok(metadata) => Step::Done(metadata),
            }
        })
    }
}
