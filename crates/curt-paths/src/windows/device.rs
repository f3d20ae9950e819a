//! Recognizes the names of DOS devices.
//!
//! Up to Windows 10 and Server 2022, `RtlIsDosDeviceName_U` looks at the last component of every
//! path and ignores its extension. Since build 21000, Windows 11 looks at the whole path, and at
//! the last component only for `NUL` (rust-lang/rust#94650, dotnet/docs#41193,
//! python/cpython#95486). File servers still refuse the old names, so checks of untrusted paths do,
//! too.

use std::ops::Range;

use super::prefix::{Start, is_separator};
use crate::options::Release;
use crate::unit::Unit;

/// Returns whether this is a device name, ignoring case. It must not have an extension, dots or
/// spaces.
///
/// `COM0`, `LPT0`, names with superscript four, and `CONERR$` are not device names.
pub fn is_device<U: Unit>(name: &[U]) -> bool {
    let is = |word: &[u8]| is_word(name, word);
    match name.len() {
        3 => is(b"con") || is(b"prn") || is(b"aux") || is(b"nul"),
        4 | 5 if is_port(name) => true,
        6 => is(b"conin$"),
        7 => is(b"conout$"),
        _ => false,
    }
}

fn is_port<U: Unit>(name: &[U]) -> bool {
    let (port, digit) = name.split_at(3);
    (is_word(port, b"com") || is_word(port, b"lpt"))
        && match digit {
            [digit] if matches!(digit.to_ascii(), b'1'..=b'9') => true,
            digit => U::SUPERSCRIPTS.contains(&digit),
        }
}

fn is_word<U: Unit>(name: &[U], word: &[u8]) -> bool {
    name.len() == word.len()
        && name
            .iter()
            .zip(word)
            .all(|(unit, &letter)| unit.to_ascii().eq_ignore_ascii_case(&letter))
}

/// Returns the position of a device name in the last component.
/// [`GetFullPathNameW`](https://learn.microsoft.com/windows/win32/fileio/naming-a-file) replaces
/// the whole path with it.
pub fn device_at_end<U: Unit>(path: &[U], start: Start, release: Release) -> Option<Range<usize>> {
    if matches!(start, Start::LocalDevice | Start::BareDevice | Start::Share) {
        return None;
    }
    let names = start.drive().unwrap_or(0);
    let last = path[names..].iter().rposition(|&unit| is_separator(unit));
    let begin = last.map_or(names, |separator| names + separator + 1);
    if !matches!(path.get(begin)?.to_ascii() | 0x20, b'a' | b'c' | b'l' | b'n' | b'p') {
        return None;
    }
    let name = match release {
        Release::Windows10 => stem(&path[begin..]),
        Release::Windows11 => trim(&path[begin..], |unit| matches!(unit, b'.' | b' ' | b':')),
    };
    let counts = release == Release::Windows10 || begin == 0 || is_word(name, b"nul");
    (counts && is_device(name)).then_some(begin..begin + name.len())
}

/// Returns the part before the first dot or colon, without trailing spaces.
pub(crate) fn stem<U: Unit>(name: &[U]) -> &[U] {
    let end = name.iter().position(|unit| matches!(unit.to_ascii(), b'.' | b':'));
    trim(&name[..end.unwrap_or(name.len())], |unit| unit == b' ')
}

fn trim<U: Unit>(name: &[U], is_dropped: impl Fn(u8) -> bool) -> &[U] {
    let end = name.iter().rposition(|unit| !is_dropped(unit.to_ascii()));
    &name[..end.map_or(0, |last| last + 1)]
}
