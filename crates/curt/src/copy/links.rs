//! Hard links among the copied files: which copy belongs to which source.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sys::{Condvar, Identity, Sys};
use crate::tree::{Meanwhile, POLL_INTERVAL};

/// A finished copy, to which further names of its source become hard links.
pub(super) struct Original<S: Sys> {
    /// The directory of the destination, and the path of the copy in it.
    pub(super) root: Arc<S::Dir>,
    pub(super) path: Vec<S::Unit>,
    /// The identity of the copy, because its path may lead elsewhere by now.
    pub(super) identity: Identity,
}

pub(super) enum Claim<'l, S: Sys> {
    /// This worker copies the file.
    Copy(Pending<'l, S>),
    Link(Arc<Original<S>>),
}

/// Other workers wait until this is dropped. Without an original, the next one tries.
pub(super) struct Pending<'l, S: Sys> {
    links: &'l HardLinks<S>,
    source: Identity,
    pub(super) original: Option<Original<S>>,
}

/// Also runs if a callback panics.
impl<S: Sys> Drop for Pending<'_, S> {
    fn drop(&mut self) {
        let mut copies = self.links.lock();
        match self.original.take() {
            Some(original) => _ = copies.insert(self.source, Some(Arc::new(original))),
            None => _ = copies.remove(&self.source),
        }
        drop(copies);
        self.links.finished.notify_all();
    }
}

type Copies<S> = HashMap<Identity, Option<Arc<Original<S>>>>;

/// The copies of sources with several names. `None` while a worker copies one.
pub(super) struct HardLinks<S: Sys> {
    copies: Mutex<Copies<S>>,
    finished: Condvar,
}

impl<S: Sys> HardLinks<S> {
    pub(super) fn new() -> Self {
        HardLinks { copies: Mutex::default(), finished: Condvar::new() }
    }

    /// Waits while another worker copies the file. That worker may wait until the caller's thread
    /// runs callbacks, so this runs them.
    pub(super) fn claim(&self, source: Identity, meanwhile: Meanwhile<'_>) -> Claim<'_, S> {
        let mut copies = self.lock();
        loop {
            match copies.get(&source) {
                None => {
                    copies.insert(source, None);
                    return Claim::Copy(Pending { links: self, source, original: None });
                }
                Some(Some(original)) => return Claim::Link(Arc::clone(original)),
                Some(None) => {}
            }
            copies = match meanwhile {
                None => self.finished.wait(copies).unwrap_or_else(PoisonError::into_inner),
                Some(attend) => {
                    drop(self.finished.wait_timeout(copies, POLL_INTERVAL));
                    attend();
                    self.lock()
                }
            };
        }
    }

    /// For a dry run, which only counts.
    pub(super) fn is_first(&self, source: Identity) -> bool {
        self.lock().insert(source, None).is_none()
    }

    fn lock(&self) -> MutexGuard<'_, Copies<S>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
