//! Finds programs under the rules of a [`Search`](crate::Search), starts them, and kills whole
//! process trees after a time limit.
//!
//! ```
//! # if cfg!(unix) {
//! use curt::process::{Command, Stream};
//! use std::time::Duration;
//!
//! let mut command = Command::new("sh");
//! command.args(["-c", "sleep 100 & wait"]).own_tree(true).stdout(Stream::Null);
//! let mut child = command.spawn()?;
//! if child.wait_timeout(Duration::from_millis(50))?.is_none() {
//!     child.kill()?;
//! }
//! assert!(!child.wait()?.success());
//! # }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! # Promises
//!
//! - A program given by name is started by exactly the absolute path that was found.
//! - A time limit kills the whole tree of a program that has [its own](Command::own_tree). Reading
//!   the output ends at the limit even if a remaining process holds a pipe open.
//! - A missing program, a missing interpreter and a missing directory are different errors
//!   ([`StartFailure`]).
//! - Programs are started by [`std::process`], which controls signals, inherited descriptors and
//!   handles, and the quoting for batch files. If this process ignores `SIGCHLD`, waiting fails
//!   with `ECHILD`.
//!
//! # Call ceiling
//!
//! In addition to the calls of a [search](mod@crate::which) and of the standard library:
//!
//! | | calls on Linux |
//! |---|---|
//! | [`Child::wait_timeout`] | `pidfd_open`, `ppoll`, `close` |
//! | [`Child::kill`] of a tree | 1 `kill` |
//! | reading output | 1 `ppoll` and 1 `read` for each chunk, and for each end of file |
//! | a failure | at most `faccessat2`, `openat`, `read`, `close` to find the reason |
//!
//! # Races
//!
//! **From the look-up to the start.** If a file or directory is swapped in between, a program in a
//! directory that the policy refused is still never started, and the system checks again whether
//! the file may be executed. If the file is gone, the start fails, and the next candidate is tried
//! if the policy allows it. Two races remain: a user who may write to a directory of `PATH` decides
//! which program is found there, and the interpreter of a script (`#!`, cmd.exe) opens the script
//! again by its path.
//!
//! **Waiting and killing** never reach another process with the same number, unless other code in
//! this process waits for the child.
//!
//! # Fallbacks
//!
//! Without process descriptors (before Linux 5.3, on macOS and the BSDs), waiting with a limit
//! polls.

// `Command::spawn` (`command.rs`) looks up a program that is not a path, and tries the candidates
// (`start_first`, `program.rs`). `Os::spawn` starts each, and `Os::explain` finds the reason for a
// failure. `Child` (`child.rs`) waits, reads and kills.

mod child;
mod command;
mod program;
#[cfg(test)]
mod tests;

pub use child::{Child, TimedOutput};
pub use command::{Command, Stream};

pub use crate::error::StartFailure;
