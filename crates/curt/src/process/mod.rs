//! Starts programs.
//!
//! # Promises
//!
//! - A start that succeeds has started the program. One that fails says at which step, and leaves
//!   no process behind.
//! - Signals are as the standard library leaves them: a signal that this thread blocks is blocked,
//!   one that is ignored stays ignored, but `SIGPIPE` has its default action.
//! - A child inherits nothing that curt opened unless it is given. On Windows it inherits nothing
//!   else either; on Unix it does inherit what other code left inheritable, unless
//!   [`Command::close_others`] says otherwise.
//! - The cost of a start depends neither on the memory of this process nor on changes to the
//!   environment.
//! - A missing program, a missing interpreter and a missing directory are three errors
//!   ([`StartFailure`]).
//!
//! # Call ceiling
//!
//! On Linux, for a program that is given by its path and inherits the streams of this process:
//!
//! | | in the parent | in the child |
//! |---|---|---|
//! | [`Command::spawn`] | 1: `clone3` | 2: `rt_sigaction`, `execve` |
//! | [`Command::status`] | 2: the same and `wait4` | 2 |
//! | [`Child::wait`] | 1 `waitid`, 1 `close` when it is dropped | |
//! | [`Child::wait_timeout`] | 1 `ppoll` more | |
//! | [`Child::kill`], [`Child::kill_tree`] | 1 `pidfd_send_signal` | |
//! | `unblock_signals` | | 1 `rt_sigprocmask` |
//! | each stream from a file, each further descriptor | | 1 `dup3` (1 `fcntl` if its number is another's target) |
//! | streams to the null device | | 1 `openat` for all, 1 `dup3` each |
//! | each stream through a pipe | 2: `pipe2`, `close` of the child's end | 1 `dup3` |
//! | a directory | | 1 `chdir` |
//! | a group, a session | | 1 `setpgid` or `setsid` |
//! | `umask` (`os::unix::CommandExtras`) | | 1 `umask` |
//! | `uid`, `gid`, `groups` there | a copy (`fork`), and 1 `geteuid` for `uid` | 1 `setuid`, `setgid`, `setgroups` each |
//! | a control group (`os::linux::CommandCgroup`) | 3: `openat`, `mkdirat`, `openat`; 3 at the end: `close`, `unlinkat`, `close`; for `kill_tree` 3 instead of 1: `openat`, `write`, `close` | |
//! | [`Command::close_others`] | 1 `prlimit64` | 1 `close_range` |
//! | variables, arguments, [`Command::kill_on_drop`] | 0 | 0 |
//! | reading one pipe to its end ([`Command::output`]) | 1 `read` for each piece, 1 for the end, 1 `close` | |
//! | reading two | 1 `ppoll` for each piece more, until one ends | |
//! | reading with a time limit or input ([`Command::output_with`]) | 1 `ppoll` for each piece more | |
//! | writing input | 1 `write` for each piece, 1 `ioctl`, 1 `close` | |
//! | a failure | 1 `wait4`, and at most `openat`, `read`, `close` to find out why | |
//! | [`Command::shell_fallback`], where `/bin/sh` runs it | the failure, and another start | 2 more |
//! | each of the [`Command::retries`] | the failure, another start, a sleep for every 5 ms | 2 more |
//!
//! # Races
//!
//! **A look-up and the start that follows it.** The system starts the absolute path that the
//! look-up ended with, without another search. Whatever is exchanged in between, nothing runs that
//! the policy refused: no path in a directory that was refused is ever handed to the system, and
//! the system judges again whether the file may be executed. There is nothing to fall back on: no
//! shell is tried unless [`Command::shell_fallback`] says so, and then on that very path; on
//! Windows the last name of the path decides whether cmd.exe runs it. If the file is gone by then,
//! the start fails, and the next candidate of the same search is tried if the policy goes on. This
//! cannot be prevented: a user that may write to a directory of `PATH` decides which file has the
//! name; and the interpreter of a script (`#!`, cmd.exe) opens it again, under the same path.
//!
//! A child has a handle from its birth, so waiting and killing never reach another process with the
//! same number. A group is reached through the handle of its leader too (Linux 6.9); on older
//! kernels by number, and only until the leader was waited for.
//!
//! Starts by several threads do not wait for each other, and no child inherits the descriptors of
//! another start. On systems without handles (macOS and the BSDs) a child that other code waits for
//! can be lost to its number.
//!
//! # Fallbacks
//!
//! If `clone3` is unknown or refused: `posix_spawn`, and a copy of the process (`fork`) for what
//! that cannot do portably: a directory, a session, descriptors that change places. The only other
//! reason for a copy is a program that runs as another user or group: such a child must not share
//! the memory of this process.

mod child;
mod command;
mod environment;
mod program;
mod retry;
mod stream;
#[cfg(test)]
mod tests;

pub use child::{Child, TimedOutput};
pub use command::Command;
pub use stream::{ChildInput, ChildOutput, Stream};

pub use crate::error::StartFailure;
