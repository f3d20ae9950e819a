//! Open directories, and listings through the C library's directory streams.

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::io::{Errno, Result};

use crate::fields::Kind;
use crate::name::Name;
use crate::sys::Batch;
use crate::sys::records::Records;

/// The buffer of one worker.
pub(crate) type DirBuf = Records<u8>;

/// An open directory, or the working directory without one.
///
/// A stream and its descriptor are one thing: the stream closes the descriptor, and reading moves
/// the position of both. The lock is for the position alone and is taken once per reading; whoever
/// unlinks, stats or opens relative to the directory needs only the descriptor, and may do so
/// while another thread reads.
#[derive(Debug)]
pub(crate) struct Dir {
    handle: Handle,
    /// The device it lies on, asked once.
    pub(super) device: OnceLock<u64>,
}

#[derive(Debug)]
pub(super) enum Handle {
    /// The working directory.
    Working,
    /// A directory that is only a place to begin from.
    Place(OwnedFd),
    /// A directory to list.
    Listed(Mutex<Stream>, RawFd),
}

impl Dir {
    pub(super) fn working() -> Dir {
        Dir { handle: Handle::Working, device: OnceLock::new() }
    }

    pub(super) fn is_working(&self) -> bool {
        matches!(self.handle, Handle::Working)
    }

    /// Uses the listing; a place to begin from has none.
    pub(super) fn with_stream<T>(&self, with: impl FnOnce(&mut Stream) -> Result<T>) -> Result<T> {
        match &self.handle {
            Handle::Listed(stream, _) => {
                with(&mut stream.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Handle::Working | Handle::Place(_) => Err(Errno::BADF),
        }
    }

    /// What a close has to let go, if anything.
    pub(super) fn into_handle(self) -> Option<Handle> {
        if self.is_working() { None } else { Some(self.handle) }
    }
}

impl From<OwnedFd> for Dir {
    fn from(fd: OwnedFd) -> Self {
        Dir { handle: Handle::Place(fd), device: OnceLock::new() }
    }
}

impl TryFrom<Stream> for Dir {
    type Error = Errno;

    fn try_from(stream: Stream) -> Result<Self> {
        let number = stream.entries.fd()?.as_raw_fd();
        let handle = Handle::Listed(Mutex::new(stream), number);
        Ok(Dir { handle, device: OnceLock::new() })
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.handle {
            Handle::Working => rustix::fs::CWD,
            Handle::Place(fd) => fd.as_fd(),
            // SAFETY: the number was taken from the stream beside it, which owns the descriptor
            // and closes it when dropped, and never before: nothing takes it out of the lock. The
            // borrow cannot outlive `self`, hence not the stream.
            Handle::Listed(_, number) => unsafe { BorrowedFd::borrow_raw(*number) },
        }
    }
}

/// A listing under way.
#[derive(Debug)]
pub(super) struct Stream {
    entries: rustix::fs::Dir,
    /// The error that ended it. Without this, the end of a broken listing would look like the end
    /// of the directory.
    failed: Option<Errno>,
}

impl Stream {
    pub(super) fn new(fd: OwnedFd) -> Result<Stream> {
        Ok(Stream { entries: rustix::fs::Dir::new(fd)?, failed: None })
    }

    pub(super) fn rewind(&mut self) {
        self.entries.rewind();
        self.failed = None;
    }

    /// Takes entries until the buffer is full or the listing ends.
    pub(super) fn fill(&mut self, buf: &mut DirBuf) -> Result<Batch> {
        buf.clear();
        while !buf.is_full() && self.failed.is_none() {
            match self.entries.read() {
                Some(Ok(entry)) => {
                    buf.push(entry.file_name().to_bytes(), kind(&entry), number(&entry));
                }
                Some(Err(error)) => self.failed = Some(error),
                None => return Ok(Batch::End),
            }
        }
        match self.failed {
            Some(error) if buf.is_empty() => Err(error),
            _ => Ok(Batch::More),
        }
    }
}

#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "not u64 everywhere")]
fn number(entry: &rustix::fs::DirEntry) -> u64 {
    entry.ino() as u64
}

#[cfg(not(any(
    target_os = "solaris",
    target_os = "illumos",
    target_os = "aix",
    target_os = "haiku"
)))]
fn kind(entry: &rustix::fs::DirEntry) -> Kind {
    crate::sys::unix::kind(entry.file_type())
}

/// These systems do not keep the kind in the directory.
#[cfg(any(target_os = "solaris", target_os = "illumos", target_os = "aix", target_os = "haiku"))]
fn kind(_entry: &rustix::fs::DirEntry) -> Kind {
    Kind::Unknown
}

/// The name as the system takes it.
pub(super) fn text(name: Name<'_, u8>) -> &CStr {
    CStr::from_bytes_until_nul(name.terminated()).unwrap_or_default()
}
