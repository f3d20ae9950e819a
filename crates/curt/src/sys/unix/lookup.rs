//! Looking for programs.

use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{Access, Mode, OFlags};
use rustix::io::Errno;

use super::dir::text;
use super::{Dir, Unix, values};
use crate::name::Name;
use crate::sys::{Candidate, Lookup, Sys};

impl Lookup for Unix {
    #[cfg(any(target_vendor = "apple", target_os = "freebsd", target_os = "dragonfly"))]
    const DEFAULT_PATH: &'static str = "/usr/bin:/bin:/usr/sbin:/sbin";
    #[cfg(target_os = "openbsd")]
    const DEFAULT_PATH: &'static str =
        "/usr/bin:/bin:/usr/sbin:/sbin:/usr/X11R6/bin:/usr/local/bin:/usr/local/sbin";
    #[cfg(target_os = "netbsd")]
    const DEFAULT_PATH: &'static str = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/pkg/bin:/usr/local/bin";
    #[cfg(not(any(
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "dragonfly",
        target_os = "openbsd",
        target_os = "netbsd"
    )))]
    const DEFAULT_PATH: &'static str = "/bin:/usr/bin";

    fn variable(name: &str) -> Option<Vec<u8>> {
        values::variable(name)
    }

    fn put(text: &OsStr, into: &mut Vec<u8>) {
        into.extend_from_slice(text.as_bytes());
    }

    fn root(&self) -> Dir {
        Dir::working()
    }

    fn is_too_long(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error())
    }

    fn executable(&self, from: &Dir, path: Name<'_, u8>) -> Candidate {
        let may = self.door.may(from.as_fd(), text(path), Access::EXEC_OK);
        values::candidate(may, || self.query(from, path, values::ABOUT_CANDIDATE))
    }

    fn head(&self, from: &Dir, path: Name<'_, u8>, room: &mut [u8]) -> io::Result<usize> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.door.openat(from.as_fd(), text(path), flags, Mode::empty())?;
        let length = values::read_head(room, |room| self.door.read(file.as_fd(), room));
        self.door.close(file);
        length
    }
}
