//! `curt::paths::PathCheck` against others who say by text alone whether a path stays beneath a
//! directory.
//!
//! Those who ask the file system answer another question and are not here: see `beneath.rs`.

use super::answer::Question;
use super::contender::Found;
use super::operation::{Operation, Scenario};
use super::programs::Programs;
use super::takers::{scenario, takers};
use super::works::Work;

/// The table of checks.
pub(crate) static OPERATION: Operation = Operation {
    name: "check",
    title: "curt::paths::PathCheck: whether the text of a path stays beneath a directory",
    reference: "path-clean",
    scenarios: &[
        scenario(Work::Plain, 2),
        scenario(Work::Dotted, 2),
        scenario(Work::Deep, 2),
        scenario(Work::Strict, 1),
        scenario(Work::Foreign, 1),
    ],
    contenders,
    describe: |_| "nothing on disk: paths are made up".to_owned(),
    notes: &[
        "plain: a POSIX path of four names with nothing odd. dotted: the same with dots. deep: sixteen names.",
        "strict: the plain one must have no second name on any system. foreign: the same by the rules of Windows.",
        "go: filepath.IsLocal. path-clean: joined, cleaned, and compared with the directory, as people do.",
        "Neither says why, and of strict and foreign paths neither knows. No allocation by curt:",
        "see crates/curt/tests/allocation.",
    ],
};

/// What `cargo xtask rivals` builds.
const RIVALS: [&str; 2] = ["path-clean", "go"];

fn contenders(scenario: &Scenario, programs: &Programs) -> Found {
    let Question::Lengths(work) = scenario.question else {
        return Found::default();
    };
    let is_known = !matches!(work, Work::Strict | Work::Foreign);
    takers(work, programs, &RIVALS.map(|name| (name, is_known.then_some(("beneath", true)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rival_takes_part_or_is_named() {
        let found = contenders(&OPERATION.scenarios[0], &crate::programs::tests::some());
        assert!(found.knows("curt") && found.knows(OPERATION.reference));
        assert!(RIVALS.iter().all(|name| found.knows(name)));
    }
}
