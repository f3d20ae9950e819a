//! The two ways to start a program that every Unix has, and what a child is afterwards.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::Pid;

use super::child_calls::ChildCalls;
use super::child_steps::{Birth, Steps};
use super::door::{Attributes, Blocked, Door, Pipe};
use super::native::{Cgroup, Handle};
use super::values::uninterrupted;
use super::words::Words;
use crate::sys::process::{Failure, Group, Launch, Stage, Stream};

/// A started program.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    /// Always means this child; after it was waited for another process may have its number.
    pub(crate) handle: Option<Handle>,
    /// The control group that was made for it.
    pub(crate) cgroup: Option<Cgroup>,
    /// Whether it leads a process group, which has its number.
    pub(crate) leads: bool,
    /// How it ended, once it was waited for. Locked while it is waited for or killed by its number,
    /// which another process may have afterwards.
    pub(crate) ended: Mutex<Option<ExitStatus>>,
}

impl Child {
    /// How it ended, if it was waited for.
    pub(crate) fn ended(&self) -> MutexGuard<'_, Option<ExitStatus>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new<P>(pid: Pid, handle: Option<Handle>, launch: &Launch<'_, P>) -> Child {
        let leads = matches!(launch.group_with_tree(), Group::New | Group::Session);
        Child { pid, handle, cgroup: None, leads, ended: Mutex::new(None) }
    }
}

/// The failure of a start that created no child.
pub(crate) fn childless(error: Errno) -> Failure {
    Failure { at: Stage::Child, error: error.into() }
}

/// Starts a program by `posix_spawn`; `None` if that cannot do all that is asked, portably.
pub(crate) fn by_library(
    door: &Door,
    launch: &Launch<'_, Pipe>,
    words: &Words,
) -> Option<Result<Pid, Failure>> {
    let opened = launch.streams.iter().zip(0..).filter_map(|(stream, to)| match stream {
        Stream::Open(pipe) => Some((pipe.as_raw_fd(), to)),
        Stream::Inherit | Stream::Null => None,
    });
    let puts: Vec<(i32, i32)> =
        opened.chain(launch.extra.iter().map(|(pipe, to)| (pipe.as_raw_fd(), *to))).collect();
    let nulls = || {
        let streams = launch.streams.iter().zip(0..);
        streams.filter(|(stream, _)| matches!(stream, Stream::Null)).map(|(_, to)| to)
    };
    let is_target = |fd: i32| puts.iter().any(|&(_, to)| to == fd) || nulls().any(|to| to == fd);
    // The portable actions can express neither descriptors that change places or keep their numbers
    // nor directories, sessions and the closing of others.
    let is_plain = launch.directory.is_none()
        && launch.rights.umask.is_none()
        && !launch.needs_copy()
        && launch.group != Group::Session
        && !launch.close_others
        && !puts.iter().any(|&(from, _)| is_target(from));
    if !is_plain {
        return None;
    }
    let signals = launch.default_signals.unwrap_or(&[libc::SIGPIPE]);
    let describe = || {
        let group = match launch.group_with_tree() {
            Group::New => Some(0),
            Group::Join(number) => Some(number),
            Group::Same | Group::Session => None,
        };
        let mut attributes = Attributes::new(group, launch.unblocks, signals)?;
        nulls().try_for_each(|to| attributes.null(to))?;
        puts.iter().try_for_each(|&(from, to)| attributes.put(from, to))?;
        Ok(attributes)
    };
    let attributes = match describe() {
        Ok(attributes) => attributes,
        Err(error) => return Some(Err(childless(error))),
    };
    Some(door.posix_spawn(words, &attributes).map_err(|error| {
        // The library does not say which step failed; nearly always it is the program.
        let at = match error {
            Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE | Errno::BADF => Stage::Child,
            _ => Stage::Program,
        };
        Failure { at, error: error.into() }
    }))
}

/// Starts a program by `fork`: a copy of the process, which takes the longer the larger it is, and
/// can do all that is asked. A failure comes back through a pipe; if that ends without one, the
/// program runs.
pub(crate) fn by_copy<C: ChildCalls>(
    door: &Door,
    launch: &Launch<'_, Pipe>,
    words: &Words,
    limit: usize,
) -> Result<Pid, Failure> {
    let (reader, writer) = door.pipe().map_err(childless)?;
    let writer = out_of_the_way(door, launch, writer).map_err(childless)?;
    // A signal handler that ran in the copy would write to the pipes and files of this process.
    let blocked = Blocked::new().map_err(childless)?;
    let is_root = launch.rights.user.is_some() && door.is_root().map_err(childless)?;
    let birth = Birth { copied: Some(blocked.before()), is_root, limit };
    let mut steps = Steps::new(launch, words, birth, |step| door.pass_step(step));
    // SAFETY: the copy runs the steps, which are async-signal-safe, and ends.
    let pid = match unsafe { door.fork() } {
        Ok(Some(pid)) => pid,
        Ok(None) => {
            let (index, error) = steps.run::<C>();
            let told = (index as u64) << 32 | u64::from(error.raw_os_error().unsigned_abs());
            // So few bytes are written as a whole or not at all.
            let _ = rustix::io::write(&writer, &told.to_ne_bytes());
            // SAFETY: ends the copy without running exit handlers of the original.
            unsafe { libc::_exit(127) };
        }
        Err(error) => return Err(childless(error)),
    };
    drop(blocked);
    door.close(writer);
    let mut told = Vec::with_capacity(8);
    let read = uninterrupted(|| door.read_fd(reader.as_fd(), &mut told));
    door.close(reader);
    let failure = match (read, <[u8; 8]>::try_from(told)) {
        (Ok(_), Ok(told)) => {
            let told = u64::from_ne_bytes(told);
            let error = Errno::from_raw_os_error((told & 0xffff) as i32);
            steps.failure((told >> 32) as usize, error)
        }
        (Ok(_), Err(_)) => return Ok(pid),
        (Err(error), _) => {
            // Whether it runs is unknown, so it must not.
            let _ = door.kill(pid, false);
            childless(error)
        }
    };
    reap(door, pid);
    Err(failure)
}

/// Moves the end that a failure is written to above all numbers that the child needs.
fn out_of_the_way(
    door: &Door,
    launch: &Launch<'_, Pipe>,
    writer: OwnedFd,
) -> Result<OwnedFd, Errno> {
    let most = launch.extra.iter().map(|&(_, to)| to).max().unwrap_or(0).max(2);
    if writer.as_raw_fd() > most {
        return Ok(writer);
    }
    let moved = door.lift(writer.as_fd(), most.saturating_add(1))?;
    door.close(writer);
    Ok(moved)
}

/// Waits for a child that did not execute a program, so that no zombie is left.
pub(crate) fn reap(door: &Door, pid: Pid) {
    let _ = uninterrupted(|| door.wait_for(pid, true));
}
