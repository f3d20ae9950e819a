//! The search: for each directory, for each candidate.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::candidates::ExtensionList;
use super::directories::{Base, Directories, FoundIn, Kept, SearchDirectory, Sources};
use super::found::Hit;
use super::judge::Judge;
use super::names::{Refusal, stem_of};
use super::options::Options;
use super::policy::Cwd;
use super::query::{Blame, Query, searched};
use crate::error::{FindCause, FindError};
use crate::fields::Fields;
use crate::sys::process::Variable;
use crate::sys::{Ask, Lookup, SystemUnit, Unsearched};
use curt_paths::Flavor;

/// How many directories a session keeps open at most.
const KEPT: usize = 256;

/// A search whose directories and extensions are known.
pub(super) struct Engine<S: Lookup> {
    pub(super) judge: Judge<S>,
    base: Base<S::Unit>,
    pub(super) directories: Directories<S>,
    pub(super) list: ExtensionList<S::Unit>,
    /// Whether directories are kept open.
    keeps: bool,
    /// The memory of the last look-up.
    spare: Query<S>,
}

impl<S: Lookup> Engine<S> {
    /// Prepares a search. What the options leave open is taken from `variables`, or else from the
    /// environment of this process; relative paths begin at `directory`, or else at the working
    /// directory.
    pub(super) fn new(
        sys: S,
        options: &Options,
        variables: Option<&[Variable<'_>]>,
        directory: Option<&Path>,
    ) -> Engine<S> {
        let policy = options.policy.clone();
        let units = |text: OsString| S::Unit::units(Path::new(&text));
        let variable = |name| options.variable(name, variables);
        let path = options.path.or_else(|| variable("PATH"));
        // The others mean nothing by the rules of POSIX.
        let is_windows = policy.rules == Flavor::Windows;
        let of_windows = |name| if is_windows { variable(name) } else { None };
        let pathext = options.pathext.or_else(|| of_windows("PATHEXT"));
        let sources = Sources {
            path: path.map(units),
            system_root: of_windows("SystemRoot").map(units),
            forbids_cwd: of_windows("NoDefaultCurrentDirectoryInExePath").is_some(),
        };
        let given = options.base.as_deref().or(directory).map(Path::to_owned);
        let mut base = Base::new(policy.rules, given);
        Engine {
            directories: Directories::new(&sources, &policy, &mut base, &sys),
            list: ExtensionList::new(pathext.map(units).as_deref(), &policy),
            judge: Judge::new(sys, policy),
            base,
            keeps: options.keeps,
            spare: Query::default(),
        }
    }

    /// Finds the first program of a name. The memory of `hit` is used again.
    pub(super) fn find(&mut self, name: &OsStr, hit: &mut Hit<S::Unit>) -> Result<(), FindError> {
        let mut query = std::mem::take(&mut self.spare);
        let found = self.begin(&mut query, name, false).and_then(|()| {
            let next = self.next(&mut query, hit);
            next.unwrap_or_else(|| Err(self.failure(&mut query)))
        });
        self.spare = query;
        found
    }

    /// Begins a look-up of the first program of this name, or of all: nothing is searched yet.
    pub(super) fn begin(
        &mut self,
        query: &mut Query<S>,
        name: &OsStr,
        wants_all: bool,
    ) -> Result<(), FindError> {
        let Judge { sys, policy, .. } = &self.judge;
        query.reset();
        S::Unit::append_units(Path::new(name), &mut query.name);
        let stem = stem_of(&query.name, policy.rules).map_err(|refusal| {
            let cause = match refusal {
                Refusal::TooLong => FindCause::NameTooLong,
                Refusal::Invalid(why) => FindCause::InvalidName(why),
            };
            query.error(&[], (cause, None))
        })?;
        let (parent, stem) = query.name.split_at(stem);
        let is_path = !parent.is_empty();
        query.candidates.begin(stem, is_path, policy, &self.list);
        query.candidates.wants_all = wants_all;
        query.given =
            is_path.then(|| SearchDirectory::new(parent, FoundIn::Given, &mut self.base, sys));
        Ok(())
    }

    /// Finds the next program of a look-up. The memory of `hit` is used again.
    pub(super) fn next(
        &mut self,
        query: &mut Query<S>,
        hit: &mut Hit<S::Unit>,
    ) -> Option<Result<(), FindError>> {
        loop {
            if let Some(answer) = self.next_here(query, hit) {
                return Some(answer);
            }
            self.search_next(query)?;
        }
    }

    /// The next program in the directory that was searched last, unless the policy reports it
    /// instead.
    pub(super) fn next_here(
        &self,
        query: &mut Query<S>,
        hit: &mut Hit<S::Unit>,
    ) -> Option<Result<(), FindError>> {
        let candidate = query.next_candidate()?;
        let directory = query.last_directory(&self.directories.all)?;
        let policy = &self.judge.policy;
        hit.fill(directory, query.candidates.spelled(candidate), policy.rules);
        if policy.cwd == Cwd::Report && hit.relative && !query.is_path() {
            let blame = (FindCause::RelativeResult, Some(S::Unit::path(hit.units.clone())));
            return Some(Err(self.error(query, blame)));
        }
        Some(Ok(()))
    }

    /// Searches the next directory, and returns one word for what became of it; `None` if the
    /// search is over.
    pub(super) fn search_next(&mut self, query: &mut Query<S>) -> Option<&'static str> {
        let at = query.next_directory()?;
        if !query.is_path() {
            self.keep(at);
        }
        let Query { given, candidates, .. } = query;
        let path = &self.directories.all;
        let directory = searched(given.as_ref(), path).get(at)?;
        let result = self.judge.search(directory, candidates);
        Some(query.note(path, result, &self.judge.policy))
    }

