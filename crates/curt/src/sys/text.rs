//! Conversions between paths and their units, without a system call.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::fields::Kind;
use crate::name::{NameBuf, Unit};

/// The unit of names: a byte on Unix, 16 bits on Windows.
pub(crate) trait SystemUnit: Unit {
    fn append_units(path: &Path, to: &mut Vec<Self>);

    /// Returns a path's units, to which the caller may append names.
    fn units(path: &Path) -> Vec<Self> {
        // Leave room for a NUL.
        let mut units = Vec::with_capacity(path.as_os_str().len() + 1);
        Self::append_units(path, &mut units);
        units
    }

    fn path(units: Vec<Self>) -> PathBuf;

    /// Returns the units as a string, without a copy on Unix.
    fn text(units: &[Self]) -> Cow<'_, OsStr> {
        Cow::Owned(Self::path(units.to_vec()).into_os_string())
    }

    fn operand(path: &Path) -> SplitOperand<Self>;
}

/// A junction to `\\?\Volume{…}\` is a mounted volume (`SetVolumeMountPointW`).
pub(crate) fn kind_by_target<U: Unit>(kind: Kind, target: &[U]) -> Kind {
    if kind == Kind::Junction && is_volume(target) { Kind::VolumeMount } else { kind }
}

pub(super) fn is_volume<U: Unit>(path: &[U]) -> bool {
    const PREFIX: &[u8] = br"\\?\volume{";
    let Some((head, rest)) = path.split_at_checked(PREFIX.len()) else {
        return false;
    };
    let head = head.iter().map(|unit| unit.to_ascii().to_ascii_lowercase());
    let rest = rest.strip_suffix(&[U::ascii(b'\\')]).unwrap_or(rest);
    head.eq(PREFIX.iter().copied()) && U::position(rest, [b'}']) == Some(rest.len().wrapping_sub(1))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SplitOperand<U> {
    /// Empty for the working directory.
    pub(crate) parent: PathBuf,
    pub(crate) last: Last<U>,
    /// Whether the path ends with separators, so that `last` must be a directory, not a symlink.
    pub(crate) directory_only: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Last<U> {
    Name(NameBuf<U>),
    DotOrDotDot,
    Root,
    /// The operand is empty or contains a NUL.
    Invalid(io::ErrorKind),
}

impl<U: Unit> Last<U> {
    pub(super) fn of_name(name: &[U]) -> Self {
        NameBuf::new(name.to_vec()).map_or_else(|error| Last::Invalid(error.kind()), Last::Name)
    }
}

/// Also the unit of the in-memory platform.
#[cfg(any(unix, test, fuzzing))]
impl SystemUnit for u8 {
    fn append_units(path: &Path, to: &mut Vec<u8>) {
        to.extend_from_slice(path.as_os_str().as_encoded_bytes());
    }

    #[cfg(unix)]
    fn path(units: Vec<u8>) -> PathBuf {
        let text: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(units);
        text.into()
    }

    /// Lossy: only tests compare these paths, and names outside Unicode are tested on Unix.
    #[cfg(not(unix))]
    fn path(units: Vec<u8>) -> PathBuf {
        String::from_utf8_lossy(&units).into_owned().into()
    }

    #[cfg(unix)]
    fn text(units: &[u8]) -> Cow<'_, OsStr> {
        Cow::Borrowed(std::os::unix::ffi::OsStrExt::from_bytes(units))
    }

    /// Splits `a//b/` into `a//` and the name `b`, which must be a directory.
    fn operand(path: &Path) -> SplitOperand<u8> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let end = bytes.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
        let begin = bytes[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        let last = match &bytes[begin..end] {
            _ if bytes.is_empty() => Last::Invalid(io::ErrorKind::NotFound),
            _ if bytes.contains(&0) => Last::Invalid(io::ErrorKind::InvalidInput),
            b"" => Last::Root,
            b"." | b".." => Last::DotOrDotDot,
            name => Last::of_name(name),
        };
        let parent = u8::path(bytes[..begin].to_vec());
        SplitOperand { parent, last, directory_only: end < bytes.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::kind_by_target;
    use crate::fields::Kind;

    #[test]
    fn targets_distinguish_volumes_and_junctions() {
        let volume = r"\\?\Volume{0c3d2a1b-0000-0000-0000-100000000000}";
        for (target, expected) in [
            (format!(r"{volume}\"), Kind::VolumeMount),
            (volume.to_owned(), Kind::VolumeMount),
            (volume.to_lowercase() + "\\", Kind::VolumeMount),
            (format!(r"{volume}\folder"), Kind::Junction),
            (format!(r"{volume}\\"), Kind::Junction),
            (r"C:\there".to_owned(), Kind::Junction),
            (r"\\?\Volume{".to_owned(), Kind::Junction),
            (r"\\?\Volume".to_owned(), Kind::Junction),
            (String::new(), Kind::Junction),
        ] {
            let wide: Vec<u16> = target.encode_utf16().collect();
            assert_eq!(kind_by_target(Kind::Junction, &wide), expected, "{target}");
            assert_eq!(kind_by_target(Kind::Junction, target.as_bytes()), expected, "{target}");
            assert_eq!(kind_by_target(Kind::Symlink, &wide), Kind::Symlink, "a link may, too");
        }
    }
}
