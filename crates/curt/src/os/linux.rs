//! Linux: control groups for programs.

use std::path::PathBuf;

use crate::process::Command;

/// What programs can be given on Linux alone.
pub trait CommandCgroup {
    /// Has the program born in a control group of its own, made below the one whose directory (in a
    /// `cgroup2` file system) this is. [`Child::kill_tree`](crate::Child::kill_tree) then ends
    /// whatever is in that group: also what made a process group or a session of its own, which
    /// [`Command::own_tree`] does not reach, and also after the program was waited for. Only a
    /// process with the right to write to other groups can leave.
    ///
    /// The directory is named, and not found out, because a group belongs to whoever manages it:
    /// with systemd, groups may only be made below a unit that has `Delegate=yes`.
    ///
    /// The group is removed when the [`Child`](crate::Child) is dropped, or when what starts and
    /// waits has waited. If something lives on in it, it stays, under the name `curt-PID-NUMBER`.
    ///
    /// Costs 3 calls before the start and 3 at the end, and for `kill_tree` 3 instead of 1. Needs
    /// `clone3` and Linux 5.7, and for `kill_tree` 5.14; before that it reaches the process group,
    /// if there is one.
    ///
    /// # Errors
    ///
    /// A start fails with [`StartFailure::System`](crate::StartFailure) where the group cannot be
    /// made, and where the program cannot be born in it; then nothing was started.
    ///
    /// Source: cgroups(7), clone(2).
    fn cgroup_below(&mut self, parent: impl Into<PathBuf>) -> &mut Self;
}

impl CommandCgroup for Command {
    fn cgroup_below(&mut self, parent: impl Into<PathBuf>) -> &mut Command {
        self.container.cgroup = Some(parent.into());
        self
    }
}

/// What fuzzing asks.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::sys::unix::listed;
}
