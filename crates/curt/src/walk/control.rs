//! What a caller decides while a walk looks for its next entry.

use crate::control::{Answer, Exclude};
use crate::fields::Kind;
use crate::sys::{Sys, SystemUnit};
use crate::tree::{Stop, TreePath};

/// When a walk stops, and what it leaves out.
#[derive(Clone, Copy)]
pub(super) struct Control<'c> {
    pub(super) stop: &'c Stop<'c>,
    pub(super) exclude: Option<&'c Exclude<'c>>,
    /// Whether this is the caller's thread, and has something to poll.
    pub(super) polls: bool,
}

impl Control<'_> {
    /// Polls if it is time, and returns whether the walk is to stop.
    #[inline]
    pub(super) fn must_stop<S: Sys>(&self, sys: &S) -> bool {
        if self.polls {
            self.stop.poll(|| sys.now());
        }
        self.stop.is_stopped()
    }

    /// Whether the caller leaves out the entry at `path`. The answer may stop the walk.
    #[inline]
    pub(super) fn excludes<U: SystemUnit>(&self, path: &TreePath<U>, kind: Kind) -> bool {
        self.stop.excludes(self.exclude, path, kind) != Answer::No
    }
}
