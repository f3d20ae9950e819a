//! Removing trees.

mod batch;
mod engine;
mod finish;
mod frame;
mod operand;
mod options;
mod path;
mod report;
mod room;
mod run;
mod share;
mod small;
#[cfg(all(test, target_os = "linux"))]
mod tests;

pub use options::{
    Cancel, Confirm, Directories, Exclude, Observer, Question, Remove, Subject, Threads, Totals,
};
pub use report::{Incomplete, Relocated, Report};
pub use small::{Buffer, Outline, remove_tree_with};

use std::path::Path;

use crate::sys::{Os, Setup, Sys};

/// Removes a tree.
pub fn remove_tree(path: impl AsRef<Path>) -> Result<Report, Incomplete> {
    Remove::new().run(path).into_result()
}

/// Removes several trees in one pool of threads.
pub fn remove_many<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Report, Incomplete> {
    Remove::new().run_many(paths).into_result()
}

impl Remove<'_> {
    /// Removes one operand.
    pub fn run(&self, path: impl AsRef<Path>) -> Report {
        self.run_many([path])
    }

    /// Removes several operands in one pool of threads. With one thread they are taken in order.
    pub fn run_many<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Report {
        let paths: Vec<P> = paths.into_iter().collect();
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        run::Run::<Os>::remove(self, &Setup::default(), &paths, None)
    }

    /// Removes names of an open directory.
    pub(crate) fn run_names(&self, names: &[&Path], dir: <Os as Sys>::Dir) -> Report {
        run::Run::<Os>::remove(self, &Setup::default(), names, Some(dir))
    }
}
