//! Removes trees of odd shapes with several threads. Each removal must be complete and counted
//! exactly.

use curt::{Feature, Remove, Threads};
use curt_testkit::Scratch;

use crate::{assert_all, fill};

/// Number of rounds, which `CURT_ROUNDS` can raise.
fn rounds() -> usize {
    let rounds = std::env::var("CURT_ROUNDS").ok().and_then(|text| text.parse().ok());
    rounds.unwrap_or(3)
}

type Shape = fn(&Scratch) -> (u64, u64);

const SHAPES: [(&str, Shape); 9] = [
    ("an empty directory", |scratch| {
        scratch.dir("tree");
        (0, 1)
    }),
    ("one directory in one", |scratch| {
        scratch.dir("tree/only");
        (0, 2)
    }),
    ("a chain", |scratch| {
        scratch.deep("tree", 1_000, "level");
        (0, 1_001)
    }),
    ("a chain with bushes", |scratch| scratch.chain_with_bushes("tree", 250, 3, 2)),
    ("a chain with wide bushes", |scratch| scratch.chain_with_bushes("tree", 40, 60, 1)),
    ("two chains in one directory", |scratch| {
        let (files, directories) = scratch.chain_with_bushes("tree/one", 200, 1, 1);
        let (more, further) = scratch.chain_with_bushes("tree/two", 200, 1, 1);
        (files + more, directories + further + 1)
    }),
    ("a large directory beside deep ones", |scratch| {
        fill(&scratch.dir("tree"), 3_000);
        scratch.deep("tree/a", 400, "level");
        scratch.deep("tree/z", 400, "level");
        (3_000, 803)
    }),
    ("large directories in one another", |scratch| {
        let mut path = String::from("tree");
        for _ in 0..6 {
            fill(&scratch.dir(&path), 1_500);
            path.push_str("/in");
        }
        (9_000, 6)
    }),
    ("a binary tree", |scratch| {
        let mut level = vec![String::from("tree")];
        let mut directories = 0;
        for _ in 0..11 {
            let mut next = Vec::new();
            for path in &level {
                scratch.dir(path);
                directories += 1;
                next.extend(["/a", "/b"].map(|name| format!("{path}{name}")));
            }
            level = next;
        }
        (0, directories)
    }),
];

#[test]
fn every_shape_is_removed_by_any_number_of_threads() {
    for (name, shape) in SHAPES {
        for round in 0..rounds() {
            for threads in [2, 8] {
                // A disk lists entries in a different order and takes longer.
                let is_first = round == 0 && threads == 8;
                let scratch = if is_first { Scratch::on_disk() } else { Scratch::new() };
                let (files, directories) = shape(&scratch);
                let descriptors = [1024, 64, 8][round % 3];
                let mut options =
                    Remove::new().threads(Threads::AtMost(threads)).descriptors(descriptors);
                if round % 3 == 2 {
                    options = options.without(Feature::Openat2);
                }
                // An exclusion makes the dry run walk the tree as a removal does.
                let counted = options.clone().exclude(|_| false).dry_run(true);
                assert_all(&counted.run(scratch.at("tree")), files, directories);
                let report = options.run(scratch.at("tree"));
                assert_all(&report, files, directories);
                assert_eq!((report.vanished, report.appeared), (0, 0), "{name}: {report:?}");
            }
        }
    }
}
