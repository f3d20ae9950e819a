//! The process that a worker runs in.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use curt_paths::Release;

use super::Unix;
pub(crate) use super::accounts::home_of;
use crate::sys::{Host, Setup, Sys};

/// Returns the working directory of a drive: there are no drives.
pub(crate) fn drive_directory(_: &str) -> Option<PathBuf> {
    None
}

/// Returns the home directory from the environment.
pub(crate) fn home() -> Option<OsString> {
    std::env::var_os("HOME")
}

/// Returns the release of Windows whose rules are used: the newest.
pub(crate) fn release() -> Release {
    Release::Windows11
}

/// Returns the long form of the last name: there are no short names.
#[allow(clippy::unnecessary_wraps, reason = "Windows asks the system")]
pub(crate) fn long_name(_: &Path) -> io::Result<Option<OsString>> {
    Ok(None)
}

/// Returns the canonical name of what a path leads to.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    Unix::start(&Setup::default()).canonical(path)
}

impl Host for Unix {
    fn descriptor_limit(&self) -> usize {
        self.door.descriptor_limit().map_or(usize::MAX, |limit| limit as usize)
    }

    fn processors(&self) -> usize {
        self.door.processors()
    }

    fn sleep(&self, time: Duration) {
        self.door.sleep(time);
    }

    fn waits(&self) -> u64 {
        self.door.waits()
    }
}
