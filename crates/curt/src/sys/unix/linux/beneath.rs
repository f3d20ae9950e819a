//! Untrusted paths on Linux: `openat2(2)` resolves a whole path in one call, or reports an escape.
//! Open files are named and changed through `/proc`.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::{NO_OPENAT2, descriptor};
use crate::name::Name;
use crate::sys::beneath::{Change, File, Link, Reading, Rules, Want, Whole};
use crate::sys::unix::beneath::directory;
use crate::sys::unix::dir::{Dir, text};
use crate::sys::unix::{LOOKUP, StatTarget, Unix, values};
use crate::sys::{Feature, Request, Sys};

/// How often `openat2` is tried if it fails with `EAGAIN`: while any process renames or mounts, the
/// kernel cannot resolve `..` safely. Early retries follow at once, later ones after a pause.
/// Single steps are no fallback, because a process that keeps renaming could force them (ADR 36).
const TRIES: u32 = 64;
const AT_ONCE: u32 = 24;
const PAUSE: Duration = Duration::from_micros(250);

const LOOKUP_ANY: OFlags = LOOKUP.difference(OFlags::DIRECTORY);

/// `PROC_SUPER_MAGIC`. Only this filesystem has magic links.
const PROC: i64 = 0x9fa0;

/// `ST_NOSYMFOLLOW` (Linux 5.10): symlinks on this mount are not followed.
const NO_LINKS: u64 = 0x2000;

/// `S_ISVTX` and `S_IWOTH`.
const STICKY_WORLD_WRITABLE: u32 = 0o1002;

impl Unix {
    pub(in crate::sys::unix) fn resolve_at_once(
        &self,
        root: &Dir,
        path: Name<'_, u8>,
        want: Want<'_>,
        rules: Rules,
    ) -> Whole<File> {
        if !self.may_openat2() {
            return Whole::Unanswered;
        }
        let scope = if rules.in_root { ResolveFlags::IN_ROOT } else { ResolveFlags::BENEATH };
        let links =
            if rules.no_links { ResolveFlags::NO_SYMLINKS } else { ResolveFlags::NO_MAGICLINKS };
        let flags = match want {
            Want::File(how) => {
                let follow = if how.follow { OFlags::empty() } else { OFlags::NOFOLLOW };
                (values::flags(how) | follow, values::mode(how))
            }
            Want::Directory(purpose) => (directory(purpose), Mode::empty()),
            Want::Name | Want::Change(_) => (LOOKUP_ANY, Mode::empty()),
        };
        match self.open_within(root, text(path), flags, scope | links) {
            Ok(fd) => match want {
                Want::File(how) => match self.file_for(how, fd) {
                    Ok(file) => Whole::Opened(file),
                    Err(error) => Whole::Failed(error.into()),
                },
                Want::Change(change) => match self.change_pinned(fd.as_fd(), change) {
                    Ok(()) => Whole::Opened(fd.into()),
                    Err(error) => {
                        self.syscalls.close(fd);
                        Whole::Failed(error.into())
                    }
                },
                Want::Directory(_) | Want::Name => Whole::Opened(fd.into()),
            },
            Err(Errno::XDEV) => Whole::Escape,
            Err(Errno::NOSYS) => {
                NO_OPENAT2.store(true, Ordering::Relaxed);
                Whole::Unanswered
            }
            Err(Errno::PERM) if self.is_filtered(root, scope) => Whole::Unanswered,
            Err(Errno::LOOP) => Whole::Unfollowed(Errno::LOOP.into()),
            Err(error) => Whole::Failed(error.into()),
        }
    }

    fn open_within(
        &self,
        root: &Dir,
        path: &CStr,
        (flags, mode): (OFlags, Mode),
        resolve: ResolveFlags,
    ) -> Result<OwnedFd, Errno> {
        let mut tries = 1;
        loop {
            match self.syscalls.openat2(root.as_fd(), path, flags, mode, resolve) {
                Err(Errno::AGAIN) if tries < TRIES => {
                    if tries >= AT_ONCE {
                        self.syscalls.sleep(PAUSE);
                    }
                    tries += 1;
                }
                answer => return answer,
            }
        }
    }

