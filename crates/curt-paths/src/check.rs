//! Checks untrusted paths.
//!
//! If several reasons for a refusal apply, the first in this table is reported:
//!
//! | reason | examples | Windows | POSIX | POSIX, strict |
//! |---|---|---|---|---|
//! | `empty` | the empty path; spaces only | yes | only the empty path | as Windows |
//! | `nul` | `a\0.png` | yes | yes | yes |
//! | `encoding` | the byte FF, an overlong dot | yes | | |
//! | `device` (prefix) | `\\.\pipe\x`, `\\?\C:\x`, `\??\C:\x` | yes | | yes |
//! | `absolute` | `/etc/passwd`, `\windows`, `\\server\share` | yes | yes | yes |
//! | `drive` | `C:\x`, `C:x` | yes | | yes |
//! | `stream` | `.htaccess::$DATA`, `a/c:` | yes | | yes |
//! | `badchar` | `a*`, `a<b`, control characters | yes | | yes, and backslashes |
//! | | characters that some system ignores or maps to a separator: U+200C, U+FF0F | strict | | yes |
//! | `device` (name) | `nul`, `logs/aux.txt`, `com¹` | yes | | yes |
//! | `escape` | `../x`, `a/../../x` | yes | yes | yes |
//! | `trailing` | `.htaccess.`, `a /b` | strict | | yes |
//! | `shortname` | `HTACCE~1`, `GIT~1` | strict | | yes |

mod plain;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::error;
use std::fmt;

use crate::fold::Fold;
use crate::fold::is_blank;
use crate::options::{Flavor, Release};
use crate::unit::Unit;
use crate::windows::{Start, device_at_end, is_device, is_separator, stem};

/// How to treat a path that may be an alternative spelling of a different path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aliases {
    /// Accepts the path, and leaves its meaning to the system.
    #[default]
    Open,
    /// Refuses every symlink, and spellings that mean another name on any supported system (`a.`,
    /// `A~1`, `a::$DATA`, `nul.txt`). For programs that compare paths with lists of names, such as
    /// file servers.
    Strict,
}

/// Checks whether the text of a path remains beneath a directory. Does not allocate.
///
/// The check cannot see symlinks, and treats `a/../b` as `b` on POSIX, too. So open the path with
/// an API that cannot leave the directory, such as `curt::Root`. Check the final text, after
/// percent-decoding and similar steps.
///
/// Case and Unicode normalization are not checked, because they depend on the directory.
///
/// ```
/// use curt_paths::{Aliases, Flavor, PathCheck, Refusal};
/// let check = PathCheck::new(Flavor::Windows);
/// assert_eq!(check.check(br"a\..\..\b"), Err(Refusal::Escape));
/// assert_eq!(*check.name(br"a\.\x..\..\b.").unwrap(), *br"a\b");
/// assert_eq!(check.aliases(Aliases::Strict).check(b"index.html."), Err(Refusal::Trailing));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a check does nothing until it is given a path"]
pub struct PathCheck {
    flavor: Flavor,
    release: Release,
    aliases: Aliases,
    in_root: bool,
}

impl PathCheck {
    /// Creates a check for this flavor.
    pub const fn new(flavor: Flavor) -> PathCheck {
        PathCheck { flavor, release: Release::Windows10, aliases: Aliases::Open, in_root: false }
    }

    /// Sets the release whose device names are refused; by default Windows 10, because file servers
    /// still refuse its names. [`Aliases::Strict`] always refuses the names of Windows 10.
    pub const fn release(self, release: Release) -> PathCheck {
        PathCheck { release, ..self }
    }

    /// Sets how to treat alternative spellings; by default they are accepted.
    pub const fn aliases(self, aliases: Aliases) -> PathCheck {
        PathCheck { aliases, ..self }
    }

    /// Sets whether rooted paths begin at the directory and `..` stops there, as in `chroot`; off
    /// by default. Shares, drives and devices are always refused.
    pub const fn in_root(self, in_root: bool) -> PathCheck {
        PathCheck { in_root, ..self }
    }

    /// Checks a path.
    pub fn check<U: Unit>(&self, text: &[U]) -> Result<(), Refusal> {
        if self.is_plain(text) { Ok(()) } else { self.check_names(text) }
    }

