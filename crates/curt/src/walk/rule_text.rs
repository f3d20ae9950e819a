//! The text of ignore rules and of git's files: how much is read, and what counts as missing.

use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error, Operation};
use crate::sys::Sys;

/// The most text of rules that may hold in one place, from one file or several.
pub(super) const MOST_BYTES: usize = 4 << 20;
/// The text of rules, and the file that they are in; the last one of several.
pub(super) type Text = (Vec<u8>, PathBuf);

pub(super) fn failed_to_read(path: PathBuf, error: io::Error) -> Error {
    Error::new(Operation::ReadFile, path, Cause::Os(error))
}

/// The text that was read at a path; `None` if there is none. For git a directory is a failure.
pub(super) fn text(read: io::Result<Vec<u8>>, path: PathBuf) -> Result<Option<Text>, Error> {
    match read {
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(failed_to_read(path, error)),
        Ok(text) => Ok(Some((text, path))),
    }
}

/// The content that was read; `None` if there is no such file.
pub(super) fn present(read: io::Result<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    match read {
        Err(error) if is_no_file(&error) => Ok(None),
        read => read.map(Some),
    }
}

/// Reads a file by its path. A link is followed where the user names the file, as git does, and not
/// in a tree, where others may have made it.
pub(super) fn read_at<S: Sys>(sys: &S, path: &Path, is_of_user: bool) -> io::Result<Vec<u8>> {
    let (dir, name) = sys.locate(path)?;
    sys.read_file(&dir, name.as_name(), is_of_user, MOST_BYTES)
}

/// Appends the lines of a file to those of others.
pub(super) fn append(all: &mut Option<Text>, text: &[u8], path: PathBuf) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let (lines, last) = all.get_or_insert_default();
    lines.extend_from_slice(text.strip_prefix(MARK).unwrap_or(text));
    lines.push(b'\n');
    *last = path;
}

/// Whether there is no such file; for git a directory in its place is a failure.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether there is no such file, but perhaps a directory in its place.
pub(super) fn is_no_file(error: &io::Error) -> bool {
    is_missing(error) || error.kind() == io::ErrorKind::IsADirectory
}
