//! A search that is ready to run: what all look-ups share, and the steps of one.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::Options;
use super::candidates::ExtensionList;
use super::directories::{Base, Directories, Kept, SearchDirectory, Sources};
use super::failure::Blame;
use super::found::{FoundIn, Hit};
use super::names::{Refusal, stem_of};
use super::policy::{Cwd, Policy};
use super::query::{Query, searched};
use super::searcher::{Searcher, join};
use crate::error::{FindCause, FindError};
use crate::fields::Fields;
use crate::sys::process::Variable;
use crate::sys::{Ask, Lookup, SystemUnit, Unsearched};
use curt_paths::Flavor;

/// How many directories a session keeps open at most.
const KEPT: usize = 256;

/// A search whose directories and extensions are known.
pub(super) struct Engine<S: Lookup> {
    pub(super) searcher: Searcher<S>,
    base: Base<S::Unit>,
    pub(super) directories: Directories<S>,
    pub(super) list: ExtensionList<S::Unit>,
    /// Whether directories are kept open.
    keeps: bool,
    /// The memory of the last look-up.
    pub(super) spare: Query<S>,
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
            searcher: Searcher::new(sys, policy),
            base,
            keeps: options.keeps,
            spare: Query::default(),
        }
    }

    /// Makes a query one for this name, with nothing searched yet.
    pub(super) fn begin(&mut self, query: &mut Query<S>, name: &OsStr) -> Result<(), FindError> {
        let Engine { searcher, base, list, .. } = self;
        let policy = &searcher.policy;
        query.missed.clear();
        query.name.clear();
        S::Unit::append_units(Path::new(name), &mut query.name);
        let stem = stem_of(&query.name, policy.rules).map_err(|refusal| {
            let cause = match refusal {
                Refusal::TooLong => FindCause::NameTooLong,
                Refusal::Invalid(why) => FindCause::InvalidName(why),
            };
            FindError::new(name.to_owned(), false, cause, None, Vec::new())
        })?;
        let (parent, stem) = query.name.split_at(stem);
        let is_path = !parent.is_empty();
        query.candidates.begin(stem, is_path, policy, list);
        query.given =
            is_path.then(|| SearchDirectory::new(parent, FoundIn::Given, base, &searcher.sys));
        Ok(())
    }

    /// Searches the directory of this number for a name, and returns one word for what became of
    /// it; `None` if there is no such directory.
    pub(super) fn search(&mut self, at: usize, query: &mut Query<S>) -> Option<&'static str> {
        if !query.is_path() {
            self.keep(at);
        }
        let Query { given, candidates, missed, .. } = query;
        let directory = searched(given.as_ref(), &self.directories).get(at)?;
        let result = self.searcher.search(directory, candidates);
        Some(missed.note(at, directory, candidates, result, &self.searcher.policy))
    }

    /// The directory of this number, of those that are searched for a name.
    pub(super) fn directory<'a>(
        &'a self,
        at: usize,
        query: &'a Query<S>,
    ) -> &'a SearchDirectory<S> {
        &query.directories(&self.directories)[at]
    }

    /// Searches the directory of this number for several names, for all of them at once if it can
    /// be listed.
    pub(super) fn search_for_all(&mut self, at: usize, queries: &mut [&mut Query<S>]) {
        self.keep(at);
        let Engine { searcher, directories, .. } = self;
        let directory = &directories.all[at];
        Engine::search_in(searcher, directory, queries, |policy, query, result| {
            let Query { candidates, missed, .. } = query;
            missed.note(at, directory, candidates, result, policy);
        });
    }

    /// Searches one directory for several names. `note` takes what each search came to.
    fn search_in(
        searcher: &mut Searcher<S>,
        directory: &SearchDirectory<S>,
        queries: &mut [&mut Query<S>],
        mut note: impl FnMut(&Policy, &mut Query<S>, Result<(), Unsearched>),
    ) {
        let is_searched = queries.len() > 1 && {
            let mut names: Vec<_> = queries.iter_mut().map(|query| &mut query.candidates).collect();
            searcher.search_for_all(directory, &mut names)
        };
        for query in queries {
            let result = if is_searched {
                Ok(())
            } else {
                searcher.search(directory, &mut query.candidates)
            };
            note(&searcher.policy, query, result);
        }
    }

    /// Makes a hit of a candidate that the directory of this number contains, unless the policy
    /// reports it instead.
    pub(super) fn fill(
        &self,
        at: usize,
        candidate: usize,
        query: &Query<S>,
        hit: &mut Hit<S::Unit>,
    ) -> Result<(), FindError> {
        let policy = &self.searcher.policy;
        hit.fill(self.directory(at, query), query.candidates.spelled(candidate), policy.rules);
        if policy.cwd == Cwd::Report && hit.relative && !query.is_path() {
            let cause = (FindCause::RelativeResult, Some(S::Unit::path(hit.units.clone())));
            return Err(self.error(query, cause));
        }
        Ok(())
    }

    /// The failure of the system after which the search went on, if there was one.
    pub(super) fn take_failure(&self, query: &mut Query<S>) -> Option<FindError> {
        let failure =
            query.missed.take_failure(searched(query.given.as_ref(), &self.directories))?;
        Some(self.error(query, failure))
    }

    /// Finds out why these names were not found. What they share is asked once.
    pub(super) fn diagnose(&mut self, queries: &mut [&mut Query<S>]) {
        let mut unexplained = Vec::new();
        for query in queries {
            let Query { given, missed, .. } = &mut **query;
            let directories = searched(given.as_ref(), &self.directories);
            query.failure = missed.take_cause(directories, given.is_some(), &self.searcher.policy);
            if query.failure.is_none() {
                unexplained.push(&mut **query);
            }
        }
        let Some(first) = unexplained.first() else { return };
        if let Some(base) = self.missing_base(first) {
            for query in unexplained {
                query.failure = Some((FindCause::DirectoryMissing, Some(base.clone())));
            }
            return;
        }
        unexplained.retain(|query| !query.is_path());
        let Engine { searcher, directories, .. } = self;
        let Some(directory) = &directories.left_out else { return };
        for query in &mut unexplained {
            query.candidates.wants_all = false;
        }
        Engine::search_in(searcher, directory, &mut unexplained, |_, query, _| {
            let Some(found) = query.candidates.program_from(0) else { return };
            let mut path = Vec::new();
            join(&mut path, &directory.path, query.candidates.spelled(found));
            query.failure = Some((FindCause::OnlyInWorkingDirectory, Some(S::Unit::path(path))));
        });
    }

    /// The error of a name whose failure [`Engine::explain`] has found out.
    pub(super) fn failure(&self, query: &mut Query<S>) -> FindError {
        let failure = query.failure.take().unwrap_or_else(|| query.missed.not_found::<S>());
        self.error(query, failure)
    }

    fn error(&self, query: &Query<S>, blame: Blame) -> FindError {
        let name = S::Unit::path(query.name.clone()).into_os_string();
        let directories = query.directories(&self.directories);
        query.missed.error(name, query.is_path(), blame, directories)
    }

    /// The base directory, if one was named, the search depends on it, and it does not exist.
    fn missing_base(&mut self, query: &Query<S>) -> Option<PathBuf> {
        let given = self.base.given.clone()?;
        let depends = self.directories.left_out.is_some() && !query.is_path();
        let mut directories = query.directories(&self.directories).iter();
        if !depends && !directories.any(|directory| directory.is_relative) {
            return None;
        }
        let path = S::Unit::path(self.base.units(&self.searcher.sys).to_vec());
        let ask = Ask { fields: Fields::KIND, follow: true, cached: false };
        let sys = &self.searcher.sys;
        let asked = sys.at_path(&path, |dir, name| sys.query(dir, name, ask).map(drop)).ok()?;
        asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound).then_some(given)
    }

    /// Opens a directory that a session keeps, or remembers that it is absent.
    fn keep(&mut self, at: usize) {
        let Engine { searcher, directories, keeps, .. } = self;
        let Some(directory) = directories.all.get_mut(at).filter(|_| *keeps && at < KEPT) else {
            return;
        };
        let (Kept::Nothing, Some(place)) = (&directory.kept, directory.place()) else { return };
        let opened = match searcher.policy.rules {
            Flavor::Windows => searcher.open(&place),
            // Without the right to list it, which no call by these rules needs.
            Flavor::Posix => {
                searcher.sys.open_parent(&directory.to_path()).map_err(|error| match error.kind() {
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
                self.searcher.sys.close(dir);
            }
        }
    }
}

impl<S: Lookup> Drop for Engine<S> {
    fn drop(&mut self) {
        self.refresh();
    }
}
