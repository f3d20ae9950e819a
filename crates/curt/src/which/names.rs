//! Validates the names of programs before any system call.

use crate::error::FindCause;
use crate::name::{Unit, is_dot_or_dot_dot};
use curt_paths::windows::{Start, device_at_end, is_separator};
use curt_paths::{Flavor, Release};

/// The maximum length of a name in units, on every system.
const LONGEST: usize = 255;

/// Returns the index of the last component, which is 0 for a bare name and more for a path.
pub(super) fn stem_of<U: Unit>(name: &[U], rules: Flavor) -> Result<usize, FindCause> {
    if name.is_empty() {
        return Err(FindCause::InvalidName("it is empty"));
    }
    if name.contains(&U::NUL) {
        return Err(FindCause::InvalidName("it contains a NUL"));
    }
    match rules {
        Flavor::Posix => posix_stem(name),
        Flavor::Windows => windows_stem(name),
    }
}

fn posix_stem<U: Unit>(name: &[U]) -> Result<usize, FindCause> {
    let slash = U::ascii(b'/');
    if name.split(|&unit| unit == slash).any(|part| part.len() > LONGEST) {
        return Err(FindCause::NameTooLong);
    }
    if let Some(last) = name.iter().rposition(|&unit| unit == slash) {
        return Ok(last + 1);
    }
    if is_dot_or_dot_dot(name) {
        return Err(FindCause::InvalidName("it is a directory"));
    }
    Ok(0)
}

fn windows_stem<U: Unit>(name: &[U]) -> Result<usize, FindCause> {
    let start = Start::of(name);
    match start {
        Start::BareDevice => return Err(FindCause::InvalidName("it names a device")),
        Start::LocalDevice if name.get(2).is_some_and(|unit| unit.to_ascii() == b'.') => {
            return Err(FindCause::InvalidName("it names a device"));
        }
        Start::DriveRelative { .. } | Start::DriveAbsolute { .. } => {
            let is_letter = name.first().is_some_and(|unit| unit.to_ascii().is_ascii_alphabetic());
            let has_drives = U::SEPARATOR != U::ascii(b'/');
            let relative = matches!(start, Start::DriveRelative { .. });
            if !is_letter || (relative && !has_drives) {
                return Err(FindCause::InvalidName("it names a file stream"));
            }
        }
        _ => {}
    }
    if device_at_end(name, start, Release::Windows10).is_some() {
        return Err(FindCause::InvalidName("it names a device"));
    }
    let names = match start {
        Start::LocalDevice => 4 + if is_drive(name.get(4..6)) { 2 } else { 0 },
        _ => start.drive().unwrap_or(0),
    };
    let parts = name[names..].split(|&unit| is_separator(unit));
    for part in parts {
        if part.len() > LONGEST {
            return Err(FindCause::NameTooLong);
        }
        if let Some(reason) = part.iter().find_map(|&unit| fault(unit)) {
            return Err(FindCause::InvalidName(reason));
        }
    }
    let last = name[names..].iter().rposition(|&unit| is_separator(unit));
    let begin = last.map_or(names, |last| names + last + 1);
    match name[begin..].last().map(|unit| unit.to_ascii()) {
        None => Err(FindCause::InvalidName("it ends in a separator")),
        Some(b'.' | b' ') => Err(FindCause::InvalidName("it ends in a dot or a space")),
        Some(_) => Ok(begin),
    }
}

fn is_drive<U: Unit>(units: Option<&[U]>) -> bool {
    matches!(units, Some([letter, colon])
        if letter.to_ascii().is_ascii_alphabetic() && colon.to_ascii() == b':')
}

fn fault<U: Unit>(unit: U) -> Option<&'static str> {
    if !is_forbidden(unit) {
        return None;
    }
    Some(match unit.to_ascii() {
        b':' => "it names a file stream",
        b'*' | b'?' | b'<' | b'>' | b'"' => "it contains a wildcard",
        _ => "it contains a character that no name may",
    })
}

pub(super) fn extension_at<U: Unit>(name: &[U]) -> Option<usize> {
    name.iter().rposition(|&unit| unit == U::ascii(b'.'))
}

/// Returns whether names must not contain the character: a separator, a wildcard of the kernel, or
/// a control character.
pub(super) fn is_forbidden<U: Unit>(unit: U) -> bool {
    matches!(
        unit.to_ascii(),
        b'\\' | b'/' | b':' | b'*' | b'?' | b'"' | b'<' | b'>' | b'|' | 0..=31
    )
}

pub(super) fn ascii<U: Unit>(text: &str) -> Vec<U> {
    text.bytes().map(U::ascii).collect()
}
