//! Gives directories of this user the permissions that their removal needs, and takes them back.

use std::os::fd::AsFd;

use rustix::io::Errno;

use super::copying::At;
use super::dir::Dir;
use super::{Unix, values};
use crate::sys::Repairs;

/// Reading, writing and searching by the owner.
const OWNER: u32 = 0o700;
const SET_GROUP: u32 = 0o2000;

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

    /// Returns whether the directory is repaired, now or since an earlier step.
    fn repair(&self, dir: &Dir) -> bool {
        let Some(repair) = dir.repair().filter(|_| self.setup.repairs == Repairs::Made) else {
            return false;
        };
        repair.get_or_init(|| self.add_permissions(&At::Open(dir.as_fd()))).is_some()
    }

    /// Returns the permissions from before, or `None` if nothing was changed.
    pub(super) fn add_permissions(&self, at: &At<'_>) -> Option<u32> {
        let before = self.mode_to_repair(at)?;
        self.chmod(at, before | OWNER).ok()?;
        self.repairs.set(self.repairs.get() + 1);
        Some(before)
    }

    /// Returns the permissions of a directory that refuses its owner something, if that is this
    /// user, and if they can be given back.
    pub(super) fn mode_to_repair(&self, at: &At<'_>) -> Option<u32> {
        let (At::Open(fd) | At::Pinned(fd)) = *at else { return None };
        let facts = values::facts_from(&self.syscalls.fstat(fd).ok()?);
        let refuses_owner = facts.mode & OWNER != OWNER && facts.user_id == self.syscalls.user();
        // The set-group-ID bit is lost if the owner is not in the group.
        let keeps_bits =
            || facts.mode & SET_GROUP == 0 || self.syscalls.is_in_group(facts.group_id);
        (refuses_owner && keeps_bits()).then_some(facts.mode)
    }

    pub(super) fn take_back_permissions(&self, dir: &Dir) {
        if let Some(before) = dir.before_repair() {
            // Without effect if the directory was removed, which is the usual case.
            let _ = self.chmod(&At::Open(dir.as_fd()), before);
        }
    }
}
