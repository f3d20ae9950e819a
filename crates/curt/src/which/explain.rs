//! What a search did: every directory, every candidate, why it was passed over, and the calls made.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::directories::Directory;
use super::engine::Engine;
use super::found::{Found, FoundIn, Hit};
use super::look::{Look, Outcome, Rules, Verdict};
use crate::calls::Calls;
use crate::error::{FindCause, FindError};
use crate::sys::{Lookup, Os, Sys, SystemUnit};

/// What a search did, as [`Search::explain`](super::Search::explain) tells it.
#[derive(Debug)]
#[non_exhaustive]
pub struct SearchExplanation {
    /// What was found, or why nothing was.
    pub result: Result<Found, FindError>,
    /// The directories that were looked into, in order.
    pub looked: Vec<Looked>,
    /// The directories that would have come next.
    pub not_reached: Vec<PathBuf>,
    /// The entries of `PATH`, counted from 0, that are empty.
    pub empty_entries: Vec<usize>,
    /// The items of `PATHEXT` that were dropped, because no name ends so.
    pub dropped_extensions: Vec<OsString>,
    /// The calls made, the preparation included.
    pub calls: Calls,
}

/// Looks for a name, and tells of every step.
pub(super) fn explain(engine: &mut Engine<Os>, name: &OsStr) -> SearchExplanation {
    engine.trace = Some(Vec::new());
    let mut hit = Hit::default();
    let result = engine.find(name, &mut hit).map(|()| Found(hit));
    let looked = engine.trace.take().unwrap_or_default();
    let is_path = looked.iter().any(|looked| looked.origin == FoundIn::Given);
    let is_refused = matches!(
        result.as_ref().map_err(FindError::cause),
        Err(FindCause::InvalidName(_) | FindCause::NameTooLong)
    );
    let reached = looked.len();
    let rest = engine.directories.all.iter().skip(reached).filter(|_| !is_path && !is_refused);
    SearchExplanation {
        not_reached: rest.map(|directory| SystemUnit::path(directory.shown.clone())).collect(),
        result,
        looked,
        empty_entries: engine.directories.empty.clone(),
        dropped_extensions: engine
            .dropped
            .iter()
            .map(|item| SystemUnit::text(item).into())
            .collect(),
        calls: engine.sys.calls(),
    }
}

/// A directory that was looked into.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Looked {
    /// The directory, absolute.
    pub directory: PathBuf,
    /// What led there first.
    pub origin: FoundIn,
    /// Entries of `PATH`, counted from 0, that are the same directory; they were asked with it.
    pub duplicates: Vec<usize>,
    /// Whether only relative texts led there.
    pub relative: bool,
    /// What became of the directory: `searched`, `absent`, `unsearchable`, `unlistable` or `failed`.
    pub outcome: &'static str,
    /// The candidates in the order of their ranks, with what became of each: `found`, `absent`,
    /// `directory`, `not executable`, or `not asked` because a better one was found or the directory
    /// could not be searched.
    pub candidates: Vec<(OsString, &'static str)>,
    /// The calls made.
    pub calls: u64,
}

impl Looked {
    pub(super) fn new<S: Lookup>(
        directory: &Directory<S::Unit, S::Dir>,
        outcome: &Outcome,
        look: &Look<S>,
        rules: &Rules<'_, S::Unit>,
        calls: u64,
    ) -> Looked {
        let candidate = |rank| {
            let name = S::Unit::path([&look.stem, rules.ending(rank)].concat());
            (name.into_os_string(), word(rank.verdict))
        };
        Looked {
            directory: S::Unit::path(directory.shown.clone()),
            origin: directory.origin,
            duplicates: directory.duplicates.clone(),
            relative: directory.relative,
            outcome: match outcome {
                Outcome::Searched => "searched",
                Outcome::Absent => "absent",
                Outcome::Unsearchable => "unsearchable",
                Outcome::Unlistable => "unlistable",
                Outcome::Failed(_) | Outcome::Shortage(_) => "failed",
            },
            candidates: look.ranks.iter().map(candidate).collect(),
            calls,
        }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Unasked | Verdict::Listed => "not asked",
        Verdict::Absent => "absent",
        Verdict::Program => "found",
        Verdict::Directory => "directory",
        Verdict::NotExecutable => "not executable",
    }
}
