//! The contract for what the standard library's start of a program lacks, beside [`Sys`]: trees
//! that end as a whole, waiting and reading with a limit, and the reason of a failure.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use super::Sys;
use crate::error::StartFailure;

/// A platform that can start programs.
pub(crate) trait Spawn: Sys {
    /// By what the tree of a child is reached, beside the child.
    type Tree: Send + Sync + std::fmt::Debug;

    /// The variables that programs need to start at all; they stay when the environment is cleared.
    const ESSENTIAL: &'static [&'static str] = &[];

    /// Sets the argument zero, where the caller can choose it.
    fn set_arg0(command: &mut Command, name: &OsStr);
    /// Starts a program by its path, one that may be the root of a tree.
    fn spawn(
        &self,
        command: &mut Command,
        has_tree: bool,
    ) -> io::Result<(Child, Option<Self::Tree>)>;
    /// Finds out why a program could not be started in a directory, by looking at both if need be.
    /// A relative path of a program begins at the directory.
    fn explain(&self, program: &Path, directory: Option<&Path>, error: &io::Error) -> StartFailure;
    /// Waits until a child ends, or until the limit passes: then it returns `None`.
    fn wait_timeout(&self, child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>>;
    /// Kills all processes of a tree. `has_ended` says whether its root was waited for.
    fn kill_tree(&self, child: &mut Child, tree: &Self::Tree, has_ended: bool) -> io::Result<()>;
    /// Reads the standard output and error of a child, each as it arrives, until both are closed or
    /// the limit passes. Returns whether both are closed.
    fn read_until(
        &self,
        child: &mut Child,
        into: &mut [Vec<u8>; 2],
        limit: Duration,
    ) -> io::Result<bool>;
}
