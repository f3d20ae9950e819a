//! Bounds how long a concurrent writer can prolong a removal (ADR 9).
//!
//! A writer can add entries to a directory as fast as they are removed, or create directories ahead
//! of the removal. A clock limits each case to the retry window:
//!
//! - Each directory has a clock for its [rounds](super::rounds).
//! - Each worker has a clock for new directories. After every 1,024 entries, the worker reads the
//!   creation time of the next directory. The clock runs while all of these times are newer than
//!   the start of the removal. When it runs out, the worker gives up new directories.
//!
//! Both clocks are needed. Times do not show that a directory grows: a new hard link has the
//! creation time of its file, and removing one link changes the times of the others. Counts do not
//! show that a tree grows: a chain of new directories looks like a chain of old ones. If each new
//! directory had a clock, the permitted time would multiply with the depth.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::fields::Facts;
use crate::sys::{Request, Sys};

const ENTRIES_PER_SAMPLE: u64 = 1024;

#[derive(Debug)]
pub(super) struct Writers {
    /// When the removal began, on the clock of entry timestamps.
    begun: Duration,
    left: Mutex<Vec<PathBuf>>,
}

impl Writers {
    pub(super) fn since(begun: Duration) -> Self {
        Writers { begun, left: Mutex::default() }
    }

    pub(super) fn is_new(&self, stat: &Facts) -> bool {
        stat.made() > self.begun
    }

    pub(super) fn report_left(&self, path: PathBuf) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    }

    pub(super) fn into_left(self) -> Vec<PathBuf> {
        let mut left = self.left.into_inner().unwrap_or_else(PoisonError::into_inner);
        left.sort_unstable();
        // Once sorted, a directory precedes everything inside it.
        left.dedup_by(|path, before| path.starts_with(before));
        left
    }
}

#[derive(Debug, Default)]
pub(super) struct Samples {
    entered: u64,
    last: u64,
    /// The time of the first sample in an unbroken run of new directories.
    new_since: Option<Duration>,
}

impl Samples {
    pub(super) fn must_leave<S: Sys>(
        &mut self,
        dir: &S::Dir,
        files: u64,
        writers: &Writers,
        window: Duration,
        sys: &S,
    ) -> bool {
        self.entered += 1;
        let done = self.entered + files;
        if done - self.last < ENTRIES_PER_SAMPLE {
            return false;
        }
        self.last = done;
        if !sys.query_dir(dir, Request::STAT).is_ok_and(|stat| writers.is_new(&stat)) {
            self.new_since = None;
            return false;
        }
        let now = sys.now();
        now.saturating_sub(*self.new_since.get_or_insert(now)) > window
    }
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES_PER_SAMPLE, Samples, Writers};
    use crate::sys::Sys;
    use crate::sys::memory::{Memory, Setup, World};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    #[test]
    fn only_the_outermost_left_directories_are_reported() {
        let writers = Writers::since(Duration::ZERO);
        for path in ["t/a/b", "t/a-b", "t/a", "t/a/b/c", "t/b/x", "t/a", "t/b/y"] {
            writers.report_left(PathBuf::from(path));
        }
        let left = ["t/a", "t/a-b", "t/b/x", "t/b/y"].map(PathBuf::from);
        assert_eq!(writers.into_left(), left);
    }

    #[test]
    fn new_directories_are_left_once_all_samples_were_new_for_the_window() {
        let ms = Duration::from_millis;
        let mut world = World::new();
        world.rules.call_time = Duration::ZERO;
        world.clock = ms(1);
        world.dir("old");
        world.clock = ms(2);
        world.dir("new");
        let setup = Setup::new(world);
        let (sys, writers) = (Memory::start(&setup), Writers::since(ms(1)));
        let (mut samples, mut files) = (Samples::default(), 0);
        let mut is_left = |path: &str, now, more| {
            files += more;
            setup.world(|world| world.clock = ms(now));
            let dir = sys.open_for_lookup(Path::new(path)).unwrap();
            samples.must_leave(&dir, files, &writers, ms(10), &sys)
        };
        let due = ENTRIES_PER_SAMPLE - 1;
        assert!(!is_left("new", 10, due) && !is_left("new", 20, due));
        assert!(!is_left("old", 21, due) && !is_left("new", 22, due), "the window begins anew");
        assert!(!is_left("new", 40, due - 1), "this one is not read");
        assert!(is_left("new", 40, 0));
        assert!(!is_left("new", 40, due - 1) && is_left("new", 40, 0));
    }
}
