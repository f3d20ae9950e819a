//! `curt walk` and `curt du` against everybody else who looks at a whole tree.

use super::super::answer::Question;
use super::super::contender::{Contender, Found, on_path};
use super::super::operation::{COUNTED_ENTRIES, Operation, Scenario};
use super::super::programs::Programs;
use super::super::roles::Task;
use super::super::tree::{Content, Tree};
use super::{BY_STRACE, CHECKED, COUNTED, bare, built, curt, describe};
use std::path::Path;

/// What people have: its walks are what ratios refer to.
const FIND: &str = if cfg!(windows) { "std" } else { "find" };

/// The rivals that a quick run has time for.
const QUICK: [&str; 2] = ["walkdir", "ignore"];

/// Where ignore rules are looked for, as fd does unless it is told not to.
const RULES: &str = "cra-rules";

/// The table of `curt walk`.
pub(crate) static WALK: Operation = Operation {
    name: "walk",
    title: "curt walk: all paths of a tree",
    reference: FIND,
    scenarios: &[
        scenario("cra", react, Question::Paths, (3, 2)),
        scenario("cra-sizes", react, Question::Sizes, (3, 2)),
        scenario(RULES, react, Question::Paths, (2, 1)),
    ],
    contenders: walkers,
    describe,
    notes: &[
        "floor: the bare loop of calls in one thread. std: std::fs::read_dir.",
        "cra-rules: curt and fd look for ignore rules, of which the tree has none. Elsewhere fd runs with -u.",
        COUNTED,
        BY_STRACE,
        CHECKED,
    ],
};

/// The table of `curt du`.
pub(crate) static DU: Operation = Operation {
    name: "du",
    title: "curt du: what a tree takes",
    reference: if cfg!(windows) { "std" } else { "du" },
    scenarios: &[scenario("cra", react, Question::Total, (2, 1))],
    contenders: measurers,
    describe,
    notes: &[
        "floor: the bare loop of calls in one thread. std: std::fs::read_dir.",
        COUNTED,
        BY_STRACE,
        CHECKED,
    ],
};

const fn scenario(
    name: &'static str,
    make: fn(u32) -> Tree,
    question: Question,
    quick: (u32, u32),
) -> Scenario {
    Scenario { name, make, shape: "cra", question, quick, counted: COUNTED_ENTRIES }
}

/// The tree of report 2, with a few bytes here and there, so that sizes can be told apart.
fn react(shrink: u32) -> Tree {
    Tree::react(shrink, Content::Some)
}

/// curt as it decides itself, and with one thread and two.
fn ours(found: &mut Found, programs: &Programs, words: &[&str]) {
    for (name, jobs) in [("curt", None), ("curt -j1", Some("-j1")), ("curt -j2", Some("-j2"))] {
        let words: Vec<&str> = words.iter().copied().chain(jobs).collect();
        curt(found, programs, name, &words);
    }
}

fn walkers(scenario: &Scenario, programs: &Programs) -> Found {
    let mut found = Found::default();
    if scenario.question == Question::Sizes {
        ours(&mut found, programs, &["walk", "--format", "{size} {path}"]);
        bare(&mut found, programs, Task::Sizes);
        sized_tools(&mut found);
        built(&mut found, Task::Sizes, &QUICK);
    } else if scenario.name == RULES {
        ours(&mut found, programs, &["walk", "--ignore", "--hidden"]);
        bare(&mut found, programs, Task::Walk);
        find(&mut found);
        fd(&mut found, "-H");
    } else {
        ours(&mut found, programs, &["walk"]);
        bare(&mut found, programs, Task::Walk);
        tools(&mut found);
        built(&mut found, Task::Walk, &QUICK);
    }
    found
}

fn tools(found: &mut Found) {
    if cfg!(windows) {
        let dir = ["/d", "/c", "dir", "/s", "/b", "/a"];
        found.add(Contender::new("dir", Path::new("cmd.exe"), &dir));
    }
    find(found);
    found.add_tool("bfs", |bfs| Contender::new("bfs", bfs, &[]));
    found.add_tool("bfs", |bfs| Contender::new("bfs -j1", bfs, &["-j1"]));
    fd(found, "-u");
}

fn find(found: &mut Found) {
    if !cfg!(windows) {
        found.add_tool("find", |find| Contender::new("find", find, &[]));
    }
}

/// Names that begin with a dot are listed in either way: `-u` without rules, `-H` with them.
fn fd(found: &mut Found, option: &str) {
    // Debian has another fd, and calls this one so.
    let Some(fd) = on_path("fd").or_else(|| on_path("fdfind")) else {
        return found.miss("fd", "not on PATH, nor fdfind");
    };
    found.add(Contender::new("fd", &fd, &[option, "."]));
    found.add(Contender::new("fd -j1", &fd, &[option, "-j1", "."]).only_full());
}

fn sized_tools(found: &mut Found) {
    let print = |name, program: &Path, before: &[&str]| {
        Contender::new(name, program, before).then("-printf").then("%s %p\\n")
    };
    if !cfg!(windows) {
        found.add_tool("find", |find| print("find", find, &[]));
    }
    found.add_tool("bfs", |bfs| print("bfs", bfs, &[]));
    found.add_tool("bfs", |bfs| print("bfs -j1", bfs, &["-j1"]));
}

fn measurers(_: &Scenario, programs: &Programs) -> Found {
    let mut found = Found::default();
    ours(&mut found, programs, &["du", "-s"]);
    bare(&mut found, programs, Task::Du);
    if !cfg!(windows) {
        found.add_tool("du", |du| Contender::new("du", du, &["-s", "--"]));
    }
    found.add_tool("coreutils", |uutils| Contender::new("coreutils", uutils, &["du", "-s", "--"]));
    built(&mut found, Task::Du, &QUICK);
    found
}
