//! The order of the entries of a directory.

use crate::fields::{Fields, Metadata, Time};

/// What entries are sorted by. Equal entries are sorted by their names, compared by their bytes (or
/// UTF-16 units).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SortBy {
    /// The name.
    #[default]
    Name,
    /// The size, the largest first.
    Size,
    /// The time of the last write, the newest first.
    Modified,
    /// The time of the last access, the newest first.
    Accessed,
    /// The time of the last change of any kind, the newest first.
    Changed,
    /// The time of creation, the newest first.
    Created,
}

/// The order of the entries of each directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// What entries are sorted by.
    pub by: SortBy,
    /// Whether the order is reversed.
    pub reverse: bool,
}

impl Order {
    /// Whether the order depends on more than the names.
    pub(super) fn asks(self) -> bool {
        self.by != SortBy::Name
    }

    /// The field that the order depends on.
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

    /// What is compared: the larger comes first, and an unknown value last.
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
