use crate::control::{Answer, Exclude};
use crate::fields::Kind;
use crate::sys::{Sys, SystemUnit};
use crate::tree::{Stop, TreePath};

/// Decisions of the caller while a walk looks for its next entry.
#[derive(Clone, Copy)]
pub(super) struct Control<'c> {
    pub(super) stop: &'c Stop<'c>,
    pub(super) exclude: Option<&'c Exclude<'c>>,
    /// Whether this is the caller's thread, and it has a poll callback.
    pub(super) polls: bool,
}

impl Control<'_> {
    /// Polls if it is due.
    #[inline]
    pub(super) fn must_stop<S: Sys>(&self, sys: &S) -> bool {
        if self.polls {
            self.stop.poll(|| sys.now());
        }
        self.stop.is_stopped()
    }

    /// The answer may stop the walk.
    #[inline]
    pub(super) fn excludes<U: SystemUnit>(&self, path: &TreePath<U>, kind: Kind) -> bool {
        self.stop.excludes(self.exclude, path, kind) != Answer::No
    }
}
