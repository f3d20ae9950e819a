//! The text of a path from a stranger: whether it stays beneath the directory that it is meant for,
//! and has no other name there. A pure function; nothing is looked at and nothing is allocated.
//!
//! What holds of the text need not hold of the file: links are the kernel's to judge, and on POSIX
//! `a/../b` means what the kernel says, and here `b`. Text comes as it is used: percent signs and
//! the like were decoded once, before.
//!
//! | reason, in this order | an example | Windows | POSIX | POSIX, strict |
//! |---|---|---|---|---|
//! | `empty` | nothing; nothing but spaces | yes | without spaces | as Windows |
//! | `nul` | `a\0.png` | yes | yes | yes |
//! | `encoding` | the byte FF, an overlong dot | yes | | |
//! | `device` (prefix) | `\\.\pipe\x`, `\\?\C:\x`, `\??\C:\x` | yes | | yes |
//! | `absolute` | `/etc/passwd`, `\windows`, `\\server\share` | yes | yes | yes |
//! | `drive` | `C:\x`, `C:x` | yes | | yes |
//! | `stream` | `.htaccess::$DATA`, `a/c:` | yes | | yes |
//! | `badchar` | `a*`, `a<b`, control characters | yes | | yes, and backslashes |
//! | | strict: what some system passes over or maps to a separator, as U+200C and U+FF0F | strict | | yes |
//! | `device` (name) | `nul`, `logs/aux.txt`, `com¹` | yes | | yes |
//! | `escape` | `../x`, `a/../../x` | yes | yes | yes |
//! | `trailing` | `.htaccess.`, `a /b` | strict | | yes |
//! | `shortname` | `HTACCE~1`, `GIT~1` | strict | | yes |
//!
//! `link` is never said here. Case, and the forms in which Unicode composes letters, are not looked
//! at: which of them are one name is up to each directory.

mod characters;
mod plain;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use crate::fold::Fold;
use crate::options::{Flavor, Release};
use crate::unit::Unit;
use crate::windows::{Start, device_at_end, is_device, is_separator, stem};

/// What happens to a spelling that is another name of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Aliases {
    /// It is taken as the system takes it.
    #[default]
    Open,
    /// It is refused: what any supported system would take for something else (`a.`, `A~1`,
    /// `a::$DATA`, `nul.txt`), and every link. For servers and archives that have lists of names.
    Strict,
}

/// Checks the text of paths: see [`check_path`].
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

/// Checks the text of a path that is to stay beneath some directory. The error is the first of the
/// reasons that hold. No allocation; 10 to 35 ns for a text that nothing is odd about, 40 to 70
/// with dots in it.
pub fn check_path<U: Unit>(
    text: &[U],
    flavor: Flavor,
    release: Release,
    aliases: Aliases,
) -> Result<(), Refusal> {
    PathCheck::new(flavor).release(release).aliases(aliases).check(text)
}

impl PathCheck {
    /// Checks paths of this flavor: by the larger set of device names, and otherwise as the system
    /// takes them.
    pub const fn new(flavor: Flavor) -> PathCheck {
        PathCheck { flavor, release: Release::Windows10, aliases: Aliases::Open, in_root: false }
    }

    /// Which names are devices (those of Windows 10, which file servers refuse still). In the
    /// strict mode it is always those.
    pub const fn release(self, release: Release) -> PathCheck {
        PathCheck { release, ..self }
    }

    /// What happens to other names of something (nothing).
    pub const fn aliases(self, aliases: Aliases) -> PathCheck {
        PathCheck { aliases, ..self }
    }

    /// Whether the directory is taken for the root (no): a path from the root begins there, and
    /// `..` stops there. Shares, drives and devices are refused still.
    pub const fn in_root(self, in_root: bool) -> PathCheck {
        PathCheck { in_root, ..self }
    }

    /// Checks a text.
    pub fn check<U: Unit>(&self, text: &[U]) -> Result<(), Refusal> {
        if self.is_plain(text) { Ok(()) } else { self.looked_at(text) }
    }

