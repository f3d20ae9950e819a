use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;

use super::Windows;
use crate::sys::Host;
use curt_paths::Release;

/// The first build with the new rules for device names.
const WINDOWS_11: u32 = 21000;
const SIZE: u32 = size_of::<OSVERSIONINFOW>() as u32;

/// Command processors store a drive's working directory in a hidden variable.
pub(crate) fn drive_directory(letter: &str) -> Option<PathBuf> {
    env::var_os(format!("={letter}:")).map(PathBuf::from)
}

pub(crate) fn home() -> Option<OsString> {
    let set = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    set("HOME")
        .or_else(|| {
            let mut home = set("HOMEDRIVE")?;
            home.push(set("HOMEPATH")?);
            Some(home)
        })
        .or_else(|| set("USERPROFILE"))
}

pub(crate) fn home_of(_: &[u8]) -> Option<PathBuf> {
    None
}

pub(crate) fn release() -> Release {
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: SIZE, ..OSVERSIONINFOW::default() };
    // SAFETY: the structure is live and contains its size.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    let is_old = status == 0 && version.dwBuildNumber < WINDOWS_11;
    if is_old { Release::Windows10 } else { Release::Windows11 }
}

impl Host for Windows {
    /// curt's own limit, because Windows limits handles only by memory.
    fn descriptor_limit(&self) -> usize {
        16 << 10
    }

    #[allow(clippy::disallowed_methods, reason = "this is no call about a file")]
    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn now(&self) -> Duration {
        self.syscalls.now()
    }

    fn sleep(&self, time: Duration) {
        self.syscalls.sleep(time);
    }
}
