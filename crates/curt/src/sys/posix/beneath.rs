//! Staying beneath a directory by single steps: the portable platform has no question for a whole
//! path.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::dir::{Dir, text};
use super::{LIST, PLACE, Posix};
use crate::name::Name;
use crate::sys::beneath::{Beneath, Fault, File, How, Link, Purpose, Rules, Step, Whole};
use crate::sys::unix;
use curt_paths::Flavor;

impl Posix {
    fn enter_one(&self, at: &Dir, name: Name<'_, u8>, purpose: Purpose) -> Result<Dir, Errno> {
        match purpose {
            Purpose::Place => {
                let flags = PLACE | OFlags::NOFOLLOW;
                let open = || self.door.open_file(at.as_fd(), text(name), flags, Mode::empty());
                Ok(unix::uninterrupted(open)?.into())
            }
            Purpose::Listing => {
                let open = || self.door.open_listing(at.as_fd(), text(name), LIST);
                Dir::try_from(unix::uninterrupted(open)?)
            }
        }
    }
}

impl Beneath for Posix {
    type Handle = File;

    const FLAVOR: Flavor = Flavor::Posix;
    const ITSELF: &'static [u8] = b".\0";
    /// Whether case counts is a matter of the volume, on Apple's systems.
    const SPELLING_IS_NAME: bool = !cfg!(target_vendor = "apple");
    /// What Linux has, and nobody more than that.
    const LONGEST: usize = if cfg!(target_os = "linux") { 4096 } else { 1024 };

    fn open_whole(&self, _: &Dir, _: Name<'_, u8>, _: &How, _: Rules) -> Whole<File> {
        Whole::Unanswered
    }

    fn enter_whole(&self, _: &Dir, _: Name<'_, u8>, _: Purpose, _: Rules) -> Whole<Dir> {
        Whole::Unanswered
    }

    fn find_whole(&self, _: &Dir, _: Name<'_, u8>, _: Rules) -> Whole<File> {
        Whole::Unanswered
    }

    fn enter(&self, at: &Dir, name: Name<'_, u8>, purpose: Purpose) -> Step<Dir> {
        unix::entered(self.enter_one(at, name, purpose))
    }

    fn open(&self, at: &Dir, name: Name<'_, u8>, how: &How) -> Step<File> {
        let flags = unix::flags(how) | OFlags::NOFOLLOW;
        let open = || self.door.open_file(at.as_fd(), text(name), flags, unix::mode(how));
        unix::stepped(unix::uninterrupted(open).map(File::from))
    }

    fn link(&self, at: &Dir, name: Name<'_, u8>) -> io::Result<Link<u8>> {
        let mut target = Vec::new();
        match self.door.readlinkat(at.as_fd(), text(name), &mut target) {
            Ok(()) => Ok(Link::To(target)),
            Err(Errno::INVAL) => Ok(Link::No),
            Err(error) => Err(error.into()),
        }
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
        Ok(self.door.renameat(from.as_fd(), text(name), to.as_fd(), text(fresh))?)
    }

    /// Apple's systems tell the name of a descriptor.
    #[cfg(target_vendor = "apple")]
    fn path_of(&self, handle: &File) -> io::Result<Vec<u8>> {
        Ok(self.door.getpath(handle.as_fd())?)
    }

    /// The systems have no question in common for the name of a descriptor.
    #[cfg(not(target_vendor = "apple"))]
    fn path_of(&self, _handle: &File) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    #[cfg(target_vendor = "apple")]
    fn path_of_dir(&self, dir: &Dir) -> io::Result<Vec<u8>> {
        Ok(self.door.getpath(dir.as_fd())?)
    }

    #[cfg(not(target_vendor = "apple"))]
    fn path_of_dir(&self, _dir: &Dir) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn let_go(&self, handle: File) {
        self.door.close(handle);
    }

    fn error(fault: Fault) -> io::Error {
        unix::error(fault)
    }
}
