//! Files have one name here.

use std::io;
use std::path::Path;

use super::Posix;
use crate::sys::Sys;
use crate::sys::long_name::LongName;

impl LongName for Posix {
    const HAS_SHORT_NAMES: bool = false;

    fn long_name(&self, path: &Path) -> io::Result<Vec<Self::Unit>> {
        Ok(path.file_name().map_or_else(Vec::new, |name| Self::units(Path::new(name))))
    }
}
