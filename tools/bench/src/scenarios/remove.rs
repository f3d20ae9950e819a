//! `curt rm -rf` beside other programs that remove trees. Each run gets a fresh tree.

use crate::real::Real;
use crate::scenario::{Contender, NODE, PYTHON, Program, Quick, Report, Scenario};
use crate::tree::{Content, REACT_BYTES, REACT_ENTRIES, Tree};

pub(super) static SCENARIOS: [Scenario; 9] = [
    Scenario {
        quick: Some(Quick { size: REACT_ENTRIES / 4, share: 18 }),
        full: &[REACT_ENTRIES],
        report: Some(Report::Remove),
        counted: [0, 500],
        contenders: &EVERY,
        ..scenario("remove", "remove node_modules", |size| Tree::react(size, Content::Empty))
    },
    Scenario {
        full: &[REACT_ENTRIES],
        report: Some(Report::Remove),
        counted: [0, 500],
        ..scenario("remove-344mib", "remove node_modules of 344 MiB", |size| {
            let bytes = REACT_BYTES / u64::from(REACT_ENTRIES) * u64::from(size);
            Tree::react(size, Content::Total(bytes))
        })
    },
    scenario("remove-small-dirs", "remove many small directories", |size| {
        Tree::small_directories(size / 4, Content::Empty)
    }),
    Scenario {
        real: Some(Real::NodeModules),
        full: &[REACT_ENTRIES],
        ..scenario("remove-npm", "remove a node_modules of npm", |_| Tree::empty())
    },
    Scenario {
        // A tree of a million would have to be built for every run.
        full: &[10, 100, 1_000, 10_000, 100_000],
        shape: "remove-small-dirs",
        ..scenario("remove-scaling", "remove trees of every size", |size| {
            Tree::small_directories(size / 4, Content::Empty)
        })
    },
    scenario("remove-flat-4k", "remove one directory of files with 4 KiB", |size| {
        Tree::flat(size, Content::Each(4096))
    }),
    Scenario {
        full: &[10],
        counted: [0, 10],
        contenders: &EVERY,
        ..scenario("remove-ten", "remove ten files", |_| Tree::ten())
    },
    // Report 2 kept that many directories open. With four, neither curt nor GNU rm can work.
    limited(16, "remove-limit-16", "remove with at most 16 open directories"),
    limited(8, "remove-limit-8", "remove with at most 8 open directories"),
];

/// Chains of 40 directories, which none of them can keep open.
const fn limited(directories: u32, name: &'static str, title: &'static str) -> Scenario {
    Scenario {
        full: &[10_000],
        report: Some(Report::Remove),
        limit: Some(directories),
        counted: [0, 480],
        contenders: &LIMITED,
        ..scenario(name, title, Tree::chains)
    }
}

const fn scenario(name: &'static str, title: &'static str, tree: fn(u32) -> Tree) -> Scenario {
    Scenario {
        name,
        title,
        tree,
        shape: name,
        full: &[50_000],
        counted: [0, 400],
        contenders: &FEW,
        ..Scenario::COMMON
    }
}

// Those that are in more than one list.
const CURT: Contender = Contender::curt(&["rm", "-rf", "--", "{tree}"]);
const ONE_THREAD: Contender = Contender::variant("curt -j1", &["rm", "-rf", "-j1", "--", "{tree}"]);
const TWO_THREADS: Contender =
    Contender::variant("curt -j2", &["rm", "-rf", "-j2", "--", "{tree}"]);
const RM: Contender = Contender::usual("rm", Program::Unix("rm"), &["-rf", "--", "{tree}"]);
const RMDIR: Contender =
    Contender::usual("rmdir", Program::Cmd, &["/d", "/c", "rmdir", "/s", "/q", "{tree}"]);
const STD: Contender = Contender::rival("Rust std", Program::Own, &["std", "remove", "{tree}"]);
const BASELINE: Contender = Contender::baseline(&["baseline", "remove", "{tree}"]);
const RMZ: Contender =
    Contender::rival("rmz", Program::Built("rm-rmz"), &["{tree}"]).version("3.2.1").quick();
const FIND: Contender =
    Contender::rival("find -delete", Program::Unix("find"), &["{tree}", "-delete"]);
const ZIG: Contender =
    Contender::rival("Zig", Program::Built("rm-zig-new"), &["{tree}"]).version("0.17.0");
const ZIG_0_9: Contender =
    Contender::rival("Zig 0.9", Program::Built("rm-zig-0.9"), &["{tree}"]).version("0.9.1");

static EVERY: [Contender; 18] = [
    CURT,
    ONE_THREAD,
    TWO_THREADS,
    RM,
    RMDIR,
    RMZ,
    FIND.quick(),
    STD,
    ZIG,
    Contender::rival("Zig 0.11", Program::Built("rm-zig-0.11"), &["{tree}"]).version("0.11.0"),
    ZIG_0_9,
    Contender::rival("remove_dir_all", Program::Built("rm-remove-dir-all"), &["{tree}"])
        .version("1.0.0"),
    Contender::rival(
        "remove_dir_all, parallel",
        Program::Built("rm-remove-dir-all-parallel"),
        &["{tree}"],
    )
    .version("1.0.0"),
    Contender::rival("newest Rust std", Program::Built("rm-rust-std"), &["{tree}"]),
    Contender::rival("Go", Program::Built("rm-go"), &["{tree}"]).get("golang-go"),
    Contender::rival(
        "Python",
        PYTHON,
        &["-I", "-c", "import shutil, sys; shutil.rmtree(sys.argv[1])", "{tree}"],
    )
    .get("python3"),
    Contender::rival(
        "Node",
        NODE,
        &["-e", "require('fs').rmSync(process.argv[1], { recursive: true })", "--", "{tree}"],
    )
    .get("nodejs"),
    BASELINE,
];

/// What most scenarios compare: each run needs a fresh tree, which takes longer than its removal.
static FEW: [Contender; 8] = [CURT, ONE_THREAD, TWO_THREADS, RM, RMDIR, RMZ, STD, BASELINE];

/// One of each kind: a budget of open directories, a stack of 16, one at a time, all of them.
static LIMITED: [Contender; 7] = [CURT, ONE_THREAD, RM, FIND, ZIG, ZIG_0_9, STD];