    /// Whether a security filter refuses `openat2` even for the root. If so, this worker stops
    /// calling it.
    fn is_filtered(&self, root: &Dir, scope: ResolveFlags) -> bool {
        match self.open_within(root, c".", (LOOKUP, Mode::empty()), scope) {
            Ok(fd) => {
                self.syscalls.close(fd);
                false
            }
            Err(error) => {
                self.native.openat2_refused.set(error == Errno::PERM);
                error == Errno::PERM
            }
        }
    }

    /// Returns the target of an open symlink if the kernel would follow it.
    fn target(&self, at: &Dir, link: BorrowedFd<'_>, is_last: bool) -> Result<Link<u8>, Errno> {
        let mut target = Vec::new();
        let read = self.syscalls.readlinkat(link, c"", &mut target);
        if read == Err(Errno::NOENT) {
            return Ok(Link::No);
        }
        if is_last {
            self.may_follow(at, link)?;
        }
        let (system, flags) = self.syscalls.file_system(link)?;
        if flags & NO_LINKS != 0 {
            return Ok(Link::Refused(Errno::LOOP.raw_os_error()));
        }
        Ok(match read {
            Err(error) => Link::Refused(error.raw_os_error()),
            Ok(()) if system == PROC && may_be_magic(&target) => Link::Opaque,
            Ok(()) => Link::To(target),
        })
    }

    /// Applies `fs.protected_symlinks`: in a sticky, world-writable directory, a symlink in the
    /// last component must belong to this user or to the directory's owner.
    fn may_follow(&self, at: &Dir, link: BorrowedFd<'_>) -> Result<(), Errno> {
        let dir = self.plain_stat(at.as_fd(), StatTarget::of(at), AtFlags::empty())?;
        if dir.st_mode & STICKY_WORLD_WRITABLE != STICKY_WORLD_WRITABLE {
            return Ok(());
        }
        let owner = self.syscalls.fstat(link)?.st_uid;
        if owner == dir.st_uid || owner == self.syscalls.user() || !self.protects_links() {
            return Ok(());
        }
        Err(Errno::ACCESS)
    }

    /// Assumes the protection if the setting cannot be read; only root may read it.
    fn protects_links(&self) -> bool {
        let path = Path::new("/proc/sys/fs/protected_symlinks");
        let Ok(file) = self.syscalls.open_path(CWD, path, OFlags::RDONLY | OFlags::CLOEXEC) else {
            return true;
        };
        let mut value = [0];
        let read = self.syscalls.read(file.as_fd(), &mut value);
        self.syscalls.close(file);
        (read, value) != (Ok(1), *b"0")
    }

    pub(in crate::sys::unix) fn name_of(&self, fd: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
        /// The kernel appends this if the name is gone. A real name may end with it too.
        const DELETED: &[u8] = b" (deleted)";
        let mut path = Vec::new();
        let read = |link: &_| self.syscalls.readlinkat(CWD, link, &mut path);
        descriptor::by_path(&self.syscalls, fd, b"", read)?;
        if path.first() != Some(&b'/') {
            // The file is outside this process's root.
            return Err(Errno::XDEV.into());
        }
        if path.ends_with(DELETED) && !self.resolves_to(CWD, &path, fd)? {
            return Err(Errno::NOENT.into());
        }
        Ok(path)
    }

