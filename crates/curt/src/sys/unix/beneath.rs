//! Staying beneath a directory: with one call for a whole path where the system has one (`linux`),
//! otherwise with single steps that follow no link.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, text};
use super::{LIST, PLACE, Unix, values};
use crate::name::Name;
use crate::sys::beneath::{Beneath, Change, File, How, Link, Purpose, Rules, Step, Whole};
use curt_paths::Flavor;

/// Looks up any entry. Only used where there is `O_PATH`.
pub(super) const ANYTHING: OFlags =
    if cfg!(target_os = "linux") { PLACE.difference(OFlags::DIRECTORY) } else { LIST };

/// Returns the flags to open a directory for a purpose.
fn directory(purpose: Purpose) -> OFlags {
    match purpose {
        Purpose::Place => PLACE,
        Purpose::Listing => LIST.difference(OFlags::NOFOLLOW),
    }
}

impl Unix {
    fn dir_for(&self, purpose: Purpose, fd: OwnedFd) -> Result<Dir, Errno> {
        if purpose == Purpose::Listing { self.listed(fd) } else { Ok(fd.into()) }
    }
}

impl Beneath for Unix {
    type Handle = File;

    const FLAVOR: Flavor = Flavor::Posix;
    /// On Apple's systems, the volume decides whether case is ignored.
    const SPELLING_IS_NAME: bool = !cfg!(target_vendor = "apple");
    /// The limit of Linux; no other system has a larger one.
    const LONGEST: usize = if cfg!(target_os = "linux") { 4096 } else { 1024 };

    fn open_whole(&self, root: &Dir, path: Name<'_, u8>, how: &How, rules: Rules) -> Whole<File> {
        let follow = if how.follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        self.whole(root, path, (values::flags(how) | follow, values::mode(how)), rules, |fd| {
            Ok(fd.into())
        })
    }

    fn enter_whole(
        &self,
        root: &Dir,
        path: Name<'_, u8>,
        purpose: Purpose,
        rules: Rules,
    ) -> Whole<Dir> {
        self.whole(root, path, (directory(purpose), Mode::empty()), rules, |fd| {
            self.dir_for(purpose, fd)
        })
    }

    fn find_whole(&self, root: &Dir, path: Name<'_, u8>, rules: Rules) -> Whole<File> {
        self.whole(root, path, (ANYTHING, Mode::empty()), rules, |fd| Ok(fd.into()))
    }

    fn enter(&self, at: &Dir, name: Name<'_, u8>, purpose: Purpose) -> Step<Dir> {
        let flags = directory(purpose) | OFlags::NOFOLLOW;
        let open = || self.door.openat(at.as_fd(), text(name), flags, Mode::empty());
        values::entered(values::uninterrupted(open).and_then(|fd| self.dir_for(purpose, fd)))
    }

    fn open(&self, at: &Dir, name: Name<'_, u8>, how: &How) -> Step<File> {
        let flags = values::flags(how) | OFlags::NOFOLLOW;
        let opened = values::uninterrupted(|| {
            self.door.openat(at.as_fd(), text(name), flags, values::mode(how))
        });
        values::stepped(opened.map(File::from))
    }

    fn link(&self, at: &Dir, name: Name<'_, u8>) -> io::Result<Link<u8>> {
        self.link_as_it_is(at, name)
    }

    #[cfg(target_os = "linux")]
    fn followed(&self, at: &Dir, name: Name<'_, u8>, is_last: bool) -> io::Result<Link<u8>> {
        self.link_to_follow(at, name, is_last)
    }

    fn create_dir(&self, at: &Dir, name: Name<'_, u8>, mode: u32) -> io::Result<()> {
        Ok(self.door.mkdirat(at.as_fd(), text(name), values::bits(mode))?)
    }

    fn rename(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
        replace: bool,
    ) -> io::Result<()> {
        Ok(self.door.rename(from.as_fd(), text(name), to.as_fd(), text(fresh), replace)?)
    }

    fn symlink(&self, target: Name<'_, u8>, at: &Dir, name: Name<'_, u8>) -> io::Result<()> {
        Ok(self.door.symlinkat(text(target), at.as_fd(), text(name))?)
    }

    fn hard_link(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
    ) -> io::Result<()> {
        Ok(self.door.linkat(from.as_fd(), text(name), to.as_fd(), text(fresh))?)
    }

    #[cfg(target_os = "linux")]
    fn change_whole(
        &self,
        root: &Dir,
        path: Name<'_, u8>,
        change: &Change,
        rules: Rules,
    ) -> Whole<()> {
        self.whole(root, path, (ANYTHING, Mode::empty()), rules, |fd| {
            let changed = self.change_open(fd.as_fd(), change);
            self.door.close(fd);
            changed
        })
    }

    fn change(&self, at: &Dir, name: Name<'_, u8>, change: &Change) -> Step<()> {
        match self.change_unless_link(at, name, change) {
            Ok(true) => Step::Done(()),
            Ok(false) => Step::Otherwise,
            Err(error) => Step::Failed(error.into()),
        }
    }

    fn path_of(&self, handle: &File) -> io::Result<Vec<u8>> {
        self.name_of(handle.as_fd())
    }

    fn path_of_dir(&self, dir: &Dir) -> io::Result<Vec<u8>> {
        self.name_of(dir.as_fd())
    }

    fn is_at(&self, from: &Dir, path: &[u8], handle: &File) -> io::Result<bool> {
        Ok(self.leads_to(from.as_fd(), path, handle.as_fd())?)
    }

    fn is_dir_at(&self, from: &Dir, path: &[u8], dir: &Dir) -> io::Result<bool> {
        Ok(self.leads_to(from.as_fd(), path, dir.as_fd())?)
    }

    fn let_go(&self, handle: File) {
        self.door.close(handle);
    }
}
