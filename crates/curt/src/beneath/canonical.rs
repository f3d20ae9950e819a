//! The name of what a path leads to, from the root on: without links and dots, and correct wherever
//! the root was moved to. The last name may be missing.
//!
//! The system finds it and tells its name and that of the root, and the rest of the name must lead
//! to the same: 5 calls and a close. If the last name is missing, the system tells the name of the
//! directory that it would be in: 7 calls and a close. If no link may be followed, the path's own
//! text is the name: 1 call and a close, with the last name missing 2. Single steps do what none of
//! these can.

use std::io;

use super::confined::Confined;
use super::steps::{Failure, Wanted};
use super::text::{self, Text};
use crate::name::Unit;
use crate::sys::beneath::{Beneath, Link, Open, Purpose, Reading, Rules, Step, Want};

/// The name of what a path leads to, from the root on.
pub(super) struct Canonical<U> {
    pub(super) path: Vec<U>,
    pub(super) missing: bool,
}

/// An answer; `None` if this way has none.
type Answer<U> = Result<Option<Canonical<U>>, Failure>;

impl<S: Beneath> Confined<'_, S> {
    /// Finds the name of what a path leads to; its last name may be missing.
    pub(super) fn canonical(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let answer = if !self.policy.rules().no_links {
            self.told(path)?
        } else if S::SPELLING_IS_NAME {
            self.spelled(path)?
        } else {
            None
        };
        answer.map_or_else(|| self.gathered(path), Ok)
    }

    /// Gathers the names on the way in single steps.
    fn gathered(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let sys = self.sys();
        let ((full, missing), names) = self.resolve(
            path.units(),
            Wanted::Anything,
            &mut |at, name| match sys.link(at, name, Reading::Look) {
                Ok(Link::No) => match sys.full_name(at, name) {
                    Ok(full) => Step::Done((full, false)),
                    Err(error) => Step::Failed(error),
                },
                Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Otherwise,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Step::Done((None, true)),
                Err(error) => Step::Failed(error),
            },
        )?;
        let full = full.and_then(|full| self.below_root(&full));
        Ok(Canonical { path: full.unwrap_or(names), missing })
    }

    /// Asks the system for the name of what a path leads to. `None` if it has no name, or one that
    /// is too long.
    fn told(&self, path: &Text<S::Unit>) -> Answer<S::Unit> {
        match self.whole(path, Want::Name, self.policy.rules()) {
            Ok(Some(handle)) => {
                let name = self.name_of(&handle);
                self.sys().close_handle(handle);
                Ok(name.ok().map(|path| Canonical { path, missing: false }))
            }
            Ok(None) => Ok(None),
            Err(failure) if failure.is_missing() => self.parent_told(path),
            Err(failure) => Err(failure),
        }
    }

    /// Asks the system for the name of the directory that the last name is in. `None` if the last
    /// name is a link: only otherwise is it the name of what the path leads to.
    fn parent_told(&self, path: &Text<S::Unit>) -> Answer<S::Unit> {
        let Some((parent, name)) = path.split() else { return Ok(None) };
        if parent.units().is_empty() || path.is_directory() {
            return Ok(None);
        }
        let dir = self.enter_parent(&parent)?;
        let missing = match self.sys().link(&dir, name.name(), Reading::Look) {
            Ok(Link::No) if S::SPELLING_IS_NAME => Some(false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(true),
            _ => None,
        };
        let full = missing.and_then(|_| self.sys().path_of(Open::Dir(&dir)).ok());
        let parent = full.and_then(|full| self.below_root(&full));
        let is_there =
            |path: &Vec<_>| self.sys().is_at(self.dir, path, Open::Dir(&dir)).unwrap_or(false);
        let parent = parent.filter(is_there);
        self.sys().close(dir);
        let (Some(missing), Some(mut path)) = (missing, parent) else { return Ok(None) };
        path.push(S::Unit::SEPARATOR);
        path.extend_from_slice(name.units());
        Ok(Some(Canonical { path: text::folded(&path, S::FLAVOR)?, missing }))
    }

    /// Returns the text of a path that leads through no link. `None` if the system cannot say
    /// whether it does.
    fn spelled(&self, path: &Text<S::Unit>) -> Answer<S::Unit> {
        let rules = Rules { no_links: true, ..self.policy.rules() };
        let missing = match self.whole(path, Want::Name, rules) {
            Ok(Some(handle)) => {
                self.sys().close_handle(handle);
                false
            }
            Ok(None) => return Ok(None),
            Err(failure) if !failure.is_missing() || path.is_directory() => return Err(failure),
            Err(_) => {
                let Some((parent, _)) = path.split() else { return Ok(None) };
                if !parent.units().is_empty() {
                    let want = Want::Directory(Purpose::Place);
                    let Some(dir) = self.whole(&parent, want, rules)? else { return Ok(None) };
                    self.sys().close_handle(dir);
                }
                true
            }
        };
        Ok(Some(Canonical { path: text::folded(path.units(), S::FLAVOR)?, missing }))
    }

    /// Returns the name of something open, from the root on. Both are asked for now: the root may
    /// have been moved.
    pub(super) fn name_of(&self, handle: &S::Handle) -> Result<Vec<S::Unit>, Failure> {
        let path = self.sys().path_of(Open::File(handle))?;
        let root = self.sys().path_of(Open::Dir(self.dir))?;
        let path = text::folded(text::below(&path, &root).ok_or(Failure::ESCAPE)?, S::FLAVOR)?;
        // Roots of trees that are not mounted here have the same text.
        if self.sys().is_at(self.dir, &path, Open::File(handle))? {
            Ok(path)
        } else {
            Err(Failure::ESCAPE)
        }
    }

    /// Returns the part of a full path below the root, wherever that is now.
    fn below_root(&self, path: &[S::Unit]) -> Option<Vec<S::Unit>> {
        let root = self.sys().path_of(Open::Dir(self.dir)).ok()?;
        text::folded(text::below(path, &root)?, S::FLAVOR).ok()
    }
}
