//! Why a directory of a stack could not be reopened.

use crate::error::Cause;
use crate::sys::is_shortage;

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
            ReopenFailure::Failed(cause) => cause,
        }
    }
}

/// Why a directory could not be reopened.
#[derive(Debug)]
pub(crate) enum ReopenFailure {
    Vanished,
    Failed(Cause),
}

impl ReopenFailure {
    /// Returns whether the system has no descriptor or no memory left.
    pub(crate) fn is_shortage(&self) -> bool {
        matches!(self, ReopenFailure::Failed(Cause::Os(error)) if is_shortage(error))
    }
}
