//! What a Windows path begins with, and which names are devices: what everybody who reads the text
//! of such paths has to agree on. Pure, without a system; over bytes (UTF-8, or what is like it)
//! and over the 16-bit units of Windows.
//!
//! `S` stands for either separator:
//!
//! | start | what it is | [`Start`] |
//! |---|---|---|
//! | `SS.S` `SS?S` | a device, or anything by the kernel's name | `LocalDevice` |
//! | exactly `SS.` `SS?` | the same, with nothing behind it | `BareDevice` |
//! | any other `SS` | a share: `\\server\share`, either of which may be empty | `Share` |
//! | `x:S` | from the root of a drive | `DriveAbsolute` |
//! | `x:` | from the working directory of a drive | `DriveRelative` |
//! | `S` | from the root of the working directory's drive or share | `Rooted` |
//! | anything else | from the working directory | `Relative` |
//!
//! Authorities: `RtlDetermineDosPathNameType_U` as observed by James Forshaw ("The Definitive Guide
//! on Win32 to NT Path Conversion"), and the suites that .NET and Wine run on Windows.

use crate::unit::Unit;

/// Whether it separates names in a Windows path.
pub fn is_separator<U: Unit>(unit: U) -> bool {
    matches!(unit.to_ascii(), b'\\' | b'/')
}

/// What a path begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// `\\.\` or `\\?\`, with either separator.
    LocalDevice,
    /// `\\.` or `\\?` and nothing else.
    BareDevice,
    /// Two separators, and neither of the above.
    Share,
    /// A drive and a separator.
    DriveAbsolute {
        /// How many units its letter takes; the colon comes behind them.
        letter: usize,
    },
    /// A drive and no separator.
    DriveRelative {
        /// How many units its letter takes; the colon comes behind them.
        letter: usize,
    },
    /// One separator.
    Rooted,
    /// None of these.
    Relative,
}

impl Start {
    /// What this path begins with. Any 16-bit unit but a separator may be a drive.
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
            // Nearly always.
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

    /// Where the names begin behind a drive.
    pub fn drive(self) -> Option<usize> {
        match self {
            Start::DriveAbsolute { letter } | Start::DriveRelative { letter } => Some(letter + 1),
            _ => None,
        }
    }

    /// Whether it says everything: no working directory is needed.
    pub fn is_full(self) -> bool {
        matches!(
            self,
            Start::LocalDevice | Start::BareDevice | Start::Share | Start::DriveAbsolute { .. }
        )
    }
}

/// Whether it begins as what is handed to the kernel as it is: `\\?\` or `\??\`, with backslashes
/// alone.
pub fn is_verbatim<U: Unit>(text: &[U]) -> bool {
    text.len() >= 4
        && text[0].to_ascii() == b'\\'
        && text[3].to_ascii() == b'\\'
        && text[2].to_ascii() == b'?'
        && matches!(text[1].to_ascii(), b'\\' | b'?')
}
