//! The long form of a name, where a system gives files two.

use std::io;
use std::path::Path;

use super::Sys;

/// Asking for the long form of a name.
pub(crate) trait LongName: Sys {
    /// Whether files may have a short name besides.
    const HAS_SHORT_NAMES: bool;

    /// The last name of what is there, as its directory has it.
    fn long_name(&self, path: &Path) -> io::Result<Vec<Self::Unit>>;
}
