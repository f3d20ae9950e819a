use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::quoted::Quoted;
use crate::sys::OsError;

/// Why no program was found. The error's [path](crate::Error::path) is the program's name.
#[derive(Debug)]
pub struct NotFound {
    is_path: bool,
    cause: FindCause,
    path: Option<PathBuf>,
    unsearchable: Vec<PathBuf>,
}

/// Why a search failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum FindCause {
    /// No search directory contains the program.
    NotFound,
    /// Only the working directory, which is not searched, contains the program: see
    /// [`Search::cwd`](crate::Search::cwd).
    OnlyInWorkingDirectory,
    /// Only directories or non-executable files have this name.
    NotExecutable,
    /// The name cannot be a program's name, for this reason.
    InvalidName(&'static str),
    /// The name or path exceeds the system's limit.
    NameTooLong,
    /// The path is a symlink loop.
    LinkLoop,
    /// The program was found through a relative path, which
    /// [`Policy::Go`](crate::which::Policy::Go) refuses.
    RelativeResult,
    /// The base directory does not exist.
    DirectoryMissing,
    /// A directory cannot be searched for lack of permission.
    PermissionDenied,
    /// Any other error of the system.
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

    /// Returns why the program was not found.
    pub fn cause(&self) -> &FindCause {
        &self.cause
    }

    /// Returns the path that explains the failure, such as a non-executable file or a missing
    /// directory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the directories that may contain the program but could not be searched.
    pub fn unsearchable(&self) -> &[PathBuf] {
        &self.unsearchable
    }

    /// Returns the cause as one word.
    ///
    /// The words are `not-found`, `not-executable`, `invalid-name`, `name-too-long`, `link-loop`,
    /// `relative-result`, `directory-missing`, `permission-denied` and `other`.
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

    /// Returns the reason without the [path](NotFound::path) that it concerns.
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
            FindCause::RelativeResult => "found by a relative path, which Go refuses",
            FindCause::DirectoryMissing => "the base directory does not exist",
            FindCause::PermissionDenied => "no permission to search",
            FindCause::Os(error) => return super::words_of(error),
        };
        match self.unsearchable.len() {
            0 => reason.to_owned(),
            1 if matches!(self.cause, FindCause::PermissionDenied) => reason.to_owned(),
            1 => format!("{reason}; a directory could not be searched"),
            more => format!("{reason}; {more} directories could not be searched"),
        }
    }

    pub(super) fn system(&self) -> Option<&io::Error> {
        match self.cause() {
            FindCause::Os(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the error that `execvp` would report.
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

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason())?;
        match self.path() {
            Some(path) => write!(f, ": {}", Quoted(path.as_os_str())),
            None => Ok(()),
        }
    }
}
