//! What somebody else has open and does not allow to be removed, which Windows knows: it is waited
//! for, since scanners and indexers hold files for a moment only.
//!
//! All workers together wait no longer than [`Remove::retries`](super::Remove::retries) allows
//! without one such entry having come free; after that each is reported at once.

use std::io;
use std::sync::PoisonError;
use std::time::Duration;

use super::worker::Worker;
use crate::fields::Kind;
use crate::name::Name;
use crate::pause::{self, Backoff};
use crate::sys::{Finished, Mounts, Opened, Removed, Sys, is_busy};

impl<S: Sys> Worker<'_, S> {
    /// [`Sys::remove_child`], waiting while the child is in use.
    pub(super) fn remove_child(
        &self,
        dir: &S::Dir,
        name: Name<'_, S::Unit>,
        kind: Kind,
    ) -> Removed {
        let mut removed = self.sys.remove_child(dir, name, kind);
        while let Removed::Failed(error) = &removed {
            if !self.waits_for(error) {
                return removed;
            }
            removed = self.sys.remove_child(dir, name, kind);
            self.came_free(!matches!(&removed, Removed::Failed(error) if is_busy(error)));
        }
        removed
    }

    /// [`Sys::open_child`], waiting while the child is in use.
    pub(super) fn open_child(
        &self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        mounts: Mounts,
    ) -> Opened<S::Dir> {
        let mut opened = self.sys.open_child(parent, name, mounts);
        while let Opened::Failed(error) = &opened {
            if !self.waits_for(error) {
                return opened;
            }
            opened = self.sys.open_child(parent, name, mounts);
            self.came_free(!matches!(&opened, Opened::Failed(error) if is_busy(error)));
        }
        opened
    }

    /// [`Sys::finish_dir`], waiting while the directory is in use.
    pub(super) fn finish_dir(
        &self,
        parent: &S::Dir,
        name: Name<'_, S::Unit>,
        dir: S::Dir,
    ) -> Finished<S::Dir> {
        let mut finished = self.sys.finish_dir(parent, name, dir);
        loop {
            match finished {
                Finished::Failed(dir, error) if self.waits_for(&error) => {
                    finished = self.sys.finish_dir(parent, name, dir);
                    let busy = matches!(&finished, Finished::Failed(_, error) if is_busy(error));
                    self.came_free(!busy);
                }
                finished => return finished,
            }
        }
    }

    /// Waits if an error says that something is in use, and if there is patience left.
    fn waits_for(&self, error: &io::Error) -> bool {
        if !is_busy(error) || self.run.options.retries == 0 {
            return false;
        }
        let backoff = self.run.backoff.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(pause) = backoff else { return false };
        self.nap(pause);
        !self.run.is_cancelled()
    }

    /// After a wait: where it was worth it, there is patience for the next.
    fn came_free(&self, is_free: bool) {
        if is_free {
            let backoff = Backoff::new(self.run.options.retry_window);
            *self.run.backoff.lock().unwrap_or_else(PoisonError::into_inner) = backoff;
        }
    }

    /// Sleeps, in pieces short enough to notice a cancellation.
    pub(super) fn nap(&self, time: Duration) {
        pause::nap(|time| self.sys.sleep(time), self.run.options.cancel, time);
    }
}
