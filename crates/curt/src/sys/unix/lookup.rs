//! Looking for programs.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::{Access, Mode, OFlags};
use rustix::io::Errno;

use super::dir::text;
use super::{Dir, Unix, values};
use crate::fields::{Facts, Fields, Kind};
use crate::name::Name;
use crate::sys::{Ask, Candidate, Lookup, Sys};

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
        std::env::var_os(name).map(OsString::into_vec)
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
        candidate(may, || self.query(from, path, ABOUT_CANDIDATE))
    }

    fn head(&self, from: &Dir, path: Name<'_, u8>, room: &mut [u8]) -> io::Result<usize> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = self.door.openat(from.as_fd(), text(path), flags, Mode::empty())?;
        // Once, as the kernel does to see what runs it: a file on a disk gives all that there is room for.
        let length = values::uninterrupted(|| self.door.read(file.as_fd(), room));
        self.door.close(file);
        Ok(length?)
    }
}

/// What is asked about a candidate.
const ABOUT_CANDIDATE: Ask =
    Ask { fields: Fields::KIND.union(Fields::MODE), follow: true, cached: false };

/// What the answer to whether something may be executed means, with the kind of what is there. Where the
/// question is refused (by a filter, or by a kernel before 5.8 for a program that runs as somebody
/// else), the bits of the mode answer.
fn candidate(
    may_execute: Result<(), Errno>,
    about: impl FnOnce() -> io::Result<Facts>,
) -> Candidate {
    match may_execute {
        Ok(()) | Err(Errno::ACCESS | Errno::PERM | Errno::NOSYS) => {}
        Err(Errno::NOENT | Errno::NOTDIR) => return Candidate::Absent,
        Err(error) => return Candidate::Failed(error.into()),
    }
    let facts = match about() {
        Ok(facts) => facts,
        Err(error) => match error.kind() {
            io::ErrorKind::PermissionDenied => return Candidate::Unsearchable,
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => return Candidate::Absent,
            _ => return Candidate::Failed(error),
        },
    };
    let allowed = match may_execute {
        Ok(()) => true,
        Err(Errno::ACCESS) => false,
        Err(_) => facts.mode & 0o111 != 0,
    };
    match facts.kind {
        Kind::Directory => Candidate::Directory,
        Kind::File if allowed => Candidate::Program,
        _ => Candidate::NotExecutable,
    }
}
