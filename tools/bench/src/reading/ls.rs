//! `curt ls` against everybody else who lists a directory, plainly and with what `-l` shows.

use super::super::answer::Question;
use super::super::contender::{Contender, Found};
use super::super::operation::{COUNTED_ENTRIES, Operation, Scenario};
use super::super::programs::Programs;
use super::super::roles::Task;
use super::super::tree::{Content, Tree};
use super::{BY_STRACE, CHECKED, COUNTED, bare, built, curt, describe};
use std::path::Path;

/// The table of `curt ls`.
pub(crate) static OPERATION: Operation = Operation {
    name: "ls",
    title: "curt ls: listing a directory",
    reference: if cfg!(windows) { "std" } else { "ls" },
    scenarios: &[
        scenario("flat", mixed, "mixed", Question::Names, (2, 1)),
        scenario("flat-l", mixed, "mixed", Question::Long, (2, 1)),
        scenario("report-3", many, "many", Question::Names, (1, 0)),
        scenario("report-3-l", many, "many", Question::Long, (1, 0)),
    ],
    contenders,
    describe,
    notes: &[
        "floor: the bare loop of calls in one thread, unsorted. std: std::fs::read_dir, unsorted.",
        "Of -l they write sizes and targets; the floor asks for all that -l shows.",
        COUNTED,
        BY_STRACE,
        CHECKED,
    ],
};

const fn scenario(
    name: &'static str,
    make: fn(u32) -> Tree,
    shape: &'static str,
    question: Question,
    quick: (u32, u32),
) -> Scenario {
    Scenario { name, make, shape, question, quick, counted: COUNTED_ENTRIES }
}

/// 3,400 files, 150 links of which 30 are broken, and 30 directories.
fn mixed(shrink: u32) -> Tree {
    Tree::mixed(3_400 / shrink, 150 / shrink, 30 / shrink)
}

/// What report 3 listed: 3,580 files.
fn many(shrink: u32) -> Tree {
    Tree::flat(3_580 / shrink, Content::Some)
}

fn contenders(scenario: &Scenario, programs: &Programs) -> Found {
    let mut found = Found::default();
    let is_long = scenario.question == Question::Long;
    let task = if is_long { Task::Long } else { Task::Ls };
    curt(&mut found, programs, "curt", if is_long { &["ls", "-l"] } else { &["ls"] });
    bare(&mut found, programs, task);
    if is_long {
        long_tools(&mut found);
    } else {
        tools(&mut found);
    }
    built(&mut found, task, &[]);
    found
}

fn tools(found: &mut Found) {
    if cfg!(windows) {
        let dir = ["/d", "/c", "dir", "/b", "/a"];
        found.add(Contender::new("dir", Path::new("cmd.exe"), &dir));
    } else {
        found.add_tool("ls", |ls| Contender::new("ls", ls, &["--"]));
        found.add_tool("find", |find| {
            let find = Contender::new("find", find, &[]).only_full();
            ["-mindepth", "1", "-maxdepth", "1"].iter().fold(find, |find, word| find.then(word))
        });
    }
    found.add_tool("eza", |eza| Contender::new("eza", eza, &["-1"]));
    found.add_tool("lsd", |lsd| Contender::new("lsd", lsd, &["-1"]));
    found.add_tool("coreutils", |uutils| Contender::new("coreutils", uutils, &["ls", "--"]));
}

fn long_tools(found: &mut Found) {
    if !cfg!(windows) {
        found.add_tool("ls", |ls| Contender::new("ls", ls, &["-l", "--"]));
    }
    found.add_tool("eza", |eza| Contender::new("eza", eza, &["-l", "--bytes"]));
    found.add_tool("lsd", |lsd| Contender::new("lsd", lsd, &["-l", "--size", "bytes"]));
    found.add_tool("coreutils", |uutils| Contender::new("coreutils", uutils, &["ls", "-l", "--"]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directories_are_those_of_the_reports() {
        assert_eq!((mixed(1).files(), mixed(1).entries()), (3_550, 3_580));
        assert_eq!((many(1).files(), many(1).entries()), (3_580, 3_580));
        let text = "3,550 files, 31 directories; 150 of the files are links";
        assert_eq!(describe(&mixed(1)), text);
    }
}
