//! The long form of the last name: a question to the file system, which expansion does not ask.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{Cause, Error, Operation};
use crate::sys::host;

/// The longest short name: eight characters, a dot, three.
const LONGEST_SHORT: usize = 12;

/// The path with the last name as its directory has it: `longname.txt` for `LONGNA~1.TXT`. The
/// names before it stay as they are, and a link stays a link.
///
/// On Windows three calls, on something that exists: open, ask, close. None where the name is
/// longer than short names are, and none on other systems, where the path is handed back as it is.
///
/// Between this and whatever is done with the path, the file can become another. What is open
/// already is better asked itself.
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
