use std::io;
use std::os::fd::AsFd;

use rustix::fs::{Access, Mode, OFlags};
use rustix::io::Errno;

use super::dir::text;
use super::{Dir, Unix, values};
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::{Request, Sys, Unsearched, Verdict, Which};

impl Which for Unix {
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

    fn executable(&self, from: &Dir, path: Name<'_, u8>) -> Result<Verdict, Unsearched> {
        let may = self.syscalls.may(from.as_fd(), text(path), Access::EXEC_OK);
        verdict(may, || self.query(from, path, ABOUT_CANDIDATE))
    }

    fn head(&self, from: &Dir, path: Name<'_, u8>, buffer: &mut [u8]) -> io::Result<usize> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.syscalls.openat(from.as_fd(), text(path), flags, Mode::empty())?;
        let length = values::uninterrupted(|| self.syscalls.read(file.as_fd(), buffer));
        self.syscalls.close(file);
        Ok(length?)
    }
}

const ABOUT_CANDIDATE: Request = Request { fields: Fields::KIND.union(Fields::MODE), follow: true };

/// If the access check is refused (by a filter, or before Linux 5.8 for a program that runs as
/// another user), only the mode bits decide.
fn verdict(
    may_execute: Result<(), Errno>,
    about: impl FnOnce() -> io::Result<Facts>,
) -> Result<Verdict, Unsearched> {
    match may_execute {
        Ok(()) | Err(Errno::ACCESS | Errno::PERM | Errno::NOSYS) => {}
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Verdict::Absent),
        Err(error) => return Err(Unsearched::Failed(error.into())),
    }
    let facts = match about() {
        Ok(facts) => facts,
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::ACCESS) => return Err(Unsearched::Denied),
            Some(Errno::NOENT | Errno::NOTDIR) => return Ok(Verdict::Absent),
            _ => return Err(Unsearched::Failed(error)),
        },
    };
    let is_allowed = match may_execute {
        Ok(()) => true,
        Err(Errno::ACCESS) => false,
        Err(_) => facts.mode & 0o111 != 0,
    };
    Ok(match facts.kind {
        Kind::Directory => Verdict::Directory,
        Kind::File if is_allowed => Verdict::Program,
        _ if is_allowed => Verdict::NoFile,
        _ => Verdict::NotExecutable,
    })
}
