//! In which order the entries of a directory are told of.

use crate::fields::{Fields, Metadata, Time};

/// What entries are sorted by; names, compared by their bytes (or UTF-16 units), decide where all else
/// is equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SortBy {
    /// The name.
    #[default]
    Name,
    /// The size, the largest first.
    Size,
    /// When it was last written, the newest first.
    Modified,
    /// When it was last read, the newest first.
    Accessed,
    /// When it was last changed in any way, the newest first.
    Changed,
    /// When it was made, the newest first.
    Created,
}

/// An order of the entries of each directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// What entries are sorted by.
    pub by: SortBy,
    /// The other way round.
    pub reverse: bool,
}

impl Order {
    /// Whether it depends on more than the names.
    pub(super) fn asks(self) -> bool {
        self.by != SortBy::Name
    }

    /// The field that it depends on.
    pub(super) fn field(self) -> Fields {
        match self.by {
            SortBy::Name => Fields::NAME,
            SortBy::Size => Fields::SIZE,
            SortBy::Modified => Fields::MODIFIED,
            SortBy::Accessed => Fields::ACCESSED,
            SortBy::Changed => Fields::CHANGED,
            SortBy::Created => Fields::CREATED,
        }
    }

    /// What is compared, the larger first; what is not known comes last.
    pub(super) fn key(self, metadata: &Metadata) -> Option<(i64, u64)> {
        let time = |time: Time| (time.seconds, u64::from(time.nanoseconds));
        match self.by {
            SortBy::Name => None,
            SortBy::Size => metadata.size().known().map(|size| (0, size)),
            SortBy::Modified => metadata.modified().known().map(time),
            SortBy::Accessed => metadata.accessed().known().map(time),
            SortBy::Changed => metadata.changed().known().map(time),
            SortBy::Created => metadata.created().known().map(time),
        }
    }
}
