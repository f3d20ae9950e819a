//! `curt which` beside other programs that find programs, in the shapes of reports 1 and 5: far
//! along `PATH`, at its head, with several extensions, and past a directory with very many names.

use crate::oracle::{LookUp, Question};
use crate::scenario::{Contender, PYTHON, Program, Quick, Report, Scenario};
use crate::tree::{Content, ENTRIES, PLACE, Tree};

pub(super) static SCENARIOS: [Scenario; 9] = [
    Scenario {
        quick: Some(Quick { size: 100, share: 4 }),
        ..scenario("which", "find programs", FAR, "path-211", |size| path(PLACE, size, ""))
    },
    scenario("which-first", "find programs at the head of PATH", FIRST, "path-first", |size| {
        path(0, size, "")
    }),
    scenario("which-one", "find programs in the only entry of PATH", FIRST, "path-one", |size| {
        Tree::small_directories(1, Content::Empty).with_programs(0, size, "")
    }),
    windows("which-pathext-2", "find programs with 2 extensions", extended(2)),
    windows("which-pathext-4", "find programs with 4 extensions", extended(4)),
    windows("which-pathext-11", "find programs with 11 extensions", extended(11)),
    crowded("which-random", "find past 100,000 random names", "crowd-random", |_| {
        Tree::crowd(100_000, false).with_programs(1, 1, ".exe")
    }),
    crowded("which-random-1m", "find past a million random names", "crowd-random-1m", |_| {
        Tree::crowd(1_000_000, false).with_programs(1, 1, ".exe")
    }),
    crowded("which-alike", "find past 100,000 look-alikes", "crowd-alike", |_| {
        Tree::crowd(100_000, true).with_programs(1, 1, ".exe")
    }),
];

const FAR: LookUp = LookUp { place: PLACE, extensions: 0, repeats: false };
const FIRST: LookUp = LookUp { place: 0, ..FAR };
/// In the entry after the full one.
const CROWDED: LookUp = LookUp { place: 1, extensions: 4, repeats: true };

const fn extended(extensions: usize) -> LookUp {
    LookUp { extensions, ..FAR }
}

fn path(place: usize, programs: u32, end: &'static str) -> Tree {
    Tree::small_directories(ENTRIES, Content::Empty).with_programs(place, programs, end)
}

const fn scenario(
    name: &'static str,
    title: &'static str,
    look: LookUp,
    shape: &'static str,
    tree: fn(u32) -> Tree,
) -> Scenario {
    Scenario {
        name,
        title,
        tree,
        shape,
        question: Question::Found(look),
        full: &[400],
        report: Some(Report::LookUp),
        counted: [5, 20],
        everywhere: false,
        contenders: &UNIX,
        ..Scenario::COMMON
    }
}

/// By Windows' rules.
const fn windows(name: &'static str, title: &'static str, look: LookUp) -> Scenario {
    let scenario = scenario(name, title, look, "path-exe", |size| path(PLACE, size, ".exe"));
    Scenario { contenders: &WINDOWS, ..scenario }
}

/// The same program again and again.
const fn crowded(
    name: &'static str,
    title: &'static str,
    shape: &'static str,
    tree: fn(u32) -> Tree,
) -> Scenario {
    let scenario = scenario(name, title, CROWDED, shape, tree);
    Scenario { full: &[100], contenders: &WINDOWS, ..scenario }
}

static UNIX: [Contender; 5] = [
    Contender::curt(&["which", "--", "{operands}"]),
    Contender::usual("which", Program::Unix("which"), &["{operands}"]).get("debianutils"),
    Contender::usual("Python", PYTHON, &["-I", "-c", SCRIPT, "{operands}"]).get("python3"),
    Contender::rival(
        "sh command -v",
        Program::Unix("sh"),
        &["-c", "for name; do command -v \"$name\"; done", "sh", "{operands}"],
    )
    .quick(),
    Contender::rival(
        "bash type -P",
        Program::Unix("bash"),
        &["-c", "for name; do type -P \"$name\"; done", "bash", "{operands}"],
    )
    .quick(),
];

const SCRIPT: &str = "\
import shutil, sys
for name in sys.argv[1:]: print(shutil.which(name))";

/// No other program knows these rules on every system, so beside curt stands what most of them do
/// where they are at home.
static WINDOWS: [Contender; 2] = [
    Contender::curt(&[
        "which",
        "--rules",
        "windows",
        "--pathext",
        "{pathext}",
        "--path",
        "{path}",
        "--",
        "{operands}",
    ]),
    Contender::usual(
        "a probe for each",
        Program::Own,
        &["probe", "{pathext}", "{operands}", "{tree}"],
    ),
];
