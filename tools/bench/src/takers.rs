//! Who takes part where something is only computed, and the rows of those tables.

use super::answer::Question;
use super::contender::{Contender, Found, built_rivals};
use super::operation::Scenario;
use super::programs::Programs;
use super::tree::{Content, Tree};
use super::works::Work;

/// A row of a table: what is computed, and how much a quick run has of it.
pub(super) const fn scenario(work: Work, quick: u32) -> Scenario {
    Scenario {
        name: work.name(),
        make: |_| Tree::flat(1, Content::Empty),
        shape: "one",
        question: Question::Lengths(work),
        quick: (quick, 0),
        counted: u64::MAX,
    }
}

/// Who computes it: curt, and of the built rivals those that are told what to do, by the first word
/// they take and whether they are compiled. The others have no answer; those that are not there are
/// named.
pub(super) fn takers(
    work: Work,
    programs: &Programs,
    rivals: &[(&'static str, Option<(&str, bool)>)],
) -> Found {
    let mut found = Found::default();
    let ours = ["--role", "expand", "--work", work.name(), "--"];
    found.add(Contender::new("curt", &programs.own, &ours));
    let built = built_rivals("expand");
    let (bases, paths) = (work.bases().join("|"), work.paths().join("|"));
    for &(name, told) in rivals {
        let Some((_, program)) = built.iter().find(|(rival, _)| rival == name) else {
            found.miss(name, "cargo xtask rivals");
            continue;
        };
        if let Some((word, is_quick)) = told {
            let rounds = work.rounds(is_quick).to_string();
            found.add(Contender::new(name, program, &[word, &rounds, &bases, &paths]));
        }
    }
    found
}
