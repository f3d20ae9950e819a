//! `curt::Root` against everybody else who opens untrusted paths.
//!
//! Each opens every file of one directory, six directories below the root, by its path from the
//! root, 20 times in its own process, and writes how many entries there are. Finding the names
//! takes all the same.

use super::answer::Question;
use super::contender::{Contender, Counting, Found, built_rivals};
use super::operation::{COUNTED_ENTRIES, Operation, Scenario};
use super::programs::Programs;
use super::report::describe_tree;
use super::roles::{HAS_FLOOR, Task};
use super::tree::Tree;

/// The table of contained opens.
pub(crate) static OPERATION: Operation = Operation {
    name: "beneath",
    title: "curt::Root::open_file: opening a file seven names deep that must lie beneath a root",
    reference: "std",
    scenarios: &[Scenario {
        name: "depth-7",
        make: |shrink| Tree::deep(5_000 / shrink),
        shape: "depth-7",
        question: Question::Count,
        quick: (2, 1),
        // Each entry takes hundreds of calls to some, and strace makes each of them slow.
        counted: COUNTED_ENTRIES / 8,
    }],
    contenders,
    describe: |tree| describe_tree(tree.files(), tree.directories(), tree.bytes()),
    notes: &[
        "std: std::fs::File::open of the whole path, which keeps nobody in: what a plain open takes.",
        "std, from the root: the same where the root is the working directory. openat: from the open root.",
        "floor: openat2 with the flags that curt asks with, alone. curt, single steps: without openat2.",
        "strict-path and soft-canonicalize give a path, which is then opened: a race is left.",
        "calls/entry: each file is opened and closed 20 times, so 40 are two for an open; counted by strace.",
        "Each writes how many entries there are, which was compared with the tree.",
    ],
};

/// What `cargo xtask rivals` builds.
const RIVALS: [(&str, &str); 4] = [
    ("cap-std", "cargo xtask rivals"),
    ("strict-path", "cargo xtask rivals"),
    ("soft-canonicalize", "cargo xtask rivals"),
    ("go", "needs Go 1.24 or newer, then cargo xtask rivals"),
];

fn contenders(_: &Scenario, programs: &Programs) -> Found {
    let mut found = Found::default();
    let mut role = |name: &str, role: &str, more: &[&str]| {
        let task = Task::Open.name();
        let arguments = [&["--role", role, "--task", task][..], more, &["--"]].concat();
        found.add(Contender::new(name, &programs.own, &arguments).counted(Counting::Strace));
    };
    role("curt", "list", &[]);
    role("curt, single steps", "steps", &[]);
    if HAS_FLOOR {
        role("floor", "floor", &[]);
        role("openat", "from", &[]);
    }
    role("std", "std", &[]);
    role("std, from the root", "here", &[]);
    let programs = built_rivals("open");
    for (name, how) in RIVALS {
        match programs.iter().find(|(rival, _)| rival == name) {
            Some((_, program)) => found.add(Contender::new(name, program, &[])),
            None => found.miss(name, how),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rival_takes_part_or_is_named() {
        let found = contenders(&OPERATION.scenarios[0], &crate::programs::tests::some());
        assert!(found.knows(OPERATION.reference));
        assert!(RIVALS.iter().all(|(name, _)| found.knows(name)));
    }
}
