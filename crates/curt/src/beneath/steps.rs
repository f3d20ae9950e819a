//! Resolves a path name by name, without ever letting the system follow a symlink.
//!
//! Checking a path and then opening it leaves a race window. So each step opens one name in a
//! directory that is already open. Whatever other processes rename, the current directory was
//! reached from the root. `..` is never opened, because the parent of a moved directory can be
//! outside the root. We return to the directory from which we came instead. Symlinks are read, and
//! their targets are spliced into the remaining path. Memory and descriptors depend on the length
//! of the paths, not on the tree.

use std::collections::VecDeque;
use std::io;

use super::text;
use crate::fields::Kind;
use crate::name::{Name, NameBuf, Names, Unit};
use crate::sys::beneath::{Beneath, Link, OsError, Purpose, Reading, Rules, Step};
use crate::sys::{Request, Sys};
use curt_paths::Refusal;

/// The maximum number of open directories. `..` into a closed one reopens the path from the root.
const MAX_OPEN: usize = 32;
/// How often to resolve a path. If a directory to which `..` returns has disappeared, resolution
/// starts over.
const ATTEMPTS: usize = 8;
/// How often to retry a step whose entry changed between two calls.
const STEP_RETRIES: usize = 64;

#[derive(Debug)]
pub(super) enum Failure {
    Refused(Refusal),
    System(io::Error),
}

impl Failure {
    pub(super) const ESCAPE: Failure = Failure::Refused(Refusal::Escape);
    pub(super) const LINK: Failure = Failure::Refused(Refusal::Link);

    pub(super) fn is_missing(&self) -> bool {
        self.is(io::ErrorKind::NotFound)
    }

    pub(super) fn is(&self, kind: io::ErrorKind) -> bool {
        matches!(self, Failure::System(error) if error.kind() == kind)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::System(error)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Anything,
    Directory,
    /// A file that may be created. As in the kernel, a path with a trailing separator fails before
    /// the last component is looked up.
    File,
}

/// Operates on the last component in its parent. The name is `.` if the path ends in dots or a
/// separator. [`Step::Other`] means that the name may be a symlink to follow.
pub(super) type Act<'a, S, T> =
    dyn FnMut(&<S as Sys>::Dir, Name<'_, <S as Sys>::Unit>) -> Step<T> + 'a;

/// Returns the result of `act`, and the path from the root to the entry on which it acted.
pub(super) fn resolve<S: Beneath, T>(
    sys: &S,
    root: &S::Dir,
    rules: Rules,
    wanted: Wanted,
    path: &[S::Unit],
    act: &mut Act<'_, S, T>,
) -> Result<(T, Vec<S::Unit>), Failure> {
    for _ in 0..ATTEMPTS {
        let trail =
            Trail { sys, root, names: Names::new(), begins: Vec::new(), open: VecDeque::new() };
        let mut steps = Steps { sys, rules, wanted, trail, text: path.to_vec(), at: 0, links: 0 };
        match steps.run(act) {
            Err(Stop::Lost) => {}
            Err(Stop::Failed(failure)) => return Err(failure),
            Ok(what) => return Ok((what, steps.trail.path())),
        }
    }
    Err(OsError::Again.error().into())
}

enum Stop {
    Failed(Failure),
    Lost,
}

impl<F: Into<Failure>> From<F> for Stop {
    fn from(failure: F) -> Self {
        Stop::Failed(failure.into())
    }
}

struct Steps<'a, S: Beneath> {
    sys: &'a S,
    rules: Rules,
    wanted: Wanted,
    trail: Trail<'a, S>,
    /// The path with the targets of symlinks spliced in. The part before `at` is resolved.
    text: Vec<S::Unit>,
    at: usize,
    links: usize,
}

impl<S: Beneath> Steps<'_, S> {
    fn run<T>(&mut self, act: &mut Act<'_, S, T>) -> Result<T, Stop> {
        loop {
            let (name, is_last) = self.next_name()?;
            let name = name.as_name();
            if name.units().is_empty() || name.is_dot_or_dot_dot() {
                if name.units().len() == 2 {
                    self.back()?;
                }
                if is_last {
                    return self.end(act);
                }
            } else if is_last {
                if let Some(what) = self.last(name, act)? {
                    return Ok(what);
                }
            } else {
                if self.wanted == Wanted::File && self.is_at_end() {
                    return Err(OsError::IsDirectory.error().into());
                }
                self.enter(name)?;
            }
        }
    }

    /// Returns the next name (empty at the end), and whether the path ends with it, without a
    /// separator.
    fn next_name(&mut self) -> io::Result<(NameBuf<S::Unit>, bool)> {
        let rest = &self.text[self.at..];
        let begin = rest.iter().position(|unit| !unit.is_separator()).unwrap_or(rest.len());
        let length = rest[begin..].iter().position(|unit| unit.is_separator());
        let end = length.map_or(rest.len(), |length| begin + length);
        let name = NameBuf::new(rest[begin..end].to_vec())?;
        self.at += end;
        Ok((name, length.is_none()))
    }

    /// Returns to the parent. Looks up `.` first to check for search permission, which the kernel
    /// requires for `..`.
    fn back(&mut self) -> Result<(), Stop> {
        self.sys.link(self.trail.top(), S::ITSELF, Reading::Look)?;
        if self.trail.back()? || self.rules.in_root { Ok(()) } else { Err(Failure::ESCAPE.into()) }
    }

    fn is_at_end(&self) -> bool {
        self.text[self.at..].iter().all(|unit| unit.is_separator())
    }

