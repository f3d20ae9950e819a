//! What is said of a path: its name, why it was refused, or what failed.

use std::io;
use std::path::{Path, PathBuf};

use curt::paths::{Flavor, PathText, Refusal};
use curt::{Cause, Error, Operation, Root};

use crate::out::json::{self, Failure, Object};
use crate::out::{path_text, text};
use crate::quote::quote;
use crate::sys;

/// What is said of a path that did not get what it asked for.
pub(super) struct Refused {
    /// What could not be done, and why, for people.
    verb: &'static str,
    reason: String,
    /// The same for programs.
    failure: Box<Failure>,
    /// The path was refused; otherwise something failed.
    pub(super) is_denied: bool,
}

impl Refused {
    /// What the system refused.
    pub(super) fn by_system(operation: Operation, error: &io::Error) -> Refused {
        let reason = sys::error_text(error);
        let failure = Box::new(Failure::by_system(json::operation(operation), error));
        Refused { verb: verb(operation), reason, failure, is_denied: false }
    }

    /// What was refused.
    pub(super) fn because(refusal: Refusal) -> Refused {
        let reason = refusal.name();
        let asked = Operation::Canonicalize;
        let failure = Box::new(Failure::new(json::operation(asked), reason, reason.to_owned()));
        Refused { verb: verb(asked), reason: reason.to_owned(), failure, is_denied: true }
    }

    /// The line for people.
    pub(super) fn line(&self, program: &str, path: &Path) -> String {
        format!("{program}: cannot {} {}: {}\n", self.verb, quote(path), self.reason)
    }

    /// The answer for programs.
    pub(super) fn answer(self, path: &Path) -> Object {
        self.failure.path(path).alone()
    }

    /// The same for a path that may be of another system.
    pub(super) fn answer_about(self, path: &PathText, flavor: Flavor) -> Object {
        self.failure.path_in_json(path_text::to_json(path, flavor)).alone()
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        let verb = verb(error.operation());
        let is_denied = matches!(error.cause(), Cause::Refused(_));
        let reason = text::reason(error.cause());
        Refused { verb, reason, failure: Box::new(Failure::from(&error)), is_denied }
    }
}

/// What could not be done. One who asks for the name of a path wants to open it.
fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::Canonicalize => "open",
        operation => operation.verb(),
    }
}

/// The name of what a path leads to, from the root on.
pub(super) fn name(root: &Root, path: &Path, may_be_missing: bool) -> Result<PathBuf, Refused> {
    let found = root.canonical(path)?;
    if found.missing && !may_be_missing {
        return Err(Refused::by_system(Operation::Canonicalize, &io::ErrorKind::NotFound.into()));
    }
    Ok(found.path)
}
