use curt::{Cause, Error, Operation};
use napi::{Env, JsValue};
use napi_derive::napi;

#[cfg(windows)]
pub(crate) use crate::windows as numbers;
#[cfg(windows)]
use crate::windows::of_system;
#[cfg(unix)]
pub(crate) use libc as numbers;

/// A failure, before `lib/errors.js` turns it into an `Error`.
#[derive(Debug, Default)]
#[napi(object, object_from_js = false)]
pub struct Failure {
    pub number: i32,
    pub function: &'static str,
    pub path: String,
    /// The name of a copy's refusal.
    pub refusal: Option<&'static str>,
    /// curt's message, if it replaces the message of the errno.
    pub reason: Option<String>,
    pub may_pass: bool,
}

pub type Fallible<T> = std::result::Result<T, Failure>;

impl Failure {
    pub fn new(error: &Error, function: &'static str) -> Failure {
        let path = error.path().to_string_lossy().into_owned();
        // Refusals of `rm` keep the text of their errno, as in Node.
        let reason = error.reason().filter(|_| !matches!(error.cause(), Cause::Remains(_)));
        let (number, may_pass) = (of_system(error.errno(), function), error.may_pass());
        Failure { number, function, path, reason, may_pass, ..Failure::default() }
    }

    pub fn at(self, path: String) -> Failure {
        Failure { path, ..self }
    }

    pub fn into_error(self, env: Env) -> napi::Error {
        self.to_error(env).unwrap_or_else(|error| error)
    }

    fn to_error(&self, env: Env) -> napi::Result<napi::Error> {
        // napi would convert any other object to a string before throwing it.
        let mut object = env.create_error(napi::Error::from_reason("failed"))?;
        object.set("number", self.number)?;
        object.set("function", self.function)?;
        object.set("path", &self.path)?;
        object.set("refusal", self.refusal)?;
        object.set("reason", self.reason.as_deref())?;
        object.set("mayPass", self.may_pass)?;
        Ok(napi::Error::from(object.to_unknown()))
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let function = match error.operation() {
            // libuv's `scandir` includes opening the directory.
            Operation::OpenDirectory => "scandir",
            _ => error.function(),
        };
        Failure::new(error, function)
    }
}

#[cfg(unix)]
fn of_system(number: i32, _function: &str) -> i32 {
    number
}
