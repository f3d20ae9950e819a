//! What an operation is: a table. Its scenarios, each in every place, are the cells.

use super::answer::Question;
use super::contender::Found;
use super::programs::Programs;
use super::tree::Tree;

/// The fractions of a tree that a quick run may fall back to.
pub(super) const SHRINKS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// One operation: one table.
pub(crate) struct Operation {
    /// As `--operation` takes it.
    pub(super) name: &'static str,
    /// Above the table.
    pub(super) title: &'static str,
    /// The contender that ratios refer to: what people have.
    pub(super) reference: &'static str,
    /// What it is measured on.
    pub(super) scenarios: &'static [Scenario],
    /// Looks for those who can do it.
    pub(super) contenders: fn(&Scenario, &Programs) -> Found,
    /// The tree in words.
    pub(super) describe: fn(&Tree) -> String,
    /// What a reader must know of the contenders.
    pub(super) notes: &'static [&'static str],
}

/// What [`Scenario::counted`] usually is: calls for each entry show well on so many. While it
/// counts, strace makes everything slow; fewer are still no work for a second thread.
pub(super) const COUNTED_ENTRIES: u64 = 500;

/// A shape of tree, what is asked of it, and where that is worth measuring.
pub(crate) struct Scenario {
    /// As `--scenario` takes it.
    pub(super) name: &'static str,
    /// The tree, or a fraction of it.
    pub(super) make: fn(shrink: u32) -> Tree,
    /// Scenarios that name the same shape have the same trees.
    pub(super) shape: &'static str,
    /// What is asked, and thus what the right answer is.
    pub(super) question: Question,
    /// Shares of a quick run's time in memory and on disk; 0 leaves it to `--full`.
    pub(super) quick: (u32, u32),
    /// Calls are counted on as large a part of the tree as has at most so many entries; six times
    /// as many in a full run.
    pub(super) counted: u64,
}

impl Scenario {
    /// Whether a run leaves the tree as it is.
    pub(super) fn reads(&self) -> bool {
        self.question != Question::Gone
    }

    /// The tree at this fraction.
    pub(super) fn grow(&self, shrink: u32) -> Grown {
        Grown { shrink, tree: (self.make)(shrink) }
    }

    /// Whether the names, if there are any, hold its own.
    pub(super) fn is_wanted(&self, names: &[String]) -> bool {
        names.is_empty() || names.iter().any(|name| name == self.name)
    }
}

/// A tree, and which fraction of its scenario's it is.
pub(crate) struct Grown {
    /// The divisor.
    pub(super) shrink: u32,
    /// The tree.
    pub(super) tree: Tree,
}
