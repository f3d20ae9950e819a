//! The callbacks that the caller of a removal may set, and what is passed to them.

use std::path::Path;
use std::sync::Arc;

use crate::control::{Answer, Exclude, Next, Poll};
use crate::error::Error;
use crate::fields::Kind;

/// A question of [`Remove::confirm`](super::Remove::confirm).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Whether to enter a directory that is not empty.
    Descend,
    /// Whether to remove a directory that is empty now.
    RemoveDirectory,
    /// Whether to try to remove a directory that cannot be read.
    RemoveUnreadableDirectory,
    /// Whether to remove an entry that is not a directory.
    RemoveFile,
}

/// The entry that a question is about.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The path: the operand as it was given, and the names below it.
    pub path: &'a Path,
    /// The kind of the entry.
    pub kind: Kind,
    /// Whether it is an empty regular file.
    pub empty_file: bool,
    /// Whether the process may not write to it.
    pub write_protected: bool,
}

/// The totals so far, passed to [`Remove::on_progress`](super::Remove::on_progress).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Entries removed that were not directories.
    pub files: u64,
    /// Directories removed.
    pub directories: u64,
}

type OnFailure<'a> = Arc<dyn Fn(&Error) -> Next + Send + Sync + 'a>;
type OnRemoved<'a> = Arc<dyn Fn(&Path, Kind) -> Next + Send + Sync + 'a>;
type OnProgress<'a> = Arc<dyn Fn(&Totals) -> Next + Send + Sync + 'a>;
type Ask<'a> = Arc<dyn Fn(Question, &Subject<'_>) -> Answer + Send + Sync + 'a>;

/// The callbacks that the caller has set.
#[derive(Clone, Default)]
pub(super) struct Callbacks<'a> {
    pub(super) on_error: Option<OnFailure<'a>>,
    pub(super) on_removed: Option<OnRemoved<'a>>,
    pub(super) on_progress: Option<OnProgress<'a>>,
    pub(super) ask: Option<Ask<'a>>,
    pub(super) exclude: Option<Exclude<'a>>,
    pub(super) poll: Option<Poll<'a>>,
    /// Whether all are called on the caller's thread.
    pub(super) on_caller_thread: bool,
}
