//! The threads that work beside the caller's.
//!
//! They share one descriptor table and their credentials, whose users the kernel counts in each
//! call. A table for each thread (`CLOSE_RANGE_UNSHARE`) brought 4 to 5 %, credentials for each 1.6;
//! but a descriptor that safe code opens in one thread would be another file in the next.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// The stack of a worker. A traversal needs little at any depth; the rest is for callbacks.
const STACK: usize = 256 << 10;

/// Workers in a scope of threads, with the payload of the first of their panics.
#[derive(Default)]
pub(crate) struct Workers(Mutex<Option<Box<dyn Any + Send>>>);

impl Workers {
    /// Starts a worker, which the caller joins: the scope waits for the end of its work, but not
    /// until the thread is gone. Returns `None` if the system has no thread left.
    pub(crate) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        work: impl FnOnce() + Send + 'scope,
    ) -> Option<ScopedJoinHandle<'scope, ()>> {
        let work = move || self.catch(work);
        #[cfg(test)]
        let work = crate::sys::memory::machine::seated(work);
        Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
    }

    fn catch(&self, work: impl FnOnce()) {
        // Unwind safe: the borrowed state is not used after a panic.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }

    /// Waits until these threads are gone. After that nobody runs code of this library any more,
    /// which can be unloaded.
    pub(crate) fn join<'scope>(threads: impl IntoIterator<Item = ScopedJoinHandle<'scope, ()>>) {
        #[cfg(test)]
        crate::sys::memory::machine::leave();
        for thread in threads {
            // Panics were caught on the thread.
            drop(thread.join());
        }
    }

    /// Resumes the first panic, once all workers have ended.
    pub(crate) fn pass_on(self) {
        if let Some(panic) = self.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_panic_is_the_one_that_is_passed_on() {
        let workers = Workers::default();
        workers.catch(|| ());
        workers.catch(|| resume_unwind(Box::new(1)));
        workers.catch(|| resume_unwind(Box::new(2)));
        let passed_on = catch_unwind(AssertUnwindSafe(|| workers.pass_on()));
        assert_eq!(passed_on.unwrap_err().downcast_ref(), Some(&1));
    }
}
