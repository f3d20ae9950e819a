//! Paths as units and back, by the safe forms that each system's part of the standard library has.

use std::io;
use std::path::{Path, PathBuf, is_separator};

use crate::name::Unit as _;
use crate::sys::{Last, Operand};

/// What names are made of.
pub(crate) type Unit = u8;

/// The units of a path. Only where names must be Unicode can that fail.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(super) fn units(path: &Path) -> io::Result<Vec<Unit>> {
    Ok(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec())
}

/// The units of a path. A name that is no Unicode is refused, not guessed at: the standard library
/// has no safe way back to it.
#[cfg(not(unix))]
pub(super) fn units(path: &Path) -> io::Result<Vec<Unit>> {
    let text = path.to_str().ok_or(io::ErrorKind::InvalidData)?;
    Ok(text.as_bytes().to_vec())
}

/// The path that these units spell.
#[cfg(unix)]
pub(super) fn path(units: Vec<Unit>) -> PathBuf {
    let text: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(units);
    text.into()
}

/// The path that these units spell. They came from [`units`], so they are Unicode; if they were
/// not, the empty path names nothing.
#[cfg(not(unix))]
pub(super) fn path(units: Vec<Unit>) -> PathBuf {
    String::from_utf8(units).unwrap_or_default().into()
}

fn is_separator_unit(unit: Unit) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(is_separator)
}

/// Takes an operand apart: `a//b/` is `b` in `a`, and must be a directory.
pub(super) fn operand(path: &Path) -> Operand<Unit> {
    let Ok(units) = units(path) else {
        return invalid(io::ErrorKind::InvalidInput);
    };
    if units.is_empty() {
        return invalid(io::ErrorKind::NotFound);
    }
    if units.contains(&Unit::NUL) {
        return invalid(io::ErrorKind::InvalidInput);
    }
    let end = units.iter().rposition(|&unit| !is_separator_unit(unit)).map_or(0, |last| last + 1);
    let begin = units[..end]
        .iter()
        .rposition(|&unit| is_separator_unit(unit))
        .map_or(0, |separator| separator + 1);
    let directory_only = end < units.len();
    let name = &units[begin..end];
    let last = if name.is_empty() {
        Last::Root
    } else if is_only_dots(name) {
        Last::DotOrDotDot
    } else {
        Last::Name([name, &[Unit::NUL]].concat())
    };
    Operand { parent: self::path(units[..begin].to_vec()), last, directory_only }
}

fn invalid(kind: io::ErrorKind) -> Operand<Unit> {
    Operand { parent: PathBuf::new(), last: Last::Invalid(kind), directory_only: false }
}

/// Whether a last name is `.` or `..`.
fn is_only_dots(name: &[Unit]) -> bool {
    name.len() <= 2 && name.iter().all(|&unit| unit == Unit::ascii(b'.'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{operand, path, units};
    use crate::sys::Last;

    fn apart(text: &str) -> (String, String, bool) {
        let operand = operand(Path::new(text));
        let last = match operand.last {
            Last::Name(units) => path(units[..units.len() - 1].to_vec()).to_str().unwrap().into(),
            other => format!("{other:?}"),
        };
        (operand.parent.to_str().unwrap().into(), last, operand.directory_only)
    }

    fn check(cases: &[(&str, &str, &str, bool)]) {
        for &(text, parent, last, directory_only) in cases {
            assert_eq!(apart(text), (parent.into(), last.into(), directory_only), "{text:?}");
        }
    }

    #[test]
    fn operands_are_taken_apart_by_text() {
        check(&[
            ("a", "", "a", false),
            ("a/", "", "a", true),
            ("x//a//", "x//", "a", true),
            ("/a", "/", "a", false),
            ("...x", "", "...x", false),
            (".", "", "DotOrDotDot", false),
            ("..", "", "DotOrDotDot", false),
            ("a/../", "a/", "DotOrDotDot", true),
            ("/", "", "Root", true),
            ("", "", "Invalid(NotFound)", false),
            ("a\0b", "", "Invalid(InvalidInput)", false),
        ]);
    }

    #[test]
    fn units_spell_the_path_they_came_from() {
        let odd = Path::new("a/\u{fffd} odd\n/b");
        assert_eq!(path(units(odd).unwrap()), odd);
    }
}
