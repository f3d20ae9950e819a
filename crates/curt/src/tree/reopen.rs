use crate::error::Cause;
use crate::sys::is_shortage;

pub(crate) struct ReopenError {
    pub(crate) level: usize,
    pub(crate) reason: ReopenFailure,
}

impl ReopenError {
    pub(crate) fn into_cause(self) -> Cause {
        match self.reason {
            ReopenFailure::Vanished => Cause::Replaced,
            ReopenFailure::Failed(cause) => cause,
        }
    }
}

#[derive(Debug)]
pub(crate) enum ReopenFailure {
    Vanished,
    Failed(Cause),
}

impl ReopenFailure {
    pub(crate) fn is_shortage(&self) -> bool {
        matches!(self, ReopenFailure::Failed(Cause::Os(error)) if is_shortage(error))
    }
}
