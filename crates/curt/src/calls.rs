//! Counts of system calls by name.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The most calls that a platform may name.
const KINDS: usize = 40;

/// The system calls that an operation made, by their names on this platform.
///
/// The library counts every call it makes for an operation. On Linux the numbers are those that a
/// tracer shows, without the calls of the language's runtime (for memory, threads and locks). What
/// the C library does by itself elsewhere counts as one call: filling a buffer by `readdir`. Not
/// counted: closing what the caller keeps (a [`Directory`](crate::list::Directory), a
/// [`Root`](crate::Root), a file) when it is dropped, and looking up names of users.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    names: &'static [&'static str],
    counts: [u64; KINDS],
}

impl Calls {
    /// Returns the number of all calls.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Iterates over the calls that were made at least once, with their counts, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.names.iter().copied().zip(self.counts).filter(|&(_, count)| count > 0)
    }

    /// Returns the count of one call by its name; 0 for a name that this platform does not have.
    pub fn of(&self, name: &str) -> u64 {
        self.iter().find(|&(known, _)| known == name).map_or(0, |(_, count)| count)
    }

    /// Adds the counts of another worker or operation.
    pub fn add(&mut self, other: &Calls) {
        if self.names.is_empty() {
            self.names = other.names;
        }
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
    }
}

impl Default for Calls {
    fn default() -> Self {
        Calls { names: &[], counts: [0; KINDS] }
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// The calls of several threads. There is no lock: a child that was forked while another thread
/// held it would wait forever.
#[derive(Debug)]
pub(crate) struct SharedCalls([AtomicU64; KINDS]);

impl Default for SharedCalls {
    fn default() -> SharedCalls {
        SharedCalls([const { AtomicU64::new(0) }; KINDS])
    }
}

impl SharedCalls {
    pub(crate) fn add(&self, calls: &Calls) {
        for (sum, count) in self.0.iter().zip(calls.counts) {
            sum.fetch_add(count, Relaxed);
        }
    }

    pub(crate) fn add_to(&self, calls: &mut Calls) {
        for (count, sum) in calls.counts.iter_mut().zip(&self.0) {
            *count += sum.load(Relaxed);
        }
    }
}

/// Counts the calls of one worker, in plain cells, because a worker belongs to one thread at a
/// time.
pub(crate) struct Counter {
    names: &'static [&'static str],
    counts: [Cell<u64>; KINDS],
}

impl Counter {
    pub(crate) fn new(names: &'static [&'static str]) -> Self {
        debug_assert!(names.len() <= KINDS);
        Counter { names, counts: [const { Cell::new(0) }; KINDS] }
    }

    /// Counts one call, given as an index into the names.
    pub(crate) fn tick(&self, kind: usize) {
        if let Some(count) = self.counts.get(kind) {
            count.set(count.get() + 1);
        }
    }

    pub(crate) fn calls(&self) -> Calls {
        let mut calls = Calls { names: self.names, ..Calls::default() };
        for (count, cell) in calls.counts.iter_mut().zip(&self.counts) {
            *count = cell.get();
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use super::Counter;

    #[test]
    fn counts_go_beyond_32_bits() {
        let counter = Counter::new(&["one", "two"]);
        counter.counts[1].set(u64::from(u32::MAX) - 1);
        for _ in 0..3 {
            counter.tick(1);
        }
        assert_eq!(counter.calls().of("two"), (1 << 32) + 1);
        assert_eq!(counter.calls().total(), (1 << 32) + 1);
    }
}
