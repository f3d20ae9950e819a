//! The name that is looked for: what it asks for, by text alone. What cannot be the name of a program is
//! refused here, for no call.

use super::lists::is_forbidden;
use crate::name::{Unit, is_dot_or_dot_dot};
use curt_paths::windows::{Start, device_at_end, is_separator};
use curt_paths::{Flavor, Release};

/// The longest name of a directory entry, in units.
const LONGEST: usize = 255;

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Invalid(&'static str),
    TooLong,
}

/// What a name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A name to be looked for in `PATH`.
    Bare,
    /// A path; its last name begins here.
    Given(usize),
}

/// Reads a name by these rules.
pub(super) fn read<U: Unit>(name: &[U], rules: Flavor) -> Result<Asked, Refusal> {
    if name.is_empty() {
        return Err(Refusal::Invalid("it is empty"));
    }
    if name.contains(&U::NUL) {
        return Err(Refusal::Invalid("it contains a NUL"));
    }
    match rules {
        Flavor::Posix => read_posix(name),
        Flavor::Windows => read_windows(name),
    }
}

fn read_posix<U: Unit>(name: &[U]) -> Result<Asked, Refusal> {
    let slash = U::ascii(b'/');
    if name.split(|&unit| unit == slash).any(|part| part.len() > LONGEST) {
        return Err(Refusal::TooLong);
    }
    if let Some(last) = name.iter().rposition(|&unit| unit == slash) {
        return Ok(Asked::Given(last + 1));
    }
    if is_dot_or_dot_dot(name) {
        return Err(Refusal::Invalid("it is a directory"));
    }
    Ok(Asked::Bare)
}

fn read_windows<U: Unit>(name: &[U]) -> Result<Asked, Refusal> {
    let start = Start::of(name);
    match start {
        Start::BareDevice => return Err(Refusal::Invalid("it names a device")),
        Start::LocalDevice if name.get(2).is_some_and(|unit| unit.to_ascii() == b'.') => {
            return Err(Refusal::Invalid("it names a device"));
        }
        Start::DriveRelative { .. } | Start::DriveAbsolute { .. } => {
            let is_letter = name.first().is_some_and(|unit| unit.to_ascii().is_ascii_alphabetic());
            let has_drives = U::SEPARATOR != U::ascii(b'/');
            let relative = matches!(start, Start::DriveRelative { .. });
            if !is_letter || (relative && !has_drives) {
                return Err(Refusal::Invalid("it names a stream of a file"));
            }
        }
        _ => {}
    }
    if device_at_end(name, start, Release::Windows10).is_some() {
        return Err(Refusal::Invalid("it names a device"));
    }
    // What stands before the names, and may hold what these may not.
    let names = match start {
        Start::LocalDevice => 4 + if is_drive(name.get(4..6)) { 2 } else { 0 },
        _ => start.drive().unwrap_or(0),
    };
    let parts = name[names..].split(|&unit| is_separator(unit));
    for part in parts {
        if part.len() > LONGEST {
            return Err(Refusal::TooLong);
        }
        if let Some(reason) = part.iter().find_map(|&unit| fault(unit)) {
            return Err(Refusal::Invalid(reason));
        }
    }
    let last = name[names..].iter().rposition(|&unit| is_separator(unit));
    let begin = last.map_or(names, |last| names + last + 1);
    match name[begin..].last().map(|unit| unit.to_ascii()) {
        None => Err(Refusal::Invalid("it ends in a separator")),
        Some(b'.' | b' ') => Err(Refusal::Invalid("it ends in a dot or a space")),
        Some(_) if begin == 0 => Ok(Asked::Bare),
        Some(_) => Ok(Asked::Given(begin)),
    }
}

/// Whether it is a letter and a colon.
fn is_drive<U: Unit>(units: Option<&[U]>) -> bool {
    matches!(units, Some([letter, colon])
        if letter.to_ascii().is_ascii_alphabetic() && colon.to_ascii() == b':')
}

/// What is wrong with a unit of a name.
fn fault<U: Unit>(unit: U) -> Option<&'static str> {
    if !is_forbidden(unit) {
        return None;
    }
    Some(match unit.to_ascii() {
        b':' => "it names a stream of a file",
        b'*' | b'?' | b'<' | b'>' | b'"' => "it is a pattern",
        _ => "it contains what no name may",
    })
}

/// Where the extension of a name begins, with its dot: the last one.
pub(super) fn extension_at<U: Unit>(name: &[U]) -> Option<usize> {
    name.iter().rposition(|&unit| unit == U::ascii(b'.'))
}
