//! Copies on Linux: content that never leaves the kernel, and extended attributes.

use std::ffi::{CStr, CString};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use super::descriptor::itself_by_path;
use super::extended::{ACLS, CAPACITY};
use crate::error::Operation;
use crate::fields::Kind;
use crate::name::Name;
use crate::sys::copying::{Attributes, End, Kept};
use crate::sys::unix::copying::At;
use crate::sys::unix::dir::{Dir, text};
use crate::sys::unix::{Unix, values};

const ACCESS_ACL: &CStr = c"system.posix_acl_access";
const DEFAULT_ACL: &CStr = c"system.posix_acl_default";

impl Unix {
    pub(in crate::sys::unix) fn clone_content(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
    ) -> Result<(), Errno> {
        self.syscalls.clone_file(from, to)
    }

    /// Opens a symlink or special file that was just created, to change its metadata. Another user
    /// may have put a hard link to a foreign file in its place, which has more than one name.
    pub(in crate::sys::unix) fn pin(
        &self,
        dir: &Dir,
        name: Name<'_, u8>,
        kind: Kind,
    ) -> Result<Option<OwnedFd>, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = self.syscalls.openat(dir.as_fd(), text(name), flags, Mode::empty())?;
        let facts = self.syscalls.fstat(fd.as_fd()).map(|stat| values::facts_from(&stat));
        match facts {
            Ok(facts) if (facts.kind, facts.links) == (kind, 1) => Ok(Some(fd)),
            facts => {
                self.syscalls.close(fd);
                facts.and(Err(Errno::STALE))
            }
        }
    }

    /// Finds the next part of a file, from an offset on, that is no hole.
    pub(in crate::sys::unix) fn next_data(
        &self,
        file: BorrowedFd<'_>,
        from: u64,
    ) -> Result<Range<u64>, Errno> {
        let start = self.syscalls.seek(file, SeekFrom::Data(from))?;
        Ok(start..self.syscalls.seek(file, SeekFrom::Hole(start))?)
    }

    /// Returns `None` if the kernel cannot copy between these files, or has copied nothing: before
    /// Linux 5.19 it finds `/proc` empty.
    pub(in crate::sys::unix) fn copy_in_kernel(
        &self,
        from: BorrowedFd<'_>,
        to: BorrowedFd<'_>,
        size: usize,
    ) -> Result<Option<usize>, (End, io::Error)> {
        match self.syscalls.copy_file_range(from, to, size) {
            Ok(0) => Ok(None),
            Ok(copied) => Ok(Some(copied)),
            // These concern one of the files. All others, even `EPERM`, come from file systems,
            // filters and old kernels, and reading and writing will tell.
            Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => {
                Err((End::Target, error.into()))
            }
            Err(_) => Ok(None),
        }
    }

    pub(in crate::sys::unix) fn read_attributes(
        &self,
        of: &At<'_>,
        kept: Kept,
    ) -> Result<Attributes, Errno> {
        let syscalls = &self.syscalls;
        let names = match *of {
            At::Open(fd) => syscalls.list_attributes_of(fd),
            At::Pinned(fd) => {
                itself_by_path(syscalls, fd, |path| syscalls.list_attributes(path, true, CAPACITY))
            }
            At::Named(..) => return Ok(Attributes::new()),
        };
        let names = match names {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(Attributes::new()),
            names => names?,
        };
        let mut attributes = Attributes::new();
        for name in names.split(|&byte| byte == 0).filter(|name| !name.is_empty()) {
            let is_kept = if ACLS.contains(&name) { kept.mode } else { kept.attributes };
            if !is_kept {
                continue;
            }
            let text = c_string(name);
            let value = match *of {
                At::Pinned(fd) => itself_by_path(syscalls, fd, |path| {
                    syscalls.attribute(path, true, &text, CAPACITY)
                }),
                At::Open(fd) => syscalls.attribute_of(fd, &text, CAPACITY),
                At::Named(..) => continue,
            };
            match value {
                Ok(value) => attributes.push((name.to_vec(), value)),
                // It has vanished, or is not for this user.
                Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(attributes)
    }

    pub(in crate::sys::unix) fn read_attributes_by_name(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        follow: bool,
        kept: Kept,
    ) -> Result<Attributes, Errno> {
        let mut flags = OFlags::PATH | OFlags::CLOEXEC;
        flags.set(OFlags::NOFOLLOW, !follow);
        let fd = self.syscalls.openat(at.as_fd(), text(name), flags, Mode::empty())?;
        let attributes = self.read_attributes(&At::Pinned(fd.as_fd()), kept);
        self.syscalls.close(fd);
        attributes
    }

    pub(in crate::sys::unix) fn keep_attributes(
        &self,
        at: &At<'_>,
        kind: Kind,
        attributes: &Attributes,
        kept: Kept,
        failed: &mut dyn FnMut(Operation, Errno),
    ) {
        // The new entry has inherited the default rules of its directory, if there are any.
        let inherited = match kind {
            _ if !kept.mode => &[][..],
            Kind::Directory => &[ACCESS_ACL, DEFAULT_ACL],
            _ => &[ACCESS_ACL],
        };
        for rules in inherited {
            if attributes.iter().any(|(name, _)| name == rules.to_bytes()) {
                continue;
            }
            let removed = match *at {
                At::Pinned(fd) => itself_by_path(&self.syscalls, fd, |path| {
                    self.syscalls.remove_attribute_at(path, rules)
                }),
                At::Open(fd) => self.syscalls.remove_attribute(fd, rules),
                At::Named(..) => Ok(()),
            };
            match removed {
                Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => {}
                Err(error) => failed(Operation::SetPermissions, error),
            }
        }
        let mut unwritable = None;
        for (name, value) in attributes {
            let text = c_string(name);
            let set = || match *at {
                At::Pinned(fd) => itself_by_path(&self.syscalls, fd, |path| {
                    self.syscalls.set_attribute_at(path, &text, value)
                }),
                At::Open(fd) => self.syscalls.set_attribute(fd, &text, value),
                At::Named(..) => Ok(()),
            };
            let result = match (set(), at) {
                // Attributes of users are content: the permissions must allow to write it.
                (Err(Errno::ACCESS), At::Open(fd)) if unwritable.is_none() => {
                    unwritable = self.make_writable(*fd).ok();
                    set()
                }
                (result, _) => result,
            };
            match result {
                Ok(()) => {}
                // As `cp -a` ignores them: only root may set all of them, and not everywhere.
                Err(Errno::PERM | Errno::OPNOTSUPP) if !ACLS.contains(&&name[..]) => {}
                Err(error) => failed(Operation::SetAttributes, error),
            }
        }
        if let (Some(mode), At::Open(fd)) = (unwritable, at) {
            if let Err(error) = self.syscalls.fchmod(*fd, mode) {
                failed(Operation::SetPermissions, error);
            }
        }
    }

    /// Returns the permissions from before.
    fn make_writable(&self, file: BorrowedFd<'_>) -> Result<Mode, Errno> {
        let mode = Mode::from_raw_mode(self.syscalls.fstat(file)?.st_mode);
        self.syscalls.fchmod(file, mode | Mode::WUSR)?;
        Ok(mode)
    }
}

fn c_string(name: &[u8]) -> CString {
    CString::new(name).unwrap_or_default()
}
