//! What a Windows path begins with, and which names are devices: what everybody who reads the text
//! of such paths has to agree on. Pure, without a system; over bytes (UTF-8, or what is like it) and
//! over the 16-bit units of Windows.
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

mod device;
#[cfg(test)]
mod tests;

use crate::name::Unit;
pub(crate) use device::{device_at_end, is_device, stem};

/// A unit of Windows path text.
pub(crate) trait WinUnit: Unit {
    /// The character if it is ASCII; else some value that is not.
    fn to_ascii(self) -> u8;
    /// How many units the first 16-bit unit of the text takes: 0 where there is none, or where the
    /// first character is two of them.
    fn letter(text: &[Self]) -> usize;
    /// Superscript one, two and three, which Windows takes for digits in the names of ports.
    const SUPERSCRIPTS: &'static [&'static [Self]];
}

impl WinUnit for u8 {
    fn to_ascii(self) -> u8 {
        self
    }

    fn letter(text: &[u8]) -> usize {
        let continues = |at: usize| text.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
        match text.first() {
            None | Some(0xF0..) => 0,
            Some(0xE0..=0xEF) if continues(1) && continues(2) => 3,
            Some(0xC2..=0xDF) if continues(1) => 2,
            Some(_) => 1,
        }
    }

    const SUPERSCRIPTS: &'static [&'static [u8]] = &[&[0xC2, 0xB9], &[0xC2, 0xB2], &[0xC2, 0xB3]];
}

impl WinUnit for u16 {
    fn to_ascii(self) -> u8 {
        u8::try_from(self).unwrap_or(u8::MAX)
    }

    fn letter(text: &[u16]) -> usize {
        usize::from(!text.is_empty())
    }

    const SUPERSCRIPTS: &'static [&'static [u16]] = &[&[0xB9], &[0xB2], &[0xB3]];
}

/// Whether it separates names in a Windows path.
pub(crate) fn is_separator<U: WinUnit>(unit: U) -> bool {
    matches!(unit.to_ascii(), b'\\' | b'/')
}

/// What a path begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
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
    pub(crate) fn of<U: WinUnit>(text: &[U]) -> Start {
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
    pub(crate) fn drive(self) -> Option<usize> {
        match self {
            Start::DriveAbsolute { letter } | Start::DriveRelative { letter } => Some(letter + 1),
            _ => None,
        }
    }

    /// Whether it says everything: no working directory is needed.
    pub(crate) fn is_full(self) -> bool {
        matches!(
            self,
            Start::LocalDevice | Start::BareDevice | Start::Share | Start::DriveAbsolute { .. }
        )
    }
}

/// Whether it begins as what is handed to the kernel as it is: `\\?\` or `\??\`, with backslashes
/// alone.
pub(crate) fn is_verbatim<U: WinUnit>(text: &[U]) -> bool {
    text.len() >= 4
        && text[0].to_ascii() == b'\\'
        && text[3].to_ascii() == b'\\'
        && text[2].to_ascii() == b'?'
        && matches!(text[1].to_ascii(), b'\\' | b'?')
}

/// A name at the end of a text: without dots and spaces at its own end, unless it is `.` or `..`.
pub(crate) fn last_name<U: WinUnit>(name: &[U]) -> &[U] {
    let dot = U::ascii(b'.');
    if matches!(*name, [only] if only == dot) || matches!(*name, [a, b] if a == dot && b == dot) {
        return name;
    }
    let end = name.iter().rposition(|unit| !matches!(unit.to_ascii(), b'.' | b' '));
    &name[..end.map_or(0, |last| last + 1)]
}

/// A name that a separator follows: without a dot at its end, if that is one and not two.
pub(crate) fn inner_name<U: WinUnit>(name: &[U]) -> &[U] {
    let dot = U::ascii(b'.');
    match *name {
        [.., before, last] if last == dot && before != dot => &name[..name.len() - 1],
        _ => name,
    }
}
