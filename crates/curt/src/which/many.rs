//! Many names in one pass over the directories.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use super::directories::Directory;
use super::engine::{Engine, fill, join, take_note};
use super::found::Hit;
use super::look::{Look, Outcome, Rules, Spot};
use super::names::Asked;
use super::policy::Cwd;
use crate::error::FindError;
use crate::sys::{Batch, Lookup, Opened, SystemUnit};
use curt_paths::Flavor;

/// A name that was not found yet.
struct Wanted<S: Lookup> {
    /// Its place among the names.
    at: usize,
    look: Look<S>,
    /// Whether a fault ended its search.
    is_over: bool,
}

type Answer<U> = Result<Hit<U>, FindError>;

/// Looks for all names, in each directory for those that were not found yet.
pub(super) fn find_many<S: Lookup>(
    engine: &mut Engine<S>,
    names: &[&OsStr],
) -> Vec<Answer<S::Unit>> {
    let mut wanted = Vec::new();
    let mut answers: Vec<Option<Answer<S::Unit>>> = Vec::new();
    for (at, name) in names.iter().enumerate() {
        // By POSIX' rules a name takes one call in a directory, which nothing is fewer than.
        if engine.policy.rules == Flavor::Posix {
            answers.push(Some(find_one(engine, name)));
            continue;
        }
        let mut look = Look::default();
        std::mem::swap(&mut engine.look, &mut look);
        let asked = engine.begin(name);
        std::mem::swap(&mut engine.look, &mut look);
        answers.push(match asked {
            Ok(Asked::Bare) => {
                wanted.push(Wanted { at, look, is_over: false });
                None
            }
            Ok(Asked::Given(_)) => Some(find_one(engine, name)),
            Err(error) => Some(Err(error)),
        });
    }
    for index in 0..engine.directories.all.len() {
        if wanted.is_empty() {
            break;
        }
        find_in(engine, index, &mut wanted, &mut answers);
    }
    fail_all(engine, wanted, &mut answers);
    answers.into_iter().flatten().collect()
}

fn find_one<S: Lookup>(engine: &mut Engine<S>, name: &OsStr) -> Answer<S::Unit> {
    let mut hit = Hit::default();
    engine.find(name, &mut hit).map(|()| hit)
}

/// Looks into one directory.
fn find_in<S: Lookup>(
    engine: &mut Engine<S>,
    index: usize,
    wanted: &mut Vec<Wanted<S>>,
    answers: &mut [Option<Answer<S::Unit>>],
) {
    if engine.keeps.is_some() {
        engine.keep(index);
    }
    let Engine { sys, root, directories, policy, extensions, .. } = &*engine;
    let Some(directory) = directories.all.get(index) else { return };
    let rules = Rules { policy, extensions, all: false };
    look_for_all(sys, root, directory, &rules, wanted, |look, outcome| {
        take_note(look, index, directory, outcome, policy)
    });
    let mut rest = Vec::new();
    for mut wanted in wanted.drain(..) {
        let Some(rank) = wanted.look.best(0) else {
            rest.push(wanted);
            continue;
        };
        let mut hit = Hit::default();
        if let Some(directory) = engine.directories.all.get(index) {
            fill(&mut hit, directory, wanted.look.called(rank), engine.policy.rules);
        }
        let refused = engine.policy.cwd == Cwd::Report && hit.relative;
        std::mem::swap(&mut engine.look, &mut wanted.look);
        answers[wanted.at] = Some(if refused { Err(engine.relative(&hit)) } else { Ok(hit) });
    }
    *wanted = rest;
}

