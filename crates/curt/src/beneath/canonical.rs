//! What a path leads to, by its name from the root: without links and dots, and right wherever the
//! root was moved. The last name may be missing.
//!
//! The system finds it, and tells its name and that of the root: 3 calls and a close. Where the
//! last name is missing, the system tells the name of the directory that it would lie in: 5 calls
//! and a close. Where no link is to be followed, the path's own text is the name: 1 call and a
//! close, the last name missing 2. The steps do what none of these can.

use std::io;

use super::engine::{Confined, Failure};
use super::text::{self, Text};
use super::walk::Wanted;
use crate::name::Unit;
use crate::sys::Sys;
use crate::sys::beneath::{Beneath, Link, Purpose, Rules, Step, Whole};

/// What a path leads to, by its name from the root.
pub(super) struct Canonical<U> {
    pub(super) path: Vec<U>,
    pub(super) missing: bool,
}

/// An answer; `None` where this way has none.
type Answer<S> = Option<Result<Canonical<<S as Sys>::Unit>, Failure>>;

impl<S: Beneath> Confined<S> {
    /// What a path leads to, by its name from the root; its last name may be missing.
    pub(super) fn canonical(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let answer = if !self.rules.no_links {
            self.told(path)
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
        let found =
            self.walk(path.units(), Wanted::Anything, &mut |at, name| match sys.link(at, name) {
                Ok(Link::No) => match sys.full_name(at, name) {
                    Ok(full) => Step::Done((full, false)),
                    Err(error) => Step::Failed(error),
                },
                Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Otherwise,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Step::Done((None, true)),
                Err(error) => Step::Failed(error),
            })?;
        let (full, missing) = found.what;
        let full = full.and_then(|full| self.below_root(&full));
        Ok(Canonical { path: full.unwrap_or(found.names), missing })
    }

    /// The name of what a path leads to, as the system tells it. `None` where it has no name, or
    /// one that is too long.
    fn told(&self, path: &Text<S::Unit>) -> Answer<S> {
        match self.sys().find_whole(&self.dir, path.name(), self.rules) {
            Whole::Opened(handle) => {
                let name = self.name_of(&handle);
                self.sys().let_go(handle);
                name.ok().map(|path| Ok(Canonical { path, missing: false }))
            }
            Whole::Escape => Some(Err(Failure::ESCAPE)),
            Whole::Unfollowed(error) => Some(Err(self.unfollowed(path, true, error))),
            Whole::Failed(error) if error.kind() == io::ErrorKind::NotFound => {
                self.place_told(path)
            }
            Whole::Failed(error) => Some(Err(error.into())),
            Whole::Unanswered => None,
        }
    }

    /// The name of what a path leads to or would lead to, by that of the directory it lies in.
    /// `None` where its last name is a link: only if it is none is the name its own.
    fn place_told(&self, path: &Text<S::Unit>) -> Answer<S> {
        let (parent, name) = path.split()?;
        // The system refuses a path that is too long, whatever its directory is.
        let is_too_long = path.units().len() >= S::LONGEST;
        if parent.units().is_empty() || path.is_directory() || is_too_long {
            return None;
        }
        let dir = match self.enter_parent(&parent) {
            Ok(dir) => dir,
            Err(failure) => return Some(Err(failure)),
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
        let missing = missing?;
        Some(text::folded(&told, S::FLAVOR).map(|path| Canonical { path, missing }))
    }

    /// The name of a path that leads through no link: its own. `None` where it does, or where the
    /// system has no answer.
    fn spelled(&self, path: &Text<S::Unit>) -> Answer<S> {
        let rules = Rules { no_links: true, ..self.rules };
        let name = |missing| {
            let path = text::folded(path.units(), S::FLAVOR)?;
            Ok(Canonical { path, missing })
        };
        let failure: Failure = match self.sys().find_whole(&self.dir, path.name(), rules) {
            Whole::Opened(handle) => {
                self.sys().let_go(handle);
                return Some(name(false));
            }
            Whole::Escape => return Some(Err(Failure::ESCAPE)),
            Whole::Unfollowed(error) => return Some(Err(self.unfollowed(path, true, error))),
            Whole::Unanswered => return None,
            Whole::Failed(error) => error.into(),
        };
        if !failure.is_missing() || path.is_directory() {
            return Some(Err(failure));
        }
        let (parent, _) = path.split()?;
        if parent.units().is_empty() {
            return Some(name(true));
        }
        match self.sys().enter_whole(&self.dir, parent.name(), Purpose::Place, rules) {
            Whole::Opened(dir) => {
                self.sys().close(dir);
                Some(name(true))
            }
            Whole::Escape => Some(Err(Failure::ESCAPE)),
            Whole::Unfollowed(error) => Some(Err(self.unfollowed(path, true, error))),
            Whole::Unanswered => None,
            Whole::Failed(error) => Some(Err(error.into())),
        }
    }

    /// The name of something open, from the root on. Both are asked for now: the root may have been
    /// moved.
    pub(super) fn name_of(&self, handle: &S::Handle) -> Result<Vec<S::Unit>, Failure> {
        let path = self.sys().path_of(handle)?;
        let root = self.sys().path_of_dir(&self.dir)?;
        text::folded(text::below(&path, &root).ok_or(Failure::ESCAPE)?, S::FLAVOR)
    }

    /// What a full path is below the root, where that is now.
    fn below_root(&self, path: &[S::Unit]) -> Option<Vec<S::Unit>> {
        let root = self.sys().path_of_dir(&self.dir).ok()?;
        text::folded(text::below(path, &root)?, S::FLAVOR).ok()
    }
}
