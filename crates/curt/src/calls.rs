use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const KINDS: usize = 48;

/// The system calls made by an operation, by their names on this platform.
///
/// On Linux the counts agree with `strace`, but leave out the calls of the language runtime
/// (memory, threads, locks). Elsewhere a C library function such as `readdir` counts as one call
/// when it fills its buffer. User lookups are not counted, nor is closing an object when the caller
/// drops it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    names: &'static [&'static str],
    counts: [u64; KINDS],
}

impl Calls {
    /// Returns the total number of calls.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Iterates over the calls made at least once, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.names.iter().copied().zip(self.counts).filter(|&(_, count)| count > 0)
    }

    /// Returns how often the call `name` was made; 0 for a name unknown on this platform.
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

/// Lock-free counts: if another thread held a lock during `fork`, the child would wait forever.
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

/// The counts of one worker, in plain cells, because a worker belongs to one thread at a time.
pub(crate) struct Counter {
    names: &'static [&'static str],
    counts: [Cell<u64>; KINDS],
}

impl Counter {
    pub(crate) fn new(names: &'static [&'static str]) -> Self {
        debug_assert!(names.len() <= KINDS);
        Counter { names, counts: [const { Cell::new(0) }; KINDS] }
    }

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
