//! The search: for each directory, for each candidate.

use std::ffi::OsStr;

use super::engine::{Engine, Query};
use super::found::Hit;
use crate::error::FindError;
use crate::sys::Lookup;

/// Finds the first program of a name. The memory of `hit` is used again.
pub(super) fn find<S: Lookup>(
    engine: &mut Engine<S>,
    name: &OsStr,
    hit: &mut Hit<S::Unit>,
) -> Result<(), FindError> {
    let mut programs = Programs::begin(engine, name, false)?;
    programs.next_into(hit).unwrap_or_else(|| Err(programs.failure()))
}

/// The programs of one name, in the order of the directories and of the candidates.
pub(super) struct Programs<'a, S: Lookup> {
    pub(super) engine: &'a mut Engine<S>,
    pub(super) query: Query<S>,
    /// How many directories were searched.
    searched: usize,
    /// The next candidate in the last of them.
    candidate: usize,
}

impl<'a, S: Lookup> Programs<'a, S> {
    /// Begins a look-up of the first program of this name, or of all.
    pub(super) fn begin(
        engine: &'a mut Engine<S>,
        name: &OsStr,
        wants_all: bool,
    ) -> Result<Self, FindError> {
        let query = std::mem::take(&mut engine.spare);
        // Its end gives the memory of the query back, even if the name is refused.
        let mut programs = Programs { engine, query, searched: 0, candidate: 0 };
        let Programs { engine, query, .. } = &mut programs;
        engine.begin(query, name)?;
        query.candidates.wants_all = wants_all;
        Ok(programs)
    }

    /// Finds the next program. The memory of `hit` is used again.
    pub(super) fn next_into(&mut self, hit: &mut Hit<S::Unit>) -> Option<Result<(), FindError>> {
        loop {
            if let Some(answer) = self.next_here(hit) {
                return Some(answer);
            }
            self.search_next()?;
        }
    }

    /// The next program in the directory that was searched last.
    pub(super) fn next_here(&mut self, hit: &mut Hit<S::Unit>) -> Option<Result<(), FindError>> {
        // If the system failed, what it did say may not be the first program.
        if self.query.missed.is_over {
            return None;
        }
        let found = self.query.candidates.program_from(self.candidate)?;
        self.candidate = found + 1;
        Some(self.engine.fill(self.searched - 1, found, &self.query, hit))
    }

    /// Searches the next directory, and returns its number and one word for what became of it.
    pub(super) fn search_next(&mut self) -> Option<(usize, &'static str)> {
        if self.query.missed.is_over {
            return None;
        }
        let at = self.searched;
        let outcome = self.engine.search(at, &mut self.query)?;
        (self.searched, self.candidate) = (at + 1, 0);
        Some((at, outcome))
    }

    /// Why nothing was found.
    pub(super) fn failure(&mut self) -> FindError {
        self.engine.diagnose(&mut [&mut self.query]);
        self.engine.failure(&mut self.query)
    }

    /// The failure of the system after which the search went on, if there was one.
    pub(super) fn take_failure(&mut self) -> Option<FindError> {
        self.engine.take_failure(&mut self.query)
    }
}

impl<S: Lookup> Drop for Programs<'_, S> {
    fn drop(&mut self) {
        self.engine.spare = std::mem::take(&mut self.query);
    }
}