    fn enter(&mut self, name: Name<'_, S::Unit>) -> Result<(), Stop> {
        for _ in 0..STEP_RETRIES {
            match self.sys.enter(self.trail.top(), name, Purpose::Lookup) {
                Step::Done(dir) => {
                    self.trail.push(name, dir);
                    return Ok(());
                }
                Step::Failed(error) => return Err(error.into()),
                Step::Other if self.follow(name)? => return Ok(()),
                Step::Other => self.check_exchange(name)?,
            }
        }
        Err(OsError::Again.error().into())
    }

    /// Acts on the last name. Returns `None` if the name is a symlink, whose target is now in the
    /// path.
    fn last<T>(
        &mut self,
        name: Name<'_, S::Unit>,
        act: &mut Act<'_, S, T>,
    ) -> Result<Option<T>, Stop> {
        for _ in 0..STEP_RETRIES {
            match act(self.trail.top(), name) {
                Step::Done(what) => {
                    self.trail.push_name(name);
                    return Ok(Some(what));
                }
                Step::Failed(error) => return Err(error.into()),
                Step::Other if self.follow(name)? => return Ok(None),
                Step::Other if self.wanted == Wanted::Directory => self.check_exchange(name)?,
                Step::Other => {}
            }
        }
        Err(OsError::Again.error().into())
    }

    /// The last two calls found neither a directory nor a symlink. If the entry is one now, it was
    /// swapped between them. Otherwise fails with `ENOTDIR`.
    fn check_exchange(&self, name: Name<'_, S::Unit>) -> Result<(), Stop> {
        let kind = self.sys.query(self.trail.top(), name, Request::STAT)?.kind;
        if kind == Kind::Directory || kind.is_link() {
            return Ok(());
        }
        Err(OsError::NotDirectory.error().into())
    }

    fn end<T>(&mut self, act: &mut Act<'_, S, T>) -> Result<T, Stop> {
        match act(self.trail.top(), S::ITSELF) {
            Step::Done(what) => Ok(what),
            Step::Failed(error) => Err(error.into()),
            Step::Other => Err(OsError::NotDirectory.error().into()),
        }
    }

    /// Splices the target of a symlink into the path. Returns `false` if the entry is not a
    /// symlink.
    fn follow(&mut self, name: Name<'_, S::Unit>) -> Result<bool, Stop> {
        let reading = Reading::Follow { is_last: self.is_at_end() };
        let target = match self.sys.link(self.trail.top(), name, reading)? {
            Link::No => return Ok(false),
            _ if self.rules.no_links => return Err(Failure::LINK.into()),
            Link::Opaque => return Err(Failure::LINK.into()),
            Link::Refused(number) => return Err(io::Error::from_raw_os_error(number).into()),
            Link::To(target) => target,
        };
        self.links += 1;
        if self.links > S::MAX_LINKS {
            return Err(OsError::TooManyLinks.error().into());
        }
        if target.is_empty() {
            return Err(OsError::NotFound.error().into());
        }
        let is_absolute = target[0].is_separator();
        if text::leads_elsewhere(&target, S::FLAVOR) || (is_absolute && !self.rules.in_root) {
            return Err(Failure::ESCAPE.into());
        }
        if is_absolute {
            self.trail.go_to_root();
        }
        self.text.splice(..self.at, target);
        self.at = 0;
        Ok(true)
    }
}

/// The names from the root to the current directory. The innermost directories are open.
struct Trail<'a, S: Beneath> {
    sys: &'a S,
    root: &'a S::Dir,
    names: Names<S::Unit>,
    begins: Vec<usize>,
    open: VecDeque<S::Dir>,
}

impl<S: Beneath> Trail<'_, S> {
    fn top(&self) -> &S::Dir {
        self.open.back().unwrap_or(self.root)
    }

    fn push(&mut self, name: Name<'_, S::Unit>, dir: S::Dir) {
        self.push_name(name);
        self.push_open(dir);
    }

    fn push_name(&mut self, name: Name<'_, S::Unit>) {
        self.begins.push(self.names.push(name));
    }

    fn push_open(&mut self, dir: S::Dir) {
        self.open.push_back(dir);
        if self.open.len() > MAX_OPEN {
            self.close_first();
        }
    }

    fn back(&mut self) -> Result<bool, Stop> {
        let Some(begin) = self.begins.pop() else { return Ok(false) };
        self.names.truncate(begin);
        if let Some(dir) = self.open.pop_back() {
            self.sys.close(dir);
        }
        if self.open.is_empty() && !self.begins.is_empty() {
            self.open_again()?;
        }
        Ok(true)
    }

    /// Reopens directories by name. If one is missing or no longer a directory, the position is
    /// lost.
    fn open_again(&mut self) -> Result<(), Stop> {
        for at in 0..self.begins.len() {
            let Some(name) = self.names.get(self.begins[at]) else { return Err(Stop::Lost) };
            match self.sys.enter(self.top(), name, Purpose::Lookup) {
                Step::Done(dir) => self.push_open(dir),
                Step::Other => return Err(Stop::Lost),
                Step::Failed(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(Stop::Lost);
                }
                Step::Failed(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn close_first(&mut self) {
        if let Some(dir) = self.open.pop_front() {
            self.sys.close(dir);
        }
    }

    fn go_to_root(&mut self) {
        while !self.open.is_empty() {
            self.close_first();
        }
        self.begins.clear();
        self.names.truncate(0);
    }

    fn path(&self) -> Vec<S::Unit> {
        let names = self.begins.iter().filter_map(|&begin| self.names.get(begin));
        text::joined(names.map(Name::units))
    }
}

impl<S: Beneath> Drop for Trail<'_, S> {
    fn drop(&mut self) {
        self.go_to_root();
    }
}
