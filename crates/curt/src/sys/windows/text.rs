//! Splits operands, and converts paths to and from the kernel's spelling.

use std::borrow::Cow;
use std::io;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf, Prefix};

use crate::sys::{Last, SplitOperand, SystemUnit};

const BACKSLASH: u16 = b'\\' as u16;
const SLASH: u16 = b'/' as u16;
const DOT: u16 = b'.' as u16;
const SPACE: u16 = b' ' as u16;

impl SystemUnit for u16 {
    fn append_units(path: &Path, to: &mut Vec<u16>) {
        to.extend(path.as_os_str().encode_wide());
    }

    fn path(units: Vec<u16>) -> PathBuf {
        std::ffi::OsString::from_wide(&units).into()
    }

    /// Splits `a\\b\` into `a\\` and the name `b`, which must be a directory. Win32 would turn
    /// `name.` or `nul` into a different name or a device; here they only name entries, so that no
    /// other entry can be removed.
    fn operand(path: &Path) -> SplitOperand<u16> {
        let units = u16::units(path);
        if units.is_empty() {
            return invalid(io::ErrorKind::NotFound);
        }
        if units.contains(&0) {
            return invalid(io::ErrorKind::InvalidInput);
        }
        let prefix = match path.components().next() {
            Some(Component::Prefix(prefix)) => Some(prefix),
            _ => None,
        };
        // In verbatim paths, only `\` is a separator.
        let verbatim = prefix.is_some_and(|prefix| prefix.kind().is_verbatim());
        let is_separator = |unit: &u16| *unit == BACKSLASH || (*unit == SLASH && !verbatim);
        // Skip separators inside the drive or share.
        let rest = prefix.map_or(0, |prefix| prefix.as_os_str().encode_wide().count());
        let rest = rest.min(units.len());
        let end = units[rest..]
            .iter()
            .rposition(|unit| !is_separator(unit))
            .map_or(rest, |last| rest + last + 1);
        let begin = units[rest..end]
            .iter()
            .rposition(is_separator)
            .map_or(rest, |separator| rest + separator + 1);
        let directory_only = end < units.len();
        let name = &units[begin..end];
        let is_drive = matches!(prefix.map(|prefix| prefix.kind()), Some(Prefix::Disk(_)));
        let last = match name {
            // `C:` is the drive's working directory; `\`, `C:\` and a share are roots.
            [] if is_drive && !directory_only => Last::DotOrDotDot,
            [] => Last::Root,
            // Win32 drops dots and spaces at the end of a name, so `.. ` means `..`.
            name if name.iter().all(|unit| matches!(*unit, DOT | SPACE)) => Last::DotOrDotDot,
            _ => Last::of_name(name),
        };
        SplitOperand { parent: u16::path(units[..begin].to_vec()), last, directory_only }
    }
}

fn invalid(kind: io::ErrorKind) -> SplitOperand<u16> {
    SplitOperand { parent: PathBuf::new(), last: Last::Invalid(kind), directory_only: false }
}

