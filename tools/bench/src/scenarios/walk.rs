//! `curt find` beside other programs that write all paths of a tree.

use crate::oracle::Question;
use crate::real::Real;
use crate::scenario::{self, Contender, Program, Quick, Scenario};
use crate::tree::{Content, REACT_ENTRIES, Tree};

pub(super) static SCENARIOS: [Scenario; 9] = [
    Scenario {
        quick: Some(Quick { size: REACT_ENTRIES / 2, share: 4 }),
        ..scenario("walk", "walk a tree", Question::Paths, &PATHS)
    },
    Scenario {
        quick: Some(Quick { size: REACT_ENTRIES / 2, share: 4 }),
        ..scenario("walk-sizes", "walk it with sizes", Question::Sizes, &SIZES)
    },
    scenario("walk-rules", "walk and look for ignore rules", Question::Paths, &RULES),
    scenario("find", "find all entries as fd does", Question::Paths, &FOUND),
    Scenario {
        tree: |size| Tree::small_directories(size / 4, Content::Some),
        shape: "small-dirs",
        full: &scenario::SIZES,
        everywhere: false,
        ..scenario("walk-scaling", "walk trees of every size", Question::Paths, &SCALING)
    },
    real("walk-usr", "walk /usr", Real::Usr),
    real("walk-cargo", "walk Cargo's sources", Real::CargoSources),
    real("walk-npm", "walk a node_modules of npm", Real::NodeModules),
    scenario("walk-threads", "walk a tree by several threads", Question::Paths, &THREADS),
];

const fn scenario(
    name: &'static str,
    title: &'static str,
    question: Question,
    contenders: &'static [Contender],
) -> Scenario {
    Scenario {
        name,
        title,
        tree: |size| Tree::react(size, Content::Some),
        shape: "node_modules",
        question,
        full: &[REACT_ENTRIES],
        contenders,
        ..Scenario::COMMON
    }
}

const fn real(name: &'static str, title: &'static str, tree: Real) -> Scenario {
    let real = Some(tree);
    Scenario { real, everywhere: false, ..scenario(name, title, Question::Paths, &PATHS) }
}

/// Debian calls it fdfind.
const FD: Program = Program::Tool(&["fd", "fdfind"]);
const BFS: Program = Program::Tool(&["bfs"]);

// Those that are in more than one list.
const CURT: Contender = Contender::curt(&["find", "-u", ".", "{tree}"]);
const ONE_THREAD: Contender = Contender::variant("curt -j1", &["find", "-u", "-j1", ".", "{tree}"]);
const TWO_THREADS: Contender =
    Contender::variant("curt -j2", &["find", "-u", "-j2", ".", "{tree}"]);
const FIND: Contender = Contender::usual("find", Program::Unix("find"), &["{tree}"]);
const DIR: Contender =
    Contender::usual("dir /s /b", Program::Cmd, &["/d", "/c", "dir", "/s", "/b", "/a", "{tree}"]);
const BASELINE: Contender = Contender::baseline(&["baseline", "walk", "{tree}"]);
const BFS_PATHS: Contender = Contender::rival("bfs", BFS, &["{tree}"]).quick().get("bfs");
const FD_PATHS: Contender =
    Contender::rival("fd", FD, &["-u", ".", "{tree}"]).quick().get("fd-find");
const STD: Contender =
    Contender::rival("Rust std", Program::Own, &["std", "walk", "{tree}"]).quick();

static PATHS: [Contender; 18] = [
    CURT,
    ONE_THREAD,
    TWO_THREADS,
    FIND,
    DIR,
    BFS_PATHS,
    Contender::rival("bfs -j1", BFS, &["-j1", "{tree}"]).get("bfs"),
    FD_PATHS,
    Contender::rival("fd -j1", FD, &["-u", "-j1", ".", "{tree}"]).get("fd-find"),
    Contender::rival("walkdir", Program::Built("tree-walkdir"), &["walk", "{tree}"])
        .version("2.5.0")
        .quick(),
    Contender::rival("ignore", Program::Built("tree-ignore"), &["walk", "{tree}"])
        .version("0.4.34")
        .quick(),
    Contender::rival("jwalk", Program::Built("tree-jwalk"), &["walk", "{tree}"]).version("0.8.1"),
    STD,
    Contender::rival("Go", Program::Built("tree-go"), &["walk", "{tree}"]).get("golang-go"),
    Contender::rival("Python", Program::Built("tree-python"), &["walk", "{tree}"]).get("python3"),
    Contender::rival("Zig", Program::Built("tree-zig"), &["walk", "{tree}"]).version("0.17.0"),
    Contender::rival("Node", Program::Built("tree-node"), &["walk", "{tree}"]).get("nodejs"),
    BASELINE,
];

