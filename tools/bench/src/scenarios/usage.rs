//! `curt du -s` beside other programs that add up what a tree takes.

use crate::oracle::Question;
use crate::real::Real;
use crate::scenario::{Contender, Program, Quick, SIZES, Scenario};
use crate::tree::{Content, REACT_ENTRIES, Tree};

pub(super) static SCENARIOS: [Scenario; 5] = [
    scenario(),
    scaling(),
    real("du-usr", "measure /usr", Real::Usr),
    real("du-cargo", "measure Cargo's sources", Real::CargoSources),
    real("du-npm", "measure a node_modules of npm", Real::NodeModules),
];

const fn real(name: &'static str, title: &'static str, tree: Real) -> Scenario {
    Scenario { name, title, real: Some(tree), quick: None, everywhere: false, ..scenario() }
}

const fn scenario() -> Scenario {
    Scenario {
        name: "du",
        title: "measure a tree",
        tree: |size| Tree::react(size, Content::Some),
        shape: "node_modules",
        question: Question::Total,
        full: &[REACT_ENTRIES],
        quick: Some(Quick { size: REACT_ENTRIES / 2, share: 4 }),
        contenders: &CONTENDERS,
        ..Scenario::COMMON
    }
}

/// The same over the number of entries.
const fn scaling() -> Scenario {
    Scenario {
        name: "du-scaling",
        title: "measure trees of every size",
        tree: |size| Tree::small_directories(size / 4, Content::Some),
        shape: "small-dirs",
        full: &SIZES,
        quick: None,
        everywhere: false,
        contenders: &SCALING,
        ..scenario()
    }
}

// Those that are in more than one list.
const CURT: Contender = Contender::curt(&["du", "-s", "--", "{tree}"]);
const ONE_THREAD: Contender = Contender::variant("curt -j1", &["du", "-s", "-j1", "--", "{tree}"]);
const DU: Contender = Contender::usual("du", Program::Unix("du"), &["-s", "--", "{tree}"]);
const DISKUS: Contender =
    Contender::rival("diskus", Program::Built("du-diskus"), &["{tree}"]).version("0.9.0");
const DUST: Contender =
    Contender::rival("dust", Program::Built("du-dust"), &["-d0", "-o", "b", "{tree}"])
        .version("1.2.7");
const BASELINE: Contender = Contender::baseline(&["baseline", "du", "{tree}"]);
const STD: Contender = Contender::usual("Rust std", Program::Own, &["std", "du", "{tree}"]).quick();

static SCALING: [Contender; 7] = [CURT, ONE_THREAD, DU, STD, DISKUS, DUST, BASELINE];

static CONTENDERS: [Contender; 18] = [
    CURT,
    ONE_THREAD,
    Contender::variant("curt -j2", &["du", "-s", "-j2", "--", "{tree}"]),
    DU,
    STD,
    Contender::rival("uutils", Program::Tool(&["coreutils"]), &["du", "-s", "--", "{tree}"])
        .quick()
        .get("rust-coreutils"),
    DISKUS,
    DUST,
    // With one operand it shows what is in it instead.
    Contender::rival(
        "dua",
        Program::Built("du-dua"),
        &["-f", "bytes", "aggregate", "--no-sort", "{tree}", "/dev/null"],
    )
    .version("2.32.2"),
    Contender::rival(
        "pdu",
        Program::Built("du-pdu"),
        &["--bytes-format=plain", "--quantity=block-size", "--max-depth=1", "{tree}"],
    )
    .version("0.24.0"),
    Contender::rival(
        "gdu",
        Program::Tool(&["gdu"]),
        &["-n", "-p", "-c", "-s", "--no-prefix", "{tree}"],
    )
    .get("gdu"),
    Contender::rival("walkdir", Program::Built("tree-walkdir"), &["du", "{tree}"])
        .version("2.5.0")
        .quick(),
    Contender::rival("ignore", Program::Built("tree-ignore"), &["du", "{tree}"]).version("0.4.34"),
    Contender::rival("jwalk", Program::Built("tree-jwalk"), &["du", "{tree}"]).version("0.8.1"),
    Contender::rival("Go", Program::Built("tree-go"), &["du", "{tree}"]).get("golang-go"),
    Contender::rival("Python", Program::Built("tree-python"), &["du", "{tree}"]).get("python3"),
    Contender::rival("Node", Program::Built("tree-node"), &["du", "{tree}"]).get("nodejs"),
    BASELINE,
];
