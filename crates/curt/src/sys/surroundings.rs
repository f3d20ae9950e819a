//! What a process finds itself in: its working directory, home, the users, the release of the system.
//! Asked by expansion, which asks nothing else.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::Sys;
use curt_paths::Release;

/// What a process finds itself in.
pub(crate) trait Surroundings: Sys {
    /// The working directory.
    fn working_directory(&self) -> io::Result<PathBuf>;

    /// The working directory of a drive that is not the working directory's, where it has one.
    fn drive_directory(letter: &str) -> Option<PathBuf> {
        let _ = letter;
        None
    }

    /// The home directory that the environment names.
    fn home() -> Option<OsString> {
        std::env::var_os("HOME")
    }

    /// The home directory of a user as the user database has it; an empty name is the user's whose
    /// process this is.
    fn home_of(user: &[u8]) -> Option<PathBuf>;

    /// The release of Windows whose rules hold here; the newest where this is not Windows.
    fn release() -> Release {
        Release::Windows11
    }
}
