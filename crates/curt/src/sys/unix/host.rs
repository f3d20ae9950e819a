//! The process that a worker runs in.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use curt_paths::Release;

use super::Unix;
pub(crate) use super::accounts::home_of;
use crate::sys::Host;

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

/// The last name of what is there, as its directory has it: no name has another form here.
#[allow(clippy::unnecessary_wraps, reason = "Windows asks the system")]
pub(crate) fn long_name(_: &Path) -> io::Result<Option<OsString>> {
    Ok(None)
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