    /// The failure of the system after which the search went on, if there was one.
    pub(super) fn take_failure(&self, query: &mut Query<S>) -> Option<FindError> {
        let failure = query.take_failure(&self.directories.all)?;
        Some(self.error(query, failure))
    }

    /// Why nothing was found.
    pub(super) fn failure(&mut self, query: &mut Query<S>) -> FindError {
        self.failures(&mut [query]).remove(0)
    }

    /// Finds the first program of each name: by the rules of POSIX one name after the other, by
    /// those of Windows in each directory for all that were not found yet. Answers in the order of
    /// the names.
    pub(super) fn find_many(&mut self, names: &[&OsStr]) -> Vec<Result<Hit<S::Unit>, FindError>> {
        let find = |engine: &mut Self, name| {
            let mut hit = Hit::default();
            engine.find(name, &mut hit).map(|()| hit)
        };
        // By the rules of POSIX each takes one call for a directory, and no listing takes fewer.
        if self.judge.policy.rules == Flavor::Posix {
            return names.iter().map(|name| find(self, name)).collect();
        }
        let mut answers: Vec<_> = names.iter().map(|_| None).collect();
        let mut wanted = self.wanted_together(names);
        for directory in 0..self.directories.all.len() {
            let searched = wanted.iter_mut().map(|(_, query)| query);
            let mut searched: Vec<_> =
                searched.filter(|query| query.next_directory().is_some()).collect();
            if searched.is_empty() {
                break;
            }
            self.search_for_all(directory, &mut searched);
            wanted.retain_mut(|(at, query)| {
                let mut hit = Hit::default();
                let found = self.next_here(query, &mut hit);
                answers[*at] = found.map(|found| found.map(|()| hit));
                answers[*at].is_none()
            });
        }
        let mut missing: Vec<_> = wanted.iter_mut().map(|(_, query)| query).collect();
        let errors = self.failures(&mut missing);
        for ((at, _), error) in wanted.iter().zip(errors) {
            answers[*at] = Some(Err(error));
        }
        let answers = answers.into_iter().zip(names);
        answers.map(|(answer, name)| answer.unwrap_or_else(|| find(self, name))).collect()
    }

