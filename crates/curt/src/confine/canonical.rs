//! What a path leads to, by its name from the root: without links and dots, and right wherever the root
//! was moved. The last name may be missing.
//!
//! Three ways lead there, and each answers exactly or not at all:
//!
//! - *spelled*: it is found without following links, so its own text is its name. 1 call and a close; the last
//!   name missing 2.
//! - *told*: it is found, and the system tells its name and that of the root. 3 calls and a close.
//! - *told of the place*: the directory it lies in is found, the last name is no link, and the system tells the
//!   names of the directory and of the root. 4 calls and a close, whether the last name is missing or not.
//!
//! The steps do what none of them can. Which way is tried first is a guess by what the last paths were;
//! one that was wrong costs calls, and never the answer.

use std::cell::{Cell, RefCell};
use std::io;

use super::engine::{Confined, Failure};
use super::text::{self, Text};
use crate::name::Unit;
use crate::sys::Sys;
use crate::sys::beneath::{Beneath, Link, Purpose, Rules, Step, Whole};

/// What a path leads to, by its name from the root.
pub(super) struct Canonical<U> {
    pub(super) path: Vec<U>,
    pub(super) missing: bool,
}

/// What the last paths were.
pub(super) struct Guess<U> {
    /// The last one that was looked at for it led through no link.
    is_plain: Cell<bool>,
    /// The first name of the last one that led through a link.
    linked: RefCell<Vec<U>>,
    /// The last name of the last one that the system told was missing.
    is_missing: Cell<bool>,
}

impl<U: Unit> Guess<U> {
    /// Nothing is known.
    pub(super) fn new() -> Self {
        Guess {
            is_plain: Cell::new(false),
            linked: RefCell::default(),
            is_missing: Cell::new(false),
        }
    }

    /// Whether a path may lead through no link, for all that is known.
    fn may_be_plain(&self, path: &Text<U>) -> bool {
        *self.linked.borrow() != path.first()
    }

    fn plain(&self, path: &Text<U>) {
        self.is_plain.set(true);
        if !self.may_be_plain(path) {
            self.linked.borrow_mut().clear();
        }
    }

    fn linked(&self, path: &Text<U>) {
        path.first().clone_into(&mut self.linked.borrow_mut());
    }
}

/// An answer; `None` where this way has none.
type Answer<S> = Option<Result<Canonical<<S as Sys>::Unit>, Failure>>;

impl<S: Beneath> Confined<S> {
    /// What a path leads to, by its name from the root; its last name may be missing.
    pub(super) fn canonical(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let answer = if !self.rules.no_links {
            let first = if self.guess.is_plain.get() { self.spelled_or_linked(path) } else { None };
            first.or_else(|| self.told(path))
        } else if S::SPELLING_IS_NAME {
            self.spelled(path)
        } else {
            None
        };
        answer.unwrap_or_else(|| self.gathered(path))
    }

    /// The name of what a path leads to, by single steps.
    fn gathered(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let sys = self.sys();
        let found = self.walk(path.units(), false, &mut |at, name| match sys.link(at, name) {
            Ok(Link::No) => match sys.full_name(at, name) {
                Ok(full) => Step::Done((full, false)),
                Err(error) => Step::Failed(error),
            },
            Ok(Link::To(_) | Link::Opaque) => Step::Otherwise,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Step::Done((None, true)),
            Err(error) => Step::Failed(error),
        })?;
        let (full, missing) = found.what;
        let full = full.and_then(|full| self.below_root(&full));
        Ok(Canonical { path: full.unwrap_or(found.names), missing })
    }

    /// The name of what a path leads to, as the system tells it. Where the last name is missing, or the
    /// system has no name or one that is too long, the other ways are tried; the shorter one first.
    fn told(&self, path: &Text<S::Unit>) -> Answer<S> {
        if S::SPELLING_IS_NAME && self.guess.is_missing.take() {
            if let Some(answer) = self.place_told(path) {
                return Some(answer);
            }
        }
        match self.sys().find_whole(&self.dir, path.name(), self.rules) {
            Whole::Opened(handle) => {
                let name = self.name_of(&handle);
                self.sys().let_go(handle);
                match name {
                    Ok(name) => Some(Ok(self.noted(path, name, false))),
                    Err(_) => self.spelled_or_linked(path),
                }
            }
            Whole::Escape => Some(Err(Failure::ESCAPE)),
            Whole::Failed(error) if error.kind() == io::ErrorKind::NotFound => {
                self.spelled_or_linked(path).or_else(|| self.place_told(path))
            }
            Whole::Failed(error) => Some(Err(error.into())),
            Whole::Unanswered => None,
        }
    }

