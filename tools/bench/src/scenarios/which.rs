//! `curt which` beside other programs that find programs: names that are in entry 197 of 211 of
//! `PATH`.

use crate::oracle::Question;
use crate::roles::start::{ENTRIES, PLACE};
use crate::scenario::{Contender, PYTHON, Program, Quick, Report, Scenario};
use crate::tree::{Content, Tree};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    name: "which",
    title: "find programs",
    tree: |size| Tree::small_directories(ENTRIES, Content::Empty).with_programs(PLACE, size),
    shape: "path-211",
    question: Question::Found,
    full: &[400],
    report: Some(Report::LookUp),
    real: None,
    quick: Some(Quick { size: 200, share: 4 }),
    counted: [5, 20],
    everywhere: false,
    contenders: &[
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
    ],
}];

const SCRIPT: &str = "\
import shutil, sys
for name in sys.argv[1:]: print(shutil.which(name))";
