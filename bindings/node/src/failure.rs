//! Errors of the library.

use std::io;

use curt::remove::Kept;
use curt::{Cause, Error, Operation};
use napi::{Env, JsValue};

/// Why an operation failed: what `lib/errors.js` makes an error of.
#[derive(Debug)]
pub struct Failure {
    /// The number of the system; `lib/errors.js` has its name and text.
    number: i32,
    /// The function of the system that Node names in its place.
    function: &'static str,
    path: String,
}

impl Failure {
    /// The failure of this function of the system.
    pub fn new(error: &Error, function: &'static str) -> Failure {
        Failure {
            number: number(error),
            function,
            path: error.path().to_string_lossy().into_owned(),
        }
    }

    /// What is thrown, or what a promise is rejected with.
    pub fn into_error(self, env: Env) -> napi::Error {
        self.to_error(env).unwrap_or_else(|error| error)
    }

    fn to_error(&self, env: Env) -> napi::Result<napi::Error> {
        // An object that is no error would be thrown as text.
        let mut object = env.create_error(napi::Error::from_reason("failed"))?;
        object.set("number", self.number)?;
        object.set("function", self.function)?;
        object.set("path", &self.path)?;
        Ok(napi::Error::from(object.to_unknown()))
    }
}

/// From the operation of the library, the function of the system that failed.
impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        Failure::new(error, function(error.operation()))
    }
}

fn function(operation: Operation) -> &'static str {
    match operation {
        Operation::OpenDirectory | Operation::ReadDirectory => "scandir",
        Operation::RemoveFile => "unlink",
        Operation::RemoveDirectory => "rmdir",
        _ => "lstat",
    }
}

/// The number of the system for an error; curt's own refusals get the closest one.
#[cfg(unix)]
fn number(error: &Error) -> i32 {
    if let Some(number) = error.raw_os_error() {
        return number;
    }
    match error.cause() {
        Cause::Kept(Kept::MountPoint | Kept::RootDirectory) => libc::EBUSY,
        Cause::Kept(Kept::OtherFileSystem) | Cause::Refused(_) => libc::EXDEV,
        Cause::Kept(Kept::BeingWrittenTo) => libc::ENOTEMPTY,
        Cause::Kept(Kept::DotOrDotDot) => libc::EINVAL,
        Cause::Kept(Kept::IsADirectory) => libc::EISDIR,
        Cause::Kept(Kept::IsALink) | Cause::Loop(_) => libc::ELOOP,
        Cause::Replaced => libc::ENOENT,
        Cause::Os(error) => number_of_kind(error.kind()),
        _ => libc::EIO,
    }
}

#[cfg(unix)]
fn number_of_kind(kind: io::ErrorKind) -> i32 {
    match kind {
        io::ErrorKind::NotFound => libc::ENOENT,
        io::ErrorKind::NotADirectory => libc::ENOTDIR,
        io::ErrorKind::InvalidInput => libc::EINVAL,
        io::ErrorKind::Unsupported => libc::ENOTSUP,
        _ => libc::EIO,
    }
}
