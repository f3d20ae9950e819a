//! Why no program was found.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::quoted::Quoted;
use crate::sys::OsError;

/// Why no program of a name was found, and what is to blame. The name is the
/// [path](crate::Error::path) of the error.
#[derive(Debug)]
pub struct NotFound {
    /// Whether the name is a path, for which `PATH` is not searched.
    is_path: bool,
    cause: FindCause,
    path: Option<PathBuf>,
    unsearchable: Vec<PathBuf>,
}

/// The kinds of [`NotFound`].
#[derive(Debug)]
#[non_exhaustive]
pub enum FindCause {
    /// No search directory contains it.
    NotFound,
    /// Only the working directory contains it, which is not searched unless
    /// [`Search::cwd`](crate::Search::cwd) says so.
    OnlyInWorkingDirectory,
    /// Only a directory, or a file that may not be executed, has this name.
    NotExecutable,
    /// No program can have this name.
    InvalidName(&'static str),
    /// The name or the path is longer than the system allows.
    NameTooLong,
    /// Its path is a symbolic link loop.
    LinkLoop,
    /// It was found through a relative path, which [`Policy::Go`](crate::which::Policy::Go)
    /// refuses.
    RelativeResult,
    /// The base directory does not exist.
    DirectoryMissing,
    /// A directory may not be searched.
    PermissionDenied,
    /// The system failed otherwise.
    Os(io::Error),
}

impl NotFound {
    pub(crate) fn new(
        is_path: bool,
        cause: FindCause,
        path: Option<PathBuf>,
        unsearchable: Vec<PathBuf>,
    ) -> NotFound {
        NotFound { is_path, cause, path, unsearchable }
    }

    /// Why it was not found.
    pub fn cause(&self) -> &FindCause {
        &self.cause
    }

    /// The path to blame: the file that may not be executed, the directory that is missing, …
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The directories that could not be searched, and may contain it.
    pub fn unsearchable(&self) -> &[PathBuf] {
        &self.unsearchable
    }

    /// Returns one word: `not-found`, `not-executable`, `invalid-name`, `name-too-long`,
    /// `link-loop`, `relative-result`, `directory-missing`, `permission-denied` or `other`.
    pub fn word(&self) -> &'static str {
        match self.cause {
            FindCause::NotFound | FindCause::OnlyInWorkingDirectory => "not-found",
            FindCause::NotExecutable => "not-executable",
            FindCause::InvalidName(_) => "invalid-name",
            FindCause::NameTooLong => "name-too-long",
            FindCause::LinkLoop => "link-loop",
            FindCause::RelativeResult => "relative-result",
            FindCause::DirectoryMissing => "directory-missing",
            FindCause::PermissionDenied => "permission-denied",
            FindCause::Os(_) => "other",
        }
    }

    /// Returns the reason, without the path to blame.
    pub fn reason(&self) -> String {
        let reason = match &self.cause {
            FindCause::NotFound if self.is_path => "not found",
            FindCause::NotFound => "not found in PATH",
            FindCause::OnlyInWorkingDirectory => {
                "found only in the working directory, which is not searched by default"
            }
            FindCause::NotExecutable => super::NOT_EXECUTABLE,
            FindCause::InvalidName(why) => return format!("not a valid program name: {why}"),
            FindCause::NameTooLong => "the name is too long",
            FindCause::LinkLoop => "symbolic link loop",
            FindCause::RelativeResult => "it was found through a relative path",
            FindCause::DirectoryMissing => "the base directory does not exist",
            FindCause::PermissionDenied => "a directory may not be searched",
            FindCause::Os(error) => return error.to_string(),
        };
        match self.unsearchable.len() {
            0 => reason.to_owned(),
            1 if matches!(self.cause, FindCause::PermissionDenied) => reason.to_owned(),
            1 => format!("{reason}; a directory could not be searched"),
            more => format!("{reason}; {more} directories could not be searched"),
        }
    }

    /// Returns the system's error, if the system failed.
    pub(super) fn system(&self) -> Option<&io::Error> {
        match self.cause() {
            FindCause::Os(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the system's error that is closest: that of `execvp`.
    pub(super) fn closest(&self) -> OsError {
        match self.cause() {
            FindCause::NotFound
            | FindCause::OnlyInWorkingDirectory
            | FindCause::InvalidName(_)
            | FindCause::RelativeResult
            | FindCause::DirectoryMissing => OsError::NotFound,
            FindCause::NotExecutable | FindCause::PermissionDenied => OsError::Denied,
            FindCause::NameTooLong => OsError::TooLong,
            FindCause::LinkLoop => OsError::TooManyLinks,
            FindCause::Os(error) => OsError::of(error.kind()),
        }
    }
}

/// The reason and the path to blame.
impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason())?;
        match self.path() {
            Some(path) => write!(f, ": {}", Quoted(path.as_os_str())),
            None => Ok(()),
        }
    }
}
