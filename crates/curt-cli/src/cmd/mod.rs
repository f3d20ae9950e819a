//! The commands: each turns options into calls of the library, and what these return into output.

pub(crate) mod beneath;
pub(crate) mod du;
pub(crate) mod expand;
pub(crate) mod find;
pub(crate) mod generate;
pub(crate) mod ls;
mod patterns;
pub(crate) mod realpath;
pub(crate) mod rm;
pub(crate) mod run;
pub(crate) mod stat;
pub(crate) mod which;

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};

/// Returns the operands, or `.` if there are none.
fn operands_or_here(operands: &[OsString]) -> Vec<&OsStr> {
    if operands.is_empty() {
        return vec![OsStr::new(".")];
    }
    operands.iter().map(OsString::as_os_str).collect()
}

/// Returns the last component of a path, without slashes after it; a root is its own name.
fn base_name(path: &Path) -> &OsStr {
    path.components().next_back().map_or(path.as_os_str(), Component::as_os_str)
}
