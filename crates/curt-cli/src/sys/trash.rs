//! What the trash and the journal of removals take, and why they may refuse an entry. Each system
//! has its own.

use std::ffi::OsString;
use std::io;

/// Which entries a trash, or the journal of removals, takes.
#[derive(Clone, Copy)]
pub(crate) struct TrashRules {
    pub(crate) takes_directories: bool,
    /// An entry that is on another device than its parent is refused.
    #[cfg_attr(windows, allow(dead_code, reason = "mounted volumes are links there"))]
    pub(crate) refuses_mounted: bool,
}

/// What became of an operand that is to be removed in the background.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has the journal"))]
pub(crate) enum SetAside {
    Directory,
    /// It is no directory, and stays: removing it takes no time.
    NoDirectory,
}

/// Why a trash did not take an entry.
#[derive(Debug)]
#[allow(dead_code, reason = "a system needs some of these only")]
pub(crate) enum Refusal {
    Os(io::Error),
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
    /// Another entry took its place meanwhile.
    Replaced,
    /// The same, and that entry was itself renamed to this name, and could not be put back.
    LeftAside(OsString),
    HoldsJournal,
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
