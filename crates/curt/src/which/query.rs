//! The look-up of one name: for each directory, for each candidate.

use std::ffi::OsStr;
use std::slice;

use super::candidates::Candidates;
use super::directories::{Directories, SearchDirectory};
use super::engine::Engine;
use super::failure::{Blame, Missed};
use super::found::Hit;
use crate::error::FindError;
use crate::sys::Lookup;

/// Finds the first program of a name. The memory of `hit` is used again.
pub(super) fn find<S: Lookup>(
    engine: &mut Engine<S>,
    name: &OsStr,
    hit: &mut Hit<S::Unit>,
) -> Result<(), FindError> {
    let mut query = std::mem::take(&mut engine.spare);
    let found = query
        .begin(engine, name, false)
        .and_then(|()| query.next_into(engine, hit).unwrap_or_else(|| Err(query.failure(engine))));
    engine.spare = query;
    found
}

/// A name that is looked for, and how far the search for it has come. Yields the programs of that
/// name, in the order of the directories and of the candidates.
pub(super) struct Query<S: Lookup> {
    pub(super) name: Vec<S::Unit>,
    /// The one directory that a path names, instead of those of `PATH`.
    pub(super) given: Option<SearchDirectory<S>>,
    pub(super) candidates: Candidates<S::Unit>,
    pub(super) missed: Missed<S::Unit>,
    /// Why it was not found, once that is known.
    pub(super) failure: Option<Blame>,
    /// How many directories were searched.
    searched: usize,
    /// The next candidate in the last of them.
    candidate: usize,
}

impl<S: Lookup> Default for Query<S> {
    fn default() -> Self {
        Query {
            name: Vec::new(),
            given: None,
            candidates: Candidates::default(),
            missed: Missed::default(),
            failure: None,
            searched: 0,
            candidate: 0,
        }
    }
}

/// The directories that are searched for a name: the one that it names, or those of `PATH`.
pub(super) fn searched<'a, S: Lookup>(
    given: Option<&'a SearchDirectory<S>>,
    path: &'a Directories<S>,
) -> &'a [SearchDirectory<S>] {
    given.map_or(&path.all, slice::from_ref)
}

impl<S: Lookup> Query<S> {
    /// Begins a look-up of the first program of this name, or of all. The memory of the last one is
    /// used again.
    pub(super) fn begin(
        &mut self,
        engine: &mut Engine<S>,
        name: &OsStr,
        wants_all: bool,
    ) -> Result<(), FindError> {
        (self.searched, self.candidate) = (0, 0);
        engine.begin(self, name)?;
        self.candidates.wants_all = wants_all;
        Ok(())
    }

    /// Whether it is a path, for which `PATH` is not searched.
    pub(super) fn is_path(&self) -> bool {
        self.given.is_some()
    }

    /// The directories that are searched for it.
    pub(super) fn directories<'a>(&'a self, path: &'a Directories<S>) -> &'a [SearchDirectory<S>] {
        searched(self.given.as_ref(), path)
    }

    /// Finds the next program. The memory of `hit` is used again.
    pub(super) fn next_into(
        &mut self,
        engine: &mut Engine<S>,
        hit: &mut Hit<S::Unit>,
    ) -> Option<Result<(), FindError>> {
        loop {
            if let Some(answer) = self.next_here(engine, hit) {
                return Some(answer);
            }
            self.search_next(engine)?;
        }
    }

    /// The next program in the directory that was searched last.
    pub(super) fn next_here(
        &mut self,
        engine: &Engine<S>,
        hit: &mut Hit<S::Unit>,
    ) -> Option<Result<(), FindError>> {
        // If the system failed, what it did say may not be the first program.
        if self.missed.is_over {
            return None;
        }
        let found = self.candidates.program_from(self.candidate)?;
        self.candidate = found + 1;
        Some(engine.fill(self.searched - 1, found, self, hit))
    }

    /// Searches the next directory, and returns its number and one word for what became of it.
    pub(super) fn search_next(&mut self, engine: &mut Engine<S>) -> Option<(usize, &'static str)> {
        if self.missed.is_over {
            return None;
        }
        let at = self.searched;
        let outcome = engine.search(at, self)?;
        (self.searched, self.candidate) = (at + 1, 0);
        Some((at, outcome))
    }

    /// Why nothing was found.
    pub(super) fn failure(&mut self, engine: &mut Engine<S>) -> FindError {
        engine.diagnose(&mut [self]);
        engine.failure(self)
    }
}
