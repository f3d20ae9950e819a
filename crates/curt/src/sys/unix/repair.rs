//! Gives directories of this user the permissions that their removal needs, and takes them back.

use std::os::fd::AsFd;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::Unix;
use super::copying::At;
use super::dir::Dir;
use crate::sys::Repairs;

impl Unix {
    /// Marks a directory inside an operand, or the operand itself. No other one is changed.
    pub(super) fn allow_repair(&self, dir: &Dir) {
        if self.setup.repairs != Repairs::None {
            dir.cached().repair.get_or_init(Default::default);
        }
    }

    /// Makes a call again if the directory has refused it and was repaired.
    pub(super) fn with_access<T>(
        &self,
        dir: &Dir,
        mut call: impl FnMut() -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        match call() {
            Err(Errno::ACCESS) if self.repair(dir) => call(),
            answer => answer,
        }
    }

    fn repair(&self, dir: &Dir) -> bool {
        let Some(repair) = dir.repair().filter(|_| self.setup.repairs == Repairs::Made) else {
            return false;
        };
        repair.get_or_init(|| self.add_permissions(&At::Open(dir.as_fd()))).is_some()
    }

    /// Returns the permissions from before, or `None` if nothing was changed.
    pub(super) fn add_permissions(&self, at: &At<'_>) -> Option<Mode> {
        let before = self.lacking(at)?;
        self.chmod(at, (before | Mode::RWXU).as_raw_mode()).ok()?;
        self.repairs.set(self.repairs.get() + 1);
        Some(before)
    }

    /// Returns the permissions of a directory that refuses its owner something, if that is this
    /// user.
    pub(super) fn lacking(&self, at: &At<'_>) -> Option<Mode> {
        let (At::Open(fd) | At::Pinned(fd)) = *at else { return None };
        let stat = self.syscalls.fstat(fd).ok()?;
        let mode = Mode::from_raw_mode(stat.st_mode);
        (!mode.contains(Mode::RWXU) && stat.st_uid == self.syscalls.user()).then_some(mode)
    }

    pub(super) fn take_back_permissions(&self, dir: &Dir) {
        if let Some(&Some(before)) = dir.repair().and_then(|repair| repair.get()) {
            // It may have been removed.
            let _ = self.syscalls.fchmod(dir.as_fd(), before);
        }
    }
}
