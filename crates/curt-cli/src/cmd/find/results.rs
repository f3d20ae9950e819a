//! The order of results. By default, as in fd, they are sorted by path if the search ends soon and
//! finds little, and otherwise printed as found.

use std::cmp;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use curt::{Fields, Metadata};

use crate::args::FindOptions;
use crate::out::entry;
use crate::session::Session;

/// How long entries are held back for sorting.
const SORTED_TIME: Duration = Duration::from_millis(100);

/// How many entries are held back for sorting.
const MOST_SORTED: usize = 1000;

/// A result. The greatest `value` comes first.
pub(super) struct Found {
    value: Option<(i64, u64)>,
    pub(super) path: PathBuf,
    pub(super) line: Vec<u8>,
}

pub(super) struct Results<'a> {
    session: &'a Session,
    by: Fields,
    is_reversed: bool,
    contents_first: bool,
    /// Whether the user requested an order, so that all results are held back until the end.
    pub(super) is_ordered: bool,
    most: Option<u64>,
    holds_all: bool,
    begun: Instant,
    /// Whether sorting was given up.
    is_unsorted: AtomicBool,
    held: Mutex<Vec<Found>>,
}

impl<'a> Results<'a> {
    pub(super) fn new(options: &FindOptions, session: &'a Session, holds_all: bool) -> Self {
        let is_ordered = options.sort.is_some() || options.contents_first;
        Results {
            session,
            by: options.sort.unwrap_or(Fields::NONE),
            is_reversed: options.reverse,
            contents_first: options.contents_first,
            is_ordered,
            most: options.max_results.filter(|&most| most > 0 && is_ordered),
            holds_all: holds_all || is_ordered,
            begun: Instant::now(),
            is_unsorted: AtomicBool::new(false),
            held: Mutex::default(),
        }
    }

    pub(super) fn fields(&self) -> Fields {
        self.by
    }

    pub(super) fn are_unsorted(&self) -> bool {
        self.is_unsorted.load(Ordering::Acquire)
    }

    /// Holds an entry back, or prints it if sorting has been given up.
    pub(super) fn hold(&self, metadata: &Metadata, path: PathBuf, line: Vec<u8>) {
        let value = match self.by {
            Fields::NONE | Fields::NAME => None,
            Fields::SIZE => metadata.size().known().map(|size| (0, size)),
            time => entry::time(time, metadata)
                .known()
                .map(|time| (time.seconds, u64::from(time.nanoseconds))),
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push(Found { value, path, line });
        let is_full = held.len() > MOST_SORTED && !self.holds_all;
        drop(held);
        if is_full || self.are_unsorted() {
            self.give_up_sorting();
        }
    }

    pub(super) fn check_time(&self) {
        if !self.holds_all && !self.are_unsorted() && self.begun.elapsed() > SORTED_TIME {
            self.give_up_sorting();
        }
    }

    /// Gives up sorting, and prints the entries held back in the order found, as fd does.
    fn give_up_sorting(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_unsorted.store(true, Ordering::Release);
        let found = std::mem::take(&mut *held);
        drop(held);
        for found in found {
            self.session.data(&found.line);
        }
    }

    pub(super) fn sorted(&self) -> Vec<Found> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = std::mem::take(&mut *held);
        let paths = if self.contents_first { contents_first } else { by_name };
        found.sort_unstable_by(|one, other| {
            let (one, other) = if self.is_reversed { (other, one) } else { (one, other) };
            other.value.cmp(&one.value).then_with(|| paths(&one.path, &other.path))
        });
        if let Some(most) = self.most {
            found.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        }
        found
    }
}

/// Compares paths like `Path::cmp`, but several times faster if the first differing bytes both
/// belong to names.
fn by_name(one: &Path, other: &Path) -> cmp::Ordering {
    // On Windows, a path that begins with two separators may have a prefix.
    let may_have_prefix = |path: &[u8]| matches!(path, [b'/' | b'\\', b'/' | b'\\', ..]);
    if may_have_prefix(bytes(one)) || may_have_prefix(bytes(other)) {
        return one.cmp(other);
    }
    let (ones, others) = after_equal_parts(bytes(one), bytes(other));
    let is_in_name = |all: &[u8], at: usize| {
        // A letter before a colon might be a drive, which is compared ignoring case.
        all[at].is_ascii_alphanumeric() && all.get(at + 1) != Some(&b':')
    };
    match ones.iter().zip(others).position(|(one, other)| one != other) {
        Some(at) if is_in_name(ones, at) && is_in_name(others, at) => ones[at].cmp(&others[at]),
        _ => one.cmp(other),
    }
}

/// Skips a common prefix, eight bytes at a time.
fn after_equal_parts<'p>(mut one: &'p [u8], mut other: &'p [u8]) -> (&'p [u8], &'p [u8]) {
    while let (Some((a, ones)), Some((b, others))) =
        (one.split_first_chunk::<8>(), other.split_first_chunk::<8>())
    {
        if a != b {
            break;
        }
        (one, other) = (ones, others);
    }
    (one, other)
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

fn contents_first(one: &Path, other: &Path) -> cmp::Ordering {
    if one.starts_with(other) || other.starts_with(one) {
        other.components().count().cmp(&one.components().count())
    } else {
        by_name(one, other)
    }
}

#[cfg(test)]
mod tests {
    use super::{by_name, contents_first};
    use std::path::Path;

    #[test]
    fn compares_like_path() {
        let parts = ["a", "b", "ab", ".a", "-", "..", ".", "", "/", "//", "c:", "C:"];
        let two = |one| parts.iter().map(move |other| format!("{one}/{other}"));
        let paths: Vec<String> = parts
            .iter()
            .flat_map(two)
            .flat_map(|it| [it.clone(), format!("{it}/x"), format!("{it}b")])
            .collect();
        for one in paths.iter().map(Path::new) {
            for other in paths.iter().map(Path::new) {
                assert_eq!(by_name(one, other), one.cmp(other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn directories_come_after_their_contents() {
        let mut paths = ["t", "t/a", "t/a/b", "t/a.b", "t/sub/x", "t/sub", "s"].map(Path::new);
        paths.sort_by(|one, other| contents_first(one, other));
        assert_eq!(paths, ["s", "t/a/b", "t/a", "t/a.b", "t/sub/x", "t/sub", "t"].map(Path::new));
    }
}
