use std::io;
use std::path::PathBuf;

pub(crate) struct Trashed {
    pub(crate) is_directory: bool,
    /// The path in the trash; `None` on Windows.
    pub(crate) to: Option<PathBuf>,
}

#[derive(Clone, Copy)]
pub(crate) struct TrashRules {
    pub(crate) takes_directories: bool,
    /// Refuses an entry on a different device from its parent.
    #[cfg_attr(windows, allow(dead_code, reason = "mounted volumes are links there"))]
    pub(crate) refuses_mounted: bool,
}

#[derive(Debug)]
#[allow(dead_code, reason = "a system needs some of these only")]
pub(crate) enum Refusal {
    Os(io::Error),
    /// The entry was already missing at the first lookup.
    Missing(io::Error),
    /// The failure's kind in JSON, and the reason.
    Because(&'static str, &'static str),
    /// Like `Because`, with the underlying error.
    Failed(&'static str, String, io::Error),
}

#[allow(dead_code, reason = "a system needs some of these only")]
impl Refusal {
    pub(super) const ROOT: Refusal = Refusal::Because("root-directory", "it is the root directory");
    pub(super) const DOT_OR_DOT_DOT: Refusal =
        Refusal::Because("dot-or-dot-dot", "the path ends in '.' or '..'");
    pub(super) const HOLDS_TRASH: Refusal =
        Refusal::Because("holds-trash", "it is or contains the trash");
    pub(super) const NO_FULL_PATH: Refusal =
        Refusal::Because("no-full-path", "its directory has no absolute path");

    pub(super) const fn no_trash(reason: &'static str) -> Refusal {
        Refusal::Because("no-trash", reason)
    }

    pub(super) fn unusable(error: impl Into<io::Error>) -> Refusal {
        Refusal::Failed("no-trash", "its filesystem has no usable trash".to_owned(), error.into())
    }

    pub(super) fn from_lookup(error: impl Into<io::Error>) -> Refusal {
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
