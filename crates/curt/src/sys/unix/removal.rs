use std::io;
use std::os::fd::AsFd;

use rustix::fs::{Access, Mode};
use rustix::io::Errno;

use super::copying::At;
use super::dir::{Dir, Rights};
use super::{Unix, native, values};
use crate::fields::{Facts, Fields};
use crate::name::Name;
use crate::sys::{Request, Sys};

impl Unix {
    /// Checks in the kernel's order. Costs 2 system calls once per directory, and up to 2 more if
    /// it is sticky.
    pub(super) fn predict_removal(
        &self,
        parent: &Dir,
        name: Name<'_, u8>,
        facts: &Facts,
    ) -> io::Result<()> {
        let owner = (*parent.cached().rights.get_or_init(|| self.rights(parent)))?;
        // At a mount point, `facts` describe the mounted root, so only `EBUSY` is certain.
        if facts.is_known_mount() {
            return Err(Errno::BUSY.into());
        }
        if native::is_undeletable(facts) {
            return Err(Errno::PERM.into());
        }
        let Some(owner) = owner else { return Ok(()) };
        let user = if facts.known.contains(Fields::USER_ID) {
            facts.user_id
        } else {
            self.query(parent, name, Request { fields: Fields::USER_ID, follow: false })?.user_id
        };
        if user == owner { Ok(()) } else { Err(Errno::PERM.into()) }
    }

    fn rights(&self, dir: &Dir) -> Rights {
        match self.syscalls.may(dir.as_fd(), c".", Access::WRITE_OK | Access::EXEC_OK) {
            // A real run would repair the directory.
            Err(Errno::ACCESS)
                if dir.repair().is_some()
                    && self.mode_to_repair(&At::Open(dir.as_fd())).is_some() => {}
            answer => answer?,
        }
        let request = Request { fields: Fields::MODE | Fields::USER_ID, follow: false };
        let facts = self
            .query_dir(dir, request)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        if native::is_append_only(&facts) {
            return Err(Errno::PERM);
        }
        let is_sticky = values::bits(facts.mode).contains(Mode::SVTX);
        if !is_sticky || self.syscalls.has_cap_fowner() {
            return Ok(None);
        }
        let user = self.syscalls.user();
        Ok((user != facts.user_id).then_some(user))
    }
}
