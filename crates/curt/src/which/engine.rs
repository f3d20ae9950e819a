use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::candidates::{Candidates, ExtensionList};
use super::directories::{Base, Directories, FoundIn, RelativeTo, SearchDirectory};
use super::found::Found;
use super::judge::Judge;
use super::names::stem_of;
use super::policy::{Policy, Rules};
use super::query::{Blame, Query, searched};
use crate::error::{Cause, Error, FindCause, NotFound, Operation};
use crate::fields::Fields;
use crate::sys::{Request, SystemUnit, Which};
use curt_paths::Flavor;

pub(crate) type Variables = Vec<(OsString, OsString)>;

pub(crate) fn is_same_variable(rules: Flavor, one: &OsStr, other: &OsStr) -> bool {
    match rules {
        Flavor::Posix => one == other,
        Flavor::Windows => one.eq_ignore_ascii_case(other),
    }
}

#[derive(Clone, Default)]
pub(super) struct Options {
    pub(super) policy: Policy,
    pub(super) flavor: Option<Flavor>,
    pub(super) cwd: Option<bool>,
    pub(super) path: Option<OsString>,
    pub(super) pathext: Option<OsString>,
    pub(super) base: RelativeTo,
    /// The environment, or `None` for that of this process.
    pub(super) environment: Option<Variables>,
}

impl Options {
    pub(super) fn rules(&self) -> Rules {
        self.policy.rules(self.flavor.unwrap_or(Flavor::NATIVE))
    }

    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        let Some(named) = &self.environment else { return std::env::var_os(name) };
        let rules = self.rules().flavor;
        let is_it =
            |(other, _): &&(OsString, OsString)| is_same_variable(rules, other, OsStr::new(name));
        named.iter().rfind(is_it).map(|(_, value)| value.clone())
    }
}

pub(super) struct Engine<S: Which> {
    pub(super) judge: Judge<S>,
    base: Base<S::Unit>,
    pub(super) directories: Directories<S>,
    pub(super) list: ExtensionList<S::Unit>,
}

impl<S: Which> Engine<S> {
    pub(super) fn new(sys: S, options: &Options) -> Engine<S> {
        let rules = options.rules();
        let units = |text: OsString| S::Unit::units(Path::new(&text));
        let variable = |name| options.variable(name);
        let is_windows = rules.flavor == Flavor::Windows;
        let of_windows = |name| if is_windows { variable(name) } else { None };
        let path = options.path.clone().or_else(|| variable("PATH")).map(units);
        let pathext = options.pathext.clone().or_else(|| of_windows("PATHEXT")).map(units);
        let searches_cwd = options.cwd.unwrap_or_else(|| {
            let obeys = !rules.are_of(Policy::Zig);
            let is_forbidden = || of_windows("NoDefaultCurrentDirectoryInExePath").is_some();
            rules.cwd && !(obeys && is_forbidden())
        });
        let mut base = Base::new(rules.flavor, &options.base);
        Engine {
            directories: Directories::new(path.as_deref(), searches_cwd, &rules, &mut base, &sys),
            list: ExtensionList::new(pathext.as_deref(), &rules),
            judge: Judge::new(sys, rules),
            base,
        }
    }

    pub(super) fn find(&mut self, name: &OsStr) -> Result<Found, Error> {
        let mut query = self.begin(name, false)?;
        self.next(&mut query).unwrap_or_else(|| Err(self.failure(&mut query)))
    }

    pub(super) fn begin(&mut self, name: &OsStr, wants_all: bool) -> Result<Query<S>, Error> {
        let Judge { sys, rules, .. } = &self.judge;
        let units = S::Unit::units(Path::new(name));
        let stem = stem_of(&units, rules.flavor).map_err(|cause| {
            let why = NotFound::new(false, cause, None, Vec::new());
            Error::new(Operation::Find, name.into(), Cause::Find(why))
        })?;
        let (parent, stem) = units.split_at(stem);
        let candidates = Candidates::new(stem, wants_all, rules, &self.list);
        let given = (!parent.is_empty())
            .then(|| SearchDirectory::new(parent, FoundIn::Given, &mut self.base, sys));
        Ok(Query::new(name, given, candidates))
    }

    pub(super) fn next(&mut self, query: &mut Query<S>) -> Option<Result<Found, Error>> {
        loop {
            if let Some(answer) = self.next_here(query) {
                return Some(answer);
            }
            self.search_next(query)?;
        }
    }

    /// Returns the next program in the last searched directory.
    pub(super) fn next_here(&self, query: &mut Query<S>) -> Option<Result<Found, Error>> {
        let candidate = query.next_candidate()?;
        let directory = query.last_directory(&self.directories.all)?;
        let rules = &self.judge.rules;
        let found = Found::new(directory, query.candidates.spelled(candidate), rules.flavor);
        if rules.are_of(Policy::Go) && found.is_relative() && !query.is_path() {
            let blame = (FindCause::RelativeResult, Some(found.into_path()));
            return Some(Err(self.error(query, blame)));
        }
        Some(Ok(found))
    }

    /// Searches the next directory. Returns the outcome in one word, or `None` after the last
    /// directory.
    pub(super) fn search_next(&mut self, query: &mut Query<S>) -> Option<&'static str> {
        let Engine { judge, directories, .. } = self;
        let at = query.next_directory()?;
        let Query { given, candidates, .. } = query;
        let directory = searched(given.as_ref(), &directories.all).get(at)?;
        let result = judge.search(directory, candidates);
        Some(query.note(&directories.all, result, &judge.rules))
    }

    pub(super) fn take_failure(&self, query: &mut Query<S>) -> Option<Error> {
        let failure = query.take_failure(&self.directories.all)?;
        Some(self.error(query, failure))
    }

    pub(super) fn failure(&mut self, query: &mut Query<S>) -> Error {
        let blame = query
            .take_cause(&self.directories.all, &self.judge.rules)
            .or_else(|| Some((FindCause::DirectoryMissing, Some(self.missing_base(query)?))))
            .or_else(|| self.left_out(query))
            .unwrap_or_else(|| query.not_found());
        self.error(query, blame)
    }

    /// If only the omitted working directory has the program, returns this explanation.
    fn left_out(&mut self, query: &mut Query<S>) -> Option<Blame> {
        let directory = self.directories.left_out.as_ref().filter(|_| !query.is_path())?;
        query.candidates.wants_all = false;
        // Ignore an error, because an unsearchable working directory explains nothing.
        let _ = self.judge.search(directory, &mut query.candidates);
        let found = query.candidates.program_from(0)?;
        let path = directory.join(query.candidates.spelled(found));
        Some((FindCause::OnlyInWorkingDirectory, Some(S::Unit::path(path))))
    }

    fn error(&self, query: &Query<S>, blame: Blame) -> Error {
        query.error(&self.directories.all, blame)
    }

    /// Returns the base given by the caller if it does not exist and the search depends on it.
    fn missing_base(&mut self, query: &Query<S>) -> Option<PathBuf> {
        let given = self.base.given.clone()?;
        let depends = self.directories.left_out.is_some() && !query.is_path();
        let mut directories = query.directories(&self.directories.all).iter();
        if !depends && !directories.any(|directory| directory.is_relative) {
            return None;
        }
        let sys = &self.judge.sys;
        let path = S::Unit::path(self.base.units(sys).to_vec());
        let request = Request { fields: Fields::KIND, follow: true };
        let (dir, name) = sys.locate(&path).ok()?;
        let found = sys.query(&dir, name.as_name(), request);
        found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound).then_some(given)
    }
}