    /// Checks a path and returns it folded, with the flavor's separators and without the trailing
    /// dots and spaces that Windows drops.
    ///
    /// Returns `.` for the directory itself.
    pub fn name<'t, U: Unit>(&self, text: &'t [U]) -> Result<Cow<'t, [U]>, Refusal> {
        self.check(text)?;
        let name = self.fold().fold(text).map_err(|_| Refusal::Nul)?;
        Ok(if name == text { Cow::Borrowed(text) } else { Cow::Owned(name) })
    }

    fn fold(self) -> Fold {
        match self.flavor {
            Flavor::Posix => Fold::new(Flavor::Posix),
            Flavor::Windows => Fold::new(Flavor::Windows).trimmed(),
        }
    }

    fn is_strict(self) -> bool {
        self.aliases == Aliases::Strict
    }

    /// A strict path must mean the same everywhere, so it follows Windows rules, too.
    fn is_windows(self) -> bool {
        self.flavor == Flavor::Windows || self.is_strict()
    }

    fn separates<U: Unit>(self, unit: U) -> bool {
        match self.flavor {
            Flavor::Posix => unit == U::ascii(b'/'),
            Flavor::Windows => is_separator(unit),
        }
    }

    fn is_plain<U: Unit>(self, text: &[U]) -> bool {
        if self.is_windows() {
            plain::is_plain(text, self.flavor, self.is_strict())
        } else {
            plain::is_plain_posix(text)
        }
    }

    fn check_names<U: Unit>(self, text: &[U]) -> Result<(), Refusal> {
        let mut found = Reasons::default();
        self.note_start(text, &mut found);
        let seen = self.note_names(text, &mut found);
        if seen & OTHER != 0 {
            self.note_characters(text, &mut found);
        }
        if self.is_windows() {
            found.note_if(seen & COLON != 0, Refusal::Stream);
            found.note_if(seen & BAD != 0, Refusal::BadChar);
            found.note_if(seen & BACKSLASH != 0 && self.flavor == Flavor::Posix, Refusal::BadChar);
        }
        found.note_if(seen & NUL != 0, Refusal::Nul);
        found.first().map_or(Ok(()), Err)
    }

    fn note_start<U: Unit>(self, text: &[U], found: &mut Reasons) {
        if !self.is_windows() {
            let is_rooted = text.first() == Some(&U::ascii(b'/'));
            found.note_if(is_rooted && !self.in_root, Refusal::Absolute);
            found.note_if(text.is_empty(), Refusal::Empty);
            return;
        }
        found.note_if(is_blank(text), Refusal::Empty);
        let start = Start::of(text);
        match start {
            Start::LocalDevice | Start::BareDevice => found.note(Refusal::Device),
            Start::Share => {
                // POSIX treats two leading slashes as the root, but Windows as a share.
                let is_root = self.in_root && self.flavor == Flavor::Posix;
                found.note_if(!is_root || text[1] != U::ascii(b'/'), Refusal::Absolute);
            }
            Start::DriveAbsolute { .. } | Start::DriveRelative { .. } => found.note(Refusal::Drive),
            Start::Rooted => {
                let mark = U::ascii(b'?');
                let is_verbatim =
                    matches!(*text, [_, a, b, c, ..] if a == mark && b == mark && is_separator(c));
                found.note_if(is_verbatim, Refusal::Device);
                found.note_if(!self.in_root || !self.separates(text[0]), Refusal::Absolute);
            }
            Start::Relative => {}
        }
        if !self.checks_each_name() && device_at_end(text, start, self.release).is_some() {
            found.device_name = true;
        }
    }

    /// Windows 11 reserves device names only as the last component.
    fn checks_each_name(self) -> bool {
        self.is_strict() || self.release == Release::Windows10
    }

    fn note_names<U: Unit>(self, text: &[U], found: &mut Reasons) -> u8 {
        let stops = match self.flavor {
            Flavor::Posix => SLASH,
            Flavor::Windows => SLASH | BACKSLASH,
        };
        let (mut seen, mut begin, mut depth) = (0, 0, 0_usize);
        for (at, unit) in text.iter().enumerate() {
            let kind = KINDS[usize::from(unit.to_ascii())];
            seen |= kind;
            if kind & stops != 0 {
                self.note_name(&text[begin..at], false, &mut depth, found);
                begin = at + 1;
            }
        }
        self.note_name(&text[begin..], true, &mut depth, found);
        seen
    }

    #[inline]
    fn note_name<U: Unit>(self, name: &[U], is_last: bool, depth: &mut usize, found: &mut Reasons) {
        let is_dot = |unit: U| unit.to_ascii() == b'.';
        match *name {
            [] => {}
            [only] if is_dot(only) => {}
            [first, second] if is_dot(first) && is_dot(second) => {
                found.note_if(*depth == 0 && !self.in_root, Refusal::Escape);
                *depth = depth.saturating_sub(1);
            }
            _ => {
                *depth += usize::from(!is_last || !self.vanishes(name));
                self.note_spelling(name, found);
            }
        }
    }

    fn vanishes<U: Unit>(self, name: &[U]) -> bool {
        self.flavor == Flavor::Windows
            && name.iter().all(|unit| matches!(unit.to_ascii(), b'.' | b' '))
    }

    fn note_spelling<U: Unit>(self, name: &[U], found: &mut Reasons) {
        if !self.is_windows() {
            return;
        }
        if self.checks_each_name() {
            let may_be = matches!(*name, [a, b, c, ..] if plain::begins_device(a, b, c));
            found.device_name |= may_be && is_device(stem(name));
        }
        if self.is_strict() {
            let last = name.last().map_or(0, |unit| unit.to_ascii());
            found.note_if(matches!(last, b'.' | b' '), Refusal::Trailing);
            found.note_if(is_short(name), Refusal::ShortName);
        }
    }

    #[cold]
    fn note_characters<U: Unit>(self, text: &[U], found: &mut Reasons) {
        let mut aliasing = false;
        let is_text = U::characters(text, |character| aliasing |= is_aliasing(character));
        found.note_if(!is_text && self.flavor == Flavor::Windows, Refusal::Encoding);
        found.note_if(aliasing && self.is_strict(), Refusal::BadChar);
    }
}

