//! Paths are bytes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub(super) type Unit = u8;

pub(super) fn units(path: &Path) -> Cow<'_, [u8]> {
    path.as_os_str().as_bytes().into()
}

pub(super) fn path(units: Vec<u8>) -> PathBuf {
    OsString::from_vec(units).into()
}
