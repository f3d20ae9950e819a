//! Finds canonical paths beneath a root, even if the root was moved. The last component may be
//! missing.
//!
//! Single steps find any path, but cost calls for each name, so cheaper methods are tried first:
//!
//! - `by_text`: if symlinks are refused, the path itself is canonical once folded.
//! - `by_handle`: opens the path and gets the current paths of the file and the root. Their
//!   difference is canonical if it leads to the same file again.
//! - `by_parent_handle`: does the same for the parent of a missing last component.
//! - `by_single_steps`: resolves the path in single steps, if the other methods have no answer.

use std::io;

use super::confined::Confined;
use super::steps::{Failure, Wanted};
use super::text::{self, Text};
use crate::name::Unit;
use crate::sys::beneath::{Beneath, Link, Open, Purpose, Reading, Rules, Step, Want};

pub(super) struct Canonical<U> {
    pub(super) path: Vec<U>,
    pub(super) missing: bool,
}

/// `None` if a method has no answer.
type Answer<U> = Result<Option<Canonical<U>>, Failure>;

impl<S: Beneath> Confined<'_, S> {
    pub(super) fn canonical(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let answer = if !self.policy.rules().no_links {
            self.by_handle(path)?
        } else if S::SPELLING_IS_NAME {
            self.by_text(path)?
        } else {
            None
        };
        answer.map_or_else(|| self.by_single_steps(path), Ok)
    }

    fn by_single_steps(&self, path: &Text<S::Unit>) -> Result<Canonical<S::Unit>, Failure> {
        let sys = self.sys();
        let ((full, missing), names) = self.resolve(
            path.units(),
            Wanted::Anything,
            &mut |at, name| match sys.link(at, name, Reading::Look) {
                Ok(Link::No) => match sys.full_name(at, name) {
                    Ok(full) => Step::Done((full, false)),
                    Err(error) => Step::Failed(error),
                },
                Ok(Link::To(_) | Link::Opaque | Link::Refused(_)) => Step::Other,
                Err(error) if error.kind() == io::ErrorKind::NotFound => Step::Done((None, true)),
                Err(error) => Step::Failed(error),
            },
        )?;
        let full = full.and_then(|full| self.below_root(&full));
        Ok(Canonical { path: full.unwrap_or(names), missing })
    }

    fn by_handle(&self, path: &Text<S::Unit>) -> Answer<S::Unit> {
        match self.whole(path, Want::Name, self.policy.rules()) {
            Ok(Some(handle)) => {
                let name = self.name_of(&handle);
                self.sys().close_handle(handle);
                Ok(name.ok().map(|path| Canonical { path, missing: false }))
            }
            Ok(None) => Ok(None),
            Err(failure) if failure.is_missing() => self.by_parent_handle(path),
            Err(failure) => Err(failure),
        }
    }

    /// Finds the path of a missing last component. Returns `None` if the component is a broken
    /// symlink, because the path then leads elsewhere.
    fn by_parent_handle(&self, path: &Text<S::Unit>) -> Answer<S::Unit> {
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

    fn by_text(&self, path: &Text<S::Unit>) -> Answer<S::Unit> {
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
                    let want = Want::Directory(Purpose::Lookup);
                    let Some(dir) = self.whole(&parent, want, rules)? else { return Ok(None) };
                    self.sys().close_handle(dir);
                }
                true
            }
        };
        Ok(Some(Canonical { path: text::folded(path.units(), S::FLAVOR)?, missing }))
    }

    /// Returns the path of a file from the root. Queries the current path of the root, too, because
    /// it may have moved.
    pub(super) fn name_of(&self, handle: &S::Handle) -> Result<Vec<S::Unit>, Failure> {
        let path = self.sys().path_of(Open::File(handle))?;
        let root = self.sys().path_of(Open::Dir(self.dir))?;
        let path = text::folded(text::below(&path, &root).ok_or(Failure::ESCAPE)?, S::FLAVOR)?;
        // Check the path, because a tree outside our mount namespace can have the same path.
        if self.sys().is_at(self.dir, &path, Open::File(handle))? {
            Ok(path)
        } else {
            Err(Failure::ESCAPE)
        }
    }

    fn below_root(&self, path: &[S::Unit]) -> Option<Vec<S::Unit>> {
        let root = self.sys().path_of(Open::Dir(self.dir)).ok()?;
        text::folded(text::below(path, &root)?, S::FLAVOR).ok()
    }
}
