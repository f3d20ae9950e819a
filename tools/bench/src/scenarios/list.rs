//! `curt ls` beside other programs that list one directory, plainly and with what `-l` shows.

use crate::oracle::Question;
use crate::scenario::{Contender, Program, Quick, Report, Scenario};
use crate::tree::{Content, Tree};

pub(super) static SCENARIOS: [Scenario; 6] = [
    Scenario {
        quick: Some(Quick { size: 20_000, share: 3 }),
        full: &[40_000],
        ..names("list", "list a directory", "flat", flat)
    },
    Scenario {
        quick: Some(Quick { size: 20_000, share: 4 }),
        full: &[40_000],
        ..long("list-long", "list it with -l", "flat", flat)
    },
    // Report 3 listed 3,580 files.
    Scenario { report: Some(Report::List), ..names("list-3580", "list 3,580 files", "flat", flat) },
    Scenario {
        report: Some(Report::List),
        ..long("list-long-3580", "list 3,580 files with -l", "flat", flat)
    },
    names("list-mixed", "list files, links and directories", "mixed", mixed),
    long("list-long-mixed", "list files, links and directories with -l", "mixed", mixed),
];

fn flat(size: u32) -> Tree {
    Tree::flat(size, Content::Some)
}

/// For 3,580 entries: 3,400 files, 150 links of which 30 are broken, and 30 directories.
fn mixed(size: u32) -> Tree {
    Tree::mixed(size * 340 / 358, size * 15 / 358, size * 3 / 358)
}

const fn names(
    name: &'static str,
    title: &'static str,
    shape: &'static str,
    tree: fn(u32) -> Tree,
) -> Scenario {
    Scenario {
        name,
        title,
        tree,
        shape,
        question: Question::Names,
        full: &[3_580],
        contenders: &NAMES,
        ..Scenario::COMMON
    }
}

const fn long(
    name: &'static str,
    title: &'static str,
    shape: &'static str,
    tree: fn(u32) -> Tree,
) -> Scenario {
    Scenario { question: Question::Long, contenders: &LONG, ..names(name, title, shape, tree) }
}

static NAMES: [Contender; 13] = [
    Contender::curt(&["ls", "--", "{tree}"]),
    Contender::usual("ls", Program::Unix("ls"), &["--", "{tree}"]),
    Contender::usual("dir /b", Program::Cmd, &["/d", "/c", "dir", "/b", "/a", "{tree}"]),
    Contender::rival(
        "find",
        Program::Unix("find"),
        &["{tree}", "-mindepth", "1", "-maxdepth", "1"],
    )
    .quick(),
    Contender::rival("eza", Program::Tool(&["eza"]), &["-1", "{tree}"]).quick().get("eza"),
    Contender::rival("lsd", Program::Tool(&["lsd"]), &["-1", "{tree}"]).get("lsd"),
    Contender::rival("uutils", Program::Tool(&["coreutils"]), &["ls", "--", "{tree}"])
        .quick()
        .get("rust-coreutils"),
    Contender::rival("Rust std", Program::Own, &["std", "ls", "{tree}"]),
    Contender::rival("Go", Program::Built("tree-go"), &["ls", "{tree}"]).get("golang-go"),
    Contender::rival("Python", Program::Built("tree-python"), &["ls", "{tree}"]).get("python3"),
    Contender::rival("Zig", Program::Built("tree-zig"), &["ls", "{tree}"]).version("0.17.0"),
    Contender::rival("Node", Program::Built("tree-node"), &["ls", "{tree}"]).get("nodejs"),
    Contender::baseline(&["baseline", "ls", "{tree}"]),
];

static LONG: [Contender; 11] = [
    Contender::curt(&["ls", "-l", "--", "{tree}"]),
    Contender::usual("ls -l", Program::Unix("ls"), &["-l", "--", "{tree}"]),
    Contender::usual("Rust std", Program::Own, &["std", "long", "{tree}"]),
    Contender::rival("eza", Program::Tool(&["eza"]), &["-l", "--bytes", "{tree}"])
        .quick()
        .get("eza"),
    Contender::rival("lsd", Program::Tool(&["lsd"]), &["-l", "--size", "bytes", "{tree}"])
        .get("lsd"),
    Contender::rival("uutils", Program::Tool(&["coreutils"]), &["ls", "-l", "--", "{tree}"])
        .quick()
        .get("rust-coreutils"),
    Contender::rival("Go", Program::Built("tree-go"), &["long", "{tree}"]).get("golang-go"),
    Contender::rival("Python", Program::Built("tree-python"), &["long", "{tree}"]).get("python3"),
    Contender::rival("Zig", Program::Built("tree-zig"), &["long", "{tree}"]).version("0.17.0"),
    Contender::rival("Node", Program::Built("tree-node"), &["long", "{tree}"]).get("nodejs"),
    Contender::baseline(&["baseline", "long", "{tree}"]),
];
