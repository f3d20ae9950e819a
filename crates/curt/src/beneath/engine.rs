//! The operations on any platform: one question for a whole path where it is answered, the walk
//! where it is not.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::options::Scope;
use super::text::Text;
use super::walk::{self, Act, Found, Wanted};
use crate::ask::{Asker, Subject};
use crate::error::{Cause, Error, Operation};
use crate::fields::{Fields, Follow, Metadata, Plan};
use crate::name::{Name, Unit};
use crate::sys::beneath::{Beneath, Create, Fault, How, Link, Purpose, Rules, Step, Whole};
use crate::sys::{Ask, Removed, SystemUnit};
use curt_paths::Flavor;
use curt_paths::Refusal;
use curt_paths::{Aliases, PathCheck};

/// The longest buffer that is kept for the next path.
const MOST_KEPT: usize = 4096;

/// Why an operation did nothing.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(Refusal),
    System(io::Error),
}

impl Failure {
    pub(super) const ESCAPE: Failure = Failure::Refused(Refusal::Escape);
    pub(super) const LINK: Failure = Failure::Refused(Refusal::Link);

    pub(super) fn is_escape(&self) -> bool {
        matches!(self, Failure::Refused(Refusal::Escape))
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Failure::System(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The error for callers.
    pub(super) fn of(self, operation: Operation, path: &Path) -> Error {
        let cause = match self {
            Failure::Refused(refusal) => Cause::Refused(refusal),
            Failure::System(error) => Cause::Os(error),
        };
        Error::new(operation, path.to_owned(), cause)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::System(error)
    }
}

/// A root on some platform.
pub(crate) struct Confined<S: Beneath> {
    asker: Asker<S>,
    pub(super) dir: Arc<S::Dir>,
    pub(super) rules: Rules,
    pub(super) aliases: Aliases,
    /// A buffer for the next path: most operations allocate nothing.
    spare: Cell<Vec<S::Unit>>,
}

/// A name and the open directory it lies in.
pub(super) struct Place<S: Beneath> {
    pub(super) dir: S::Dir,
    pub(super) name: Text<S::Unit>,
}

impl<S: Beneath> Confined<S> {
    pub(super) fn new(sys: S, dir: Arc<S::Dir>) -> Self {
        let asker = Asker::new(sys, Plan::default());
        let (rules, aliases) = (Rules::default(), Aliases::default());
        Confined { asker, dir, rules, aliases, spare: Cell::default() }
    }

    /// Opens a root as the caller typed it.
    pub(super) fn open(sys: S, path: &Path) -> io::Result<Self> {
        if path.as_os_str().is_empty() {
            return Err(S::error(Fault::NotFound));
        }
        let dir = sys.open_parent(path)?;
        Ok(Confined::new(sys, Arc::new(dir)))
    }

    pub(super) fn sys(&self) -> &S {
        &self.asker.sys
    }

    /// The same rules for another directory or another worker.
    pub(super) fn with(&self, sys: S, dir: Arc<S::Dir>) -> Self {
        Confined { rules: self.rules, aliases: self.aliases, ..Confined::new(sys, dir) }
    }

    pub(super) fn set_scope(&mut self, scope: Scope) {
        self.rules.in_root = scope == Scope::InRoot;
    }

    pub(super) fn set_aliases(&mut self, aliases: Aliases) {
        self.aliases = aliases;
        self.rules.no_links = aliases == Aliases::Strict;
    }

    /// What of a path is for the system. Refuses what the text says; whether that leaves the root
    /// is for the system to say, where it does not fold.
    pub(super) fn text(&self, path: &Path) -> Result<Text<S::Unit>, Failure> {
        let mut units = self.spare.take();
        units.clear();
        S::Unit::append_units(path, &mut units);
        let check = PathCheck::new(S::FLAVOR).aliases(self.aliases).in_root(self.rules.in_root);
        let refusal = match checked::<S>(check, &units) {
            Err(Refusal::Escape) if S::FLAVOR == Flavor::Posix => {
                checked::<S>(check.in_root(true), &units).err()
            }
            Err(refusal) => Some(refusal),
            Ok(Cow::Owned(units)) => return Ok(Text::new(units)),
            Ok(Cow::Borrowed(_)) => None,
        };
        match refusal {
            // Reasons that come behind this one in the order.
            Some(refusal) if refusal > Refusal::Escape && walk::escapes(self, &units) => {
                Err(Failure::ESCAPE)
            }
            Some(refusal) => Err(Failure::Refused(refusal)),
            None => Ok(Text::beginning_at_root(units)),
        }
    }

    /// Keeps the buffer of a path that is done with.
    pub(super) fn reuse(&self, text: Text<S::Unit>) {
        let units = text.into_terminated();
        if units.capacity() <= MOST_KEPT {
            self.spare.set(units);
        }
    }

    /// Opens a file.
    pub(super) fn open_file(&self, path: &Text<S::Unit>, how: &How) -> Result<S::Handle, Failure> {
        match self.sys().open_whole(&self.dir, path.name(), how, self.rules) {
            Whole::Opened(handle) => return Ok(handle),
            Whole::Escape => return Err(Failure::ESCAPE),
            Whole::Unfollowed(error) => return Err(self.unfollowed(path, how.follow, error)),
            Whole::Failed(error) => return Err(error.into()),
            Whole::Unanswered => {}
        }
        let makes = how.create != Create::Never;
        let wanted = if makes { Wanted::File } else { Wanted::Anything };
        let found =
            self.walk(path.units(), wanted, &mut |at, name| match self.sys().open(at, name, how) {
                Step::Otherwise if !how.follow => Step::Failed(S::error(Fault::TooManyLinks)),
                step => step,
            });
        found.map(|found| found.what)
    }

    /// Opens a directory.
    pub(super) fn enter(&self, path: &Text<S::Unit>, purpose: Purpose) -> Result<S::Dir, Failure> {
        match self.sys().enter_whole(&self.dir, path.name(), purpose, self.rules) {
            Whole::Opened(dir) => return Ok(dir),
            Whole::Escape => return Err(Failure::ESCAPE),
            Whole::Unfollowed(error) => return Err(self.unfollowed(path, true, error)),
            Whole::Failed(error) => return Err(error.into()),
            Whole::Unanswered => {}
        }
        let mut enter = |at: &S::Dir, name: Name<'_, S::Unit>| self.sys().enter(at, name, purpose);
        self.walk(path.units(), Wanted::Directory, &mut enter).map(|found| found.what)
    }

    /// Opens the directory that a last name lies in. A link that names it does not end the path,
    /// and to the system that makes a difference: so where the system is shown dots, one follows.
    pub(super) fn enter_parent(&self, parent: &Text<S::Unit>) -> Result<S::Dir, Failure> {
        if S::FLAVOR != Flavor::Posix {
            return self.enter(parent, Purpose::Place);
        }
        let dot = [S::Unit::ascii(b'.')];
        self.enter(&Text::new([parent.units(), &dot].concat()), Purpose::Place)
    }

    /// Why the system did not follow a link on a path: the refusal that it did not tell, if a walk
    /// that does nothing finds one, and else the system's own answer.
    pub(super) fn unfollowed(
        &self,
        path: &Text<S::Unit>,
        follow: bool,
        error: io::Error,
    ) -> Failure {
        let mut look = |at: &S::Dir, name: Name<'_, S::Unit>| match self.sys().link(at, name) {
            Ok(Link::No) => Step::Done(false),
            Ok(_) if !follow => Step::Done(true),
            Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Otherwise,
            Err(error) => Step::Failed(error),
        };
        match self.walk(path.units(), Wanted::Anything, &mut look) {
            Err(refused @ Failure::Refused(_)) => refused,
            // It ends in a link, which was not to be followed.
            Ok(Found { what: true, .. }) => error.into(),
            // Whatever is there by now, the system met a link.
            _ if self.rules.no_links => Failure::LINK,
            _ => error.into(),
        }
    }

    /// Walks; a link that was refused although it leaves the root is an escape.
    pub(super) fn walk<T>(
        &self,
        path: &[S::Unit],
        wanted: Wanted,
        act: &mut Act<'_, S, T>,
    ) -> Result<Found<S::Unit, T>, Failure> {
        match walk::to(self, self.rules, wanted, path, act) {
            Err(Failure::Refused(Refusal::Link))
                if self.rules.no_links && walk::escapes(self, path) =>
            {
                Err(Failure::ESCAPE)
            }
            answer => answer,
        }
    }

    /// Does something with the last name of a path, in the directory it lies in: `.` where the text
    /// says that it is a directory. [`Step::Otherwise`] follows it if it is a link.
    fn at_last<T>(&self, path: &Text<S::Unit>, act: &mut Act<'_, S, T>) -> Result<T, Failure> {
        let split = if path.is_directory() { None } else { path.split() };
        let step = match split {
            Some((parent, name)) if parent.units().is_empty() => act(&self.dir, name.name()),
            Some((parent, name)) => {
                let dir = self.enter_parent(&parent)?;
                let step = act(&dir, name.name());
                self.sys().close(dir);
                step
            }
            None => {
                let dir = self.enter(path, Purpose::Place)?;
                let step = act(&dir, S::ITSELF);
                self.sys().close(dir);
                step
            }
        };
        match step {
            Step::Done(answer) => Ok(answer),
            Step::Failed(error) => Err(error.into()),
            Step::Otherwise => {
                self.walk(path.units(), Wanted::Anything, act).map(|found| found.what)
            }
        }
    }

    /// Does something with the last name of a path, whatever it is. Separators behind it are taken
    /// off; where there is no name the directory is looked up, and then it is the fault.
    fn at_name<T>(
        &self,
        path: &Text<S::Unit>,
        fault: Fault,
        mut act: impl FnMut(&S::Dir, Name<'_, S::Unit>) -> io::Result<T>,
    ) -> Result<T, Failure> {
        let Some((parent, name)) = path.split() else {
            let dir = self.enter(path, Purpose::Place)?;
            self.sys().close(dir);
            return Err(S::error(fault).into());
        };
        if parent.units().is_empty() {
            return Ok(act(&self.dir, name.name())?);
        }
        let dir = self.enter_parent(&parent)?;
        let answer = act(&dir, name.name());
        self.sys().close(dir);
        Ok(answer?)
    }

    /// Makes a directory.
    pub(super) fn create_dir(&self, path: &Text<S::Unit>, mode: u32) -> Result<(), Failure> {
        self.at_name(path, Fault::Exists, |at, name| self.sys().create_dir(at, name, mode))
    }

    /// Removes what is no directory.
    pub(super) fn remove_file(&self, path: &Text<S::Unit>) -> Result<(), Failure> {
        let is_directory = path.is_directory();
        self.at_name(path, Fault::IsDirectory, |at, name| {
            if is_directory {
                // A directory by its text: it is one, and stays, or it is none.
                let found = self.sys().query(at, name, Ask::STAT)?.kind;
                let is_one = found == crate::Kind::Directory;
                return Err(S::error(if is_one {
                    Fault::IsDirectory
                } else {
                    Fault::NotDirectory
                }));
            }
            match self.sys().remove_child(at, name, crate::Kind::Unknown) {
                Removed::Done | Removed::Pending => Ok(()),
                Removed::IsDirectory => Err(S::error(Fault::IsDirectory)),
                Removed::Gone => Err(S::error(Fault::NotFound)),
                Removed::Failed(error) => Err(error),
            }
        })
    }

    /// The open directory that a last name lies in, and that name; `None` where the path has none.
    pub(super) fn place_of(&self, path: &Text<S::Unit>) -> Result<Option<Place<S>>, Failure> {
        let Some((parent, name)) = path.split() else {
            let dir = self.enter(path, Purpose::Place)?;
            self.sys().close(dir);
            return Ok(None);
        };
        let dir = if parent.units().is_empty() {
            self.enter(&Text::new(vec![S::Unit::ascii(b'.')]), Purpose::Place)?
        } else {
            self.enter_parent(&parent)?
        };
        Ok(Some(Place { dir, name }))
    }

    /// Renames. As in the kernel, both directories are looked up before anything is said about the
    /// names, and both names are known to be some before the old one is looked at.
    pub(super) fn rename(&self, from: &Text<S::Unit>, to: &Text<S::Unit>) -> Result<(), Failure> {
        let busy = || S::error(Fault::Busy);
        if from.split().is_none() {
            self.sys().close(self.enter(from, Purpose::Place)?);
            return self.at_name(to, Fault::Busy, |_, _| Err(busy()));
        }
        let directories = from.is_directory() || to.is_directory();
        self.at_name(from, Fault::Busy, |at, name| {
            Ok(self.at_name(to, Fault::Busy, |into, fresh| {
                if directories
                    && self.sys().query(at, name, Ask::STAT)?.kind != crate::Kind::Directory
                {
                    return Err(S::error(Fault::NotDirectory));
                }
                self.sys().rename(at, name, into, fresh)
            }))
        })?
    }

    /// Reads what a link holds.
    pub(super) fn read_link(&self, path: &Text<S::Unit>) -> Result<Vec<S::Unit>, Failure> {
        let mut target = Vec::new();
        self.at_last(path, &mut |at, name| match self.sys().read_link(at, name, &mut target) {
            Ok(()) => Step::Done(()),
            Err(error) => Step::Failed(error),
        })?;
        Ok(target)
    }

    /// Asks about what a path leads to, or, where no link is to be followed, about the link.
    pub(super) fn stat(
        &self,
        path: &Text<S::Unit>,
        shown: &Path,
        plan: Plan,
    ) -> Result<Metadata, Failure> {
        self.asker.set_plan(Plan { fields: plan.fields | Fields::KIND, ..plan });
        let follow = plan.follow != Follow::Never;
        self.at_last(path, &mut |dir, name| {
            let mut metadata = Metadata::default();
            let subject = Subject { dir, name, path: &|| shown.to_owned(), follow: false };
            self.asker.reset(&mut metadata);
            self.asker.complete(&subject, &mut metadata);
            match metadata.whole() {
                Err(error) => Step::Failed(error.into_system()),
                Ok(metadata) if follow && metadata.facts.kind.is_link() => Step::Otherwise,
                Ok(metadata) => Step::Done(metadata),
            }
        })
    }
}

/// Checks text; owned where it was folded: Windows never sees dots.
fn checked<S: Beneath>(check: PathCheck, text: &[S::Unit]) -> Result<Cow<'_, [S::Unit]>, Refusal> {
    match S::FLAVOR {
        Flavor::Posix => check.check(text).map(|()| Cow::Borrowed(text)),
        Flavor::Windows => Ok(Cow::Owned(check.name(text)?.into_owned())),
    }
}
