//! Finished directories that are still open, to be closed many at a time.
//!
//! A depth-first traversal takes descriptors from the lowest free number upwards and finishes with
//! the highest ones first, so the finished ones lie side by side. They are kept as runs of
//! neighbouring numbers, the highest run last; a run that is long enough is closed by one
//! `close_range`. Because every number in a run is a descriptor of ours that nobody uses any more,
//! this is right in any descriptor table, also in one that other threads open files in: a number
//! that they took is simply a gap between two runs.

use std::os::fd::{OwnedFd, RawFd};

use super::call::{self, Door};

/// Runs of finished descriptors.
#[derive(Default)]
pub(super) struct Retired {
    /// First and last number of each run.
    runs: Vec<(RawFd, RawFd)>,
    open: usize,
    /// How many it was ever given.
    given: u64,
}

impl Retired {
    /// Takes a finished descriptor, and closes the run that it completes.
    pub(super) fn push(&mut self, door: &Door, fd: OwnedFd, limit: usize) {
        self.given += 1;
        self.add(call::into_number(fd));
        if let Some(&(first, last)) = self.runs.last() {
            let length = (last - first) as usize + 1;
            if length >= RUN.min(limit) {
                self.runs.pop();
                self.open -= length;
                close(door, first, last);
            }
        }
        if self.open >= limit {
            self.close_all(door);
        }
    }

    /// Whether it was given exactly so many so far.
    pub(super) fn has_been_given(&self, count: u64) -> bool {
        self.given == count
    }

    /// Closes everything. Returns whether there was anything.
    pub(super) fn close_all(&mut self, door: &Door) -> bool {
        for &(first, last) in &self.runs {
            close(door, first, last);
        }
        self.runs.clear();
        std::mem::take(&mut self.open) > 0
    }

    fn add(&mut self, number: RawFd) {
        self.open += 1;
        match self.runs.last_mut() {
            Some((_, last)) if number == *last + 1 => *last = number,
            Some((first, _)) if number == *first - 1 => {
                *first = number;
                self.join_last_two();
            }
            _ => self.runs.push((number, number)),
        }
    }

    /// When the last run has grown down to the one below it, the two become one.
    fn join_last_two(&mut self) {
        if let [.., below, last] = self.runs[..] {
            if below.1 + 1 == last.0 {
                self.runs.pop();
                self.runs.pop();
                self.runs.push((below.0, last.1));
            }
        }
    }
}

/// How many descriptors one call closes.
const RUN: usize = 256;

fn close(door: &Door, first: RawFd, last: RawFd) {
    if first == last || door.close_range(first, last).is_err() {
        // One descriptor, or a kernel without the call: one by one.
        for number in first..=last {
            door.close(call::from_number(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Retired;

    fn runs(numbers: &[i32]) -> Vec<(i32, i32)> {
        let mut retired = Retired::default();
        for &number in numbers {
            retired.add(number);
        }
        assert_eq!(retired.open, numbers.len());
        retired.runs
    }

    #[test]
    fn neighbours_become_one_run() {
        assert_eq!(runs(&[5, 6, 7]), [(5, 7)]);
        assert_eq!(runs(&[7, 6, 5]), [(5, 7)]);
        // 4 is finished; 5 is opened, with 6 and 7 below it; then 5 itself is finished.
        assert_eq!(runs(&[4, 6, 7, 5]), [(4, 7)]);
    }

    #[test]
    fn a_foreign_number_is_a_gap() {
        assert_eq!(runs(&[5, 7, 8]), [(5, 5), (7, 8)]);
        assert_eq!(runs(&[9, 4]), [(9, 9), (4, 4)]);
    }
}
