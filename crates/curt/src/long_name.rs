//! The long form of a short name on Windows. Expanding a path never asks for it.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Cause, Error, Operation};
use crate::sys::host;

/// The longest short name: eight characters, a dot, three.
const LONGEST_SHORT: usize = 12;

/// Returns the path with the long form of its last name: `longname.txt` for `LONGNA~1.TXT`.
///
/// The names before it stay as they are, and a symbolic link is not followed. Takes three calls on
/// Windows (open, query, close), and none if the name is too long for a short name. Other systems
/// have no short names: there the path is returned unchanged.
///
/// The file can be replaced before the path is used. For an open file, ask the file for its name:
/// [`Root::name_of`](crate::Root::name_of).
pub fn long_name(path: &Path) -> Result<Cow<'_, Path>, Error> {
    let Some(name) = path.file_name() else {
        return Ok(Cow::Borrowed(path));
    };
    if name.len() > LONGEST_SHORT {
        return Ok(Cow::Borrowed(path));
    }
    let long = host::long_name(path)
        .map_err(|error| Error::new(Operation::Stat, path.to_path_buf(), Cause::Os(error)))?;
    Ok(match long {
        Some(long) if !long.is_empty() && long != name => Cow::Owned(path.with_file_name(long)),
        _ => Cow::Borrowed(path),
    })
}
