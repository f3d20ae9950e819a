use std::error;
use std::fmt;

/// The system whose rules a path follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Linux, macOS and the BSDs: bytes, one separator, one root.
    Posix,
    /// Windows: 16-bit units, two separators, drives, shares and devices.
    Windows,
}

impl Flavor {
    /// The flavor of the target system.
    pub const NATIVE: Flavor =
        if std::path::MAIN_SEPARATOR == '\\' { Flavor::Windows } else { Flavor::Posix };
}

/// The release of Windows whose device names are reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Release {
    /// Windows 10 and older, and servers up to 2022. A device name is reserved as the last
    /// component of any path, with or without extension.
    Windows10,
    /// Windows 11 (from build 21000). A device name is reserved as the whole path. Only `NUL`
    /// without extension is also reserved as the last component of any path.
    Windows11,
}

/// The program or system whose rules an expansion follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// The rules of the system: `GetFullPathNameW` on Windows, and the chosen [`DotDot`] on POSIX.
    /// Tildes are ordinary characters.
    #[default]
    Native,
    /// The rules of Ruby's `File.expand_path`: a leading tilde means a home directory, trailing
    /// separators are dropped, and Windows paths get slashes.
    Ruby,
}

/// How to treat `..`.
///
/// After a symlink, only the system knows where `..` leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotDot {
    /// Keeps `..`, so that the path means the same to the kernel. A trailing slash of a POSIX path
    /// is kept, too.
    Keep,
    /// Lets `..` remove the name before it, and ignores it at the root.
    Clamp,
    /// Lets `..` remove the name before it, and fails at the root ([`ExpandError::Escape`]).
    Refuse,
}

/// How to treat Windows paths that the kernel takes literally: `\\?\…` and `\??\…`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Verbatim {
    /// Returns them unchanged.
    #[default]
    Keep,
    /// Normalizes them as `GetFullPathNameW` does, which can change their meaning.
    Normalize,
}

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
    /// Windows and Ruby fold `..` before they open any directory. POSIX paths keep it by default,
    /// because a symlink can precede it.
    pub(crate) fn dot_dot(self) -> DotDot {
        self.dot_dot.unwrap_or(match (self.flavor, self.style) {
            (Flavor::Posix, Style::Native) => DotDot::Keep,
            _ => DotDot::Clamp,
        })
    }

    pub(crate) fn tilde(self) -> bool {
        self.tilde.unwrap_or(self.style == Style::Ruby)
    }

    /// Whether a POSIX path keeps its meaning to the kernel: a trailing slash remains, and an empty
    /// path is an error.
    pub(crate) fn keeps_meaning(self) -> bool {
        self.style == Style::Native && self.dot_dot() == DotDot::Keep
    }

    pub(crate) fn keeps_verbatim(self) -> bool {
        self.verbatim == Verbatim::Keep && self.style == Style::Native
    }
}

/// Why a path cannot be expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExpandError {
    /// The path is empty, or consists of spaces (Windows).
    Empty,
    /// The path contains a NUL.
    Nul,
    /// The path begins with a tilde, and no home directory is known.
    NoHome,
    /// The home directory is not a full path.
    HomeNotAbsolute,
    /// The path begins with `~user`, and the user database has no such user.
    NoUser,
    /// The path or its expansion is longer than Windows allows: 32,765 or 32,766 units of 16 bits.
    TooLong,
    /// `..` leads above the root, with [`DotDot::Refuse`].
    Escape,
    /// The starting directory is unknown or not full (on Windows, without drive or share).
    Drive,
    /// Bytes that are not Unicode cannot be joined with 16-bit units.
    Encoding,
}

impl ExpandError {
    /// Returns a one-word name, as printed by `curt expand --json`.
    pub fn word(self) -> &'static str {
        self.texts().0
    }

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
                ("drive", "it is relative, and no full path to start from is known")
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
    fn from(error: ExpandError) -> std::io::Error {
        let kind = match error {
            ExpandError::NoHome | ExpandError::NoUser => std::io::ErrorKind::NotFound,
            _ => std::io::ErrorKind::InvalidInput,
        };
        std::io::Error::new(kind, error)
    }
}
