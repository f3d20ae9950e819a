//! `curt rm` against everybody else who removes trees.
//!
//! Each run gets a fresh tree of the same shape; building it is not timed, waiting for the process
//! to end is. "Same answer" means: exit 0, the tree gone, and nothing beside it touched, though a
//! link in the tree points there.

use super::answer::Question;
use super::operation::{COUNTED_ENTRIES, Operation, Scenario};
use super::report::describe_tree;
use super::rm_contenders::{self, REFERENCE};
use super::tree::{Content, REACT_BYTES, Tree};

/// The table of `curt rm`.
pub(crate) static OPERATION: Operation = Operation {
    name: "rm",
    title: "curt rm: removing a tree",
    reference: REFERENCE,
    scenarios: &SCENARIOS,
    contenders: rm_contenders::find,
    describe,
    notes: &[
        "floor: the bare loop of calls, in one thread.",
        "std: std::fs::remove_dir_all.",
        "calls/entry: system calls in a run on a smaller tree of that shape minus those on an empty directory,",
        "futex left out, divided by the entries; curt counts its own (--stats), strace counts the others.",
    ],
};

const SCENARIOS: [Scenario; 5] = [
    scenario("cra", |shrink| Tree::react(shrink, Content::Empty), (6, 4)),
    scenario(
        "cra-344mib",
        |shrink| Tree::react(shrink, Content::Total(REACT_BYTES / u64::from(shrink))),
        (0, 0),
    ),
    scenario(
        "small-dirs",
        |shrink| Tree::small_directories(20_000 / shrink, Content::Empty),
        (4, 4),
    ),
    scenario("flat-4k", |shrink| Tree::flat(50_000 / shrink, Content::Each(4096)), (0, 4)),
    scenario("ten", |_| Tree::ten(), (1, 0)),
];

const fn scenario(name: &'static str, make: fn(u32) -> Tree, quick: (u32, u32)) -> Scenario {
    Scenario { name, make, shape: name, question: Question::Gone, quick, counted: COUNTED_ENTRIES }
}

/// The tree in words, and the fewest calls known for it.
fn describe(tree: &Tree) -> String {
    let text = describe_tree(tree.files(), tree.directories(), tree.bytes());
    let below = tree.directories() - 1;
    let least = tree.files() + 4 * below;
    let per_entry = least as f64 / (tree.files() + below) as f64;
    format!("{text}; fewest known {per_entry:.2} calls/entry")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_calls_are_stated() {
        let text = describe(&(SCENARIOS[0].make)(1));
        let expected = "36,346 files, 4,863 directories, empty; fewest known 1.35 calls/entry";
        assert_eq!(text, expected);
    }
}
