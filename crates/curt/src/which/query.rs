//! One look-up: the name, how far the search for it has come, and what it has passed over.
//!
//! A system error is never called "not found": one dead mount in `PATH` must not hide all programs,
//! so a directory that could not be searched is remembered, and reported if nothing is found behind
//! it. A shortage of descriptors or memory would select the wrong program, so it ends the search.

use std::io;
use std::path::PathBuf;
use std::slice;

use super::candidates::Candidates;
use super::directories::SearchDirectory;
use super::policy::Policy;
use crate::error::{FindCause, FindError};
use crate::sys::{Lookup, SystemUnit, Unsearched, is_loop};
use curt_paths::Flavor;

/// Why a program was not found, and the path to blame.
pub(super) type Blame = (FindCause, Option<PathBuf>);

/// A name that is looked for. Keeps its memory from look-up to look-up.
pub(super) struct Query<S: Lookup> {
    pub(super) name: Vec<S::Unit>,
    /// The one directory that a path names, instead of those of `PATH`.
    pub(super) given: Option<SearchDirectory<S>>,
    pub(super) candidates: Candidates<S::Unit>,
    /// How many directories were searched.
    searched: usize,
    /// The next candidate in the last of them.
    candidate: usize,
    /// The first file that cannot be executed, or directory in its place.
    unfit: Vec<S::Unit>,
    /// The first link loop.
    looped: Vec<S::Unit>,
    is_too_long: bool,
    /// The directories that may not be searched, by their numbers.
    unsearchable: Vec<usize>,
    /// The first other failure, and the number of its directory.
    failed: Option<(usize, io::Error)>,
    /// Whether a failure ended the search.
    is_over: bool,
}

impl<S: Lookup> Default for Query<S> {
    fn default() -> Self {
        Query {
            name: Vec::new(),
            given: None,
            candidates: Candidates::default(),
            searched: 0,
            candidate: 0,
            unfit: Vec::new(),
            looped: Vec::new(),
            is_too_long: false,
            unsearchable: Vec::new(),
            failed: None,
            is_over: false,
        }
    }
}

/// The directories that are searched for a name: the one that it names, or those of `PATH`.
pub(super) fn searched<'a, S: Lookup>(
    given: Option<&'a SearchDirectory<S>>,
    path: &'a [SearchDirectory<S>],
) -> &'a [SearchDirectory<S>] {
    given.map_or(path, slice::from_ref)
}

impl<S: Lookup> Query<S> {
    /// Forgets the last look-up.
    pub(super) fn reset(&mut self) {
        self.name.clear();
        self.given = None;
        (self.searched, self.candidate) = (0, 0);
        self.unfit.clear();
        self.looped.clear();
        self.unsearchable.clear();
        (self.is_too_long, self.failed, self.is_over) = (false, None, false);
    }

    /// Whether it is a path, for which `PATH` is not searched.
    pub(super) fn is_path(&self) -> bool {
        self.given.is_some()
    }

