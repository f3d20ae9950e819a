//! The contract for starting programs, beside [`Sys`]: what is to be started is said once and whole, and
//! each platform starts it in the fewest calls it can.
//!
//! Nothing is looked up here. The program is a path; who knows a name only asks the search first.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use super::Sys;
use crate::error::StartFailure;

#[cfg(unix)]
pub(crate) use super::unix::door::Pipe;
#[cfg(windows)]
pub(crate) use super::windows::process::Pipe;

/// Holds back the signals of this thread until it is dropped.
#[cfg(all(target_os = "linux", test))]
pub(crate) fn hold_signals_back() -> super::unix::door::Blocked {
    super::unix::door::Blocked::new().unwrap_or_else(|error| panic!("{error}"))
}

/// What a standard stream of the child is.
#[derive(Debug)]
pub(crate) enum Stream<'a, P> {
    /// The one of this process.
    Inherit,
    /// Nothing to read; what is written goes away.
    Null,
    Open(&'a P),
}

/// Which processes a terminal and a signal take the child for one with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Group {
    /// The group of this process.
    #[default]
    Same,
    /// One of its own.
    New,
    /// One of its own in a session of its own, without a terminal.
    Session,
}

/// What else a system keeps its processes in.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The control group in which the child gets one of its own.
    #[cfg(target_os = "linux")]
    pub(crate) cgroup: Option<PathBuf>,
}

/// A variable: its name and its value.
pub(crate) type Variable<'a> = (Cow<'a, OsStr>, Cow<'a, OsStr>);

/// What is to be started.
#[derive(Debug)]
pub(crate) struct Launch<'a, P> {
    /// A path with a separator in it; a relative one is relative to `directory`.
    pub(crate) program: &'a Path,
    /// What the child is told that it is called.
    pub(crate) zeroth: &'a OsStr,
    pub(crate) arguments: &'a [OsString],
    /// All variables; `None` for those of this process.
    pub(crate) environment: Option<&'a [Variable<'a>]>,
    pub(crate) directory: Option<&'a Path>,
    pub(crate) streams: [Stream<'a, P>; 3],
    /// What else the child gets, and under which numbers (which mean nothing on Windows).
    pub(crate) extra: &'a [(P, i32)],
    pub(crate) group: Group,
    /// Whether what the child starts can be ended together with it.
    pub(crate) tree: bool,
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "there is none elsewhere"))]
    pub(crate) place: &'a Place,
    /// Nothing reaches the child but its streams and what else is named.
    #[cfg_attr(windows, allow(dead_code, reason = "it is always so there"))]
    pub(crate) close_others: bool,
    /// No signal is held back in the child, whatever is here.
    #[cfg_attr(windows, allow(dead_code, reason = "there are no signals there"))]
    pub(crate) unblocks: bool,
    /// Nothing but its end will be asked for: no handle on the child is needed for that.
    #[cfg_attr(windows, allow(dead_code, reason = "there always is one there"))]
    pub(crate) only_waits: bool,
}

impl<P> Launch<'_, P> {
    /// The same of another program.
    pub(crate) fn of<'b>(&'b self, program: &'b Path) -> Launch<'b, P> {
        Launch { program, streams: self.streams.each_ref().map(Stream::again), ..*self }
    }
}

impl<P> Stream<'_, P> {
    fn again(&self) -> Stream<'_, P> {
        match self {
            Stream::Inherit => Stream::Inherit,
            Stream::Null => Stream::Null,
            Stream::Open(pipe) => Stream::Open(pipe),
        }
    }
}

/// What failed, and what the system said.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) at: Stage,
    pub(crate) error: io::Error,
}

/// How far a start came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// There is no child, or it could not be made what was asked.
    Child,
    /// Its working directory.
    Directory,
    /// The program.
    Program,
}

/// How a child is to be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kill {
    Child,
    /// The child and what it started.
    Tree,
}

/// A platform that can start programs.
pub(crate) trait Process: Sys {
    /// A started program. Dropping it lets go of it, uncounted, and ends nothing.
    type Child: Send + Sync;
    /// One end of a pipe, or anything else that is open.
    type Pipe: io::Read + io::Write + Send + Sync + std::fmt::Debug;

    /// A pipe, the end to read from first. Neither end reaches a child unless it is named.
    fn pipe(&self) -> io::Result<(Self::Pipe, Self::Pipe)>;
    fn close_pipe(&self, pipe: Self::Pipe);
    /// Starts a program. When this returns well, it runs.
    fn start_program(
        &self,
        launch: &Launch<'_, Self::Pipe>,
    ) -> std::result::Result<Self::Child, Failure>;
    /// Finds out why a program could not be started, by looking at it once.
    fn explain(&self, launch: &Launch<'_, Self::Pipe>, failure: &Failure) -> StartFailure;
    /// Waits for the end of a child, no longer than the limit; `None` if that passed. An end that was
    /// waited for once is remembered.
    fn wait(
        &self,
        child: &mut Self::Child,
        limit: Option<Duration>,
    ) -> io::Result<Option<ExitStatus>>;
    /// Ends a child by force; one that has ended already is no error.
    fn kill(&self, child: &mut Self::Child, what: Kill) -> io::Result<()>;
    fn id(child: &Self::Child) -> u32;
    /// Lets go of a child.
    fn forget(&self, child: Self::Child);
    /// Reads two pipes to their ends, as what comes from either arrives.
    fn drain(&self, pipes: [Option<Self::Pipe>; 2]) -> io::Result<[Vec<u8>; 2]>;

    /// The variables that programs need to start at all: they stay where all are taken away.
    const ESSENTIAL: &'static [&'static str] = &[];

    /// What tells variables apart: names that differ in nothing but case may be one.
    fn variable_key(name: &OsStr) -> Cow<'_, OsStr> {
        Cow::Borrowed(name)
    }
}

/// A path as the child sees it.
#[cfg_attr(windows, allow(dead_code, reason = "a path is made absolute there"))]
pub(crate) fn seen_by_child<P>(launch: &Launch<'_, P>) -> PathBuf {
    match launch.directory {
        Some(directory) => directory.join(launch.program),
        None => launch.program.to_owned(),
    }
}
