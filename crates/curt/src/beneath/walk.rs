//! Finding what a path leads to by single steps, none of which follows a link.
//!
//! Each step opens one name in a directory that is already open, so whatever others rename
//! meanwhile, the walk stands in a directory that it reached from the root. `..` is never opened:
//! the way is walked back over the directories that are still open. Links are read and put in the
//! place of their name. Memory and descriptors are bounded by the length of the paths, not by the
//! tree.

use std::collections::VecDeque;
use std::io;

use super::engine::{Confined, Failure};
use super::text;
use crate::fields::Kind;
use crate::name::{Name, Names, Unit};
use crate::sys::Ask;
use crate::sys::beneath::{Beneath, Fault, Link, Purpose, Rules, Step};

/// How many directories of the way stay open. Above that, going back opens the way again.
const MOST_OPEN: usize = 32;
/// How often the whole walk begins again because the way back was no longer there.
const ATTEMPTS: usize = 8;
/// How often a step is taken again because what it met had changed by the time it was looked at.
const STEPS: usize = 64;

/// What the last name of a path is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Anything,
    Directory,
    /// A file that may be made: a separator behind the last name is a fault before anything is
    /// looked up, as in the kernel.
    File,
}

/// What to do with the last name of a path, in the directory it lies in: `.` where the path ends in
/// dots or a separator, so that a directory is meant.
pub(super) type Act<'a, S, T> =
    dyn FnMut(&<S as crate::sys::Sys>::Dir, Name<'_, <S as crate::sys::Sys>::Unit>) -> Step<T> + 'a;

/// What was found, and under which names from the root.
pub(super) struct Found<U, T> {
    pub(super) what: T,
    pub(super) names: Vec<U>,
}

/// Walks to what a path leads to. `Step::Otherwise` of the last step asks whether it is a link,
/// which is then followed.
pub(super) fn to<S: Beneath, T>(
    confined: &Confined<S>,
    rules: Rules,
    wanted: Wanted,
    path: &[S::Unit],
    act: &mut Act<'_, S, T>,
) -> Result<Found<S::Unit, T>, Failure> {
    if path.len() >= S::LONGEST {
        return Err(S::error(Fault::TooLong).into());
    }
    for _ in 0..ATTEMPTS {
        let (sys, root) = (confined.sys(), &*confined.dir);
        let trail =
            Trail { sys, root, names: Names::new(), begins: Vec::new(), open: VecDeque::new() };
        let text = path.to_vec();
        let mut walk = Walk { sys, rules, wanted, trail, text, at: 0, links: 0 };
        match walk.go(act) {
            Err(Stop::Lost) => {}
            Err(Stop::Failed(failure)) => return Err(failure),
            Ok(found) => return Ok(found),
        }
    }
    Err(S::error(Fault::Again).into())
}

/// Why a walk ended early.
enum Stop {
    Failed(Failure),
    /// The way back is no longer there.
    Lost,
}

impl<F: Into<Failure>> From<F> for Stop {
    fn from(failure: F) -> Self {
        Stop::Failed(failure.into())
    }
}

struct Walk<'a, S: Beneath> {
    sys: &'a S,
    rules: Rules,
    wanted: Wanted,
    trail: Trail<'a, S>,
    /// The path, with what links hold in the place of their names, and how much of it is behind.
    text: Vec<S::Unit>,
    at: usize,
    links: usize,
}

