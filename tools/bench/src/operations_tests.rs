//! The lists of operations and scenarios, and what a run makes of the options.

use super::super::counts::LEAST;
use super::super::operation::SHRINKS;
use super::*;

#[test]
fn names_are_told_apart() {
    let mut all = names();
    assert_eq!(all.len(), OPERATIONS.len());
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), OPERATIONS.len());
    for operation in OPERATIONS {
        let mut names: Vec<_> = operation.scenarios.iter().map(|scenario| scenario.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), operation.scenarios.len(), "{}", operation.name);
    }
}

#[test]
fn every_scenario_shrinks_to_every_fraction() {
    for scenario in OPERATIONS.iter().flat_map(|operation| operation.scenarios) {
        for shrink in SHRINKS.into_iter().chain([LEAST]) {
            let tree = scenario.grow(shrink).tree;
            assert!(tree.files() > 0 && tree.directories() > 0, "{}", scenario.name);
        }
    }
}

#[test]
fn the_same_shape_is_the_same_tree() {
    let all: Vec<_> = OPERATIONS.iter().flat_map(|operation| operation.scenarios).collect();
    for one in &all {
        for other in all.iter().filter(|other| other.shape == one.shape && other.reads()) {
            if one.reads() {
                let (one, other) = (one.grow(2).tree, other.grow(2).tree);
                assert_eq!((one.entries(), one.bytes()), (other.entries(), other.bytes()));
            }
        }
    }
}
