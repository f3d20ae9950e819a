//! The contract for starting programs, beside [`Sys`]: start, wait, kill, pipe.
//!
//! A [`Launch`] says all that is to be started, and each platform starts it in the fewest calls it
//! can. Nothing is looked up here: the program is a path.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use super::Sys;
use crate::error::StartFailure;

#[cfg(windows)]
pub(crate) use super::windows::process::Pipe;

/// Blocks all signals of this thread until the value is dropped.
#[cfg(all(target_os = "linux", test))]
pub(crate) fn block_signals() -> super::unix::door::Blocked {
    super::unix::door::Blocked::new().unwrap_or_else(|error| panic!("{error}"))
}

/// A standard stream of the child.
#[derive(Debug)]
pub(crate) enum Stream<'a, P> {
    /// The stream of this process.
    Inherit,
    /// The null device.
    Null,
    Open(&'a P),
}

/// The process group of the child.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Group {
    /// The group of this process.
    #[default]
    Same,
    /// A new group.
    New,
    /// The group of this number, which exists in the session of this process.
    #[cfg(unix)]
    Join(i32),
    /// A new group in a new session, without a terminal.
    Session,
}

/// What a system can confine the child to.
#[derive(Debug, Default)]
pub(crate) struct Container {
    /// The control group in which a new one is made for the child.
    #[cfg(target_os = "linux")]
    pub(crate) cgroup: Option<PathBuf>,
}

/// The rights that a child changes before it runs the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rights {
    #[cfg(unix)]
    pub(crate) user: Option<u32>,
    #[cfg(unix)]
    pub(crate) group: Option<u32>,
    /// The supplementary groups.
    #[cfg(unix)]
    pub(crate) groups: Option<Vec<u32>>,
    /// The permissions that new files do not get.
    #[cfg(unix)]
    pub(crate) umask: Option<u32>,
}

/// An environment variable: its name and its value.
pub(crate) type Variable<'a> = (Cow<'a, OsStr>, Cow<'a, OsStr>);

/// What is to be started.
#[derive(Debug)]
pub(crate) struct Launch<'a, P> {
    /// A path with a separator in it; a relative one is relative to `directory`.
    pub(crate) program: &'a Path,
    /// The argument zero.
    pub(crate) zeroth: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    /// All variables; `None` for those of this process.
    pub(crate) environment: Option<&'a [Variable<'a>]>,
    pub(crate) directory: Option<&'a Path>,
    pub(crate) streams: [Stream<'a, P>; 3],
    /// Further descriptors of the child, with their numbers there, which mean nothing on Windows.
    pub(crate) extra: &'a [(&'a P, i32)],
    pub(crate) group: Group,
    /// Whether what the child starts can be killed together with it.
    pub(crate) tree: bool,
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "Linux alone has one"))]
    pub(crate) container: &'a Container,
    #[cfg_attr(windows, allow(dead_code, reason = "Unix alone has them"))]
    pub(crate) rights: &'a Rights,
    /// Whether the child inherits nothing but its streams and the further descriptors.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows always does that"))]
    pub(crate) close_others: bool,
    /// Whether the child starts with no signal blocked.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no signals"))]
    pub(crate) unblocks: bool,
    /// The signals that get their default action; `None` for `SIGPIPE` alone.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no signals"))]
    pub(crate) default_signals: Option<&'a [i32]>,
    /// Whether the child is only waited for, which needs no handle on it.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows always gives one"))]
    pub(crate) only_waits: bool,
}

impl<P> Launch<'_, P> {
    /// Whether the child has to be a copy of this process: one that has other rights must not share
    /// its memory with this process, because others may be allowed to stop or trace it.
    #[cfg(unix)]
    pub(crate) fn needs_copy(&self) -> bool {
        let Rights { user, group, groups, umask: _ } = self.rights;
        user.is_some() || group.is_some() || groups.is_some()
    }

    /// The process group of the child. A tree that is to be killed as a whole gets a new one,
    /// unless another one was asked for.
    #[cfg(unix)]
    pub(crate) fn group_with_tree(&self) -> Group {
        match self.group {
            Group::Same if self.tree => Group::New,
            group => group,
        }
    }

    /// Whether the child gets a control group, by which all that it starts can be killed.
    #[cfg(unix)]
    pub(crate) fn has_cgroup(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.container.cgroup.is_some();
        #[cfg(not(target_os = "linux"))]
        return false;
    }

    /// Returns the same launch of another program.
    pub(crate) fn of<'b>(&'b self, program: &'b Path) -> Launch<'b, P> {
        Launch { program, streams: self.streams.each_ref().map(Stream::borrow), ..*self }
    }
}

