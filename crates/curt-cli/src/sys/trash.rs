//! The rules and answers of the trash. Each system has its own trash.

use std::io;
use std::path::PathBuf;

/// An entry that was moved to the trash, or in a dry run would be.
pub(crate) struct Trashed {
    pub(crate) is_directory: bool,
    /// Where it is now; the bin of Windows does not tell.
    pub(crate) to: Option<PathBuf>,
}

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
    /// The kind of the failure in JSON, and the reason.
    Because(&'static str, &'static str),
    /// The same, and the error behind it.
    Failed(&'static str, &'static str, io::Error),
}

#[allow(dead_code, reason = "a system needs some of these only")]
impl Refusal {
    pub(super) const ROOT: Refusal = Refusal::Because("root-directory", "it is the root directory");
    pub(super) const DOT_OR_DOT_DOT: Refusal =
        Refusal::Because("dot-or-dot-dot", "'.' and '..' are not names of entries");
    pub(super) const HOLDS_TRASH: Refusal =
        Refusal::Because("holds-trash", "it contains the trash");
    /// Nobody could put the entry back.
    pub(super) const NO_FULL_PATH: Refusal =
        Refusal::Because("no-full-path", "its directory cannot be reached by a full path");

    pub(super) const fn no_trash(reason: &'static str) -> Refusal {
        Refusal::Because("no-trash", reason)
    }

    pub(super) fn unusable(error: impl Into<io::Error>) -> Refusal {
        Refusal::Failed("no-trash", "its filesystem has no trash that you can use", error.into())
    }

    /// For an error of the first look at an operand.
    pub(super) fn looked(error: impl Into<io::Error>) -> Refusal {
        let error = error.into();
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Refusal::Missing(error),
            _ => Refusal::Os(error),
        }
    }
}

impl<E: Into<io::Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal::Os(error.into())
    }
}
