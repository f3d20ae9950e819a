//! curt's `Command` beside other ways to start a program and wait for it. `roles/start.rs` says
//! what the shapes are.

use crate::oracle::Question;
use crate::roles::start::{ENTRIES, PLACE};
use crate::scenario::{Contender, PYTHON, Program, Quick, Report, Scenario};
use crate::tree::{Content, Tree};

pub(super) static SCENARIOS: [Scenario; 7] = [
    Scenario {
        quick: Some(Quick { size: 300, share: 4 }),
        ..scenario("start-path", "start a program", &BY_PATH)
    },
    scenario("start-large", "start by a process of 1 GiB", &BY_SHAPE),
    scenario("start-far", "start a program far along PATH", &BY_SHAPE),
    scenario("start-near", "start a program at the head of PATH", &BY_SHAPE),
    scenario("start-nowhere", "fail to find a program to start", &BY_SHAPE),
    scenario("start-session", "start with directories held open", &BY_SHAPE),
    scenario("start-linked", "start /bin/true", &BY_SHAPE),
];

const fn scenario(
    name: &'static str,
    title: &'static str,
    contenders: &'static [Contender],
) -> Scenario {
    Scenario {
        name,
        title,
        tree: |_| Tree::small_directories(ENTRIES, Content::Empty).with_programs(PLACE, 1, ""),
        shape: "path-211-one",
        question: Question::Starts,
        full: &[1_000],
        report: Some(Report::Start),
        counted: [10, 40],
        everywhere: false,
        contenders,
        ..Scenario::COMMON
    }
}

/// What all of them take; the shape is in the scenario's name.
const WORDS: &[&str] = &["{shape}", "{size}", "{tree}"];

static BY_PATH: [Contender; 8] = [
    Contender::library(&["start", "curt", "{shape}", "{size}", "{tree}"]),
    Contender::usual("Rust std", Program::Own, &["start", "std", "{shape}", "{size}", "{tree}"]),
    Contender::rival("posix_spawn", Program::Built("start-posix_spawn"), WORDS).quick(),
    Contender::rival("libuv", Program::Built("start-libuv"), WORDS).get("libuv1-dev"),
    Contender::rival("bare vfork", Program::Built("start-vfork"), WORDS),
    Contender::rival("Go", Program::Built("start-go"), WORDS).get("golang-go"),
    Contender::rival("Python", PYTHON, &["-I", "-c", SCRIPT, "{program}", "{size}"])
        .quick()
        .get("python3"),
    Contender::rival("sh", Program::Unix("sh"), &["-c", LOOP, "sh", "{program}", "{size}"]).quick(),
];

const LOOP: &str = "\
well=0
while [ $well -lt $2 ]; do \"$1\" && well=$((well + 1)); done
echo $well";

const SCRIPT: &str = "\
import subprocess, sys
print(sum(subprocess.call(sys.argv[1:2]) == 0 for _ in range(int(sys.argv[2]))))";

static BY_SHAPE: [Contender; 12] = [
    Contender::library(&["start", "curt", "{shape}", "{size}", "{tree}"]),
    Contender::usual("Rust std", Program::Own, &["start", "std", "{shape}", "{size}", "{tree}"]),
    Contender::rival("posix_spawn", Program::Built("start-posix_spawn"), WORDS),
    Contender::rival("libuv", Program::Built("start-libuv"), WORDS).get("libuv1-dev"),
    Contender::rival("bare vfork", Program::Built("start-vfork"), WORDS),
    Contender::rival("fork", Program::Built("start-fork"), WORDS),
    Contender::rival("Go", Program::Built("start-go"), WORDS).get("golang-go"),
    Contender::rival("Python", Program::Built("start-python"), WORDS).get("python3"),
    Contender::rival("Node", Program::Built("start-node"), WORDS).get("nodejs"),
    Contender::rival("Zig", Program::Built("start-zig"), WORDS).version("0.17.0"),
    Contender::rival("Zig 0.11", Program::Built("start-zig-0.11"), WORDS).version("0.11.0"),
    Contender::rival("Zig 0.9", Program::Built("start-zig-0.9"), WORDS).version("0.9.1"),
];
