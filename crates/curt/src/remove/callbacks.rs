use std::path::Path;
use std::sync::Arc;

use crate::control::Answer;
use crate::fields::Kind;
use crate::notifier::Sum;

/// A question that [`Remove::confirm`](super::Remove::confirm) asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Enter a non-empty directory?
    Descend,
    /// Remove a directory that is now empty?
    RemoveDirectory,
    /// Try to remove an unreadable directory?
    RemoveUnreadableDirectory,
    /// Remove a non-directory?
    RemoveFile,
}

/// The entry in question.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The path: the operand as given, then the names inside it.
    pub path: &'a Path,
    /// The kind of the entry.
    pub kind: Kind,
    /// Whether the entry is an empty regular file.
    pub empty_file: bool,
    /// Whether the process cannot write to the entry.
    pub write_protected: bool,
}

/// Totals so far, for [`Remove::on_progress`](super::Remove::on_progress).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Non-directories removed.
    pub files: u64,
    /// Directories removed.
    pub directories: u64,
}

impl Sum for Totals {
    fn add(&mut self, more: Totals) {
        self.files += more.files;
        self.directories += more.directories;
    }
}

pub(super) type Ask<'a> = Arc<dyn Fn(Question, &Subject<'_>) -> Answer + Send + Sync + 'a>;
