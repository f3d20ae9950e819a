//! The commands. Each translates options to library calls and prints the results.

pub(crate) mod beneath;
pub(crate) mod cp;
pub(crate) mod du;
mod exclude;
pub(crate) mod expand;
pub(crate) mod find;
pub(crate) mod generate;
pub(crate) mod ls;
pub(crate) mod realpath;
pub(crate) mod rm;
pub(crate) mod run;
mod speed;
pub(crate) mod stat;
pub(crate) mod which;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use curt::canonical::Canonicalizer;
use curt::fields::Follow;
use curt::{Error, Fields, Plan};

use crate::sys;

fn operands_or_here(operands: &[OsString]) -> Vec<&OsStr> {
    if operands.is_empty() {
        return vec![OsStr::new(".")];
    }
    operands.iter().map(OsString::as_os_str).collect()
}

/// Returns the canonical path. Fails if it leads to a different file than `path`, because of a
/// later mount or another mount namespace.
fn address(path: &Path) -> io::Result<PathBuf> {
    let name = Canonicalizer::new().find(path)?;
    if identity(path)? == identity(&name)? { Ok(name) } else { Err(io::ErrorKind::NotFound.into()) }
}

fn identity(path: &Path) -> Result<(Option<u128>, Option<u64>), Error> {
    let plan = Plan::new(Fields::ID | Fields::DEVICE).follow(Follow::Links);
    let metadata = curt::stat(path, plan)?;
    Ok((metadata.id().known(), metadata.device().known()))
}

fn working_directory(option: &str) -> Result<PathBuf, String> {
    sys::working_directory().map_err(|error| {
        let cause = sys::error_text(&error);
        format!("cannot read the working directory, which {option} needs: {cause}")
    })
}

/// Returns the last component without trailing slashes, or the path itself if it is a root.
fn base_name(path: &Path) -> &OsStr {
    path.components().next_back().map_or(path.as_os_str(), Component::as_os_str)
}
