//! The choices for an expansion, and why one can fail.

use std::error;
use std::fmt;

/// The system whose rules a path follows. Any of them can be chosen on any system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Bytes, one separator, one root: Linux, macOS and the BSDs.
    Posix,
    /// 16-bit units, two separators, drives, shares and devices.
    Windows,
}

impl Flavor {
    /// The flavor of the system this was built for.
    pub const NATIVE: Flavor =
        if std::path::MAIN_SEPARATOR == '\\' { Flavor::Windows } else { Flavor::Posix };
}

/// The release of Windows whose device names are reserved. Of the rules for path text, only these
/// changed between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Release {
    /// Windows 10 and older, and servers up to 2022: a device name at the end of any path, with or
    /// without an extension.
    Windows10,
    /// Windows 11 (from build 21000): a device name that is the whole path, and `NUL` without an
    /// extension at the end of any path.
    Windows11,
}

/// Whose expansion to perform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// The system's own: `GetFullPathNameW`, and on POSIX what [`DotDot`] says. A tilde is an
    /// ordinary character.
    #[default]
    Native,
    /// Ruby's `File.expand_path`: a leading tilde is a home directory, a trailing separator is
    /// dropped, and Windows paths are written with slashes.
    Ruby,
}

/// How `..` is treated. Where a symbolic link may come before it, only the system knows where it
/// leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotDot {
    /// `..` stays, so the path means the same to the kernel. On POSIX a trailing slash stays too.
    Keep,
    /// `..` removes the name before it, and does nothing at the root.
    Clamp,
    /// `..` removes the name before it, and is an error at the root ([`ExpandError::Escape`]).
    Refuse,
}

/// How Windows paths that the kernel takes literally are treated: `\\?\…` and `\??\…`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verbatim {
    /// They are returned unchanged.
    #[default]
    Keep,
    /// They are normalized as `GetFullPathNameW` does, which can change what they mean.
    Normalize,
}

/// All choices of one expander.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) flavor: Flavor,
    pub(crate) release: Release,
    pub(crate) style: Style,
    pub(crate) dot_dot: Option<DotDot>,
    pub(crate) verbatim: Verbatim,
    pub(crate) tilde: Option<bool>,
}

impl Options {
    /// By default no meaning changes: Windows itself folds `..` before it opens any directory, and
    /// Ruby always does, but on POSIX a symbolic link may come before it.
    pub(crate) fn dot_dot(self) -> DotDot {
        self.dot_dot.unwrap_or(match (self.flavor, self.style) {
            (Flavor::Posix, Style::Native) => DotDot::Keep,
            _ => DotDot::Clamp,
        })
    }

    pub(crate) fn tilde(self) -> bool {
        self.tilde.unwrap_or(self.style == Style::Ruby)
    }

    /// Whether a POSIX path means the same to the kernel as before. Then it keeps a trailing slash,
    /// and an empty path is an error.
    pub(crate) fn keeps_meaning(self) -> bool {
        self.style == Style::Native && self.dot_dot() == DotDot::Keep
    }

    pub(crate) fn keeps_verbatim(self) -> bool {
        self.verbatim == Verbatim::Keep && self.style == Style::Native
    }
}

/// Why a path has no expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExpandError {
    /// The path is empty, or on Windows consists of spaces.
    Empty,
    /// The path contains a NUL.
    Nul,
    /// The path begins with a tilde, and no home directory is known.
    NoHome,
    /// The home directory is not a full path.
    HomeNotAbsolute,
    /// The path begins with `~user`, and the user database does not know that user.
    NoUser,
    /// The path has more than 32,765 units on Windows, or its expansion more than Windows allows.
    TooLong,
    /// `..` goes above the root, and [`DotDot::Refuse`] was chosen.
    Escape,
    /// The directory that the path starts from is not known, or is not a full path: on Windows one
    /// without a drive or share, on POSIX a relative one.
    Drive,
    /// The parts of the path cannot be joined: bytes that are not Unicode with 16-bit units or with
    /// a `str`.
    Encoding,
}

impl ExpandError {
    /// Returns a one-word name, as `curt expand --json` prints it.
    pub fn word(self) -> &'static str {
        self.texts().0
    }

    /// The word and the message.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            ExpandError::Empty => ("empty", "the path is empty"),
            ExpandError::Nul => ("nul", "the path contains a NUL"),
            ExpandError::NoHome => ("no-home", "no home directory is known for '~'"),
            ExpandError::HomeNotAbsolute => {
                ("nonabs-home", "the home directory is not a full path")
            }
            ExpandError::NoUser => ("no-user", "there is no such user"),
            ExpandError::TooLong => ("too-long", "the path is too long"),
            ExpandError::Escape => ("escape", "'..' leads beyond the root"),
            ExpandError::Drive => {
                ("drive", "the directory it starts from is not known, or is not a full path")
            }
            ExpandError::Encoding => {
                ("encoding", "it cannot be joined to a directory that is not Unicode")
            }
        }
    }
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.texts().1)
    }
}

impl error::Error for ExpandError {}

impl From<ExpandError> for std::io::Error {
    /// No system call failed, so there is no number; this error is inside.
    fn from(error: ExpandError) -> std::io::Error {
        let kind = match error {
            ExpandError::NoHome | ExpandError::NoUser => std::io::ErrorKind::NotFound,
            _ => std::io::ErrorKind::InvalidInput,
        };
        std::io::Error::new(kind, error)
    }
}
