//! Linux: control groups for child processes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

use crate::process::{Child, Command};

/// Options for starting programs that only Linux has.
pub trait CommandCgroup {
    /// Starts the program in a new control group below `parent`, a directory of a `cgroup2` file
    /// system.
    ///
    /// [`Child::kill_tree`](crate::process::Child::kill_tree) then kills everything in that group,
    /// including processes in another process group or session, which [`Command::own_tree`] does
    /// not reach, and even after the program was waited for. Only a process that may write to other
    /// groups can leave.
    ///
    /// The caller names the directory because a group belongs to whatever manages it: with systemd,
    /// groups may only be created below a unit that has `Delegate=yes`.
    ///
    /// The group is removed when the [`Child`] is dropped, or when a
    /// function that starts and waits returns. If a process is left in it, it stays, with the name
    /// `curt-PID-NUMBER`.
    ///
    /// Costs 3 calls before the start and 3 at the end, and for `kill_tree` 3 instead of 1. Needs
    /// `clone3` and Linux 5.7, and for `kill_tree` 5.14; before that it kills the process group, if
    /// there is one.
    ///
    /// # Errors
    ///
    /// A start fails with [`StartFailure::System`](crate::process::StartFailure) if the group
    /// cannot be created or the program cannot be started in it. Then nothing was started.
    ///
    /// Source: cgroups(7), clone(2).
    fn cgroup_below(&mut self, parent: impl Into<PathBuf>) -> &mut Self;
}

/// The handle of a started program.
pub trait ChildPidfd {
    /// Borrows the descriptor of the process (pidfd), which can be read when the program has ended:
    /// for an event loop, or for the caller's own calls. It stays that of this process even after
    /// it was waited for. No call.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the kernel has no such descriptors (before Linux 5.3).
    ///
    /// ```
    /// use curt::os::linux::ChildPidfd;
    /// let mut child = curt::Command::new("/bin/true").spawn()?;
    /// let _pidfd = child.pidfd()?;
    /// assert!(child.wait()?.success());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Source: `pidfd_open(2)`.
    fn pidfd(&self) -> io::Result<BorrowedFd<'_>>;
}

impl ChildPidfd for Child {
    fn pidfd(&self) -> io::Result<BorrowedFd<'_>> {
        Ok(self.process().handle.as_ref().ok_or(io::ErrorKind::Unsupported)?.as_fd())
    }
}

impl CommandCgroup for Command {
    fn cgroup_below(&mut self, parent: impl Into<PathBuf>) -> &mut Command {
        self.container.cgroup = Some(parent.into());
        self
    }
}

/// Entry points for fuzzing.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::sys::unix::listed;
}