impl<P> Stream<'_, P> {
    fn borrow(&self) -> Stream<'_, P> {
        match self {
            Stream::Inherit => Stream::Inherit,
            Stream::Null => Stream::Null,
            Stream::Open(pipe) => Stream::Open(pipe),
        }
    }
}

/// What this process writes to a child and reads from it.
#[derive(Debug)]
pub(crate) struct Exchange<'a, P> {
    /// This process's ends of the standard streams, those that are still open.
    pub(crate) pipes: [Option<P>; 3],
    /// What the child gets to read.
    pub(crate) input: &'a [u8],
    /// How much of it was written.
    pub(crate) written: usize,
    /// What the child wrote to its two outputs.
    pub(crate) outputs: [Vec<u8>; 2],
}

impl<'a, P> Exchange<'a, P> {
    pub(crate) fn new(pipes: [Option<P>; 3], input: &'a [u8]) -> Self {
        Exchange { pipes, input, written: 0, outputs: [Vec::new(), Vec::new()] }
    }

    /// The input that was not written yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.input.get(self.written..).unwrap_or_default()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.pipes.iter().all(Option::is_none)
    }
}

/// The step of a start that failed, and the system's error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) at: Stage,
    pub(crate) error: io::Error,
}

/// A step of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Creating the child, with what it was to inherit.
    Child,
    /// Changing to its directory.
    Directory,
    /// Executing the program.
    Program,
}

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kill {
    Child,
    /// The child and what it started.
    Tree,
}

/// A platform that can start programs.
pub(crate) trait Spawn: Sys {
    /// A started program. Dropping it closes its handles, uncounted, and ends nothing.
    type Child: Send + Sync;
    /// One end of a pipe, or another open file.
    type Pipe: io::Read + io::Write + Send + Sync + std::fmt::Debug;

    /// Creates a pipe and returns the reading end and the writing end. A child inherits neither
    /// unless it is given.
    fn pipe(&self) -> io::Result<(Self::Pipe, Self::Pipe)>;
    fn close_pipe(&self, pipe: Self::Pipe);
    /// Writes the input and reads both outputs, in the order in which they are ready, until all are
    /// closed or the limit passes. Returns whether all are closed.
    fn exchange(
        &self,
        exchange: &mut Exchange<'_, Self::Pipe>,
        limit: Option<Duration>,
    ) -> io::Result<bool>;

    /// Starts a program. On success the child runs it.
    fn spawn(&self, launch: &Launch<'_, Self::Pipe>) -> Result<Self::Child, Failure>;
    /// Finds out why a program could not be started, by looking at the file once if need be.
    fn explain(&self, launch: &Launch<'_, Self::Pipe>, failure: &Failure) -> StartFailure;
    /// Waits until a child ends. How it ended is remembered.
    fn wait(&self, child: &mut Self::Child) -> io::Result<ExitStatus>;
    /// Waits until a child ends, or until the limit passes: then it returns `None`. Other threads
    /// may wait for the child, or kill it, meanwhile.
    fn wait_timeout(&self, child: &Self::Child, limit: Duration) -> io::Result<Option<ExitStatus>>;
    /// Kills a child. One that has ended already is not an error.
    fn kill(&self, child: &Self::Child, what: Kill) -> io::Result<()>;
    fn id(child: &Self::Child) -> u32;
    /// Closes what belongs to a child, except what closes when it is dropped, which is about to
    /// happen.
    fn release(&self, child: &mut Self::Child);

    /// The variables that programs need to start at all; they stay when the environment is cleared.
    const ESSENTIAL: &'static [&'static str] = &[];

    /// The key that tells variables apart: on Windows the case of their names does not matter.
    fn variable_key(name: &OsStr) -> Cow<'_, OsStr> {
        Cow::Borrowed(name)
    }
}

/// The path of the program, relative to the directory of the child.
pub(crate) fn path_for_child<P>(launch: &Launch<'_, P>) -> PathBuf {
    match launch.directory {
        Some(directory) => directory.join(launch.program),
        None => launch.program.to_owned(),
    }
}
