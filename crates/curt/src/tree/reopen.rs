//! Why a directory of a stack could not be reopened.

use std::io;

use crate::error::Cause;

/// A directory could not be reopened.
pub(crate) struct ReopenError {
    /// The shallowest level that could not be reopened.
    pub(crate) level: usize,
    pub(crate) reason: ReopenFailure,
}

impl ReopenError {
    /// Returns the cause to report.
    pub(crate) fn into_cause(self) -> Cause {
        match self.reason {
            ReopenFailure::Vanished => Cause::Replaced,
            ReopenFailure::Shortage(error) => Cause::Os(error),
            ReopenFailure::Other(cause) => cause,
        }
    }
}

/// Why a directory could not be reopened.
#[derive(Debug)]
pub(crate) enum ReopenFailure {
    Vanished,
    /// The system has no descriptor or no memory left.
    Shortage(io::Error),
    Other(Cause),
}
