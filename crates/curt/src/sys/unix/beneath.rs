//! Untrusted paths: in one call on Linux (`linux`), elsewhere in single steps.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, text};
use super::{LIST, LOOKUP, Unix, values};
use crate::name::Name;
use crate::sys::beneath::{
    Beneath, Change, File, How, Link, Open, Purpose, Reading, Rules, Step, Want, Whole,
};
use curt_paths::Flavor;

fn descriptor(open: Open<'_, Unix>) -> BorrowedFd<'_> {
    match open {
        Open::File(file) => file.as_fd(),
        Open::Dir(dir) => dir.as_fd(),
    }
}

pub(super) fn directory(purpose: Purpose) -> OFlags {
    match purpose {
        Purpose::Lookup => LOOKUP,
        Purpose::Listing => LIST.difference(OFlags::NOFOLLOW),
    }
}

impl Unix {
    fn dir_for(&self, purpose: Purpose, fd: OwnedFd) -> Result<Dir, Errno> {
        if purpose == Purpose::Listing { self.listed(fd) } else { Ok(fd.into()) }
    }

    /// Clears `O_NONBLOCK` if only opening had to be nonblocking.
    pub(super) fn file_for(&self, how: &How, fd: OwnedFd) -> Result<File, Errno> {
        if how.nonblocking_open && !how.nonblocking {
            let flags = values::flags(how).difference(OFlags::NONBLOCK);
            if let Err(error) = self.syscalls.set_status(fd.as_fd(), flags) {
                self.syscalls.close(fd);
                return Err(error);
            }
        }
        Ok(fd.into())
    }
}

impl Beneath for Unix {
    type Handle = File;

    const FLAVOR: Flavor = Flavor::Posix;
    /// False on Apple's systems, where the volume decides whether case is ignored.
    const SPELLING_IS_NAME: bool = !cfg!(target_vendor = "apple");
    /// `PATH_MAX`: 4096 on Linux, 1024 on macOS and the BSDs.
    const LONGEST: usize = if cfg!(target_os = "linux") { 4096 } else { 1024 };

    fn whole(&self, root: &Dir, path: Name<'_, u8>, want: Want<'_>, rules: Rules) -> Whole<File> {
        self.resolve_at_once(root, path, want, rules)
    }

    fn dir_from(&self, handle: File, _root: &Dir, purpose: Purpose) -> io::Result<Dir> {
        Ok(self.dir_for(purpose, handle.into())?)
    }

    fn close_handle(&self, handle: File) {
        self.syscalls.close(handle);
    }

    fn enter(&self, at: &Dir, name: Name<'_, u8>, purpose: Purpose) -> Step<Dir> {
        let flags = directory(purpose) | OFlags::NOFOLLOW;
        let open = || self.syscalls.openat(at.as_fd(), text(name), flags, Mode::empty());
        values::entered(values::uninterrupted(open).and_then(|fd| self.dir_for(purpose, fd)))
    }

    fn open(&self, at: &Dir, name: Name<'_, u8>, how: &How) -> Step<File> {
        let flags = values::flags(how) | OFlags::NOFOLLOW;
        let opened = values::uninterrupted(|| {
            self.syscalls.openat(at.as_fd(), text(name), flags, values::mode(how))
        });
        values::stepped(opened.and_then(|fd| self.file_for(how, fd)))
    }

    fn link(&self, at: &Dir, name: Name<'_, u8>, reading: Reading) -> io::Result<Link<u8>> {
        self.read_link_for(at, name, reading)
    }

    fn create_dir(&self, at: &Dir, name: Name<'_, u8>, mode: u32) -> io::Result<()> {
        Ok(self.syscalls.mkdirat(at.as_fd(), text(name), values::bits(mode))?)
    }

    fn rename(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
        replace: bool,
    ) -> io::Result<()> {
        Ok(self.syscalls.rename(from.as_fd(), text(name), to.as_fd(), text(fresh), replace)?)
    }

    fn symlink(&self, target: Name<'_, u8>, at: &Dir, name: Name<'_, u8>) -> io::Result<()> {
        Ok(self.syscalls.symlinkat(text(target), at.as_fd(), text(name))?)
    }

    fn hard_link(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
    ) -> io::Result<()> {
        Ok(self.syscalls.linkat(from.as_fd(), text(name), to.as_fd(), text(fresh))?)
    }

    fn change(&self, at: &Dir, name: Name<'_, u8>, change: &Change) -> Step<()> {
        match self.change_unless_link(at, name, change) {
            Ok(true) => Step::Done(()),
            Ok(false) => Step::Other,
            Err(error) => Step::Failed(error.into()),
        }
    }

    fn path_of(&self, open: Open<'_, Self>) -> io::Result<Vec<u8>> {
        self.name_of(descriptor(open))
    }

    fn is_at(&self, from: &Dir, path: &[u8], open: Open<'_, Self>) -> io::Result<bool> {
        Ok(self.resolves_to(from.as_fd(), path, descriptor(open))?)
    }
}
