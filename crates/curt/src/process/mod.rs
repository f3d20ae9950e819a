//! Starts programs, waits for them, and exchanges input and output with them.
//!
//! ```
//! # if cfg!(unix) {
//! use curt::process::{Command, Stream};
//! let mut child = Command::new("/bin/cat").stdin(Stream::pipe()).stdout(Stream::pipe()).spawn()?;
//! let output = child.communicate(b"hello", None)?;
//! assert!(output.status.unwrap().success());
//! assert_eq!(output.stdout, b"hello");
//! # }
//! # Ok::<(), curt::Error>(())
//! ```
//!
//! # Promises
//!
//! - A start that succeeds has executed the program. One that fails says at which step, and leaves
//!   no process behind.
//! - A missing program, a missing interpreter and a missing directory are three errors
//!   ([`StartFailure`]).
//! - The program starts with the signal mask and the ignored signals of the calling thread, except
//!   that `SIGPIPE` has its default action, as with the standard library, unless
//!   `os::unix::CommandExtras::default_signals` says otherwise.
//! - The program inherits no descriptor or handle that curt opened, except those it is given. On
//!   Windows it inherits no others either. On Unix it inherits what other code left inheritable,
//!   unless [`Command::close_others`] is set.
//! - The cost of a start depends neither on the memory of this process nor on changes to the
//!   environment, except where the process has to be copied (see [Fallbacks](self#fallbacks)).
//!
//! # Call ceiling
//!
//! On Linux, for a program that is named by its path and inherits the streams of this process:
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
//! | `default_signals` there | | 1 `rt_sigaction` each, instead of that for `SIGPIPE` |
//! | `os::unix::SpawnBorrowed` | 1, as [`Command::spawn`], and nothing to close | 2 |
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
//! **From the look-up to the start.** A look-up ends with an absolute path, and exactly that path
//! is started, without another search. So whatever is swapped in between, no directory that the
//! policy refused is reached, and the system checks again whether the file may be executed. No
//! shell is tried unless [`Command::shell_fallback`] is set, and then on the same path; on Windows
//! the extension of that path decides whether cmd.exe runs it. If the file is gone, the start
//! fails, and the next candidate is tried if the policy allows it. Two things cannot be prevented:
//! a user who may write to a directory of `PATH` decides what is found there, and the interpreter
//! of a script (`#!`, cmd.exe) opens the script again by its path.
//!
//! **Waiting and killing.** On Linux and Windows a child has a handle from its birth, so waiting
//! and killing never reach another process with the same number. A group is reached through the
//! handle of its leader too (Linux 6.9); on older kernels by its number, and only until the leader
//! was waited for. On systems without handles (macOS and the BSDs) the number of a child can mean
//! another process if other code in this process waits for it.
//!
//! **Several threads.** Starts do not wait for each other, and no child inherits the descriptors of
//! another start. On macOS, which cannot create a pipe that is closed on execution in one call, a
//! program that another thread starts at that moment can inherit it.
//!
//! # Fallbacks
//!
//! Where `clone3` is missing or refused, and on processors other than x86-64 and aarch64, programs
//! are started by `posix_spawn`. What that cannot do portably is done in a copy of the process
//! (`fork`), which takes longer the more memory the process has: a directory, a session, a umask,
//! closing other descriptors, and descriptors that change places. A program that runs as another
//! user or group is always started from a copy, because it must not share the memory of this
//! process.

// One run, from the public function to the system call:
//
// - `Command::spawn` (`command.rs`) calls `Command::start`, which applies the changes to the
//   environment (`environment.rs`) and makes the pipes (`stream.rs`, `Spawn::pipe`).
// - `Names::start` (`program.rs`) looks the name up, and starts the first program that can be
//   started:
// - `Retry::start` (`retry.rs`) starts one file, again if the caller asked for that, by
//   `Spawn::spawn` (on Linux `clone3`; otherwise `posix_spawn`, or a copy of the process).
// - `Spawn::explain` says why a start failed.
// - `Child` (`child.rs`): `wait` calls `Spawn::wait` (`waitid`), `communicate` `Spawn::exchange`.

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
