//! Open directories of the tree, and text.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::Shared;
use crate::sys::records::Records;
use crate::sys::{Last, Operand};

/// The buffer of one worker.
pub(crate) type DirBuf = Records<u8>;

/// The number of the working directory, which is the root and is never closed.
pub(super) const WORKING: u64 = 0;

/// An open directory: a number that the tree knows the node by, wherever that is moved to.
pub(crate) struct Dir {
    pub(super) world: Shared,
    pub(super) number: u64,
}

impl Drop for Dir {
    fn drop(&mut self) {
        self.world.lock().close(self.number);
    }
}

impl fmt::Debug for Dir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dir({})", self.number)
    }
}

/// Paths are written with `/` here on every system.
pub(super) fn operand(path: &Path) -> Operand<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let end = bytes.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let begin = bytes[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let last = match &bytes[begin..end] {
        _ if bytes.is_empty() => Last::Invalid(io::ErrorKind::NotFound),
        _ if bytes.contains(&0) => Last::Invalid(io::ErrorKind::InvalidInput),
        b"" => Last::Root,
        b"." | b".." => Last::DotOrDotDot,
        name => Last::Name([name, b"\0"].concat()),
    };
    let parent = self::path(bytes[..begin].to_vec());
    Operand { parent, last, directory_only: end < bytes.len() }
}

#[cfg(unix)]
pub(super) fn path(units: Vec<u8>) -> PathBuf {
    let text: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(units);
    text.into()
}

/// For the eye alone: tests with names that are no Unicode run on Unix.
#[cfg(not(unix))]
pub(super) fn path(units: Vec<u8>) -> PathBuf {
    let text = String::from_utf8(units);
    text.unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned()).into()
}
