//! `curt::paths::Expander` against everybody else who makes paths full.

use super::answer::Question;
use super::contender::Found;
use super::operation::{Operation, Scenario};
use super::programs::Programs;
use super::takers::{scenario, takers};
use super::works::Work;
use curt::paths::Flavor;

/// The table of expansions.
pub(crate) static OPERATION: Operation = Operation {
    name: "expand",
    title: "curt::paths::Expander: full paths by text alone",
    reference: "path-clean",
    scenarios: &[
        scenario(Work::Clean, 4),
        scenario(Work::Dots, 4),
        scenario(Work::Relative, 4),
        scenario(Work::Windows, 2),
        scenario(Work::Flat, 2),
        scenario(Work::Nested, 1),
        scenario(Work::Rails, 1),
        scenario(Work::Enki, 1),
    ],
    contenders,
    describe: |_| "nothing on disk: paths are made up".to_owned(),
    notes: &[
        "clean: a full path as it should be. dots: ten parts, four of them dots. relative: to a directory",
        "that is given to all. windows: a Windows path with slashes and dots. flat, nested, rails, enki: what 100,",
        "100, 772 and 1,146 requires ask for: each feature below each of nine roots of a load path.",
        "go: filepath.Clean, or Join. node: path.resolve, path.win32.resolve. python: normpath(join(…)) of posixpath",
        "and ntpath, which is os.path.abspath with the directory given. ruby: File.expand_path with a base.",
        "The crate normpath is left out: on Unix it asks the file system, and fails for what is not there.",
        "Calls are not counted here: see crates/curt-cli/tests/calls/expand.rs.",
    ],
};

/// What `cargo xtask rivals` builds: the name, whether it knows Windows paths, whether it is
/// compiled.
const RIVALS: [(&str, bool, bool); 8] = [
    ("path-clean", false, true),
    ("path-absolutize", false, true),
    ("typed-path", true, true),
    ("std", false, true),
    ("go", false, true),
    ("node", true, false),
    ("python", true, false),
    ("ruby", false, false),
];

fn contenders(scenario: &Scenario, programs: &Programs) -> Found {
    let Question::Lengths(work) = scenario.question else {
        return Found::default();
    };
    let flavor = if work.flavor() == Flavor::Windows { "windows" } else { "posix" };
    let rivals = RIVALS.map(|(name, knows_windows, is_quick)| {
        (name, (work != Work::Windows || knows_windows).then_some((flavor, is_quick)))
    });
    takers(work, programs, &rivals)
}
