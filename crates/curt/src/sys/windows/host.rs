//! What a process finds itself in: its home, the directories of drives, the release of the system.
//! All of it lies in the process's own memory: no call to the system.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;

use curt_paths::Release;

/// The first build with the rules of Windows 11 for the names of devices.
const WINDOWS_11: u32 = 21000;
const SIZE: u32 = size_of::<OSVERSIONINFOW>() as u32;

/// The working directory of a drive: command processors keep it in a hidden variable.
pub(crate) fn drive_directory(letter: &str) -> Option<PathBuf> {
    env::var_os(format!("={letter}:")).map(PathBuf::from)
}

/// The home directory that the environment names.
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

/// The home directory of another user: nothing tells it.
pub(crate) fn home_of(_: &[u8]) -> Option<PathBuf> {
    None
}

/// The release of Windows, as far as rules for paths differ.
pub(crate) fn release() -> Release {
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: SIZE, ..OSVERSIONINFOW::default() };
    // SAFETY: the structure is valid, and says its size.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    let is_old = status == 0 && version.dwBuildNumber < WINDOWS_11;
    if is_old { Release::Windows10 } else { Release::Windows11 }
}