static SCALING: [Contender; 8] = [CURT, ONE_THREAD, FIND, DIR, BFS_PATHS, FD_PATHS, STD, BASELINE];

static SIZES: [Contender; 15] = [
    Contender::curt(&["find", "-u", "--format", "{size} {path}", ".", "{tree}"]),
    Contender::variant(
        "curt -j1",
        &["find", "-u", "-j1", "--format", "{size} {path}", ".", "{tree}"],
    ),
    Contender::variant(
        "curt -j2",
        &["find", "-u", "-j2", "--format", "{size} {path}", ".", "{tree}"],
    ),
    Contender::usual("find -printf", Program::Unix("find"), &["{tree}", "-printf", "%s %p\\n"]),
    Contender::usual("Rust std", Program::Own, &["std", "sizes", "{tree}"]),
    Contender::rival("bfs", BFS, &["{tree}", "-printf", "%s %p\\n"]).quick().get("bfs"),
    Contender::rival("bfs -j1", BFS, &["-j1", "{tree}", "-printf", "%s %p\\n"]).get("bfs"),
    Contender::rival("walkdir", Program::Built("tree-walkdir"), &["sizes", "{tree}"])
        .version("2.5.0")
        .quick(),
    Contender::rival("ignore", Program::Built("tree-ignore"), &["sizes", "{tree}"])
        .version("0.4.34"),
    Contender::rival("jwalk", Program::Built("tree-jwalk"), &["sizes", "{tree}"]).version("0.8.1"),
    Contender::rival("Go", Program::Built("tree-go"), &["sizes", "{tree}"]).get("golang-go"),
    Contender::rival("Python", Program::Built("tree-python"), &["sizes", "{tree}"]).get("python3"),
    Contender::rival("Zig", Program::Built("tree-zig"), &["sizes", "{tree}"]).version("0.17.0"),
    Contender::rival("Node", Program::Built("tree-node"), &["sizes", "{tree}"]).get("nodejs"),
    Contender::baseline(&["baseline", "sizes", "{tree}"]),
];

static THREADS: [Contender; 14] = [
    CURT,
    ONE_THREAD,
    TWO_THREADS,
    Contender::variant("curt -j4", &["find", "-u", "-j4", ".", "{tree}"]),
    Contender::variant("curt -j8", &["find", "-u", "-j8", ".", "{tree}"]),
    FIND,
    Contender::rival("bfs -j1", BFS, &["-j1", "{tree}"]).get("bfs"),
    Contender::rival("bfs -j2", BFS, &["-j2", "{tree}"]).get("bfs"),
    Contender::rival("bfs -j4", BFS, &["-j4", "{tree}"]).get("bfs"),
    Contender::rival("bfs -j8", BFS, &["-j8", "{tree}"]).get("bfs"),
    Contender::rival("fd -j1", FD, &["-u", "-j1", ".", "{tree}"]).get("fd-find"),
    Contender::rival("fd -j2", FD, &["-u", "-j2", ".", "{tree}"]).get("fd-find"),
    Contender::rival("fd -j4", FD, &["-u", "-j4", ".", "{tree}"]).get("fd-find"),
    Contender::rival("fd -j8", FD, &["-u", "-j8", ".", "{tree}"]).get("fd-find"),
];

/// fd looks for ignore rules unless `-u` tells it not to; the tree has none.
static RULES: [Contender; 4] = [
    Contender::curt(&["find", "-H", ".", "{tree}"]),
    Contender::usual("fd -H", FD, &["-H", ".", "{tree}"]).get("fd-find"),
    Contender::usual("Rust std", Program::Own, &["std", "walk", "{tree}"]),
    BASELINE,
];

/// Everything but the operand, with a slash after directories, from a search that skips nothing and
/// from one that looks for ignore rules.
static FOUND: [Contender; 6] = [
    Contender::curt(&["find", "-u", ".", "{tree}"]),
    Contender::variant("curt -j1", &["find", "-u", "-j1", ".", "{tree}"]),
    Contender::variant("curt -H", &["find", "-H", ".", "{tree}"]),
    Contender::usual("fd", FD, &["-u", ".", "{tree}"]).get("fd-find"),
    Contender::rival("fd -j1", FD, &["-u", "-j1", ".", "{tree}"]).get("fd-find"),
    Contender::rival("fd -H", FD, &["-H", ".", "{tree}"]).get("fd-find"),
];