/// Why a path was refused: the first reason that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// The path is empty.
    Empty,
    /// The path contains a NUL: `a\0.png`.
    Nul,
    /// The path is not valid text in its flavor: `a\xff` on Windows.
    Encoding,
    /// The path has a device prefix (`\\.\pipe\x`, `\\?\C:\x`, `\??\C:\x`) or name (`nul.txt`,
    /// `com¹`).
    Device,
    /// The path begins at a root: `/etc/passwd`, `\windows`, `\\server\share`.
    Absolute,
    /// The path names a drive: `C:\x`, `C:x`.
    Drive,
    /// The path contains a colon, which begins a stream name: `x::$DATA`, `a/c:`.
    Stream,
    /// The path contains a character forbidden in names: `a*`, `a|b`, a control character.
    BadChar,
    /// The path leaves the root: `../x`, an absolute symlink, a symlink to `../..`.
    Escape,
    /// A name ends in dots or spaces, which Windows drops: `.htaccess.`, `x. /y`.
    Trailing,
    /// A name looks like the short name of another file: `HTACCE~1`.
    ShortName,
    /// The path contains a refused symlink, a magic link such as `/proc/self/exe`, or an unknown
    /// reparse point. A check of the text never returns this.
    Link,
}

impl Refusal {
    /// Returns `empty`, `nul`, `encoding`, `device`, `absolute`, `drive`, `stream`, `badchar`,
    /// `escape`, `trailing`, `shortname` or `link`.
    pub fn name(self) -> &'static str {
        REFUSALS[self as usize].1
    }

    /// Returns `NotFound` for an empty path, otherwise `PermissionDenied`.
    pub fn kind(self) -> std::io::ErrorKind {
        match self {
            Refusal::Empty => std::io::ErrorKind::NotFound,
            _ => std::io::ErrorKind::PermissionDenied,
        }
    }
}

