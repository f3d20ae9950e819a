//! Searches one directory for the candidates of a name.
//!
//! POSIX rules take one call, and a second one if the file exists. Windows rules query up to two
//! candidates one by one. For more candidates they list the names that begin with the given name,
//! which bounds the number of calls whatever the directory contains (ADR 25).

use std::io;

use super::candidates::Candidates;
use super::directories::{Location, SearchDirectory, separator};
use super::policy::{Policy, Rules};
use crate::name::NameBuf;
use crate::sys::{Completeness, Unsearched, Verdict, Which};
use curt_paths::Flavor;

/// The maximum number of candidates to query one by one. Querying more would take as many calls as
/// opening, listing and closing the directory.
const PROBED: usize = 2;

pub(super) struct Judge<S: Which> {
    pub(super) sys: S,
    pub(super) rules: Rules,
    buf: S::DirBuf,
    path: NameBuf<S::Unit>,
    spelled: Vec<S::Unit>,
}

impl<S: Which> Judge<S> {
    pub(super) fn new(sys: S, rules: Rules) -> Judge<S> {
        let path = NameBuf::default();
        Judge { sys, rules, buf: S::DirBuf::default(), path, spelled: Vec::new() }
    }

    /// Searches a directory, at least up to the first program.
    pub(super) fn search(
        &mut self,
        directory: &SearchDirectory<S>,
        candidates: &mut Candidates<S::Unit>,
    ) -> Result<(), Unsearched> {
        candidates.reset();
        let location = directory.location().ok_or(Unsearched::Absent)?;
        match self.rules.flavor {
            Flavor::Posix => self.check_candidate(&location, candidates),
            Flavor::Windows if candidates.len() <= PROBED => self.probe(&location, candidates),
            Flavor::Windows => match self.open(&location) {
                Ok(dir) => {
                    let searched = self.search_open(&dir, candidates);
                    self.sys.close(dir);
                    searched
                }
                // Under the rules of cmd.exe, skip a directory that cannot be listed.
                Err(Unsearched::Unlistable) if !self.rules.are_of(Policy::Cmd) => {
                    self.probe(&location, candidates)
                }
                Err(reason) => Err(reason),
            },
        }
    }

    fn check_candidate(
        &mut self,
        location: &Location<'_, S>,
        candidates: &mut Candidates<S::Unit>,
    ) -> Result<(), Unsearched> {
        self.write_path(location.path, candidates.stem())?;
        let finds_any_kind = self.rules.are_of(Policy::CPython) || self.rules.are_of(Policy::Go);
        let verdict = match self.sys.executable(location.dir, self.path.as_name())? {
            Verdict::NoFile if finds_any_kind => Verdict::Program,
            Verdict::NoFile => Verdict::NotExecutable,
            verdict => verdict,
        };
        candidates.judge_as_spelled(0, verdict);
        Ok(())
    }

    fn probe(
        &mut self,
        location: &Location<'_, S>,
        candidates: &mut Candidates<S::Unit>,
    ) -> Result<(), Unsearched> {
        let mut at = 0;
        while at < candidates.undecided_count() {
            if candidates.verdict(at).is_none() {
                self.write_path(location.path, candidates.name(at))?;
                let verdict = self.probe_path(location.dir)?;
                candidates.judge(at, verdict, &self.spelled);
            }
            at += 1;
        }
        Ok(())
    }

    fn probe_path(&mut self, dir: &S::Dir) -> Result<Verdict, Unsearched> {
        self.sys.probe(dir, self.path.as_name(), &mut self.buf, &mut self.spelled)
    }

    /// Searches an open directory. Usually one listing judges all candidates. If the names with the
    /// common prefix do not fit one buffer, queries the remaining candidates, because reading on
    /// could take any number of calls.
    fn search_open(
        &mut self,
        dir: &S::Dir,
        candidates: &mut Candidates<S::Unit>,
    ) -> Result<(), Unsearched> {
        let mut shown = self.list(dir, candidates)?;
        // A second read confirms that the listing is complete, but for a single candidate, a query
        // costs no more.
        if shown == Completeness::ProbablyAll && candidates.undecided_count() > 1 {
            shown = self.list(dir, candidates)?;
        }
        if shown == Completeness::All {
            return self.settle(dir, candidates);
        }
        self.probe(&Location { dir, path: &[] }, candidates)
    }

    fn list(
        &mut self,
        dir: &S::Dir,
        candidates: &mut Candidates<S::Unit>,
    ) -> Result<Completeness, Unsearched> {
        self.path.set(&[candidates.stem()])?;
        let stem = self.path.as_name().units();
        Ok(self.sys.matching(dir, stem, &mut self.buf, &mut |entry| {
            candidates.note(&entry);
        })?)
    }

    /// Judges the candidates after a complete listing: unlisted ones are absent, and those listed
    /// without a kind are queried.
    fn settle(
        &mut self,
        dir: &S::Dir,
        candidates: &mut Candidates<S::Unit>,
    ) -> Result<(), Unsearched> {
        for at in 0..candidates.len() {
            if candidates.verdict(at).is_some() {
                continue;
            }
            if candidates.spelled(at).is_empty() {
                candidates.judge(at, Verdict::Absent, &[]);
                continue;
            }
            self.write_path(&[], candidates.spelled(at))?;
            match self.probe_path(dir) {
                Ok(verdict) => candidates.judge_as_spelled(at, verdict),
                // The directory was removed with all its entries.
                Err(Unsearched::Absent) => {}
                Err(reason) => return Err(reason),
            }
        }
        Ok(())
    }

    fn open(&mut self, location: &Location<'_, S>) -> Result<S::Dir, Unsearched> {
        self.path.set(&[location.path])?;
        self.sys.open_search(location.dir, self.path.as_name())
    }

    fn write_path(&mut self, directory: &[S::Unit], name: &[S::Unit]) -> io::Result<()> {
        let separator = if directory.is_empty() { None } else { separator(directory) };
        self.path.set(&[directory, separator.as_slice(), name])
    }
}