/// Says of each name that is left why it was not found. What that takes to know is asked once.
fn fail_all<S: Lookup>(
    engine: &mut Engine<S>,
    mut wanted: Vec<Wanted<S>>,
    answers: &mut [Option<Answer<S::Unit>>],
) {
    let mut left_out: Vec<Option<PathBuf>> = vec![None; wanted.len()];
    let mut base = None;
    if !wanted.is_empty() {
        base = engine.missing_base(Asked::Bare);
    }
    let is_asked = !wanted.is_empty() && base.is_none();
    if let Some(directory) = engine.directories.left_out.as_ref().filter(|_| is_asked) {
        let rules = Rules { policy: &engine.policy, extensions: &engine.extensions, all: false };
        look_for_all(&engine.sys, &engine.root, directory, &rules, &mut wanted, |_, _| true);
        for (wanted, left_out) in wanted.iter().zip(&mut left_out) {
            *left_out = wanted.look.best(0).map(|rank| {
                let mut path = Vec::new();
                join(&mut path, &directory.shown, wanted.look.called(rank));
                S::Unit::path(path)
            });
        }
    }
    for (mut wanted, left_out) in wanted.into_iter().zip(left_out) {
        std::mem::swap(&mut engine.look, &mut wanted.look);
        let error = match (engine.known_failure(Asked::Bare), &base) {
            (Some(error), _) => error,
            (None, Some(base)) => engine.base_is_missing(base.clone()),
            (None, None) => engine.not_found(left_out),
        };
        answers[wanted.at] = Some(Err(error));
    }
}

/// Looks into one directory for several names: lists it whole, once. A single name is looked for as
/// always. `note` takes what became of each, and says whether its search goes on.
fn look_for_all<S: Lookup>(
    sys: &S,
    root: &S::Dir,
    directory: &Directory<S::Unit, S::Dir>,
    rules: &Rules<'_, S::Unit>,
    wanted: &mut [Wanted<S>],
    mut note: impl FnMut(&mut Look<S>, Outcome) -> bool,
) {
    let mut going: Vec<&mut Wanted<S>> = wanted.iter_mut().filter(|one| !one.is_over).collect();
    let listed = match going.as_mut_slice() {
        [] | [_] => None,
        several => list_whole(sys, root, directory, rules, several),
    };
    for one in going {
        let outcome = match &listed {
            Some(Outcome::Searched) => Outcome::Searched,
            Some(Outcome::Absent) => Outcome::Absent,
            // For one name, or for each alone where the directory cannot be listed.
            _ => one.look.look_in(sys, root, directory, rules),
        };
        one.is_over = !note(&mut one.look, outcome);
    }
}

/// Lists a directory to its end and notes every name; `None` where it cannot be listed.
fn list_whole<S: Lookup>(
    sys: &S,
    root: &S::Dir,
    directory: &Directory<S::Unit, S::Dir>,
    rules: &Rules<'_, S::Unit>,
    wanted: &mut [&mut Wanted<S>],
) -> Option<Outcome> {
    for one in wanted.iter_mut() {
        one.look.forget();
    }
    let Some(spot) = Spot::of(root, directory) else { return Some(Outcome::Absent) };
    let dir = match wanted.first_mut()?.look.open(sys, spot) {
        Opened::Dir(dir) => dir,
        Opened::NotDirectory | Opened::Gone | Opened::Pending | Opened::Mount => {
            return Some(Outcome::Absent);
        }
        Opened::Failed(_) | Opened::Shortage(_) => return None,
    };
    let is_known = read_whole(sys, &dir, rules, wanted).is_ok()
        && wanted.iter_mut().all(|one| matches!(one.look.settle(sys, &dir), Outcome::Searched));
    sys.close(dir);
    is_known.then_some(Outcome::Searched)
}

fn read_whole<S: Lookup>(
    sys: &S,
    dir: &S::Dir,
    rules: &Rules<'_, S::Unit>,
    wanted: &mut [&mut Wanted<S>],
) -> io::Result<()> {
    let mut buf = S::DirBuf::default();
    loop {
        let batch = sys.matching(dir, None, &mut buf, &mut |entry| {
            for one in wanted.iter_mut() {
                one.look.note(&entry, rules);
            }
        })?;
        if batch == Batch::End {
            return Ok(());
        }
    }
}
