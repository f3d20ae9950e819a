//! What a process finds itself in.

use std::io;
use std::path::PathBuf;

use super::Linux;
use crate::sys::accounts;
use crate::sys::surroundings::Surroundings;

impl Surroundings for Linux {
    fn working_directory(&self) -> io::Result<PathBuf> {
        Ok(self.door.getcwd()?)
    }

    fn home_of(user: &[u8]) -> Option<PathBuf> {
        accounts::home_of(user)
    }
}
