//! Linux fast paths, which [`Unix::has`] can switch off, and queries that have no portable call.

mod beneath;
mod copying;
mod descriptor;
mod extended;
mod statx;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{AtFlags, Dev, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::process::Pid;

pub(super) use self::statx::{is_append_only, is_undeletable};
use super::copying::At;
use super::dir::{Dir, DirBuf, text};
use super::{LIST, LOOKUP, Unix};
use crate::fields::Fields;
use crate::name::Name;
use crate::sys::{Batch, Feature, Mounts, Sys};

pub(super) const QUERIED: Fields = Fields::CREATED.union(Fields::ATTRIBUTES);
pub(super) const EXTENDED: Fields = Fields::ACL.union(Fields::CAPABILITY).union(Fields::LABEL);
pub(super) const MOUNTS_MAY_LOOP: bool = true;
/// With an empty name, a call concerns the descriptor itself.
pub(super) const ITSELF: AtFlags = AtFlags::EMPTY_PATH;

/// `EXT4_SUPER_MAGIC`, also of ext2 and ext3.
const EXT4: i64 = 0xEF53;

/// `/dev/null` is `makedev(1, 3)`.
pub(super) fn is_null(device: Dev) -> bool {
    device == 0x103
}

/// Set only after `ENOSYS`, because `EPERM` may come from a security filter of a single thread.
static NO_OPENAT2: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
pub(super) struct State {
    openat2_refused: Cell<bool>,
    /// Whether `statx` is refused or missing, while the portable call works.
    statx_refused: Cell<bool>,
    last_mask: Cell<(Fields, u32)>,
    without_extended: RefCell<BTreeSet<u64>>,
}

impl State {
    pub(super) fn stop_openat2(&self) {
        self.openat2_refused.set(true);
    }

    /// Tries `statx` again. Called when the portable call failed too, so the cause might not be a
    /// filter.
    pub(super) fn resume_statx(&self) {
        self.statx_refused.set(false);
    }
}

impl Unix {
    fn may_openat2(&self) -> bool {
        self.has(Feature::Openat2)
            && !self.native.openat2_refused.get()
            && !NO_OPENAT2.load(Ordering::Relaxed)
    }

    /// Returns `None` if `openat2` is unavailable. `EPERM` may come from a security filter.
    pub(super) fn open_at_once(
        &self,
        from: &Dir,
        path: &CStr,
        refuses_links: bool,
        mounts: Mounts,
    ) -> Option<Result<OwnedFd, Errno>> {
        if !self.may_openat2() {
            return None;
        }
        // `O_NOFOLLOW` in `LIST` refuses a symlink only in the last component, which is enough for
        // a single name.
        let mut resolve = ResolveFlags::empty();
        resolve.set(ResolveFlags::NO_SYMLINKS, refuses_links);
        resolve.set(ResolveFlags::NO_XDEV, mounts == Mounts::Refuse);
        let opened = self.syscalls.openat2(from.as_fd(), path, LIST, Mode::empty(), resolve);
        if matches!(opened, Err(Errno::NOSYS)) {
            NO_OPENAT2.store(true, Ordering::Relaxed);
            return None;
        }
        Some(opened)
    }

    /// Opens a directory that refuses to be read, after a repair through another descriptor.
    pub(super) fn open_unreadable(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        mounts: Mounts,
    ) -> Result<Dir, Errno> {
        let flags = LOOKUP.union(OFlags::NOFOLLOW);
        let pinned = match mounts {
            Mounts::Refuse => self.open_compared(parent, name, flags)?,
            Mounts::Cross => {
                self.syscalls.openat(parent.as_fd(), text(name), flags, Mode::empty())?
            }
        };
        let before = self.add_permissions(&At::Pinned(pinned.as_fd()));
        let opened = match before {
            None => Err(Errno::ACCESS),
            Some(_) => self.syscalls.openat(pinned.as_fd(), c".", LIST, Mode::empty()),
        };
        let opened = opened.and_then(|fd| self.listed(fd));
        match (&opened, before) {
            (Ok(dir), _) => self.reopened(dir, before),
            (Err(_), Some(before)) => {
                _ = self.chmod(&At::Pinned(pinned.as_fd()), before);
            }
            (Err(_), None) => {}
        }
        self.syscalls.close(pinned);
        opened
    }

    pub(super) fn read_raw(&self, dir: &Dir, buf: &mut DirBuf) -> io::Result<Batch> {
        match self.syscalls.getdents64(dir.as_fd(), buf.space(self.setup.lists_only)) {
            Ok(()) if buf.is_empty() => Ok(Batch::End),
            // `ENOENT`: another process has removed the directory.
            Err(Errno::NOENT) => Ok(Batch::End),
            Ok(()) => Ok(Batch::More),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns `false` if the system cannot report the child's end. The child must not have been
    /// waited for.
    pub(super) fn sleep_until_ended(&self, child: &Child, limit: Duration) -> io::Result<bool> {
        if !self.has(Feature::Pidfd) {
            return Ok(false);
        }
        let Ok(handle) = self.syscalls.pidfd_open(Pid::from_child(child)) else { return Ok(false) };
        let begun = Instant::now();
        let slept = loop {
            let left = limit.saturating_sub(begun.elapsed());
            match self.syscalls.poll(&mut [PollFd::new(&handle, PollFlags::IN)], left) {
                Err(Errno::INTR) => {}
                answer => break answer,
            }
        };
        self.syscalls.close(handle);
        Ok(slept.map(|_| true)?)
    }

    pub(super) fn is_on_ext4(&self, dir: &Dir) -> bool {
        self.has(Feature::InodeOrder)
            && self.syscalls.file_system(dir.as_fd()).is_ok_and(|(magic, _)| magic == EXT4)
    }
}
