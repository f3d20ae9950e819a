//! The names of DOS devices.
//!
//! What is known, and when it was seen: up to Windows 10 and Server 2022 (seen until 2025),
//! `RtlIsDosDeviceName_U` looks at the last name of every path and passes over its extension. From
//! build 21000 on, Windows 11 (rust-lang/rust#94650, dotnet/docs#41193, python/cpython#95486) looks
//! at the whole text, and at the last name for `NUL` alone. One report of build 26200 has it that
//! bare `NUL` is all that is left there. File servers refuse the old names still, so who judges
//! paths of others takes those.

use std::ops::Range;

use super::prefix::{Start, is_separator};
use crate::flavor::Release;
use crate::unit::Unit;

/// Whether this is a device's name: without extension, dots or spaces. `COM0`, `LPT0`, superscript
/// four and `CONERR$` are not.
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

/// Whether it is `COM` or `LPT` and a digit other than 0; superscripts are digits.
fn is_port<U: Unit>(name: &[U]) -> bool {
    let (port, digit) = name.split_at(3);
    (is_word(port, b"com") || is_word(port, b"lpt"))
        && match digit {
            [digit] if matches!(digit.to_ascii(), b'1'..=b'9') => true,
            digit => U::SUPERSCRIPTS.contains(&digit),
        }
}

/// Whether it is this word, in letters of any case.
fn is_word<U: Unit>(name: &[U], word: &[u8]) -> bool {
    name.len() == word.len()
        && name
            .iter()
            .zip(word)
            .all(|(unit, &letter)| unit.to_ascii().eq_ignore_ascii_case(&letter))
}

/// Where in a path a device is named that takes the place of the whole path, as
/// [`GetFullPathNameW`](https://learn.microsoft.com/windows/win32/fileio/naming-a-file) has it.
pub fn device_at_end<U: Unit>(path: &[U], start: Start, release: Release) -> Option<Range<usize>> {
    if matches!(start, Start::LocalDevice | Start::BareDevice | Start::Share) {
        return None;
    }
    let names = start.drive().unwrap_or(0);
    let last = path[names..].iter().rposition(|&unit| is_separator(unit));
    let begin = last.map_or(names, |separator| names + separator + 1);
    // Most names are none: no more is looked at.
    if !matches!(path.get(begin)?.to_ascii() | 0x20, b'a' | b'c' | b'l' | b'n' | b'p') {
        return None;
    }
    let name = match release {
        Release::Windows10 => stem(&path[begin..]),
        Release::Windows11 => trimmed(&path[begin..]),
    };
    let counts = release == Release::Windows10 || begin == 0 || is_word(name, b"nul");
    (counts && is_device(name)).then_some(begin..begin + name.len())
}

/// The name up to its first dot or colon, without spaces at its end.
pub fn stem<U: Unit>(name: &[U]) -> &[U] {
    let end = name.iter().position(|unit| matches!(unit.to_ascii(), b'.' | b':'));
    trim(&name[..end.unwrap_or(name.len())], |unit| unit == b' ')
}

/// The name without dots, spaces and colons at its end.
fn trimmed<U: Unit>(name: &[U]) -> &[U] {
    trim(name, |unit| matches!(unit, b'.' | b' ' | b':'))
}

fn trim<U: Unit>(name: &[U], is_dropped: impl Fn(u8) -> bool) -> &[U] {
    let end = name.iter().rposition(|unit| !is_dropped(unit.to_ascii()));
    &name[..end.map_or(0, |last| last + 1)]
}
