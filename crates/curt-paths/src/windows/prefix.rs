use crate::unit::Unit;

/// Returns whether this is a slash or a backslash.
pub fn is_separator<U: Unit>(unit: U) -> bool {
    matches!(unit.to_ascii(), b'\\' | b'/')
}

/// The start of a path.
///
/// ```
/// use curt_paths::windows::Start;
/// assert_eq!(Start::of(br"C:\Windows"), Start::DriveAbsolute { letter: 1 });
/// assert_eq!(Start::of(b"C:x"), Start::DriveRelative { letter: 1 });
/// assert_eq!(Start::of(b"//server/share"), Start::Share);
/// assert!(Start::of(br"\\.\COM1").is_full());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `\\.\` or `\\?\`, with either separator.
    LocalDevice,
    /// Exactly `\\.` or `\\?`.
    BareDevice,
    /// Two separators, but neither of the above.
    Share,
    /// A drive and a separator.
    DriveAbsolute {
        /// The length of the drive letter, before the colon.
        letter: usize,
    },
    /// A drive without a separator.
    DriveRelative {
        /// The length of the drive letter, before the colon.
        letter: usize,
    },
    /// One separator.
    Rooted,
    /// Any other path.
    Relative,
}

impl Start {
    /// Classifies the start of a path. Any 16-bit unit except a separator can be a drive letter.
    pub fn of<U: Unit>(text: &[U]) -> Start {
        let separator = |at: usize| text.get(at).copied().is_some_and(is_separator);
        if separator(0) {
            if !separator(1) {
                return Start::Rooted;
            }
            let is_device = text.get(2).is_some_and(|unit| matches!(unit.to_ascii(), b'.' | b'?'));
            return match text.len() {
                3 if is_device => Start::BareDevice,
                _ if is_device && separator(3) => Start::LocalDevice,
                _ => Start::Share,
            };
        }
        let letter = match text.get(1) {
            Some(unit) if unit.to_ascii() == b':' => 1,
            _ => U::letter(text),
        };
        if letter == 0 || text.get(letter).is_none_or(|unit| unit.to_ascii() != b':') {
            Start::Relative
        } else if separator(letter + 1) {
            Start::DriveAbsolute { letter }
        } else {
            Start::DriveRelative { letter }
        }
    }

    /// Returns the length of the drive and its colon.
    pub fn drive(self) -> Option<usize> {
        match self {
            Start::DriveAbsolute { letter } | Start::DriveRelative { letter } => Some(letter + 1),
            _ => None,
        }
    }

    /// Returns whether the path is independent of working directories.
    pub fn is_full(self) -> bool {
        matches!(
            self,
            Start::LocalDevice | Start::BareDevice | Start::Share | Start::DriveAbsolute { .. }
        )
    }
}

/// Returns whether the kernel takes this path literally: it begins with `\\?\` or `\??\`.
pub fn is_verbatim<U: Unit>(text: &[U]) -> bool {
    text.len() >= 4
        && text[0].to_ascii() == b'\\'
        && text[3].to_ascii() == b'\\'
        && text[2].to_ascii() == b'?'
        && matches!(text[1].to_ascii(), b'\\' | b'?')
}
