//! What can be chosen of an expansion, and why it can fail.

use std::error;
use std::fmt;

use crate::flavor::{Flavor, Release};

/// Whose expansion it is: what is done besides reading the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// The system's own: `GetFullPathNameW`, and on POSIX what [`DotDot`] says. A tilde is a
    /// character like others.
    #[default]
    Native,
    /// That of Ruby's `File.expand_path`: a tilde is somebody's home, no separator is left at the
    /// end, and Windows paths are written with slashes.
    Ruby,
}

/// What becomes of `..`, which only the system can tell where links may be on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotDot {
    /// It stays, so the path means to the kernel what it meant. On POSIX a slash at the end stays,
    /// too.
    Keep,
    /// It takes the name before it away; at the root there is none, and nothing happens.
    Clamp,
    /// The same, and it is an error ([`ExpandError::Escape`]) to go beyond the root.
    Refuse,
}

/// What becomes of Windows paths that are handed to the kernel as they are: `\\?\…` and `\??\…`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verbatim {
    /// They are handed back untouched.
    #[default]
    Keep,
    /// They are treated as `GetFullPathNameW` treats them, which changes what they mean.
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
    /// The choice that changes no meaning: Windows takes `..` away itself, before it looks at any
    /// directory, and Ruby always did. On POSIX it stays.
    pub(crate) fn dot_dot(self) -> DotDot {
        self.dot_dot.unwrap_or(match (self.flavor, self.style) {
            (Flavor::Posix, Style::Native) => DotDot::Keep,
            _ => DotDot::Clamp,
        })
    }

    pub(crate) fn tilde(self) -> bool {
        self.tilde.unwrap_or(self.style == Style::Ruby)
    }

    /// Whether a POSIX path keeps the slash at its end.
    pub(crate) fn keeps_trailing(self) -> bool {
        self.style == Style::Native && self.dot_dot() == DotDot::Keep
    }

    pub(crate) fn keeps_verbatim(self) -> bool {
        self.verbatim == Verbatim::Keep && self.style == Style::Native
    }
}

/// Why there is no full path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExpandError {
    /// There is no text: nothing, or on Windows nothing but spaces.
    Empty,
    /// A NUL, which no path can hold.
    Nul,
    /// A tilde, and nobody knows where home is.
    NoHome,
    /// Home is not a full path.
    HomeNotAbsolute,
    /// A tilde and the name of a user whom the user database does not know.
    NoUser,
    /// More than 32,765 units of Windows, or a result that is longer than Windows allows.
    TooLong,
    /// `..` beyond the root, where [`DotDot::Refuse`] says so.
    Escape,
    /// The directory that the path starts from is not known, or is no full path: one without a
    /// drive or a share on Windows, a relative one on POSIX.
    Drive,
    /// Parts that cannot stand in one text: bytes that are no Unicode, and 16-bit units that are
    /// none.
    Encoding,
}

impl ExpandError {
    /// In one word, as `curt expand --batch` says it.
    pub fn word(self) -> &'static str {
        match self {
            ExpandError::Empty => "empty",
            ExpandError::Nul => "nul",
            ExpandError::NoHome => "no-home",
            ExpandError::HomeNotAbsolute => "nonabs-home",
            ExpandError::NoUser => "no-user",
            ExpandError::TooLong => "too-long",
            ExpandError::Escape => "escape",
            ExpandError::Drive => "drive",
            ExpandError::Encoding => "encoding",
        }
    }
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExpandError::Empty => "the path is empty",
            ExpandError::Nul => "the path contains a NUL",
            ExpandError::NoHome => "there is no home directory to put in for '~'",
            ExpandError::HomeNotAbsolute => "the home directory is not a full path",
            ExpandError::NoUser => "there is no such user",
            ExpandError::TooLong => "the path is too long",
            ExpandError::Escape => "'..' leads beyond the root",
            ExpandError::Drive => "the directory it starts from is not known, or is no full path",
            ExpandError::Encoding => "its parts cannot stand in one text",
        })
    }
}

impl error::Error for ExpandError {}
