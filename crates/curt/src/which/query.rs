//! Holds the state of one look-up: its progress, and why it passed over directories and files.
//!
//! A system error is never reported as "not found". But one dead mount in `PATH` must not hide all
//! programs, so a failed directory is reported only if no later directory has the program. A
//! shortage of descriptors or memory ends the search; otherwise it could lead to the wrong program.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::slice;

use super::candidates::Candidates;
use super::directories::SearchDirectory;
use super::policy::{Policy, Rules};
use crate::error::{Cause, Error, FindCause, NotFound, Operation};
use crate::sys::{SystemUnit, Unsearched, Which, is_loop, is_shortage, is_too_long};
use curt_paths::Flavor;

pub(super) type Blame = (FindCause, Option<PathBuf>);

pub(super) struct Query<S: Which> {
    name: OsString,
    /// The directory to search instead of `PATH` if the name is a path.
    pub(super) given: Option<SearchDirectory<S>>,
    pub(super) candidates: Candidates<S::Unit>,
    searched: usize,
    candidate: usize,
    /// The first match that is not an executable file.
    unfit: Option<PathBuf>,
    looped: Option<PathBuf>,
    is_too_long: bool,
    unsearchable: Vec<usize>,
    failed: Option<(usize, io::Error)>,
    is_over: bool,
}

pub(super) fn searched<'a, S: Which>(
    given: Option<&'a SearchDirectory<S>>,
    path: &'a [SearchDirectory<S>],
) -> &'a [SearchDirectory<S>] {
    given.map_or(path, slice::from_ref)
}

impl<S: Which> Query<S> {
    pub(super) fn new(
        name: &OsStr,
        given: Option<SearchDirectory<S>>,
        candidates: Candidates<S::Unit>,
    ) -> Self {
        Query {
            name: name.to_owned(),
            given,
            candidates,
            searched: 0,
            candidate: 0,
            unfit: None,
            looped: None,
            is_too_long: false,
            unsearchable: Vec::new(),
            failed: None,
            is_over: false,
        }
    }

    pub(super) fn is_path(&self) -> bool {
        self.given.is_some()
    }

    pub(super) fn directories<'a>(
        &'a self,
        path: &'a [SearchDirectory<S>],
    ) -> &'a [SearchDirectory<S>] {
        searched(self.given.as_ref(), path)
    }

    /// Returns the index of the next directory, or `None` if a failure has ended the search.
    pub(super) fn next_directory(&self) -> Option<usize> {
        (!self.is_over).then_some(self.searched)
    }

    pub(super) fn last_directory<'a>(
        &'a self,
        path: &'a [SearchDirectory<S>],
    ) -> Option<&'a SearchDirectory<S>> {
        self.directories(path).get(self.searched.checked_sub(1)?)
    }

    pub(super) fn next_candidate(&mut self) -> Option<usize> {
        if self.is_over {
            // The failure may have hidden a better candidate, so do not return the next known one.
            return None;
        }
        let found = self.candidates.program_from(self.candidate)?;
        self.candidate = found + 1;
        Some(found)
    }

    /// Records the result of searching one directory. Returns it in one word.
    pub(super) fn note(
        &mut self,
        path: &[SearchDirectory<S>],
        result: Result<(), Unsearched>,
        rules: &Rules,
    ) -> &'static str {
        // `execvp` stops at errors other than a missing file or denied access.
        let is_execvp = rules.are_of(Policy::Posix);
        let at = self.searched;
        (self.searched, self.candidate) = (at + 1, 0);
        let directory = &searched(self.given.as_ref(), path)[at];
        let path_of = |name| S::Unit::path(directory.join(name));
        if let (None, Some(unfit)) = (&self.unfit, self.candidates.first_unfit()) {
            self.unfit = Some(path_of(self.candidates.spelled(unfit)));
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
                self.looped.get_or_insert_with(|| path_of(self.candidates.stem()));
                self.is_over |= is_execvp;
                "failed"
            }
            Err(Unsearched::Failed(error)) if is_too_long(&error) => {
                self.is_too_long = true;
                self.is_over |= is_execvp;
                "failed"
            }
            // End the search, because searching other directories would fail, too.
            Err(Unsearched::Failed(error)) if is_shortage(&error) => {
                (self.failed, self.is_over) = (Some((at, error)), true);
                "failed"
            }
            Err(Unsearched::Failed(error)) => {
                self.failed.get_or_insert((at, error));
                "failed"
            }
        }
    }

    pub(super) fn take_failure(&mut self, path: &[SearchDirectory<S>]) -> Option<Blame> {
        let (at, error) = self.failed.take()?;
        let directory = self.directories(path).get(at).map(SearchDirectory::to_path);
        Some((FindCause::Os(error), directory))
    }

    /// Returns the file or directory that the search passed over and that explains the failure.
    pub(super) fn take_cause(
        &mut self,
        path: &[SearchDirectory<S>],
        rules: &Rules,
    ) -> Option<Blame> {
        if self.failed.is_some() {
            return self.take_failure(path);
        }
        let is_unfit = rules.flavor == Flavor::Posix && self.unfit.is_some();
        let is_execvp = rules.are_of(Policy::Posix);
        if self.looped.is_some() && (is_execvp || !is_unfit) {
            return Some((FindCause::LinkLoop, self.looped.take()));
        }
        if is_unfit {
            return Some((FindCause::NotExecutable, self.unfit.take()));
        }
        if self.is_too_long && (self.is_path() || is_execvp) {
            return Some((FindCause::NameTooLong, None));
        }
        let denied = *self.unsearchable.first()?;
        (self.is_path() || is_execvp).then(|| {
            let directory = self.directories(path).get(denied);
            (FindCause::PermissionDenied, directory.map(SearchDirectory::to_path))
        })
    }

    pub(super) fn not_found(&mut self) -> Blame {
        (FindCause::NotFound, self.unfit.take())
    }

    pub(super) fn error(&self, path: &[SearchDirectory<S>], (cause, blamed): Blame) -> Error {
        let explains_denial = matches!(
            cause,
            FindCause::NotFound | FindCause::OnlyInWorkingDirectory | FindCause::PermissionDenied
        );
        let directories = self.directories(path);
        let unsearchable = self.unsearchable.iter().filter(|_| explains_denial);
        let unsearchable = unsearchable.filter_map(|&at| directories.get(at));
        let unsearchable = unsearchable.map(SearchDirectory::to_path).collect();
        let why = NotFound::new(self.is_path(), cause, blamed, unsearchable);
        Error::new(Operation::Find, self.name.clone().into(), Cause::Find(why))
    }
}
