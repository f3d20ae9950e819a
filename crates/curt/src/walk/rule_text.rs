use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Cause, Error, Operation};
use crate::sys::Sys;

pub(super) const MAX_BYTES: usize = 4 << 20;
/// The contents of one or several files, and the path of the last one.
pub(super) type Text = (Vec<u8>, PathBuf);

pub(super) fn failed_to_read(path: PathBuf, error: io::Error) -> Error {
    Error::new(Operation::ReadFile, path, Cause::Os(error))
}

pub(super) fn text(read: io::Result<Vec<u8>>, path: PathBuf) -> Result<Option<Text>, Error> {
    match read {
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(failed_to_read(path, error)),
        Ok(text) => Ok(Some((text, path))),
    }
}

pub(super) fn present(read: io::Result<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    match read {
        Err(error) if is_no_file(&error) => Ok(None),
        read => read.map(Some),
    }
}

/// Reads a file. Like git, follows a symlink only if the user named the file, because others may
/// have created a symlink in the tree.
pub(super) fn read_at<S: Sys>(sys: &S, path: &Path, is_of_user: bool) -> io::Result<Vec<u8>> {
    let (dir, name) = sys.locate(path)?;
    sys.read_file(&dir, name.as_name(), is_of_user, MAX_BYTES)
}

pub(super) fn append(all: &mut Option<Text>, text: &[u8], path: PathBuf) {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let (lines, last) = all.get_or_insert_default();
    lines.extend_from_slice(text.strip_prefix(MARK).unwrap_or(text));
    lines.push(b'\n');
    *last = path;
}

/// Returns whether a file is missing. As in git, a directory with its name is a failure instead.
pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

pub(super) fn is_no_file(error: &io::Error) -> bool {
    is_missing(error) || error.kind() == io::ErrorKind::IsADirectory
}
