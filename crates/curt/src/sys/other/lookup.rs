//! Looking for programs with the standard library alone.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::dir::Dir;
use super::{Other, text};
use crate::name::Name;
use crate::sys::{Candidate, Lookup};

impl Lookup for Other {
    const DEFAULT_PATH: &'static str = "/bin:/usr/bin";

    fn variable(name: &str) -> Option<Vec<text::Unit>> {
        text::units(Path::new(&std::env::var_os(name)?)).ok()
    }

    /// A text that is no Unicode names nothing, where names must be Unicode.
    fn put(name: &OsStr, into: &mut Vec<text::Unit>) {
        into.extend(text::units(Path::new(name)).unwrap_or_default());
    }

    fn root(&self) -> Dir {
        Dir::new(PathBuf::new(), None)
    }

    #[cfg(unix)]
    fn is_too_long(error: &io::Error) -> bool {
        error.raw_os_error() == Some(rustix::io::Errno::NAMETOOLONG.raw_os_error())
    }

    /// The standard library has no stable word for it: it is an error like any other.
    #[cfg(not(unix))]
    fn is_too_long(_error: &io::Error) -> bool {
        false
    }

    /// 1 call in any case. The library does not ask for whom it is: any of the bits of the mode will do,
    /// where there are such.
    fn executable(&self, from: &Dir, path: Name<'_, text::Unit>) -> Candidate {
        match self.door.metadata(&from.child(path)) {
            Ok(found) if found.is_dir() => Candidate::Directory,
            Ok(found) if found.is_file() && may_be_executed(&found) => Candidate::Program,
            Ok(_) => Candidate::NotExecutable,
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => Candidate::Absent,
                ErrorKind::PermissionDenied => Candidate::Unsearchable,
                _ => Candidate::Failed(error),
            },
        }
    }

    fn head(&self, from: &Dir, path: Name<'_, text::Unit>, room: &mut [u8]) -> io::Result<usize> {
        self.door.read_head(&from.child(path), room)
    }
}

#[cfg(unix)]
fn may_be_executed(found: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
}

/// The library has no answer.
#[cfg(not(unix))]
fn may_be_executed(_found: &Metadata) -> bool {
    true
}
