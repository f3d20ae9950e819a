use crate::control::{Answer, Exclude};
use crate::fields::Kind;
use crate::sys::{Sys, SystemUnit};
use crate::tree::{Stop, TreePath};

/// Checks whether to stop, and which entries to exclude, while a walk looks for the next entry.
#[derive(Clone, Copy)]
pub(super) struct Control<'c> {
    pub(super) stop: &'c Stop<'c>,
    pub(super) exclude: Option<&'c Exclude<'c>>,
    /// Whether to poll. `true` only on the caller's thread, and if there is a poll callback.
    pub(super) polls: bool,
}

impl Control<'_> {
    #[inline]
    pub(super) fn must_stop<S: Sys>(&self, sys: &S) -> bool {
        if self.polls {
            self.stop.poll(|| sys.now());
        }
        self.stop.is_stopped()
    }

    #[inline]
    pub(super) fn excludes<U: SystemUnit>(&self, path: &TreePath<U>, kind: Kind) -> bool {
        self.stop.excludes(self.exclude, path, kind) != Answer::No
    }
}