    /// Returns the canonical path, or `None` if the kernel has no answer. Makes 5 system calls.
    pub(in crate::sys::unix) fn canonical_at_once(
        &self,
        path: Name<'_, u8>,
    ) -> io::Result<Option<Vec<u8>>> {
        if !self.has(Feature::OpenName) {
            return Ok(None);
        }
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = match self.syscalls.openat(CWD, text(path), flags, Mode::empty()) {
            // The C library accepts longer paths than the kernel.
            Err(Errno::NAMETOOLONG) => return Ok(None),
            opened => opened?,
        };
        let name = self.verified_name(file.as_fd());
        self.syscalls.close(file);
        Ok(name.ok())
    }

    pub(in crate::sys::unix) fn read_link_for(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        reading: Reading,
    ) -> io::Result<Link<u8>> {
        match reading {
            Reading::Look => self.link_as_it_is(at, name),
            Reading::Follow { is_last } => self.link_to_follow(at, name, is_last),
        }
    }

    /// Makes 1 system call, or 2 for a possible magic link, whose text is not a path.
    fn link_as_it_is(&self, at: &Dir, name: Name<'_, u8>) -> io::Result<Link<u8>> {
        let mut target = Vec::new();
        match self.syscalls.readlinkat(at.as_fd(), text(name), &mut target) {
            Ok(()) => {}
            Err(Errno::INVAL) => return Ok(Link::No),
            // Either a magic link of another user's process, or the directory is not searchable.
            Err(Errno::ACCESS) if self.query(at, name, Request::STAT)?.kind.is_link() => {
                return Ok(Link::Refused(Errno::ACCESS.raw_os_error()));
            }
            Err(error) => return Err(error.into()),
        }
        if may_be_magic(&target) && self.syscalls.file_system(at.as_fd())?.0 == PROC {
            return Ok(Link::Opaque);
        }
        Ok(Link::To(target))
    }

    /// Opens the symlink itself, so that all queries concern the same one. Makes 4 system calls, 1
    /// more for the last component of a path, and up to 5 more in a sticky, world-writable
    /// directory.
    fn link_to_follow(&self, at: &Dir, name: Name<'_, u8>, is_last: bool) -> io::Result<Link<u8>> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || self.syscalls.openat(at.as_fd(), text(name), flags, Mode::empty());
        let link = values::uninterrupted(open)?;
        let target = self.target(at, link.as_fd(), is_last);
        self.syscalls.close(link);
        Ok(target?)
    }

    /// Changes a file, even one opened with `O_PATH`, through its path in `/proc`: `fchmodat2`
    /// needs Linux 6.6.
    pub(in crate::sys::unix) fn change_pinned(
        &self,
        fd: BorrowedFd<'_>,
        change: &Change,
    ) -> Result<(), Errno> {
        let (at, follow) = (CWD, AtFlags::empty());
        match change {
            Change::Permissions(permissions) => {
                let mode = values::permissions(permissions);
                let set = |path: &CStr| self.syscalls.chmodat(at, path, mode, follow);
                descriptor::itself_by_path(&self.syscalls, fd, set)
            }
            Change::Times { accessed, modified } => {
                let times = values::times(*accessed, *modified);
                let set = |path: &CStr| self.syscalls.utimensat(at, path, &times, follow);
                descriptor::itself_by_path(&self.syscalls, fd, set)
            }
        }
    }

    pub(in crate::sys::unix) fn change_unless_link(
        &self,
        at: &Dir,
        name: Name<'_, u8>,
        change: &Change,
    ) -> Result<bool, Errno> {
        let flags = LOOKUP_ANY | OFlags::NOFOLLOW;
        let fd = values::uninterrupted(|| {
            self.syscalls.openat(at.as_fd(), text(name), flags, Mode::empty())
        })?;
        let changed = self.syscalls.fstat(fd.as_fd()).and_then(|stat| {
            let is_link = values::facts_from(&stat).kind.is_link();
            if is_link { Ok(false) } else { self.change_pinned(fd.as_fd(), change).map(|()| true) }
        });
        self.syscalls.close(fd);
        changed
    }
}

fn may_be_magic(target: &[u8]) -> bool {
    target.first() == Some(&b'/') || target.contains(&b':')
}
