//! What the trash takes, and why it may refuse an entry. Each system has its own.

use std::io;
use std::path::PathBuf;

/// What became of an entry that a trash took, or in a dry run would take.
pub(crate) struct Trashed {
    pub(crate) is_directory: bool,
    /// Where it is now; the bin of Windows does not tell.
    pub(crate) to: Option<PathBuf>,
}

/// Which entries a trash takes.
#[derive(Clone, Copy)]
pub(crate) struct TrashRules {
    pub(crate) takes_directories: bool,
    /// An entry that is on another device than its parent is refused.
    #[cfg_attr(windows, allow(dead_code, reason = "mounted volumes are links there"))]
    pub(crate) refuses_mounted: bool,
}

/// Why a trash did not take an entry.
#[derive(Debug)]
#[allow(dead_code, reason = "a system needs some of these only")]
pub(crate) enum Refusal {
    Os(io::Error),
    /// The operand itself is missing, by the first look at it.
    Missing(io::Error),
    /// The operand is the root directory.
    Root,
    /// The last name of the operand is `.` or `..`.
    DotOrDotDot,
    /// A separator follows the name of a link.
    LinkWithSlash,
    /// The entry is on another device than its parent.
    OtherFileSystem,
    /// Something is mounted below it: emptying the trash would remove that.
    MountBelow,
    /// What is mounted cannot be read.
    UnknownMounts(io::Error),
    /// No full path leads to the directory that it is in, so nobody could put it back.
    NoFullPath,
    InTrash,
    HoldsTrash,
    /// Its filesystem has no trash that this user can use.
    NoTrash(io::Error),
    /// The trash of this system would not take the path, or would destroy the entry.
    NotRecycled(&'static str),
}

impl<E: Into<io::Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal::Os(error.into())
    }
}