/// Applies the Win32 rules for relative paths, dots and spaces. Only the kernel limits the length.
pub(super) fn native(path: &Path) -> io::Result<Vec<u16>> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let full = u16::units(&std::path::absolute(path)?);
    let full = full.as_slice();
    let kernel = |rest: &[u16]| [wide(r"\??\").as_slice(), rest].concat();
    let strip = |prefix: &str| full.strip_prefix(wide(prefix).as_slice());
    Ok(if let Some(rest) = strip(r"\\?\").or_else(|| strip(r"\\.\")).or_else(|| strip(r"\??\")) {
        kernel(rest)
    } else if let Some(rest) = strip(r"\\") {
        kernel(&[wide(r"UNC\").as_slice(), rest].concat())
    } else {
        kernel(full)
    })
}

/// Replaces `/` with `\`, except in full native paths, where `/` is part of a name.
pub(super) fn spelled(units: &[u16], is_relative: bool) -> Cow<'_, [u16]> {
    if !is_relative || !units.contains(&SLASH) {
        return Cow::Borrowed(units);
    }
    units.iter().map(|&unit| if unit == SLASH { BACKSLASH } else { unit }).collect()
}

pub(super) fn has_separators(units: &[u16]) -> bool {
    units.contains(&BACKSLASH)
}

pub(super) fn from_native(units: &[u16]) -> Vec<u16> {
    let Some(rest) = units.strip_prefix(wide(r"\??\").as_slice()) else {
        return units.to_vec();
    };
    let begins = |prefix: &str| rest.starts_with(&wide(prefix));
    if begins(r"UNC\") {
        return [&[BACKSLASH], &rest[3..]].concat();
    }
    if drive(units).is_some() {
        return rest.to_vec();
    }
    [wide(r"\\?\").as_slice(), rest].concat()
}

pub(super) fn drive(native: &[u16]) -> Option<u16> {
    let rest = native.strip_prefix(wide(r"\??\").as_slice())?;
    match *rest {
        [letter, colon] | [letter, colon, BACKSLASH, ..] if colon == u16::from(b':') => {
            Some(u16::from(u8::try_from(letter).ok()?.to_ascii_uppercase()))
        }
        _ => None,
    }
}

/// Returns the length of the drive, share or device, with the separator after it.
pub(super) fn root_length(native: &[u16]) -> usize {
    let prefix = wide(r"\??\");
    let Some(rest) = native.strip_prefix(prefix.as_slice()) else { return 0 };
    let names = if rest.starts_with(&wide(r"UNC\")) { 3 } else { 1 };
    let ends = rest.iter().enumerate().filter(|&(_, &unit)| unit == BACKSLASH);
    let end = ends.map(|(at, _)| at + 1).nth(names - 1);
    prefix.len() + end.unwrap_or(rest.len())
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{drive, from_native, native, root_length, spelled, wide};
    use crate::sys::{Last, SystemUnit};

    fn apart(text: &str) -> (String, String, bool) {
        let operand = u16::operand(Path::new(text));
        let last = match operand.last {
            Last::Name(name) => u16::path(name.as_name().units().to_vec()).to_str().unwrap().into(),
            other => format!("{other:?}"),
        };
        (operand.parent.to_str().unwrap().into(), last, operand.directory_only)
    }

    #[test]
    fn operands_are_split_by_text() {
        for (text, parent, last, directory_only) in [
            (r"x\\a/\", r"x\\", "a", true),
            ("...", "", "DotOrDotDot", false),
            (".. ", "", "DotOrDotDot", false),
            ("...x", "", "...x", false),
            ("a. ", "", "a. ", false),
            ("nul", "", "nul", false),
            (".", "", "DotOrDotDot", false),
            (r"a\..\", r"a\", "DotOrDotDot", true),
            ("/", "", "Root", true),
            (r"C:\a\b", r"C:\a\", "b", false),
            ("C:a", "C:", "a", false),
            ("C:", "C:", "DotOrDotDot", false),
            (r"C:\", "C:", "Root", true),
            (r"\\?\C:\", r"\\?\C:", "Root", true),
            (r"\\?\C:\a/b", r"\\?\C:\", "a/b", false),
            (r"\\server\share", r"\\server\share", "Root", false),
            (r"\\server\share\", r"\\server\share", "Root", true),
            (r"\\server\share\a", r"\\server\share\", "a", false),
        ] {
            assert_eq!(apart(text), (parent.into(), last.into(), directory_only), "{text:?}");
        }
    }

    #[test]
    fn the_kernel_spells_full_paths() {
        for (text, expected) in [
            (r"C:\a\..\b", r"\??\C:\b"),
            (r"C:/a/b", r"\??\C:\a\b"),
            (r"\\server\share\a", r"\??\UNC\server\share\a"),
            (r"\\?\C:\a\..\b. ", r"\??\C:\a\..\b. "),
            (r"\\.\C:\a", r"\??\C:\a"),
        ] {
            assert_eq!(native(Path::new(text)).unwrap(), wide(expected), "{text:?}");
        }
        let here = native(Path::new("")).unwrap();
        assert_eq!(native(&std::env::current_dir().unwrap()).unwrap(), here);
    }

    #[test]
    fn native_paths_are_split() {
        for (text, root, letter, again) in [
            (r"\??\C:\a\b", r"\??\C:\", Some(b'C'), r"C:\a\b"),
            (r"\??\c:", r"\??\c:", Some(b'C'), r"c:"),
            (r"\??\UNC\server\share\a", r"\??\UNC\server\share\", None, r"\\server\share\a"),
            (r"\??\UNC\server\share", r"\??\UNC\server\share", None, r"\\server\share"),
            (r"\??\Volume{1-2}\x", r"\??\Volume{1-2}\", None, r"\\?\Volume{1-2}\x"),
            (r"x\y", "", None, r"x\y"),
        ] {
            let units = wide(text);
            assert_eq!(units[..root_length(&units)], wide(root), "{text}");
            assert_eq!(drive(&units), letter.map(u16::from), "{text}");
            assert_eq!(from_native(&units), wide(again), "{text}");
        }
    }

    #[test]
    fn separators_below_a_directory_are_the_kernels() {
        assert_eq!(*spelled(&wide(r"a/b\c"), true), wide(r"a\b\c"));
        assert_eq!(*spelled(&wide(r"a/b"), false), wide("a/b"), "a name of a verbatim path");
    }
}
