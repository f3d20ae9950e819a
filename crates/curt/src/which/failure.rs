//! Why a program was not found.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::candidates::Candidates;
use super::directories::SearchDirectory;
use super::policy::Policy;
use super::searcher::join;
use crate::error::{FindCause, FindError};
use crate::sys::{Lookup, SystemUnit, Unsearched, is_loop};
use curt_paths::Flavor;

/// Why a program was not found, and the path to blame.
pub(super) type Blame = (FindCause, Option<PathBuf>);

/// What a search has passed over so far. Keeps its memory from look-up to look-up.
#[derive(Debug)]
pub(super) struct Missed<U> {
    /// The first file that cannot be executed, or directory in its place.
    unfit: Vec<U>,
    /// The first link loop.
    looped: Vec<U>,
    is_too_long: bool,
    /// The directories that may not be searched, by their numbers.
    unsearchable: Vec<usize>,
    /// The first other failure, and the number of its directory.
    failed: Option<(usize, io::Error)>,
    /// Whether a failure ended the search.
    pub(super) is_over: bool,
}

impl<U> Default for Missed<U> {
    fn default() -> Self {
        Missed {
            unfit: Vec::new(),
            looped: Vec::new(),
            is_too_long: false,
            unsearchable: Vec::new(),
            failed: None,
            is_over: false,
        }
    }
}

impl<U: SystemUnit> Missed<U> {
    pub(super) fn clear(&mut self) {
        self.unfit.clear();
        self.looped.clear();
        self.unsearchable.clear();
        (self.is_too_long, self.failed, self.is_over) = (false, None, false);
    }

    /// Notes what a search of the directory with this number has come to, and returns one word for
    /// it.
    pub(super) fn note<S: Lookup<Unit = U>>(
        &mut self,
        at: usize,
        directory: &SearchDirectory<S>,
        candidates: &Candidates<U>,
        searched: Result<(), Unsearched>,
        policy: &Policy,
    ) -> &'static str {
        if let (true, Some(unfit)) = (self.unfit.is_empty(), candidates.first_unfit()) {
            join(&mut self.unfit, &directory.path, candidates.spelled(unfit));
        }
        match searched {
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
            Err(Unsearched::Failed(error)) => {
                self.fail(at, error, directory, candidates.stem(), policy);
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

    fn fail<S: Lookup<Unit = U>>(
        &mut self,
        at: usize,
        error: io::Error,
        directory: &SearchDirectory<S>,
        stem: &[U],
        policy: &Policy,
    ) {
        if is_loop(&error) {
            if self.looped.is_empty() {
                join(&mut self.looped, &directory.path, stem);
            }
            self.is_over |= policy.stops_at_faults;
        } else if S::is_too_long(&error) {
            self.is_too_long = true;
            self.is_over |= policy.stops_at_faults;
        } else {
            // It is reported if nothing is found in the directories that follow.
            self.failed.get_or_insert((at, error));
        }
    }

    /// The first failure of the system, and the directory that it left unsearched.
    pub(super) fn take_failure<S: Lookup<Unit = U>>(
        &mut self,
        directories: &[SearchDirectory<S>],
    ) -> Option<Blame> {
        let (at, error) = self.failed.take()?;
        Some((FindCause::Os(error), directories.get(at).map(SearchDirectory::to_path)))
    }

    /// Why nothing was found, if something was passed over that explains it.
    pub(super) fn take_cause<S: Lookup<Unit = U>>(
        &mut self,
        directories: &[SearchDirectory<S>],
        is_path: bool,
        policy: &Policy,
    ) -> Option<Blame> {
        if self.failed.is_some() {
            return self.take_failure(directories);
        }
        let is_unfit = policy.rules == Flavor::Posix && !self.unfit.is_empty();
        let is_looped = !self.looped.is_empty();
        if is_looped && (policy.stops_at_faults || !is_unfit) {
            return Some((FindCause::LinkLoop, Some(S::Unit::path(self.looped.clone()))));
        }
        if is_unfit {
            return Some((FindCause::NotExecutable, Some(S::Unit::path(self.unfit.clone()))));
        }
        if self.is_too_long && (is_path || policy.stops_at_faults) {
            return Some((FindCause::NameTooLong, None));
        }
        let denied = *self.unsearchable.first()?;
        let is_denied = is_path || policy.denied_if_unsearchable;
        is_denied.then(|| {
            (FindCause::PermissionDenied, directories.get(denied).map(SearchDirectory::to_path))
        })
    }

    /// The error of a search for `name`.
    pub(super) fn error<S: Lookup<Unit = U>>(
        &self,
        name: OsString,
        is_path: bool,
        (cause, path): Blame,
        directories: &[SearchDirectory<S>],
    ) -> FindError {
        let explains_denial = matches!(
            cause,
            FindCause::NotFound | FindCause::OnlyInWorkingDirectory | FindCause::PermissionDenied
        );
        let unsearchable = self.unsearchable.iter().filter(|_| explains_denial);
        let unsearchable = unsearchable.filter_map(|&at| directories.get(at));
        let unsearchable = unsearchable.map(SearchDirectory::to_path).collect();
        FindError::new(name, is_path, cause, path, unsearchable)
    }

    /// That the name is nowhere, or only in places where it is no program.
    pub(super) fn not_found<S: Lookup<Unit = U>>(&self) -> Blame {
        let unfit = (!self.unfit.is_empty()).then(|| S::Unit::path(self.unfit.clone()));
        (FindCause::NotFound, unfit)
    }
}
