//! What a process finds itself in: its home, the users, the release of the system.

use std::ffi::OsString;
use std::path::PathBuf;

use curt_paths::Release;

pub(crate) use super::accounts::home_of;

/// The working directory of a drive that is not the working directory's: there are no drives.
pub(crate) fn drive_directory(_: &str) -> Option<PathBuf> {
    None
}

/// The home directory that the environment names.
pub(crate) fn home() -> Option<OsString> {
    std::env::var_os("HOME")
}

/// The release of Windows whose rules hold here: the newest.
pub(crate) fn release() -> Release {
    Release::Windows11
}
