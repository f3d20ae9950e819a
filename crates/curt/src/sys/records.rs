//! A listing of entries that are added one at a time, for the platform in memory.

use crate::fields::Kind;
use crate::name::{Name, Names, Unit};
use crate::sys::{Entry, Listing, SystemUnit};

/// The buffer of one worker: names in one allocation, kinds and numbers in another. Both are reused
/// from listing to listing.
#[derive(Debug)]
pub(crate) struct Records<U> {
    names: Names<U>,
    heads: Vec<Head>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    name: usize,
    kind: Kind,
    id: u64,
}

impl<U: Unit> Default for Records<U> {
    fn default() -> Self {
        Records { names: Names::new(), heads: Vec::new() }
    }
}

impl<U: Unit> Records<U> {
    /// The most entries and units of names in one batch, not counting the last name.
    const ENTRIES: usize = 1024;
    const UNITS: usize = 32 << 10;

    pub(super) fn clear(&mut self) {
        self.names.truncate(0);
        self.heads.clear();
    }

    pub(super) fn is_full(&self) -> bool {
        self.heads.len() >= Self::ENTRIES || self.names.len() >= Self::UNITS
    }

    pub(super) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Adds an entry, unless it is `.` or `..`.
    pub(super) fn push(&mut self, name: &[U], kind: Kind, id: u64) {
        let at = self.names.push_units(name);
        if self.names.get(at).is_some_and(Name::is_dot_or_dot_dot) {
            self.names.truncate(at);
        } else {
            self.heads.push(Head { name: at, kind, id });
        }
    }
}

impl<U: SystemUnit> Listing for Records<U> {
    type Unit = U;

    fn entry(&self, position: usize) -> Option<(Entry<'_, U>, usize)> {
        let head = self.heads.get(position)?;
        let name = self.names.get(head.name)?;
        Some((Entry { name, kind: head.kind, id: head.id }, position + 1))
    }

    fn left(&self, position: usize) -> usize {
        self.heads.len().saturating_sub(position)
    }

    const LEAST_CAPACITY: usize = 1;

    /// The capacity is fixed here.
    fn with_capacity(_bytes: usize) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Records;
    use crate::fields::Kind;
    use crate::sys::Listing;

    #[test]
    fn entries_come_back_without_the_dots() {
        let mut records = Records::default();
        for (name, kind, id) in [
            (&b"."[..], Kind::Directory, 1),
            (b"a", Kind::File, 2),
            (b"..", Kind::Directory, 3),
            (b"odd \xff\n", Kind::Unknown, 4),
        ] {
            records.push(name, kind, id);
        }
        assert_eq!(records.left(0), 2);
        let (first, next) = records.entry(0).unwrap();
        assert_eq!((first.name.units(), first.kind, first.id), (&b"a"[..], Kind::File, 2));
        let (second, next) = records.entry(next).unwrap();
        assert_eq!(second.name.terminated(), b"odd \xff\n\0");
        assert!(records.entry(next).is_none());
        records.clear();
        assert!(records.entry(0).is_none() && records.is_empty());
    }

    #[test]
    fn a_reading_is_bounded_by_entries_and_by_names() {
        let mut short = Records::default();
        let mut long = Records::default();
        while !short.is_full() {
            short.push(b"x", Kind::File, 0);
        }
        while !long.is_full() {
            long.push(&[b'x'; 255], Kind::File, 0);
        }
        assert_eq!(short.left(0), 1024);
        assert_eq!(long.left(0), 128);
    }
}
