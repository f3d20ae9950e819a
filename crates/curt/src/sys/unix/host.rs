use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use curt_paths::Release;

use super::Unix;
pub(crate) use super::accounts::home_of;
use crate::sys::Host;

pub(crate) fn drive_directory(_: &str) -> Option<PathBuf> {
    None
}

pub(crate) fn home() -> Option<OsString> {
    std::env::var_os("HOME")
}

/// On Unix, searches under Windows rules assume the newest release.
pub(crate) fn release() -> Release {
    Release::Windows11
}

impl Host for Unix {
    fn descriptor_limit(&self) -> usize {
        self.syscalls.descriptor_limit().map_or(usize::MAX, |limit| limit as usize)
    }

    fn processors(&self) -> usize {
        self.syscalls.processors()
    }

    fn now(&self) -> Duration {
        self.syscalls.now()
    }

    fn sleep(&self, time: Duration) {
        self.syscalls.sleep(time);
    }

    fn waits(&self) -> u64 {
        self.syscalls.waits()
    }
}
