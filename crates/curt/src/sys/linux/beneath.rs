//! Staying beneath a directory: `openat2` says in one call what a path leads to, or that it leaves.
//! Its twin are single steps that follow nothing.

use std::borrow::Cow;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::descriptor;
use super::dir::{Dir, text};
use super::{LIST, Linux, NO_OPENAT2, PLACE};
use crate::flavor::Flavor;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::sys::beneath::{Beneath, Fault, File, How, Link, Purpose, Rules, Step, Whole};
use crate::sys::unix;
use crate::untrusted::PathCheck;

/// How often a path is tried again while others rename what lies on it (`EAGAIN`). After that the
/// single steps are taken, which such a rename does not disturb.
const TRIES: usize = 4;

/// The file system with the links that lead where no text says.
const PROC: i64 = 0x9fa0;

/// Directories opened for a purpose.
fn directory(purpose: Purpose) -> OFlags {
    match purpose {
        Purpose::Place => PLACE,
        Purpose::Listing => LIST.difference(OFlags::NOFOLLOW),
    }
}

impl Linux {
    /// One `openat2` for a whole path.
    fn whole<T: From<OwnedFd>>(
        &self,
        root: &Dir,
        path: Name<'_, u8>,
        (flags, mode): (OFlags, Mode),
        rules: Rules,
    ) -> Whole<T> {
        if !self.may_openat2() {
            return Whole::Unanswered;
        }
        let scope = if rules.in_root { ResolveFlags::IN_ROOT } else { ResolveFlags::BENEATH };
        let links =
            if rules.no_links { ResolveFlags::NO_SYMLINKS } else { ResolveFlags::NO_MAGICLINKS };
        for _ in 0..TRIES {
            let resolve = scope | links;
            match self.door.openat2(root.as_fd(), text(path), flags, mode, resolve) {
                Ok(fd) => return Whole::Opened(fd.into()),
                Err(Errno::AGAIN) => {}
                Err(Errno::XDEV) => return Whole::Escape,
                Err(Errno::NOSYS) => {
                    NO_OPENAT2.store(true, Ordering::Relaxed);
                    break;
                }
                // A filter or the file itself refused; a magic link or a loop of links was met: the
                // single steps tell which.
                Err(Errno::PERM | Errno::LOOP) => break,
                Err(error) => return Whole::Failed(error.into()),
            }
        }
        Whole::Unanswered
    }

    /// The name of a descriptor, as the kernel's directory cache has it.
    fn name_of(&self, fd: BorrowedFd<'_>) -> io::Result<Vec<u8>> {
        /// What the kernel adds where a name is gone, which a name may also end in by itself.
        const DELETED: &[u8] = b" (deleted)";
        let mut path = Vec::new();
        let read = |link: &_| self.door.readlinkat(rustix::fs::CWD, link, &mut path);
        descriptor::by_path(&self.door, fd, b"", read)?;
        if path.first() != Some(&b'/') {
            // It lies outside of what this process can see.
            return Err(Errno::XDEV.into());
        }
        if path.ends_with(DELETED) && self.door.fstatat(fd, c"", AtFlags::EMPTY_PATH)?.st_nlink == 0
        {
            return Err(Errno::NOENT.into());
        }
        Ok(path)
    }
}

impl Beneath for Linux {
    type Handle = File;

    const FLAVOR: Flavor = Flavor::Posix;
    const ITSELF: &'static [u8] = b".\0";
    const SPELLING_IS_NAME: bool = true;
    const LONGEST: usize = 4096;

    fn checked(check: PathCheck, text: &[u8]) -> Result<Cow<'_, [u8]>, Refusal> {
        check.check(text).map(|()| Cow::Borrowed(text))
    }

    fn open_whole(&self, root: &Dir, path: Name<'_, u8>, how: &How, rules: Rules) -> Whole<File> {
        let follow = if how.follow { OFlags::empty() } else { OFlags::NOFOLLOW };
        self.whole(root, path, (unix::flags(how) | follow, unix::mode(how)), rules)
    }

    fn enter_whole(
        &self,
        root: &Dir,
        path: Name<'_, u8>,
        purpose: Purpose,
        rules: Rules,
    ) -> Whole<Dir> {
        self.whole(root, path, (directory(purpose), Mode::empty()), rules)
    }

    fn find_whole(&self, root: &Dir, path: Name<'_, u8>, rules: Rules) -> Whole<File> {
        self.whole(root, path, (OFlags::PATH | OFlags::CLOEXEC, Mode::empty()), rules)
    }

    fn enter(&self, at: &Dir, name: Name<'_, u8>, purpose: Purpose) -> Step<Dir> {
        let flags = directory(purpose) | OFlags::NOFOLLOW;
        unix::entered(self.door.openat(at.as_fd(), text(name), flags, Mode::empty()).map(Dir::from))
    }

    fn open(&self, at: &Dir, name: Name<'_, u8>, how: &How) -> Step<File> {
        let flags = unix::flags(how) | OFlags::NOFOLLOW;
        let opened = self.door.openat(at.as_fd(), text(name), flags, unix::mode(how));
        unix::stepped(opened.map(File::from))
    }

    /// In `/proc` the text of some links is only a picture of where they lead. 1 call; there, and for
    /// what looks like one of those, 2.
    fn link(&self, at: &Dir, name: Name<'_, u8>) -> io::Result<Link<u8>> {
        let mut target = Vec::new();
        match self.door.readlinkat(at.as_fd(), text(name), &mut target) {
            Ok(()) => {}
            Err(Errno::INVAL) => return Ok(Link::No),
            Err(error) => return Err(error.into()),
        }
        let may_be_magic = target.first() == Some(&b'/') || target.contains(&b':');
        if may_be_magic && self.door.file_system(at.as_fd()).is_ok_and(|magic| magic == PROC) {
            return Ok(Link::Opaque);
        }
        Ok(Link::To(target))
    }

    fn create_dir(&self, at: &Dir, name: Name<'_, u8>, mode: u32) -> io::Result<()> {
        Ok(self.door.mkdirat(at.as_fd(), text(name), unix::bits(mode))?)
    }

    fn rename(
        &self,
        from: &Dir,
        name: Name<'_, u8>,
        to: &Dir,
        fresh: Name<'_, u8>,
    ) -> io::Result<()> {
        Ok(self.door.rename_over(from.as_fd(), text(name), to.as_fd(), text(fresh))?)
    }

    fn path_of(&self, handle: &File) -> io::Result<Vec<u8>> {
        self.name_of(handle.as_fd())
    }

    fn path_of_dir(&self, dir: &Dir) -> io::Result<Vec<u8>> {
        self.name_of(dir.as_fd())
    }

    fn let_go(&self, handle: File) {
        self.door.close(handle.into());
    }

    fn error(fault: Fault) -> io::Error {
        unix::error(fault)
    }
}
