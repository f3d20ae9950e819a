//! What a process finds itself in. All of it lies in the process's own memory: no call to the system.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;

use super::Windows;
use crate::sys::surroundings::Surroundings;
use curt_paths::Release;

/// The first build with the rules of Windows 11 for the names of devices.
const WINDOWS_11: u32 = 21000;
const SIZE: u32 = size_of::<OSVERSIONINFOW>() as u32;

impl Surroundings for Windows {
    #[allow(clippy::disallowed_methods, reason = "it lies in the process: no call is made")]
    fn working_directory(&self) -> io::Result<PathBuf> {
        env::current_dir()
    }

    /// Where command processors keep them: hidden variables.
    fn drive_directory(letter: &str) -> Option<PathBuf> {
        env::var_os(format!("={letter}:")).map(PathBuf::from)
    }

    fn home() -> Option<OsString> {
        let set = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty());
        set("HOME")
            .or_else(|| {
                let mut home = set("HOMEDRIVE")?;
                home.push(set("HOMEPATH")?);
                Some(home)
            })
            .or_else(|| set("USERPROFILE"))
    }

    fn home_of(_: &[u8]) -> Option<PathBuf> {
        None
    }

    fn release() -> Release {
        let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: SIZE, ..OSVERSIONINFOW::default() };
        // SAFETY: the structure is valid, and says its size.
        let status = unsafe { RtlGetVersion(&raw mut version) };
        let is_old = status == 0 && version.dwBuildNumber < WINDOWS_11;
        if is_old { Release::Windows10 } else { Release::Windows11 }
    }
}
