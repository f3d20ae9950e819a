//! What a process finds itself in, as far as the standard library knows.

use std::io;
use std::path::PathBuf;

use super::Other;
use crate::sys::surroundings::Surroundings;

impl Surroundings for Other {
    fn working_directory(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn home_of(_: &[u8]) -> Option<PathBuf> {
        None
    }
}
