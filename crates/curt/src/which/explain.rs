use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::candidates::Candidates;
use super::directories::{FoundIn, SearchDirectory};
use super::engine::Engine;
use super::found::Found;
use crate::calls::Calls;
use crate::error::Error;
use crate::sys::{Os, OsUnit, Sys, SystemUnit, Verdict, Which};

/// The steps of a search (see [`Search::explain`](super::Search::explain)).
#[derive(Debug)]
#[non_exhaustive]
pub struct SearchExplanation {
    /// The program found, or the error.
    pub result: Result<Found, Error>,
    /// The searched directories, in order.
    pub looked: Vec<Looked>,
    /// The directories that would have been searched next.
    pub not_reached: Vec<PathBuf>,
    /// The indexes of empty entries of `PATH`, from 0.
    pub empty_entries: Vec<usize>,
    /// The dropped items of `PATHEXT`, which cannot end a name.
    pub dropped_extensions: Vec<OsString>,
    /// The system calls made, including preparation.
    pub calls: Calls,
}

pub(super) fn explain(engine: &mut Engine<Os>, name: &OsStr) -> SearchExplanation {
    let mut looked = Vec::new();
    let mut not_reached = Vec::new();
    let result = engine.begin(name, false).and_then(|mut query| {
        let found = loop {
            if let Some(answer) = engine.next_here(&mut query) {
                break answer;
            }
            let before = engine.judge.sys.calls().total();
            let Some(outcome) = engine.search_next(&mut query) else {
                break Err(engine.failure(&mut query));
            };
            let calls = engine.judge.sys.calls().total() - before;
            let directory = query.last_directory(&engine.directories.all);
            looked.extend(
                directory
                    .map(|directory| Looked::new(directory, &query.candidates, outcome, calls)),
            );
        };
        if !query.is_path() {
            let rest = engine.directories.all.iter().skip(looked.len());
            not_reached.extend(rest.map(SearchDirectory::to_path));
        }
        found
    });
    let dropped = engine.list.dropped.iter();
    SearchExplanation {
        result,
        looked,
        not_reached,
        empty_entries: engine.directories.empty.clone(),
        dropped_extensions: dropped.map(|item| OsUnit::text(item).into_owned()).collect(),
        calls: engine.judge.sys.calls(),
    }
}

/// A searched directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Looked {
    /// The absolute path of the directory.
    pub directory: PathBuf,
    /// Where the directory comes from.
    pub origin: FoundIn,
    /// The indexes, from 0, of other entries of `PATH` that name the same directory.
    pub duplicates: Vec<usize>,
    /// Whether the directory was named only by relative paths.
    pub relative: bool,
    /// The outcome: `searched`, `absent`, `unsearchable`, `unlistable` or `failed`. Under POSIX
    /// rules an absent directory counts as `searched`.
    pub outcome: &'static str,
    /// The candidates, best first, each with its outcome: `found`, `absent`, `directory`, `not
    /// executable`, or `not asked` (after a better candidate was found, or if the directory could
    /// not be searched).
    pub candidates: Vec<(OsString, &'static str)>,
    /// The number of calls made for this directory.
    pub calls: u64,
}

impl Looked {
    fn new<S: Which>(
        directory: &SearchDirectory<S>,
        candidates: &Candidates<S::Unit>,
        outcome: &'static str,
        calls: u64,
    ) -> Looked {
        let candidate = |at| {
            let name = S::Unit::path(candidates.name(at).to_vec()).into_os_string();
            (name, word(candidates.verdict(at)))
        };
        Looked {
            directory: directory.to_path(),
            origin: directory.origin,
            duplicates: directory.duplicates.clone(),
            relative: directory.is_relative,
            outcome,
            candidates: (0..candidates.len()).map(candidate).collect(),
            calls,
        }
    }
}

fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        None => "not asked",
        Some(Verdict::Absent) => "absent",
        Some(Verdict::Program) => "found",
        Some(Verdict::Directory) => "directory",
        Some(Verdict::NoFile | Verdict::NotExecutable) => "not executable",
    }
}
