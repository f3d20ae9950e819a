//! Somebody who makes directories ahead of a removal: levels or branches, so that it would never end.
//!
//! One in so many directories is looked at. Once all of these have been new for the length of the
//! retry window, each is looked at, and what is new is left.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::frame::{Directories, Level, Role};
use super::run::to_path;
use super::worker::Worker;
use crate::fields::Facts;
use crate::sys::{Ask, Sys};
use crate::tree::TreePath;

/// How many directories are entered before one is looked at.
const DIRECTORIES_BETWEEN_LOOKS: u64 = 1024;

/// What all workers know of those who write to what is being removed.
#[derive(Debug)]
pub(super) struct Writers {
    /// When the removal began, by the clock that entries are stamped with.
    begun: Duration,
    /// What is new is left.
    leaves_new: AtomicBool,
    /// The directories that were left to somebody who writes to them, so that each is reported once.
    left: Mutex<Vec<PathBuf>>,
    /// New directories that were left in one of another worker, who will report that.
    left_below: Mutex<Vec<PathBuf>>,
}

impl Writers {
    /// The removal begins now.
    pub(super) fn since(begun: Duration) -> Self {
        Writers {
            begun,
            leaves_new: AtomicBool::new(false),
            left: Mutex::default(),
            left_below: Mutex::default(),
        }
    }

    fn is_new(&self, stat: &Facts) -> bool {
        stat.made() > self.begun
    }

    /// Leaves a directory. Returns whether that is to be reported: there is no error for one that
    /// holds another one which was left before.
    pub(super) fn leave(&self, path: PathBuf) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = !left.iter().any(|left| left.starts_with(&path));
        if is_first {
            left.push(path);
        }
        is_first
    }

    /// Leaves a directory that lies in one of another worker.
    fn leave_below(&self, path: PathBuf) {
        self.left_below.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    }

    /// The directories that were left and that nobody has reported.
    pub(super) fn unreported(self) -> Vec<PathBuf> {
        let left = self.left.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut below = self.left_below.into_inner().unwrap_or_else(PoisonError::into_inner);
        let is_reported = |path: &Path| left.iter().any(|left| path.starts_with(left));
        below.retain(|path| !is_reported(path));
        below
    }
}

/// What one worker has seen of directories that are new.
#[derive(Debug, Default)]
pub(super) struct Lookout {
    /// How many directories were entered.
    entered: u64,
    /// Since when each one that was looked at was new.
    new_since: Option<Duration>,
    /// For too long.
    leaves_new: bool,
}

impl Lookout {
    /// Whether a directory that was just entered is to be left to whoever has made it.
    pub(super) fn must_leave<S: Sys>(&mut self, dir: &S::Dir, worker: &Worker<'_, S>) -> bool {
        let writers = &worker.run.writers;
        self.entered += 1;
        if self.entered % DIRECTORIES_BETWEEN_LOOKS == 0 {
            self.leaves_new |= writers.leaves_new.load(Ordering::Relaxed);
        } else if !self.leaves_new {
            return false;
        }
        if !worker.sys.query_dir(dir, Ask::STAT).is_ok_and(|stat| writers.is_new(&stat)) {
            self.new_since = None;
            return false;
        }
        let now = worker.sys.now();
        let since = *self.new_since.get_or_insert(now);
        if now.saturating_sub(since) > worker.run.options.retry_window {
            self.leaves_new = true;
            writers.leaves_new.store(true, Ordering::Relaxed);
        }
        self.leaves_new
    }
}

/// Leaves the directory in which somebody makes others: of those above the topmost one, the nearest
/// that is older than the removal. Returns its path if it is to be reported, which stands for all
/// that is new in it.
pub(super) fn leave_directory<S: Sys>(
    stack: &mut Directories<S>,
    worker: &Worker<'_, S>,
) -> Option<TreePath<S::Unit>> {
    let writers = &worker.run.writers;
    let mut index = stack.len() - 1;
    stack[index].give_up();
    while let Some(below) = index.checked_sub(1).filter(|&below| !is_around_operand(&stack[below]))
    {
        index = below;
        let level = &mut stack[index];
        level.give_up();
        let stat = level.dir().and_then(|dir| worker.sys.query_dir(dir, Ask::STAT).ok());
        // What was closed early lies below others that are new, or far above them.
        if stat.is_some_and(|stat| !writers.is_new(&stat)) {
            break;
        }
        if level.is_of_another() {
            // The worker that has the directories above it knows which of them is older.
            writers.leave_below(to_path::<S>(&worker.path_of(level)));
            return None;
        }
    }
    let path = worker.path_of(&stack[index]);
    writers.leave(to_path::<S>(&path)).then_some(path)
}

/// Whether this is the directory that the operand lies in.
fn is_around_operand<S: Sys>(level: &Level<S>) -> bool {
    level.role() == Role::Base && !level.is_of_another()
}