const REFUSALS: [(Refusal, &str, &str); 12] = [
    (Refusal::Empty, "empty", "the path is empty"),
    (Refusal::Nul, "nul", "the path contains a NUL character"),
    (Refusal::Encoding, "encoding", "the path is not valid text"),
    (Refusal::Device, "device", "the path names a device"),
    (Refusal::Absolute, "absolute", "the path is absolute"),
    (Refusal::Drive, "drive", "the path names a drive"),
    (Refusal::Stream, "stream", "the path names a stream of a file (after the colon)"),
    (Refusal::BadChar, "badchar", "the path contains a character that Windows forbids in names"),
    (Refusal::Escape, "escape", "the path leaves the root directory"),
    (Refusal::Trailing, "trailing", "a name ends in a dot or a space"),
    (Refusal::ShortName, "shortname", "a name may be the short (8.3) form of another name"),
    (Refusal::Link, "link", "the path contains a link that is not followed"),
];

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REFUSALS[*self as usize].2)
    }
}

impl error::Error for Refusal {}

impl From<Refusal> for std::io::Error {
    fn from(refusal: Refusal) -> std::io::Error {
        std::io::Error::new(refusal.kind(), refusal)
    }
}

/// Matches short (8.3) names: up to eight characters that end in a tilde and digits, and an
/// extension of up to three.
fn is_short<U: Unit>(name: &[U]) -> bool {
    if name.len() > 12 {
        return false;
    }
    let dot = name.iter().position(|unit| unit.to_ascii() == b'.');
    let (stem, extension) = name.split_at(dot.unwrap_or(name.len()));
    let digits = stem.iter().rev().take_while(|unit| unit.to_ascii().is_ascii_digit()).count();
    let tilde = stem.len().checked_sub(digits + 1).and_then(|at| stem.get(at));
    digits > 0
        && stem.len() <= 8
        && tilde.is_some_and(|unit| unit.to_ascii() == b'~')
        && extension.len() <= 4
        && extension.iter().filter(|unit| unit.to_ascii() == b'.').count() <= 1
}

const NUL: u8 = 1;
const COLON: u8 = 2;
const BAD: u8 = 4;
const BACKSLASH: u8 = 8;
const OTHER: u8 = 16;
const SLASH: u8 = 32;

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut unit = 0;
    while unit < 256 {
        kinds[unit] = match unit as u8 {
            0 => NUL,
            1..=31 | b'<' | b'>' | b'"' | b'|' | b'?' | b'*' => BAD,
            b':' => COLON,
            b'\\' => BACKSLASH,
            b'/' => SLASH,
            0x80.. => OTHER,
            _ => 0,
        };
        unit += 1;
    }
    kinds
};

#[derive(Default)]
struct Reasons {
    /// One bit for each reason; the lowest bit is reported.
    reasons: u16,
    /// Whether a component is a device name. Unlike a device prefix, it is reported after
    /// [`Refusal::BadChar`].
    device_name: bool,
}

impl Reasons {
    #[inline]
    fn note(&mut self, reason: Refusal) {
        self.note_if(true, reason);
    }

    #[inline]
    fn note_if(&mut self, holds: bool, reason: Refusal) {
        self.reasons |= u16::from(holds) << reason as u16;
    }

    fn first(&self) -> Option<Refusal> {
        let first =
            REFUSALS.get(self.reasons.trailing_zeros() as usize).map(|&(refusal, ..)| refusal);
        let comes_later = first.is_none_or(|first| first > Refusal::BadChar);
        if self.device_name && comes_later { Some(Refusal::Device) } else { first }
    }
}

/// Unicode's default ignorable characters. HFS+ ignores them in comparisons, as do ext4 and F2FS
/// with casefolding.
const IGNORABLE: [(u32, u32); 17] = [
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

/// Characters (yen, won, full-width forms) that Windows maps to separators, dots, colons and tildes
/// for programs that use a code page.
const MAPPED: [char; 7] =
    ['\u{A5}', '\u{20A9}', '\u{FF0E}', '\u{FF0F}', '\u{FF1A}', '\u{FF3C}', '\u{FF5E}'];

fn is_aliasing(character: char) -> bool {
    let number = u32::from(character);
    IGNORABLE.iter().any(|&(first, last)| (first..=last).contains(&number))
        || MAPPED.contains(&character)
}
