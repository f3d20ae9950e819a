//! Paths are 16-bit units, which need not be UTF-16.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::windows::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub(super) type Unit = u16;

pub(super) fn units(path: &Path) -> Cow<'_, [u16]> {
    path.as_os_str().encode_wide().collect()
}

#[allow(clippy::needless_pass_by_value, reason = "other systems keep the units")]
pub(super) fn path(units: Vec<u16>) -> PathBuf {
    OsString::from_wide(&units).into()
}