    /// Checks a text, and folds it to the name beneath the directory: without `.` and `..`, with
    /// the separators of its flavor, without what Windows drops; `.` for the directory itself.
    /// Borrowed if it is that already.
    pub fn name<'t, U: Unit>(&self, text: &'t [U]) -> Result<Cow<'t, [U]>, Refusal> {
        self.check(text)?;
        // Whatever could fail was refused.
        let name = self.fold().fold(text).map_err(|_| Refusal::Nul)?;
        Ok(if name == text { Cow::Borrowed(text) } else { Cow::Owned(name) })
    }

    /// How a text that passed is folded.
    fn fold(self) -> Fold {
        match self.flavor {
            Flavor::Posix => Fold::new(Flavor::Posix),
            Flavor::Windows => Fold::new(Flavor::Windows).trimmed(),
        }
    }

    fn is_strict(self) -> bool {
        self.aliases == Aliases::Strict
    }

    /// Whether the rules of Windows hold: in its own paths, and in all that must have one name
    /// anywhere.
    fn is_windows(self) -> bool {
        self.flavor == Flavor::Windows || self.is_strict()
    }

    fn separates<U: Unit>(self, unit: U) -> bool {
        match self.flavor {
            Flavor::Posix => unit == U::ascii(b'/'),
            Flavor::Windows => is_separator(unit),
        }
    }

    /// Whether there is nothing to be looked at more closely.
    fn is_plain<U: Unit>(self, text: &[U]) -> bool {
        if self.is_windows() {
            plain::is_plain(text, self.flavor, self.is_strict())
        } else {
            plain::is_plain_posix(text)
        }
    }

    /// The same by a look at each name.
    fn looked_at<U: Unit>(self, text: &[U]) -> Result<(), Refusal> {
        let mut found = Found::default();
        self.beginning(text, &mut found);
        let seen = self.names(text, &mut found);
        if seen & OTHER != 0 {
            self.beyond_ascii(text, &mut found);
        }
        if self.is_windows() {
            found.note_if(seen & COLON != 0, Refusal::Stream);
            found.note_if(seen & BAD != 0, Refusal::BadChar);
            found.note_if(seen & BACKSLASH != 0 && self.flavor == Flavor::Posix, Refusal::BadChar);
        }
        found.note_if(seen & NUL != 0, Refusal::Nul);
        found.first().map_or(Ok(()), Err)
    }

    /// What a text begins with.
    fn beginning<U: Unit>(self, text: &[U], found: &mut Found) {
        if !self.is_windows() {
            let is_rooted = text.first() == Some(&U::ascii(b'/'));
            found.note_if(is_rooted && !self.in_root, Refusal::Absolute);
            found.note_if(text.is_empty(), Refusal::Empty);
            return;
        }
        let space = U::ascii(b' ');
        let blank = text.first().is_none_or(|&first| first == space)
            && text.iter().all(|&unit| unit == space);
        found.note_if(blank, Refusal::Empty);
        let start = Start::of(text);
        match start {
            Start::LocalDevice | Start::BareDevice => found.note(Refusal::Device),
            Start::Share => {
                // Slashes alone are one root to POSIX.
                let is_root = self.in_root && self.flavor == Flavor::Posix;
                found.note_if(!is_root || text[1] != U::ascii(b'/'), Refusal::Absolute);
            }
            Start::DriveAbsolute { .. } | Start::DriveRelative { .. } => found.note(Refusal::Drive),
            Start::Rooted => {
                let mark = U::ascii(b'?');
                let is_kernels =
                    matches!(*text, [_, a, b, c, ..] if a == mark && b == mark && is_separator(c));
                found.note_if(is_kernels, Refusal::Device);
                found.note_if(!self.in_root || !self.separates(text[0]), Refusal::Absolute);
            }
            Start::Relative => {}
        }
        let follows = !self.is_strict() && self.release == Release::Windows11;
        if follows && device_at_end(text, start, self.release).is_some() {
            found.device_name = true;
        }
    }

    /// Looks at each name, and returns the kinds of units that there are.
    fn names<U: Unit>(self, text: &[U], found: &mut Found) -> u8 {
        let stops = match self.flavor {
            Flavor::Posix => SLASH,
            Flavor::Windows => SLASH | BACKSLASH,
        };
        let (mut seen, mut begin, mut depth) = (0, 0, 0_usize);
        for (at, unit) in text.iter().enumerate() {
            let kind = KINDS[usize::from(unit.to_ascii())];
            seen |= kind;
            if kind & stops != 0 {
                self.name_at(&text[begin..at], false, &mut depth, found);
                begin = at + 1;
            }
        }
        self.name_at(&text[begin..], true, &mut depth, found);
        seen
    }

    /// Looks at one name, at this depth below the directory.
    #[inline]
    fn name_at<U: Unit>(self, name: &[U], is_last: bool, depth: &mut usize, found: &mut Found) {
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
                self.name_alone(name, found);
            }
        }
    }

    /// Whether Windows would leave nothing of a last name.
    fn vanishes<U: Unit>(self, name: &[U]) -> bool {
        self.flavor == Flavor::Windows
            && name.iter().all(|unit| matches!(unit.to_ascii(), b'.' | b' '))
    }

    /// Looks at a name that is neither `.` nor `..`.
    fn name_alone<U: Unit>(self, name: &[U], found: &mut Found) {
        if !self.is_windows() {
            return;
        }
        if self.is_strict() || self.release == Release::Windows10 {
            // Most names begin with other letters.
            let may_be = matches!(*name, [a, b, c, ..] if plain::begins_device(a, b, c));
            found.device_name |= may_be && is_device(stem(name));
        }
        if self.is_strict() {
            let last = name.last().map_or(0, |unit| unit.to_ascii());
            found.note_if(matches!(last, b'.' | b' '), Refusal::Trailing);
            found.note_if(is_short(name), Refusal::ShortName);
        }
    }

    /// Looks at characters that are not ASCII.
    #[cold]
    fn beyond_ascii<U: Unit>(self, text: &[U], found: &mut Found) {
        let mut aliasing = false;
        let is_text =
            U::characters(text, |character| aliasing |= characters::is_aliasing(character));
        found.note_if(!is_text && self.flavor == Flavor::Windows, Refusal::Encoding);
        found.note_if(aliasing && self.is_strict(), Refusal::BadChar);
    }
}

