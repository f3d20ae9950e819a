//! Replaces `linux` on other systems, which have no fast paths.

use std::ffi::CStr;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;
use std::time::Duration;

use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::copying::At;
use super::dir::{Dir, DirBuf, text};
use super::{StatTarget, Unix, values};
use crate::error::Operation;
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::beneath::{Change, File, Link, Reading, Rules, Want, Whole};
use crate::sys::copying::{Attributes, End, Kept};
use crate::sys::{Batch, Mounts, Request};

pub(super) const QUERIED: Fields = Fields::NONE;
pub(super) const EXTENDED: Fields = Fields::NONE;
pub(super) const MOUNTS_MAY_LOOP: bool = false;
pub(super) const ITSELF: AtFlags = AtFlags::empty();

pub(super) fn is_append_only(_facts: &Facts) -> bool {
    false
}

pub(super) fn is_undeletable(_facts: &Facts) -> bool {
    false
}

/// The null device's number differs between these systems.
pub(super) fn is_null(_device: rustix::fs::Dev) -> bool {
    false
}

#[derive(Default)]
pub(super) struct State;

#[allow(clippy::unused_self, reason = "elsewhere there is something to remember")]
impl State {
    pub(super) fn stop_openat2(&self) {}

    pub(super) fn resume_statx(&self) {}
}

#[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "Linux has answers")]
impl Unix {
    pub(super) fn open_at_once(
        &self,
        _from: &Dir,
        _path: &CStr,
        _refuses_links: bool,
        _mounts: Mounts,
    ) -> Option<Result<OwnedFd, Errno>> {
        None
    }

    pub(super) fn clone_content(
        &self,
        _from: BorrowedFd<'_>,
        _to: BorrowedFd<'_>,
    ) -> Result<(), Errno> {
        Err(Errno::NOTSUP)
    }

    pub(super) fn copy_in_kernel(
        &self,
        _from: BorrowedFd<'_>,
        _to: BorrowedFd<'_>,
        _size: usize,
    ) -> Result<Option<usize>, (End, io::Error)> {
        Ok(None)
    }

    /// Other systems have no descriptor of a symlink.
    pub(super) fn pin(
        &self,
        _dir: &Dir,
        _name: Name<'_, u8>,
        _kind: Kind,
    ) -> Result<Option<OwnedFd>, Errno> {
        Ok(None)
    }

    pub(super) fn change_pinned(&self, fd: BorrowedFd<'_>, change: &Change) -> Result<(), Errno> {
        match change {
            Change::Permissions(mode) => self.syscalls.fchmod(fd, values::permissions(mode)),
            Change::Times { accessed, modified } => {
                self.syscalls.futimens(fd, &values::times(*accessed, *modified))
            }
        }
    }

    pub(super) fn open_unreadable(
        &self,
        _parent: &Dir,
        _name: Name<'_, u8>,
        _mounts: Mounts,
    ) -> Result<Dir, Errno> {
        Err(Errno::ACCESS)
    }

    pub(super) fn next_data(&self, _file: BorrowedFd<'_>, _from: u64) -> Result<Range<u64>, Errno> {
        Err(Errno::INVAL)
    }

    pub(super) fn read_attributes(&self, _of: &At<'_>, _kept: Kept) -> Result<Attributes, Errno> {
        Ok(Attributes::new())
    }

    pub(super) fn read_attributes_by_name(
        &self,
        _at: &Dir,
        _name: Name<'_, u8>,
        _follow: bool,
        _kept: Kept,
    ) -> Result<Attributes, Errno> {
        Ok(Attributes::new())
    }

    pub(super) fn keep_attributes(
        &self,
        _at: &At<'_>,
        _kind: Kind,
        _attributes: &Attributes,
        _kept: Kept,
        _failed: &mut dyn FnMut(Operation, Errno),
    ) {
    }

    pub(super) fn read_raw(&self, _dir: &Dir, _buf: &mut DirBuf) -> io::Result<Batch> {
        Err(Errno::BADF.into())
    }

    pub(super) fn query_statx(
        &self,
        _at: BorrowedFd<'_>,
        _target: StatTarget<'_>,
        _flags: AtFlags,
        _request: Request,
        _known: &mut Facts,
    ) -> Result<bool, Errno> {
        Ok(false)
    }

    pub(super) fn mount_by_statx(&self, _: BorrowedFd<'_>) -> Result<Option<(u64, u64)>, Errno> {
        Ok(None)
    }

    pub(super) fn resolve_at_once(
        &self,
        _root: &Dir,
        _path: Name<'_, u8>,
        _want: Want<'_>,
        _rules: Rules,
    ) -> Whole<File> {
        Whole::Unanswered
    }

    pub(super) fn read_link_for(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        _reading: Reading,
    ) -> io::Result<Link<u8>> {
        let mut target = Vec::new();
        match self.syscalls.readlinkat(at.as_fd(), text(name), &mut target) {
            Ok(()) => Ok(Link::To(target)),
            Err(Errno::INVAL) => Ok(Link::No),
            Err(error) => Err(error.into()),
        }
    }

    /// A race remains: if a symlink replaces the entry after the check, the symlink is changed.
    pub(super) fn change_unless_link(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        change: &Change,
    ) -> Result<bool, Errno> {
        let (at, name, flags) = (at.as_fd(), text(name), AtFlags::SYMLINK_NOFOLLOW);
        if values::facts_from(&self.syscalls.fstatat(at, name, flags)?).kind.is_link() {
            return Ok(false);
        }
        match change {
            Change::Permissions(permissions) => {
                self.syscalls.chmodat(at, name, values::permissions(permissions), flags)?;
            }
            Change::Times { accessed, modified } => {
                self.syscalls.utimensat(at, name, &values::times(*accessed, *modified), flags)?;
            }
        }
        Ok(true)
    }

    #[cfg(target_vendor = "apple")]
    pub(super) fn name_of(&self, fd: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
        Ok(self.syscalls.getpath(fd)?)
    }

    /// These systems have no common call that names an open file.
    #[cfg(not(target_vendor = "apple"))]
    pub(super) fn name_of(&self, _fd: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn canonical_at_once(&self, _path: Name<'_, u8>) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    pub(super) fn sleep_until_ended(&self, _: &Child, _: Duration) -> io::Result<bool> {
        Ok(false)
    }
}
