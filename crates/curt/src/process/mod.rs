//! Starting programs.
//!
//! # Promises
//!
//! - A start that returns well has started the program: what fails before that is told here, with
//!   the step that failed, and leaves no process behind.
//! - Signals are as the standard library leaves them: what this thread holds back is held back,
//!   what is ignored stays ignored, but `SIGPIPE` has its usual effect.
//! - Nothing that curt opened reaches a child unless it is named. On Windows nothing else does
//!   either; on Unix what others left inheritable does, unless [`Command::close_others`] says
//!   otherwise.
//! - What a start costs does not depend on how much memory this process has, nor on whether
//!   variables are changed.
//! - A missing program, a missing interpreter and a missing directory are three errors
//!   ([`StartFailure`](crate::StartFailure)).
//!
//! # Call budget
//!
//! On Linux, for a program that is given by its path, with the streams of this process:
//!
//! | | in the parent | in the child |
//! |---|---|---|
//! | [`Command::spawn`] | 1: `clone3` | 2: `rt_sigaction`, `execve` |
//! | [`Command::status`] | 2: the same and `wait4` | 2 |
//! | [`Child::wait`] | 1 `waitid`, 1 `close` when it is dropped | |
//! | [`Child::wait_timeout`] | 1 `ppoll` more | |
//! | [`Child::kill`], [`Child::kill_tree`] | 1 `pidfd_send_signal` | |
//! | `unblock_signals` | | 1 `rt_sigprocmask` |
//! | each stream from a file, each further descriptor | | 1 `dup3` (1 `fcntl` where its number is another's target) |
//! | streams to the null device | | 1 `openat` for all, 1 `dup3` each |
//! | each stream through a pipe | 2: `pipe2`, `close` of the child's end | 1 `dup3` |
//! | a directory | | 1 `chdir` |
//! | a group, a session | | 1 `setpgid` or `setsid` |
//! | a control group (`os::linux::CommandCgroup`) | 3: `openat`, `mkdirat`, `openat`; 3 at the end: `close`, `unlinkat`, `close`; for `kill_tree` 3 instead of 1: `openat`, `write`, `close` | |
//! | [`Command::close_others`] | 1 `prlimit64` | 1 `close_range` |
//! | changed variables, arguments, [`Command::kill_on_drop`] | 0 | 0 |
//! | reading one pipe to its end ([`Command::output`]) | 1 `read` for each piece, 1 for the end, 1 `close` | |
//! | reading two | 1 `ppoll` for each piece more, until one ends | |
//! | a failure | 1 `wait4`, and at most `openat`, `read`, `close` to find out why | |
//! | [`Command::shell_fallback`], where `/bin/sh` runs it | the failure, and another start | 2 more |
//! | each of the [`Command::retries`] | the failure, another start, a sleep for every 5 ms | 2 more |
//!
//! # Races
//!
//! **A look-up and the start that follows it.** What is started is the full path that the look-up
//! ended with, by the system, without another search. Whatever is exchanged in between, nothing
//! runs that the policy refused by its place or its kind: not what lies in the working directory or
//! behind an entry that was refused, as no such path is ever handed to the system; not what may not
//! be executed, a directory, or what only an association would open, as the system judges the file
//! again and there is nothing to fall back on (no shell is tried unless [`Command::shell_fallback`]
//! says so, and then on that very path; on Windows the last name of it says whether cmd.exe runs
//! it). What is gone by then is a failure, after which the next candidate of the same search is
//! taken, if the policy goes on. What cannot be prevented: who may write to a directory of `PATH`
//! decides which file lies under the name; and a script is opened again by what runs it (`#!`,
//! cmd.exe), under the same path.
//!
//! A child has a handle from its birth, so waiting and killing never reach another process with the
//! same number. A group is reached through its leader's handle too (Linux 6.9); older kernels are
//! asked by number, only while the leader has not been waited for.
//!
//! Starts by several threads do not wait for each other, and no descriptor of one reaches the child
//! of another. Where there are no handles (macOS and the BSDs), a child that somebody else waits
//! for can be lost to its number.
//!
//! # Fallbacks
//!
//! Where `clone3` is unknown or refused: `posix_spawn`, and a copy of the process (`fork`) for what
//! that cannot be told portably: a directory, a session, descriptors that change places. A copy is
//! never made for any other reason.

mod again;
mod child;
mod command;
mod environment;
mod program;
#[cfg(test)]
mod tests;

pub use child::{Child, ChildInput, ChildOutput};
pub use command::{Command, Stream};
