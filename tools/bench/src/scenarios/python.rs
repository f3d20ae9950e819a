//! curt's Python package beside the functions of `CPython` that it replaces. Each run is one
//! process that does it again and again and measures itself, so that the start of the interpreter,
//! which takes longer than most of this, is left out.

use crate::oracle::{LookUp, Question};
use crate::roles::compute::Work;
use crate::scenario::{Contender, Part, Program, Scenario};
use crate::tree::{Content, ENTRIES, PLACE, REACT_ENTRIES, Tree};

pub(super) static SCENARIOS: [Scenario; 8] = [
    Scenario {
        full: &[REACT_ENTRIES],
        contenders: &RMTREE,
        ..scenario("python-rmtree", "remove node_modules in Python", Question::Gone)
    },
    Scenario {
        full: &[REACT_ENTRIES],
        contenders: &WALK,
        ..scenario("python-walk", "walk a tree in Python", Question::Paths)
    },
    Scenario {
        tree: |size| Tree::flat(size, Content::Some),
        shape: "flat",
        contenders: &WALK,
        ..scenario("python-walk-flat", "walk one large directory in Python", Question::Paths)
    },
    Scenario {
        tree: |size| Tree::flat(size, Content::Some),
        shape: "flat",
        contenders: &STAT,
        ..scenario("python-stat", "list a directory and stat its files in Python", Question::Long)
    },
    which("python-which", "find programs in Python", "path-10", LAST_OF_TEN, |size| {
        Tree::small_directories(10, Content::Empty).with_programs(9, size, "")
    }),
    which(
        "python-which-far",
        "find programs in Python in 211 directories",
        "path-211",
        FAR,
        |size| Tree::small_directories(ENTRIES, Content::Empty).with_programs(PLACE, size, ""),
    ),
    abspath(Work::Clean, "python-abspath", "expand a full path in Python"),
    abspath(Work::Dots, "python-abspath-dots", "expand one with dots in Python"),
];

const FAR: LookUp = LookUp { place: PLACE, extensions: 0, repeats: false };
/// In the last entry of a `PATH` as most people have it.
const LAST_OF_TEN: LookUp = LookUp { place: 9, ..FAR };

const fn scenario(name: &'static str, title: &'static str, question: Question) -> Scenario {
    Scenario {
        name,
        title,
        tree: |size| Tree::react(size, Content::Some),
        shape: "node_modules",
        question,
        full: &[3_580],
        times_itself: true,
        ..Scenario::COMMON
    }
}

const fn which(
    name: &'static str,
    title: &'static str,
    shape: &'static str,
    look: LookUp,
    tree: fn(u32) -> Tree,
) -> Scenario {
    Scenario {
        tree,
        shape,
        full: &[100],
        counted: [5, 20],
        everywhere: false,
        contenders: &WHICH,
        ..scenario(name, title, Question::Found(look))
    }
}

const fn abspath(work: Work, name: &'static str, title: &'static str) -> Scenario {
    Scenario {
        tree: |_| Tree::flat(1, Content::Empty),
        shape: "one",
        full: &[1],
        counted: [0, 0],
        everywhere: false,
        // In its answer.
        times_itself: false,
        contenders: &ABSPATH,
        ..scenario(name, title, Question::Lengths(work))
    }
}

const BUILT: Program = Program::Built("python-curt");

const fn curt(words: &'static [&'static str]) -> Contender {
    Contender::binding("curt for Python", Part::Curt, BUILT, words)
}

const fn cpython(words: &'static [&'static str]) -> Contender {
    Contender::usual("CPython", BUILT, words)
}

static RMTREE: [Contender; 4] = [
    curt(&["curt", "rmtree", "{tree}"]),
    Contender::binding("curt, 2 threads", Part::Variant, BUILT, &["curt", "rmtree", "{tree}", "2"]),
    cpython(&["cpython", "rmtree", "{tree}"]),
    Contender::baseline(&["baseline", "remove", "{tree}"]),
];
static WALK: [Contender; 2] =
    [curt(&["curt", "walk", "{tree}"]), cpython(&["cpython", "walk", "{tree}"])];
static STAT: [Contender; 2] =
    [curt(&["curt", "stat", "{tree}"]), cpython(&["cpython", "stat", "{tree}"])];
static WHICH: [Contender; 2] =
    [curt(&["curt", "which", "{operands}"]), cpython(&["cpython", "which", "{operands}"])];
static ABSPATH: [Contender; 2] = [
    curt(&["curt", "abspath", "{fewer-rounds}", "{paths}"]),
    cpython(&["cpython", "abspath", "{fewer-rounds}", "{paths}"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_run_the_same_task_of_one_program() {
        let program = include_str!("../../rivals/python-curt/main.py");
        for scenario in &SCENARIOS {
            let ours = scenario.contenders.iter().filter(|one| one.program == BUILT);
            let tasks: Vec<&str> = ours.clone().map(|one| one.words[1]).collect();
            assert!(tasks.len() > 1 && tasks.iter().all(|&task| task == tasks[0]), "{tasks:?}");
            assert!(program.contains(&format!("\"{}\": ", tasks[0])), "{}", tasks[0]);
            for contender in ours {
                let library = format!("    \"{}\": (", contender.words[0]);
                assert!(program.contains(&library), "{}", contender.name);
            }
        }
    }
}
