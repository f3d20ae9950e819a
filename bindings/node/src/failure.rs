//! Errors of the library.

use curt::{Cause, Error, Operation};
use napi::{Env, JsValue};
use napi_derive::napi;

/// Node's numbers.
#[cfg(windows)]
pub(crate) use crate::windows as numbers;
#[cfg(windows)]
use crate::windows::of_system;
/// Node's numbers.
#[cfg(unix)]
pub(crate) use libc as numbers;

/// Why an operation failed: what `lib/errors.js` makes an error of.
#[derive(Debug)]
#[napi(object, object_from_js = false)]
pub struct Failure {
    /// The number that Node has for it, whose name and text `lib/errors.js` knows.
    pub number: i32,
    /// The function of the system that Node names in its place.
    pub function: &'static str,
    pub path: String,
    /// curt's own words, in place of the text of the number.
    pub reason: Option<String>,
    /// Whether another attempt may succeed.
    pub may_pass: bool,
}

/// What comes of an operation.
pub type Answer<T> = std::result::Result<T, Failure>;

impl Failure {
    /// The failure of this function of the system.
    pub fn new(error: &Error, function: &'static str) -> Failure {
        let path = error.path().to_string_lossy().into_owned();
        // What `rmdir` would refuse is said as Node says it.
        let reason = error.reason().filter(|_| !matches!(error.cause(), Cause::Kept(_)));
        let (number, may_pass) = (of_system(error.errno(), function), error.may_pass());
        Failure { number, function, path, reason, may_pass }
    }

    /// The same failure, with the path as Node has it.
    pub fn at(self, path: String) -> Failure {
        Failure { path, ..self }
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
        object.set("reason", self.reason.as_deref())?;
        object.set("mayPass", self.may_pass)?;
        Ok(napi::Error::from(object.to_unknown()))
    }
}

/// From the operation of the library, the function of the system that failed.
impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let function = match error.operation() {
            // libuv's `scandir` opens the directory, too.
            Operation::OpenDirectory => "scandir",
            _ => error.function(),
        };
        Failure::new(error, function)
    }
}

/// Node's number for one of the system: the same.
#[cfg(unix)]
fn of_system(number: i32, _function: &str) -> i32 {
    number
}
