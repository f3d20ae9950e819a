//! `curt expand` beside GNU realpath, and the library's expansion and check beside those of other
//! libraries: what one path costs in a process that runs.

use crate::oracle::Question;
use crate::roles::compute::Work;
use crate::scenario::{Contender, PYTHON, Program, Quick, RUBY, Report, Scenario};
use crate::tree::{Content, Tree};

pub(super) static SCENARIOS: [Scenario; 12] = [
    Scenario {
        name: "expand",
        question: Question::Expanded,
        full: &[20_000],
        quick: Some(Quick { size: 20_000, share: 3 }),
        counted: [10, 500],
        contenders: &COMMANDS,
        ..library(Work::Clean, "", "make paths absolute")
    },
    library(Work::Clean, "expand-clean", "expand a full path as it should be"),
    library(Work::Dots, "expand-dots", "expand a path with dots"),
    library(Work::Relative, "expand-relative", "expand a relative path"),
    Scenario {
        contenders: &WINDOWS,
        ..library(Work::Windows, "expand-windows", "expand a Windows path")
    },
    // Report 4: what requires ask for, each feature below each of nine roots of a load path.
    reported(Work::Flat, "expand-flat", "expand 100 features of one directory"),
    reported(Work::Nested, "expand-nested", "expand 100 features five levels deep"),
    reported(Work::Rails, "expand-rails", "expand the 772 features of an empty Rails application"),
    reported(Work::Enki, "expand-enki", "expand the 1,146 features of Enki"),
    check(Work::Plain, "check-plain", "check a path of four names"),
    check(Work::Dotted, "check-dotted", "check the same with dots"),
    check(Work::Deep, "check-deep", "check a path of sixteen names"),
];

const fn library(work: Work, name: &'static str, title: &'static str) -> Scenario {
    Scenario {
        name,
        title,
        tree: |_| Tree::flat(1, Content::Empty),
        shape: "one",
        question: Question::Lengths(work),
        full: &[1],
        counted: [0, 0],
        everywhere: false,
        contenders: &POSIX,
        ..Scenario::COMMON
    }
}

const fn reported(work: Work, name: &'static str, title: &'static str) -> Scenario {
    Scenario { report: Some(Report::Expand), ..library(work, name, title) }
}

const fn check(work: Work, name: &'static str, title: &'static str) -> Scenario {
    Scenario { contenders: &CHECKS, ..library(work, name, title) }
}

static COMMANDS: [Contender; 4] = [
    Contender::curt(&["expand", "--flavor", "posix", "--dotdot", "clamp", "--", "{operands}"]),
    Contender::usual("realpath -ms", Program::Unix("realpath"), &["-ms", "--", "{operands}"]),
    Contender::rival("Python", PYTHON, &["-I", "-c", BY_PYTHON, "{operands}"])
        .quick()
        .get("python3"),
    Contender::rival("Ruby", RUBY, &["--disable=gems", "-e", BY_RUBY, "{operands}"])
        .quick()
        .get("ruby"),
];

const BY_PYTHON: &str = "\
import os, sys
sys.stdout.writelines(os.path.abspath(path) + '\\n' for path in sys.argv[1:])";

const BY_RUBY: &str = "ARGV.each { |path| puts File.expand_path(path) }";

static POSIX: [Contender; 9] = [
    Contender::library(&["compute", "{work}", "{tree}"]),
    Contender::usual("path-clean", Program::Built("expand-path-clean"), &COMPILED).version("1.0.1"),
    Contender::usual("std::path::absolute", Program::Built("expand-std"), &COMPILED),
    Contender::rival("path-absolutize", Program::Built("expand-path-absolutize"), &COMPILED)
        .version("3.1.1"),
    Contender::rival("typed-path", Program::Built("expand-typed-path"), &COMPILED)
        .version("0.13.0"),
    Contender::rival("Go", Program::Built("expand-go"), &COMPILED).get("golang-go"),
    Contender::rival("Node", Program::Built("expand-node"), &INTERPRETED).get("nodejs"),
    Contender::rival("Python", Program::Built("expand-python"), &INTERPRETED).get("python3"),
    Contender::rival("Ruby", Program::Built("expand-ruby"), &INTERPRETED).get("ruby"),
];

/// Those that know Windows' paths on any system.
static WINDOWS: [Contender; 4] = [
    Contender::library(&["compute", "{work}", "{tree}"]),
    Contender::usual("typed-path", Program::Built("expand-typed-path"), &COMPILED)
        .version("0.13.0"),
    Contender::rival("Node", Program::Built("expand-node"), &INTERPRETED).get("nodejs"),
    Contender::rival("Python", Program::Built("expand-python"), &INTERPRETED).get("python3"),
];

/// path-clean joins, cleans and compares with the directory, as people do.
static CHECKS: [Contender; 3] = [
    Contender::library(&["compute", "{work}", "{tree}"]),
    Contender::usual("path-clean", Program::Built("expand-path-clean"), &COMPILED).version("1.0.1"),
    Contender::rival("Go IsLocal", Program::Built("expand-go"), &COMPILED).get("golang-go"),
];

const COMPILED: [&str; 4] = ["{flavor}", "{rounds}", "{bases}", "{paths}"];
const INTERPRETED: [&str; 4] = ["{flavor}", "{fewer-rounds}", "{bases}", "{paths}"];
