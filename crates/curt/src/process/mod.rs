//! Finds programs by the rules of a [`Search`](crate::Search), starts them by the standard library,
//! and ends them, with all that they started, when their time is over.
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
//! - A look-up by name ends with an absolute path, and exactly that path is started.
//! - A time limit ends the whole tree of a program, if it has [its own](Command::own_tree), and
//!   reading its output ends with the limit even if a process that was left behind holds a pipe.
//! - A missing program, a missing interpreter and a missing directory are three errors
//!   ([`StartFailure`]).
//! - Signals, inherited descriptors and handles, and the words of a batch file are those of
//!   [`std::process`]. So a process that ignores `SIGCHLD` cannot know how a child ended: waiting
//!   fails there (`ECHILD`).
//!
//! # Call ceiling
//!
//! The calls of a [search](mod@crate::which), and those that the standard library makes. Beside
//! them:
//!
//! | | calls on Linux |
//! |---|---|
//! | [`Child::wait_timeout`] | `pidfd_open`, `ppoll`, `close` |
//! | [`Child::kill`] of a tree | 1 `kill` |
//! | reading output | 1 `ppoll` and 1 `read` for each piece, and for each end |
//! | a failure | at most `faccessat2`, `openat`, `read`, `close` to find out why |
//!
//! # Races
//!
//! **From the look-up to the start.** No directory that the policy refused is reached, whatever is
//! swapped in between, and the system checks again whether the file may be executed. If the file
//! is gone, the start fails, and the next candidate is tried if the policy allows it. Two things
//! cannot be prevented: a user who may write to a directory of `PATH` decides what is found there,
//! and the interpreter of a script (`#!`, cmd.exe) opens the script again by its path.
//!
//! **Waiting and killing** never reach another process with the same number, unless other code in
//! this process waits for the child.
//!
//! # Fallbacks
//!
//! Without descriptors of processes (before Linux 5.3, macOS, the BSDs) a wait with a limit asks
//! repeatedly.

// One run, from the public function to the system call:
//
// - `Command::spawn` (`command.rs`) looks the name up, unless it is a path, and starts the first
//   program that can be started (`start_first`, `program.rs`):
// - `Command::start` makes a command of the standard library, which `Os::spawn` starts.
// - `Os::explain` says why a start failed.
// - `Child` (`child.rs`): `Os::wait_timeout`, `Os::read_until`, `Os::kill_tree`.

mod child;
mod command;
mod program;
#[cfg(test)]
mod tests;

pub use child::{Child, TimedOutput};
pub use command::{Command, Stream};

pub use crate::error::StartFailure;
