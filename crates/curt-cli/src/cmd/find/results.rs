//! The order of what is found: a search that ends soon, or finds little, is sorted by path; any
//! other is printed as it comes, unless an order was asked for.

use std::cmp;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use curt::fields::Time;
use curt::walk::{SortBy, Visited};
use curt::{Fields, Metadata};

use crate::args::FindOptions;
use crate::out;
use crate::session::Session;

/// How long entries are held back to be sorted.
const SORTED_TIME: Duration = Duration::from_millis(100);

/// How many entries are held back.
const MOST_SORTED: usize = 1000;

/// How many bytes a thread collects before it hands them over: enough to be written as they are.
const CHUNK: usize = 2 * out::BUFFER;

/// What was found, in an order.
#[derive(Clone, Copy)]
pub(super) struct Sorting {
    by: SortBy,
    is_reversed: bool,
    contents_first: bool,
    /// Whether all that is found has this order, however long it takes.
    pub(super) is_asked_for: bool,
    /// How many of them are wanted, if there is such an order.
    most: Option<u64>,
}

/// Something that was found: its value, of which the greatest comes first, its path, and its line.
pub(super) struct Found {
    value: Option<(i64, u64)>,
    pub(super) path: PathBuf,
    line: Vec<u8>,
}

impl Sorting {
    pub(super) fn new(options: &FindOptions) -> Sorting {
        Sorting {
            by: options.sort.unwrap_or_default(),
            is_reversed: options.reverse,
            contents_first: options.contents_first,
            is_asked_for: options.sort.is_some() || options.contents_first,
            most: options.max_results.filter(|&most| most > 0),
        }
    }

    /// Returns the metadata that the order depends on.
    pub(super) fn fields(self) -> Fields {
        match self.by {
            SortBy::Size => Fields::SIZE,
            SortBy::Modified => Fields::MODIFIED,
            SortBy::Accessed => Fields::ACCESSED,
            SortBy::Changed => Fields::CHANGED,
            SortBy::Created => Fields::CREATED,
            _ => Fields::NONE,
        }
    }

    fn value(self, metadata: &Metadata) -> Option<(i64, u64)> {
        let time = |time: Time| (time.seconds, u64::from(time.nanoseconds));
        match self.by {
            SortBy::Size => metadata.size().known().map(|size| (0, size)),
            SortBy::Modified => metadata.modified().known().map(time),
            SortBy::Accessed => metadata.accessed().known().map(time),
            SortBy::Changed => metadata.changed().known().map(time),
            SortBy::Created => metadata.created().known().map(time),
            _ => None,
        }
    }

    pub(super) fn found(self, entry: &Visited<'_>, path: PathBuf, line: Vec<u8>) -> Found {
        Found { value: self.value(entry.metadata()), path, line }
    }

    /// Sorts what was found, and leaves what is wanted of it.
    pub(super) fn sort(self, found: &mut Vec<Found>) {
        let paths = if self.contents_first { contents_first } else { Path::cmp };
        let compare = |one: &Found, other: &Found| {
            other.value.cmp(&one.value).then_with(|| paths(&one.path, &other.path))
        };
        if self.is_reversed {
            found.sort_unstable_by(|one, other| compare(other, one));
        } else {
            found.sort_unstable_by(compare);
        }
        if let Some(most) = self.most.filter(|_| self.is_asked_for) {
            found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        }
    }
}

/// Compares paths so that a directory comes after what is in it.
fn contents_first(one: &Path, other: &Path) -> cmp::Ordering {
    if one.starts_with(other) || other.starts_with(one) {
        other.components().count().cmp(&one.components().count())
    } else {
        one.cmp(other)
    }
}

/// What was found, shared by the threads.
pub(super) struct Results<'a> {
    session: &'a Session,
    sorting: Sorting,
    is_terminal: bool,
    begun: Instant,
    /// Whether entries are no longer held back.
    is_flowing: AtomicBool,
    held: Mutex<Vec<Found>>,
}

impl<'a> Results<'a> {
    pub(super) fn new(session: &'a Session, sorting: Sorting) -> Results<'a> {
        Results {
            session,
            sorting,
            is_terminal: session.is_terminal(),
            begun: Instant::now(),
            is_flowing: AtomicBool::new(false),
            held: Mutex::default(),
        }
    }

    /// Adds an entry, whose line begins there among the lines of a thread.
    pub(super) fn add(&self, entry: &Visited<'_>, lines: &mut Vec<u8>, begin: usize) {
        if self.is_flowing.load(Ordering::Acquire) {
            if lines.len() >= CHUNK || self.is_terminal {
                self.hand_over(lines);
            }
            return;
        }
        let line = lines.split_off(begin);
        let found = self.sorting.found(entry, entry.path().into_owned(), line);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push(found);
        let is_full = held.len() > MOST_SORTED && !self.sorting.is_asked_for;
        drop(held);
        if is_full || self.is_flowing.load(Ordering::Acquire) {
            self.flow(false);
        }
    }

    /// Holds nothing back any longer if it is time.
    pub(super) fn keep_pace(&self) {
        let may_flow = !self.sorting.is_asked_for && !self.is_flowing.load(Ordering::Relaxed);
        if may_flow && self.begun.elapsed() > SORTED_TIME {
            self.flow(false);
        }
    }

    /// Prints the lines of a thread.
    pub(super) fn hand_over(&self, lines: &mut Vec<u8>) {
        if !lines.is_empty() {
            self.session.data(lines);
            lines.clear();
        }
    }

    /// Prints what is held back.
    pub(super) fn finish(&self) {
        self.flow(true);
    }

    fn flow(&self, is_whole: bool) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_flowing.store(true, Ordering::Release);
        let mut entries = std::mem::take(&mut *held);
        drop(held);
        // What follows has no order: then neither has this, as in fd.
        if is_whole {
            self.sorting.sort(&mut entries);
        }
        for found in entries {
            self.session.data(&found.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::contents_first;
    use std::path::Path;

    #[test]
    fn directories_come_after_their_contents() {
        let mut paths = ["t", "t/a", "t/a/b", "t/a.b", "t/sub/x", "t/sub", "s"].map(Path::new);
        paths.sort_by(|one, other| contents_first(one, other));
        assert_eq!(paths, ["s", "t/a/b", "t/a", "t/a.b", "t/sub/x", "t/sub", "t"].map(Path::new));
    }
}