    /// The directories that are searched for it.
    pub(super) fn directories<'a>(
        &'a self,
        path: &'a [SearchDirectory<S>],
    ) -> &'a [SearchDirectory<S>] {
        searched(self.given.as_ref(), path)
    }

    /// The number of the next directory; `None` if a failure ended the search.
    pub(super) fn next_directory(&self) -> Option<usize> {
        (!self.is_over).then_some(self.searched)
    }

    /// The directory that was searched last.
    pub(super) fn last_directory<'a>(
        &'a self,
        path: &'a [SearchDirectory<S>],
    ) -> Option<&'a SearchDirectory<S>> {
        self.directories(path).get(self.searched.checked_sub(1)?)
    }

    /// The next program in the directory that was searched last.
    pub(super) fn next_candidate(&mut self) -> Option<usize> {
        if self.is_over {
            // The system failed: what it did say may not be the first program.
            return None;
        }
        let found = self.candidates.program_from(self.candidate)?;
        self.candidate = found + 1;
        Some(found)
    }

    /// Notes what the search of the next directory has come to, and returns one word for it.
    pub(super) fn note(
        &mut self,
        path: &[SearchDirectory<S>],
        result: Result<(), Unsearched>,
        policy: &Policy,
    ) -> &'static str {
        let at = self.searched;
        (self.searched, self.candidate) = (at + 1, 0);
        let directory = &searched(self.given.as_ref(), path)[at];
        if let (true, Some(unfit)) = (self.unfit.is_empty(), self.candidates.first_unfit()) {
            directory.join(self.candidates.spelled(unfit), &mut self.unfit);
        }
        match result {
            Ok(()) => "searched",
            Err(Unsearched::Absent) => "absent",
            Err(Unsearched::Denied) => {
                self.unsearchable.push(at);
                "unsearchable"
            }
            Err(Unsearched::Unlistable) => {
                self.unsearchable.push(at);
                "unlistable"
            }
            Err(Unsearched::Failed(error)) if is_loop(&error) => {
                if self.looped.is_empty() {
                    directory.join(self.candidates.stem(), &mut self.looped);
                }
                self.is_over |= policy.stops_at_faults;
                "failed"
            }
            Err(Unsearched::Failed(error)) if S::is_too_long(&error) => {
                self.is_too_long = true;
                self.is_over |= policy.stops_at_faults;
                "failed"
            }
            Err(Unsearched::Failed(error)) => {
                // It is reported if nothing is found in the directories that follow.
                self.failed.get_or_insert((at, error));
                "failed"
            }
            Err(Unsearched::Shortage(error)) => {
                // The other directories could not be searched either, or only some of them: what is
                // found there may not be the first.
                (self.failed, self.is_over) = (Some((at, error)), true);
                "failed"
            }
        }
    }

    /// The first failure of the system, and the directory that it left unsearched.
    pub(super) fn take_failure(&mut self, path: &[SearchDirectory<S>]) -> Option<Blame> {
        let (at, error) = self.failed.take()?;
        let directory = self.directories(path).get(at).map(SearchDirectory::to_path);
        Some((FindCause::Os(error), directory))
    }

    /// Why nothing was found, if something was passed over that explains it.
    pub(super) fn take_cause(
        &mut self,
        path: &[SearchDirectory<S>],
        policy: &Policy,
    ) -> Option<Blame> {
        if self.failed.is_some() {
            return self.take_failure(path);
        }
        let is_unfit = policy.rules == Flavor::Posix && !self.unfit.is_empty();
        let is_looped = !self.looped.is_empty();
        if is_looped && (policy.stops_at_faults || !is_unfit) {
            return Some((FindCause::LinkLoop, Some(S::Unit::path(self.looped.clone()))));
        }
        if is_unfit {
            return Some((FindCause::NotExecutable, Some(S::Unit::path(self.unfit.clone()))));
        }
        if self.is_too_long && (self.is_path() || policy.stops_at_faults) {
            return Some((FindCause::NameTooLong, None));
        }
        let denied = *self.unsearchable.first()?;
        let is_denied = self.is_path() || policy.denied_if_unsearchable;
        is_denied.then(|| {
            let directory = self.directories(path).get(denied);
            (FindCause::PermissionDenied, directory.map(SearchDirectory::to_path))
        })
    }

    /// That the name is nowhere, or only in places where it is no program.
    pub(super) fn not_found(&self) -> Blame {
        let unfit = (!self.unfit.is_empty()).then(|| S::Unit::path(self.unfit.clone()));
        (FindCause::NotFound, unfit)
    }

    /// The error of this look-up.
    pub(super) fn error(&self, path: &[SearchDirectory<S>], (cause, blamed): Blame) -> FindError {
        let explains_denial = matches!(
            cause,
            FindCause::NotFound | FindCause::OnlyInWorkingDirectory | FindCause::PermissionDenied
        );
        let directories = self.directories(path);
        let unsearchable = self.unsearchable.iter().filter(|_| explains_denial);
        let unsearchable = unsearchable.filter_map(|&at| directories.get(at));
        let unsearchable = unsearchable.map(SearchDirectory::to_path).collect();
        let name = S::Unit::path(self.name.clone()).into_os_string();
        FindError::new(name, self.is_path(), cause, blamed, unsearchable)
    }
}