impl<S: Beneath> Walk<'_, S> {
    fn go<T>(&mut self, act: &mut Act<'_, S, T>) -> Result<Found<S::Unit, T>, Stop> {
        let mut name = Vec::new();
        loop {
            let is_last = self.next_name(&mut name);
            let is_name = !text::is_dots(&name);
            if text::is_dot_dot(&name) {
                self.back()?;
            } else if is_name && !is_last {
                if self.wanted == Wanted::File && self.is_over() {
                    return Err(S::error(Fault::IsDirectory).into());
                }
                self.enter(&name)?;
            }
            if is_name && is_last {
                if let Some(found) = self.last(&name, act)? {
                    return Ok(found);
                }
            } else if is_last {
                return self.end(act);
            }
        }
    }

    /// Takes the next name, which is empty at the end. Whether it is the last: no separator follows
    /// it.
    fn next_name(&mut self, name: &mut Vec<S::Unit>) -> bool {
        let rest = &self.text[self.at..];
        let begin = rest.iter().position(|unit| !unit.is_separator()).unwrap_or(rest.len());
        let length = rest[begin..].iter().position(|unit| unit.is_separator());
        let end = length.map_or(rest.len(), |length| begin + length);
        name.clear();
        name.extend_from_slice(&rest[begin..end]);
        self.at += end;
        length.is_none()
    }

    /// Goes to the directory above. The system looks `..` up in the directory it leaves, and so
    /// must be allowed to: any other question about a name there is refused alike.
    fn back(&mut self) -> Result<(), Stop> {
        self.sys.link(self.trail.top(), S::ITSELF)?;
        match self.trail.back() {
            Back::Done => Ok(()),
            Back::AtRoot if self.rules.in_root => Ok(()),
            Back::AtRoot => Err(Failure::ESCAPE.into()),
            Back::Lost => Err(Stop::Lost),
            Back::Failed(error) => Err(error.into()),
        }
    }

    /// Whether no name follows.
    fn is_over(&self) -> bool {
        self.text[self.at..].iter().all(|unit| unit.is_separator())
    }

    /// Goes into a directory, or where a link of that name leads.
    fn enter(&mut self, name: &[S::Unit]) -> Result<(), Stop> {
        let terminated = [name, &[S::Unit::NUL]].concat();
        let terminated = Name::of_terminated(&terminated);
        for _ in 0..STEPS {
            match self.sys.enter(self.trail.top(), terminated, Purpose::Place) {
                Step::Done(dir) => {
                    self.trail.push(terminated, dir);
                    return Ok(());
                }
                Step::Failed(error) => return Err(error.into()),
                Step::Otherwise if self.follow(terminated)? => return Ok(()),
                Step::Otherwise => self.has_changed(terminated)?,
            }
        }
        Err(S::error(Fault::Again).into())
    }

    /// Does what is to be done with the last name; `None` where a link has to be followed first.
    fn last<T>(
        &mut self,
        name: &[S::Unit],
        act: &mut Act<'_, S, T>,
    ) -> Result<Option<Found<S::Unit, T>>, Stop> {
        let terminated = [name, &[S::Unit::NUL]].concat();
        let terminated = Name::of_terminated(&terminated);
        for _ in 0..STEPS {
            match act(self.trail.top(), terminated) {
                Step::Done(what) => {
                    let names = self.trail.path(Some(terminated.units()));
                    return Ok(Some(Found { what, names }));
                }
                Step::Failed(error) => return Err(error.into()),
                Step::Otherwise if self.follow(terminated)? => return Ok(None),
                Step::Otherwise if self.wanted == Wanted::Directory => {
                    self.has_changed(terminated)?;
                }
                // It was a link a moment ago.
                Step::Otherwise => {}
            }
        }
        Err(S::error(Fault::Again).into())
    }

    /// A step met no directory, and then there was no link. Unless it is something else, one was
    /// exchanged for the other in between.
    fn has_changed(&self, name: Name<'_, S::Unit>) -> Result<(), Stop> {
        let kind = self.sys.query(self.trail.top(), name, Ask::STAT)?.kind;
        if kind == Kind::Directory || kind.is_link() {
            return Ok(());
        }
        Err(S::error(Fault::NotDirectory).into())
    }

    /// The path led to the directory where the walk stands.
    fn end<T>(&mut self, act: &mut Act<'_, S, T>) -> Result<Found<S::Unit, T>, Stop> {
        match act(self.trail.top(), S::ITSELF) {
            Step::Done(what) => Ok(Found { what, names: self.trail.path(None) }),
            Step::Failed(error) => Err(error.into()),
            Step::Otherwise => Err(S::error(Fault::NotDirectory).into()),
        }
    }

    /// Puts what a link holds in the place of its name. Whether it is a link.
    fn follow(&mut self, name: Name<'_, S::Unit>) -> Result<bool, Stop> {
        let target = match self.sys.followed(self.trail.top(), name, self.is_over())? {
            Link::No => return Ok(false),
            _ if self.rules.no_links => return Err(Failure::LINK.into()),
            Link::Opaque => return Err(Failure::LINK.into()),
            Link::Refused(number) => return Err(io::Error::from_raw_os_error(number).into()),
            Link::To(target) => target,
        };
        self.links += 1;
        if self.links > S::MOST_LINKS {
            return Err(S::error(Fault::TooManyLinks).into());
        }
        if target.is_empty() {
            return Err(S::error(Fault::NotFound).into());
        }
        let is_absolute = target[0].is_separator();
        if S::leads_elsewhere(&target) || (is_absolute && !self.rules.in_root) {
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

/// The directories from the root to where a walk stands: all their names, and the last of them
/// open.
struct Trail<'a, S: Beneath> {
    sys: &'a S,
    root: &'a S::Dir,
    names: Names<S::Unit>,
    /// Where each name begins.
    begins: Vec<usize>,
    open: VecDeque<S::Dir>,
}

/// The answer to going back.
enum Back {
    Done,
    AtRoot,
    Lost,
    Failed(io::Error),
}

impl<S: Beneath> Trail<'_, S> {
    /// The directory where the walk stands.
    fn top(&self) -> &S::Dir {
        // Where none is open there are no names either.
        self.open.back().unwrap_or(self.root)
    }

    fn push(&mut self, name: Name<'_, S::Unit>, dir: S::Dir) {
        self.begins.push(self.names.push(name));
        self.open.push_back(dir);
        if self.open.len() > MOST_OPEN {
            self.close_first();
        }
    }

    fn back(&mut self) -> Back {
        let Some(begin) = self.begins.pop() else { return Back::AtRoot };
        self.names.truncate(begin);
        if let Some(dir) = self.open.pop_back() {
            self.sys.close(dir);
        }
        if self.open.is_empty() && !self.begins.is_empty() { self.open_again() } else { Back::Done }
    }

    /// Walks the way from the root again, by names that were no links a moment ago.
    fn open_again(&mut self) -> Back {
        for at in 0..self.begins.len() {
            let Some(name) = self.names.get(self.begins[at]) else { return Back::Lost };
            match self.sys.enter(self.top(), name, Purpose::Place) {
                Step::Done(dir) => self.open.push_back(dir),
                Step::Otherwise => return Back::Lost,
                Step::Failed(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Back::Lost;
                }
                Step::Failed(error) => return Back::Failed(error),
            }
            if self.open.len() > MOST_OPEN {
                self.close_first();
            }
        }
        Back::Done
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

    /// The names from the root, joined; `.` for the root itself.
    fn path(&self, last: Option<&[S::Unit]>) -> Vec<S::Unit> {
        let names = self.begins.iter().filter_map(|&begin| self.names.get(begin));
        text::joined(names.map(Name::units).chain(last))
    }
}

impl<S: Beneath> Drop for Trail<'_, S> {
    fn drop(&mut self) {
        self.go_to_root();
    }
}

/// Whether a path would leave the root, if links were followed.
pub(super) fn escapes<S: Beneath>(confined: &Confined<S>, path: &[S::Unit]) -> bool {
    let rules = Rules { no_links: false, ..confined.rules };
    let mut look = |at: &S::Dir, name: Name<'_, S::Unit>| match confined.sys().link(at, name) {
        Ok(Link::No) => Step::Done(()),
        Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Otherwise,
        Err(error) => Step::Failed(error),
    };
    let answer = to(confined, rules, Wanted::Anything, path, &mut look);
    answer.is_err_and(|failure| failure.is_escape())
}
