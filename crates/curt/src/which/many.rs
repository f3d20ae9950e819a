//! Many names in one pass over the directories.

use std::ffi::OsStr;

use super::engine::Engine;
use super::found::Hit;
use super::query::{Query, find};
use crate::error::FindError;
use crate::sys::Lookup;
use curt_paths::Flavor;

type Answer<U> = Result<Hit<U>, FindError>;

/// Looks for all names, in each directory for those that were not found yet. Answers in their
/// order.
pub(super) fn find_many<S: Lookup>(
    engine: &mut Engine<S>,
    names: &[&OsStr],
) -> Vec<Answer<S::Unit>> {
    let mut answers: Vec<Option<Answer<S::Unit>>> = names.iter().map(|_| None).collect();
    // By the rules of POSIX each name takes one call for a directory, and no listing takes fewer.
    let mut wanted = match engine.searcher.policy.rules {
        Flavor::Posix => Vec::new(),
        Flavor::Windows => bare_names(engine, names),
    };
    for directory in 0..engine.directories.all.len() {
        let searched = wanted.iter_mut().map(|(_, query)| query);
        let mut searched: Vec<_> = searched.filter(|query| !query.missed.is_over).collect();
        if searched.is_empty() {
            break;
        }
        engine.search_for_all(directory, &mut searched);
        wanted.retain(|(at, query)| {
            let candidate = query.candidates.program_from(0).filter(|_| !query.missed.is_over);
            let Some(candidate) = candidate else { return true };
            let mut hit = Hit::default();
            let filled = engine.fill(directory, candidate, query, &mut hit);
            answers[*at] = Some(filled.map(|()| hit));
            false
        });
    }
    engine.diagnose(&mut wanted.iter_mut().map(|(_, query)| query).collect::<Vec<_>>());
    for (at, mut query) in wanted {
        answers[at] = Some(Err(engine.failure(&mut query)));
    }
    let alone = |engine: &mut Engine<S>, name| {
        let mut hit = Hit::default();
        find(engine, name, &mut hit).map(|()| hit)
    };
    let answers = answers.into_iter().zip(names);
    answers.map(|(answer, name)| answer.unwrap_or_else(|| alone(engine, name))).collect()
}

/// The names that are searched for in `PATH`, and their numbers. The others are paths, or refused.
fn bare_names<S: Lookup>(engine: &mut Engine<S>, names: &[&OsStr]) -> Vec<(usize, Query<S>)> {
    let mut bare = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let mut query = Query::default();
        if engine.begin(&mut query, name).is_ok() && !query.is_path() {
            bare.push((at, query));
        }
    }
    bare
}