    /// The names that are worth looking for together, with their numbers. The others are paths, or
    /// refused.
    fn wanted_together(&mut self, names: &[&OsStr]) -> Vec<(usize, Query<S>)> {
        let mut wanted = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let mut query = Query::default();
            if self.begin(&mut query, name, false).is_ok() && !query.is_path() {
                wanted.push((at, query));
            }
        }
        wanted
    }

    /// Searches the directory of this number for several names, for all of them at once if it can
    /// be listed.
    fn search_for_all(&mut self, at: usize, queries: &mut [&mut Query<S>]) {
        self.keep(at);
        let path = &self.directories.all;
        let mut names: Vec<_> = queries.iter_mut().map(|query| &mut query.candidates).collect();
        let results = self.judge.search_for_all(&path[at], &mut names);
        for (query, result) in queries.iter_mut().zip(results) {
            query.note(path, result, &self.judge.policy);
        }
    }

    /// Why these names were not found, in their order. What they share is asked once.
    fn failures(&mut self, queries: &mut [&mut Query<S>]) -> Vec<FindError> {
        let path = &self.directories.all;
        let causes = queries.iter_mut().map(|query| query.take_cause(path, &self.judge.policy));
        let mut causes: Vec<Option<Blame>> = causes.collect();
        let first = causes.iter().position(Option::is_none);
        if let Some(base) = first.and_then(|first| self.missing_base(queries[first])) {
            for cause in &mut causes {
                cause.get_or_insert_with(|| (FindCause::DirectoryMissing, Some(base.clone())));
            }
        } else {
            self.find_left_out(queries, &mut causes);
        }
        let all = queries.iter().zip(causes);
        all.map(|(query, cause)| self.error(query, cause.unwrap_or_else(|| query.not_found())))
            .collect()
    }

    /// Blames the working directory, where the policy leaves that out, for the names without a
    /// cause that only it contains.
    fn find_left_out(&mut self, queries: &mut [&mut Query<S>], causes: &mut [Option<Blame>]) {
        let Some(directory) = &self.directories.left_out else { return };
        let unexplained = queries.iter_mut().zip(causes);
        let unexplained = unexplained.filter(|(query, cause)| cause.is_none() && !query.is_path());
        let (mut names, causes): (Vec<_>, Vec<_>) =
            unexplained.map(|(query, cause)| (&mut query.candidates, cause)).unzip();
        for candidates in &mut names {
            candidates.wants_all = false;
        }
        // What cannot be searched is not to blame.
        let _ = self.judge.search_for_all(directory, &mut names);
        for (candidates, cause) in names.iter().zip(causes) {
            *cause = candidates.program_from(0).map(|found| {
                let mut path = Vec::new();
                directory.join(candidates.spelled(found), &mut path);
                (FindCause::OnlyInWorkingDirectory, Some(S::Unit::path(path)))
            });
        }
    }

    fn error(&self, query: &Query<S>, blame: Blame) -> FindError {
        query.error(&self.directories.all, blame)
    }

    /// The base directory, if one was named, the search depends on it, and it does not exist.
    fn missing_base(&mut self, query: &Query<S>) -> Option<PathBuf> {
        let given = self.base.given.clone()?;
        let depends = self.directories.left_out.is_some() && !query.is_path();
        let mut directories = query.directories(&self.directories.all).iter();
        if !depends && !directories.any(|directory| directory.is_relative) {
            return None;
        }
        let sys = &self.judge.sys;
        let path = S::Unit::path(self.base.units(sys).to_vec());
        let ask = Ask { fields: Fields::KIND, follow: true, cached: false };
        let asked = sys.at_path(&path, |dir, name| sys.query(dir, name, ask).map(drop)).ok()?;
        asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound).then_some(given)
    }

    /// Opens a directory that a session keeps, or remembers that it is absent.
    fn keep(&mut self, at: usize) {
        let Engine { judge, directories, keeps, .. } = self;
        let Some(directory) = directories.all.get_mut(at).filter(|_| *keeps && at < KEPT) else {
            return;
        };
        let (Kept::Nothing, Some(place)) = (&directory.kept, directory.place()) else { return };
        let opened = match judge.policy.rules {
            Flavor::Windows => judge.open(&place),
            // Without the right to list it, which no call by these rules needs.
            Flavor::Posix => {
                judge.sys.open_parent(&directory.to_path()).map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unsearched::Absent,
                    _ => Unsearched::Failed(error),
                })
            }
        };
        directory.kept = match opened {
            Ok(dir) => Kept::Open(dir),
            Err(Unsearched::Absent) => Kept::Absent,
            Err(_) => Kept::Nothing,
        };
    }

    /// Forgets what a session keeps.
    pub(super) fn refresh(&mut self) {
        for directory in &mut self.directories.all {
            if let Kept::Open(dir) = std::mem::replace(&mut directory.kept, Kept::Nothing) {
                self.judge.sys.close(dir);
            }
        }
    }
}

impl<S: Lookup> Drop for Engine<S> {
    fn drop(&mut self) {
        self.refresh();
    }
}
