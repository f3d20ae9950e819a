//! What is said of a path: its name, why it was refused, or what failed.

use std::io;
use std::path::{Path, PathBuf};

use curt::{Cause, Error, Operation, Refusal, Root};

use crate::out::json::Object;
use crate::out::text;
use crate::quote::quote;
use crate::sys;

/// What is said of a path that did not get what it asked for.
pub(super) struct Refused {
    /// What could not be done, and why, for people.
    verb: &'static str,
    reason: String,
    /// The word for programs.
    pub(super) verdict: Verdict,
}

/// The word for it.
pub(super) enum Verdict {
    Deny(&'static str),
    Error(String),
}

impl Refused {
    /// What the system refused.
    pub(super) fn by_system(verb: &'static str, error: &io::Error) -> Refused {
        let verdict = Verdict::Error(sys::error_name(error));
        Refused { verb, reason: sys::error_text(error), verdict }
    }

    /// What was refused.
    pub(super) fn because(refusal: Refusal) -> Refused {
        let reason = refusal.name();
        Refused { verb: "open", reason: reason.to_owned(), verdict: Verdict::Deny(reason) }
    }

    /// The line for people.
    pub(super) fn line(&self, program: &str, path: &Path) -> String {
        format!("{program}: cannot {} {}: {}\n", self.verb, quote(path), self.reason)
    }

    /// Adds the word to an answer.
    pub(super) fn told(&self, answer: Object) -> Object {
        match &self.verdict {
            Verdict::Deny(reason) => answer.text("deny", reason),
            Verdict::Error(name) => answer.text("error", name),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        let verb = match error.operation() {
            // Whoever asks for the name of a path wants to open it.
            Operation::Canonicalize => "open",
            operation => operation.verb(),
        };
        match error.cause() {
            Cause::Os(error) => Refused::by_system(verb, error),
            Cause::Refused(refusal) => Refused { verb, ..Refused::because(*refusal) },
            cause => {
                let verdict = Verdict::Error("EIO".to_owned());
                Refused { verb, reason: text::reason(cause), verdict }
            }
        }
    }
}

/// The name of what a path leads to, from the root on.
pub(super) fn name(root: &Root, path: &Path, may_be_missing: bool) -> Result<PathBuf, Refused> {
    let found = root.canonical(path)?;
    if found.missing && !may_be_missing {
        return Err(Refused::by_system("open", &io::ErrorKind::NotFound.into()));
    }
    Ok(found.path)
}