/// Why a path was refused: one reason, the first of those that hold, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no text.
    Empty,
    /// A NUL is in it: `a\0.png`.
    Nul,
    /// It is no text of its flavor: `a\xff` as a Windows path.
    Encoding,
    /// It begins as the path of a device (`\\.\pipe\x`, `\\?\C:\x`, `\??\C:\x`), or a name in it is
    /// one (`nul.txt`, `com¹`).
    Device,
    /// It begins at a root: `/etc/passwd`, `\windows`, `\\server\share`.
    Absolute,
    /// It names a drive: `C:\x`, `C:x`.
    Drive,
    /// A colon is in it, as that before a stream of a file: `x::$DATA`, `a/c:`.
    Stream,
    /// A character that names cannot have: `a*`, `a|b`, a control character.
    BadChar,
    /// It leaves the root: `../x`, an absolute link, a link to `../..`.
    Escape,
    /// Dots or spaces end a name, which Windows drops: `.htaccess.`, `x. /y`.
    Trailing,
    /// It looks like the short name of something else: `HTACCE~1`.
    ShortName,
    /// It leads through a link where links are refused, or through one that no text describes: a
    /// magic link such as `/proc/self/exe`, a reparse point of an unknown kind.
    Link,
}

impl Refusal {
    /// The word for it: `empty`, `nul`, `encoding`, `device`, `absolute`, `drive`, `stream`,
    /// `badchar`, `escape`, `trailing`, `shortname`, `link`.
    pub fn name(self) -> &'static str {
        REFUSALS[self as usize].1
    }
}

/// All of them in their order, and the word for each.
const REFUSALS: [(Refusal, &str); 12] = [
    (Refusal::Empty, "empty"),
    (Refusal::Nul, "nul"),
    (Refusal::Encoding, "encoding"),
    (Refusal::Device, "device"),
    (Refusal::Absolute, "absolute"),
    (Refusal::Drive, "drive"),
    (Refusal::Stream, "stream"),
    (Refusal::BadChar, "badchar"),
    (Refusal::Escape, "escape"),
    (Refusal::Trailing, "trailing"),
    (Refusal::ShortName, "shortname"),
    (Refusal::Link, "link"),
];

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused: ")?;
        f.write_str(self.name())
    }
}

/// Whether it looks like the short name of something: up to eight characters that end in a tilde
/// and digits, and an extension of up to three.
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

/// Kinds of units.
const NUL: u8 = 1;
const COLON: u8 = 2;
/// What Windows has in no name.
const BAD: u8 = 4;
const BACKSLASH: u8 = 8;
/// What is not ASCII.
const OTHER: u8 = 16;
const SLASH: u8 = 32;

/// The kind of each unit.
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

/// The reasons found so far.
#[derive(Default)]
struct Found {
    /// A bit for each reason, the first in order lowest.
    reasons: u16,
    /// A name is that of a device: comes behind [`Refusal::BadChar`], where a prefix comes before.
    device_name: bool,
}

impl Found {
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
            REFUSALS.get(self.reasons.trailing_zeros() as usize).map(|&(refusal, _)| refusal);
        let comes_later = first.is_none_or(|first| first > Refusal::BadChar);
        if self.device_name && comes_later { Some(Refusal::Device) } else { first }
    }
}
