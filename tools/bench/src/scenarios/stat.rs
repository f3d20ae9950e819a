//! `curt stat` of many files beside GNU stat: the size of each. All names are arguments.

use crate::oracle::Question;
use crate::scenario::{Contender, PYTHON, Program, Quick, Scenario};
use crate::tree::{Content, Tree};

pub(super) static SCENARIOS: [Scenario; 1] = [Scenario {
    name: "stat",
    title: "stat files by name",
    tree: |size| Tree::flat(size, Content::Some),
    shape: "flat",
    question: Question::Stats,
    full: &[40_000],
    quick: Some(Quick { size: 20_000, share: 4 }),
    counted: [100, 500],
    contenders: &[
        Contender::curt(&["stat", "--fields", "size", "--", "{operands}"]),
        Contender::usual("stat", Program::Unix("stat"), &["-c", "%s %n", "--", "{operands}"]),
        Contender::usual("Python", PYTHON, &["-I", "-c", SCRIPT, "{operands}"]).get("python3"),
        Contender::rival(
            "uutils",
            Program::Tool(&["coreutils"]),
            &["stat", "-c", "%s %n", "--", "{operands}"],
        )
        .quick()
        .get("rust-coreutils"),
        Contender::rival(
            "find",
            Program::Unix("find"),
            &["{operands}", "-maxdepth", "0", "-printf", "%s %p\\n"],
        )
        .quick(),
    ],
    ..Scenario::COMMON
}];

const SCRIPT: &str = "\
import os, sys
sys.stdout.writelines(f'{os.lstat(name).st_size} {name}\\n' for name in sys.argv[1:])";
