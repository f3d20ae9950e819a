//! Every operation that can be measured.

use super::operation::Operation;
use super::{beneath, check, expand, reading, rm, starts};

/// All of them, in the order of the report.
pub(super) static OPERATIONS: [&Operation; 9] = [
    &rm::OPERATION,
    &reading::ls::OPERATION,
    &reading::walk::WALK,
    &reading::walk::DU,
    &reading::buffers::OPERATION,
    &expand::OPERATION,
    &beneath::OPERATION,
    &check::OPERATION,
    &starts::OPERATION,
];

/// The names that `--operation` takes.
pub(crate) fn names() -> Vec<&'static str> {
    OPERATIONS.iter().map(|operation| operation.name).collect()
}

/// The names that `--scenario` takes.
pub(crate) fn scenario_names() -> Vec<&'static str> {
    let all = OPERATIONS.iter().flat_map(|operation| operation.scenarios);
    let mut names = Vec::new();
    for scenario in all {
        if !names.contains(&scenario.name) {
            names.push(scenario.name);
        }
    }
    names
}

#[cfg(test)]
#[path = "operations_tests.rs"]
mod tests;
