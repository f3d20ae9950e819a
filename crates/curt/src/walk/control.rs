//! What a caller decides while a walk looks for its next entry.

use std::path::Path;

use crate::control::{Answer, Exclude, Next, Poller, Stop, Unvisited};
use crate::fields::Kind;
use crate::sys::{Sys, SystemUnit};
use crate::tree::TreePath;

/// When a walk stops, and what it leaves out.
#[derive(Clone, Copy)]
pub(super) struct Control<'c> {
    pub(super) stop: &'c Stop<'c>,
    pub(super) exclude: Option<&'c Exclude<'c>>,
    /// For the caller's thread alone.
    pub(super) poller: Option<&'c Poller<'c>>,
}

impl Control<'_> {
    /// Polls if it is time, and returns whether the walk is to stop.
    #[inline]
    pub(super) fn must_stop<S: Sys>(&self, sys: &S) -> bool {
        if let Some(poller) = self.poller {
            if !self.stop.is_stopped() && poller.look(sys.now()) == Next::Stop {
                self.stop.stop();
            }
        }
        self.stop.is_stopped()
    }

    /// Whether the caller leaves out the entry at `path`. The answer may stop the walk.
    #[inline]
    pub(super) fn excludes<U: SystemUnit>(&self, path: &TreePath<U>, kind: Kind) -> bool {
        let Some(exclude) = self.exclude else { return false };
        let (path, relative) = (U::text(path.units()), U::text(path.relative()));
        let entry = Unvisited { path: Path::new(&path), relative: Path::new(&relative), kind };
        let answer = exclude(&entry);
        if answer == Answer::Stop {
            self.stop.stop();
        }
        answer != Answer::No
    }
}
