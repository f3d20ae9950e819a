use std::collections::BTreeMap;

/// Which of two records of equal size is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    First,
    /// A directory's record comes after its contents', so no record is kept without its parent's.
    Last,
}

pub(super) struct Largest<T> {
    most: usize,
    ties: Ties,
    count: u64,
    records: BTreeMap<(u64, u64), T>,
}

impl<T> Largest<T> {
    pub(super) fn new(most: usize, ties: Ties) -> Largest<T> {
        Largest { most, ties, count: 0, records: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, size: u64, record: impl FnOnce() -> T) {
        self.count += 1;
        let rank = if self.ties == Ties::Last { self.count } else { u64::MAX - self.count };
        let key = (size, rank);
        if self.records.len() >= self.most {
            if self.records.first_key_value().is_none_or(|(&smallest, _)| key < smallest) {
                return;
            }
            self.records.pop_first();
        }
        self.records.insert(key, record());
    }

    pub(super) fn into_sorted(self) -> Vec<(u64, T)> {
        self.records.into_iter().rev().map(|((size, _), record)| (size, record)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Largest, Ties};

    fn positions(most: usize, ties: Ties, sizes: &[u64]) -> Vec<usize> {
        let mut largest = Largest::new(most, ties);
        sizes.iter().enumerate().for_each(|(at, &size)| largest.add(size, || at));
        largest.into_sorted().into_iter().map(|(_, at)| at).collect()
    }

    #[test]
    fn only_the_largest_are_kept() {
        let sizes = [5, 7, 5, 1, 9, 7, 5];
        assert_eq!(positions(3, Ties::First, &sizes), [4, 1, 5]);
        assert_eq!(positions(4, Ties::First, &sizes), [4, 1, 5, 0]);
        assert_eq!(positions(4, Ties::Last, &sizes), [4, 5, 1, 6]);
        assert_eq!(positions(100, Ties::First, &sizes), [4, 1, 5, 0, 2, 6, 3]);
        assert_eq!(positions(0, Ties::First, &sizes), [0; 0]);
    }
}
