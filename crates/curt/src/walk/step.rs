//! What a cursor hands to its driver.

use crate::error::Error;

/// One step of a walk.
pub(super) enum Step {
    Entry(Yielded),
    Error(Error),
    /// The results of the task with this number belong here.
    ResultsOf(u64),
}

/// The entry that was just yielded, as [`Cursor::skip`](super::cursor::Cursor::skip) needs it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Yielded {
    /// The position of its name, if it is a directory that waits to be entered.
    pub(super) waiting: Option<usize>,
}
