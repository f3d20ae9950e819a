//! How the bench ends: the code that a shell sees.

use std::process::ExitCode;

/// An exit code. Unlike `std`'s it can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything asked for was done, and curt gave the right answers.
    Success,
    /// Something could not be done, or an answer of curt was wrong.
    Failure,
    /// The command line was wrong.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
        })
    }
}
