//! Failures as JSON. They have the same fields in all commands:
//! `{"error":{"operation":…,"path":…,"kind":…,"errno":…,"message":…}}`.

use std::io;
use std::path::Path;

use curt::process::StartFailure;
use curt::{Cause, Error};

use super::json::{self, Object};
use super::text;
use crate::sys;

pub(crate) struct Failure {
    operation: &'static str,
    /// The path as JSON.
    path: Option<String>,
    kind: String,
    errno: Option<i32>,
    message: String,
}

impl Failure {
    pub(crate) fn new(operation: &'static str, kind: &str, message: String) -> Failure {
        Failure { operation, path: None, kind: kind.to_owned(), errno: None, message }
    }

    pub(crate) fn os(operation: &'static str, error: &io::Error) -> Failure {
        let failure = Failure::new(operation, kind(error), sys::error_text(error));
        Failure { errno: curt::number_of(error), ..failure }
    }

    pub(crate) fn path(self, path: impl AsRef<Path>) -> Failure {
        self.json_path(json::os_string(path.as_ref().as_os_str()))
    }

    pub(crate) fn json_path(self, path: String) -> Failure {
        Failure { path: Some(path), ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn add_to(self, object: Object) -> Object {
        let number = self.errno.map(|number| number.to_string());
        let fields = Object::new()
            .text("operation", self.operation)
            .raw("path", self.path.as_deref().unwrap_or("null"))
            .text("kind", &self.kind)
            .raw("errno", number.as_deref().unwrap_or("null"))
            .text("message", &self.message);
        object.object("error", fields)
    }

    pub(crate) fn object(self) -> Object {
        self.add_to(Object::new())
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let cause = error.cause();
        let operation = error.operation().name();
        let failure = Failure::new(operation, kind_of_cause(cause), text::reason(cause));
        let errno = match cause {
            Cause::Os(error) | Cause::Start(_, error) => curt::number_of(error),
            _ => error.raw_os_error(),
        };
        Failure { errno, ..failure }.path(error.path())
    }
}

fn kind_of_cause(cause: &Cause) -> &'static str {
    match cause {
        Cause::Os(error) | Cause::Start(StartFailure::System | StartFailure::Directory, error) => {
            kind(error)
        }
        Cause::Remains(reason) => reason.name(),
        Cause::CopyRefused(refusal, _) => refusal.name(),
        Cause::Replaced => "replaced",
        Cause::Loop(_) => "loop",
        Cause::Refused(refusal) => refusal.name(),
        Cause::Find(why) => why.word(),
        Cause::Start(failure, _) => match failure {
            StartFailure::ProgramMissing => "not-found",
            StartFailure::NotExecutable => "not-executable",
            StartFailure::InterpreterMissing { .. } => "interpreter-missing",
            StartFailure::BadFormat => "bad-format",
            StartFailure::TextBusy => "text-busy",
            StartFailure::NeedsElevation => "needs-elevation",
            _ => "other",
        },
        _ => "other",
    }
}

pub(crate) fn kind(error: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::NotFound => "not-found",
        Kind::PermissionDenied => "permission-denied",
        Kind::NotADirectory => "not-a-directory",
        Kind::IsADirectory => "is-a-directory",
        Kind::DirectoryNotEmpty => "directory-not-empty",
        Kind::AlreadyExists => "already-exists",
        Kind::ReadOnlyFilesystem => "read-only-filesystem",
        Kind::ResourceBusy => "resource-busy",
        Kind::StorageFull => "storage-full",
        Kind::FileTooLarge => "file-too-large",
        Kind::OutOfMemory => "out-of-memory",
        Kind::Interrupted => "interrupted",
        Kind::Unsupported => "unsupported",
        Kind::InvalidInput => "invalid",
        // For other errors, `io::ErrorKind` has no stable names.
        _ => sys::error_kind(error).unwrap_or("other"),
    }
}