    /// The name of what a path leads to or would lead to, by that of the directory it lies in. `None` where
    /// its last name is a link: only if it is none is the name its own.
    fn place_told(&self, path: &Text<S::Unit>) -> Answer<S> {
        let (parent, name) = path.split()?;
        // The system refuses a path that is too long, whatever its directory is.
        let is_too_long = path.units().len() >= S::LONGEST;
        if parent.units().is_empty() || path.is_directory() || is_too_long {
            return None;
        }
        let entered = self.sys().enter_whole(&self.dir, parent.name(), Purpose::Place, self.rules);
        let dir = match entered {
            Whole::Opened(dir) => dir,
            Whole::Escape => return Some(Err(Failure::ESCAPE)),
            Whole::Unanswered => return None,
            Whole::Failed(error) => return Some(Err(error.into())),
        };
        let missing = match self.sys().link(&dir, name.name()) {
            Ok(Link::No) if S::SPELLING_IS_NAME => Some(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(true),
            _ => None,
        };
        let full = missing.and_then(|_| self.sys().path_of_dir(&dir).ok());
        self.sys().close(dir);
        let mut told = self.below_root(&full?)?;
        told.push(S::Unit::SEPARATOR);
        told.extend_from_slice(name.units());
        Some(Ok(self.noted(path, text::folded(&told), missing?)))
    }

    /// A name that the system told, and what follows from it for the next path.
    fn noted(&self, path: &Text<S::Unit>, name: Vec<S::Unit>, missing: bool) -> Canonical<S::Unit> {
        self.guess.is_missing.set(missing);
        if name == text::folded(path.units()) {
            self.guess.plain(path);
        } else {
            self.guess.linked(path);
        }
        Canonical { path: name, missing }
    }

    /// The name of a path that leads through no link, unless it is known to lead through some. Notes whether
    /// it does.
    fn spelled_or_linked(&self, path: &Text<S::Unit>) -> Answer<S> {
        if !S::SPELLING_IS_NAME || !self.guess.may_be_plain(path) {
            return None;
        }
        let answer = self.spelled(path);
        match &answer {
            Some(Ok(_)) => self.guess.plain(path),
            Some(Err(_)) => {}
            None => {
                // Whether the next path has links is as unknown as before the first.
                self.guess.is_plain.set(false);
                self.guess.linked(path);
            }
        }
        answer
    }

    /// The name of a path that leads through no link: its own. `None` where it does, or where the system
    /// has no answer.
    fn spelled(&self, path: &Text<S::Unit>) -> Answer<S> {
        let rules = Rules { no_links: true, ..self.rules };
        let name = |missing| Canonical { path: text::folded(path.units()), missing };
        let failure: Failure = match self.sys().find_whole(&self.dir, path.name(), rules) {
            Whole::Opened(handle) => {
                self.sys().let_go(handle);
                return Some(Ok(name(false)));
            }
            Whole::Escape => return Some(Err(Failure::ESCAPE)),
            Whole::Unanswered => return None,
            Whole::Failed(error) => error.into(),
        };
        if !failure.is_missing() || path.is_directory() {
            return Some(Err(failure));
        }
        let (parent, _) = path.split()?;
        if parent.units().is_empty() {
            return Some(Ok(name(true)));
        }
        match self.sys().enter_whole(&self.dir, parent.name(), Purpose::Place, rules) {
            Whole::Opened(dir) => {
                self.sys().close(dir);
                Some(Ok(name(true)))
            }
            Whole::Escape => Some(Err(Failure::ESCAPE)),
            Whole::Unanswered => None,
            Whole::Failed(error) => Some(Err(error.into())),
        }
    }

    /// The name of something open, from the root on. Both are asked for now: the root may have been moved.
    pub(super) fn name_of(&self, handle: &S::Handle) -> Result<Vec<S::Unit>, Failure> {
        let path = self.sys().path_of(handle)?;
        let root = self.sys().path_of_dir(&self.dir)?;
        text::below(&path, &root).map(text::rejoined).ok_or(Failure::ESCAPE)
    }

    /// What a full path is below the root, where that is now.
    fn below_root(&self, path: &[S::Unit]) -> Option<Vec<S::Unit>> {
        let root = self.sys().path_of_dir(&self.dir).ok()?;
        text::below(path, &root).map(text::rejoined)
    }
}
