//! Around the body of each function: panics are caught, and failures become results.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::error::curt_error;
use crate::results::{CURT_E_ARGUMENT, CURT_E_INTERNAL, CURT_E_STOPPED, result_of};

/// Why a function failed.
pub(crate) enum Failure {
    /// The library failed.
    Library(curt::Error),
    /// The caller's arguments are wrong: in which way.
    Argument(&'static str),
    /// The caller stopped the work.
    Stopped,
    /// A result that says everything.
    Result(i32),
    /// The library panicked, with this message.
    Panic(String),
}

impl From<curt::Error> for Failure {
    fn from(error: curt::Error) -> Failure {
        Failure::Library(error)
    }
}

impl Failure {
    pub(crate) fn result(&self) -> i32 {
        match self {
            Failure::Library(error) => result_of(error),
            Failure::Argument(_) => CURT_E_ARGUMENT,
            Failure::Stopped => CURT_E_STOPPED,
            Failure::Result(result) => *result,
            Failure::Panic(_) => CURT_E_INTERNAL,
        }
    }
}

/// Runs the body of the function of this name, and returns its value or the result of its failure.
/// The error object goes to `error`, unless that is NULL.
///
/// # Safety
///
/// `error` is NULL, or a pointer can be written there.
pub(crate) unsafe fn guard<T>(
    function: &str,
    error: *mut *mut curt_error,
    body: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, i32> {
    let answer = caught(body);
    if !error.is_null() && error.is_aligned() {
        let object = answer.as_ref().err().map(|failure| curt_error::new(function, failure));
        let object = object.map_or(std::ptr::null_mut(), |object| Box::into_raw(Box::new(object)));
        // SAFETY: as required of the caller.
        unsafe { error.write(object) };
    }
    answer.map_err(|failure| failure.result())
}

/// Runs a body that has no error object to fill in.
pub(crate) fn caught<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Tests and fuzz targets are compiled into one program with the library, and say why they fail.
    if !cfg!(any(test, fuzzing)) {
        silence();
    }
    panic::catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        let message = payload.downcast_ref::<String>().cloned();
        let literal = || payload.downcast_ref::<&str>().map(ToString::to_string);
        let message = message.or_else(literal).unwrap_or_default();
        // A payload that panics when it is dropped must not get out either.
        std::mem::forget(payload);
        Err(Failure::Panic(message))
    })
}

/// Lets panics print nothing. The hook is that of this copy of the standard library alone, which no
/// other code of the process uses.
fn silence() {
    static SILENT: Once = Once::new();
    SILENT.call_once(|| panic::set_hook(Box::new(|_| ())));
}

/// Returns the value or the result, as the functions that return an `int` do.
pub(crate) fn int(answer: Result<i32, i32>) -> i32 {
    answer.unwrap_or_else(|result| result)
}

/// Returns the length or the result, as the functions that write a text do.
pub(crate) fn length(answer: Result<isize, i32>) -> isize {
    answer.unwrap_or_else(|result| result as isize)
}
