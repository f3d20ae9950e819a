//! The panic of a helper goes on in the thread that waits for it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

/// What the first of the helpers that panicked had to say. A scope of threads passes on that one of them panicked,
/// but not what; to join each thread would tell, and would have the caller wait until it has gone.
#[derive(Default)]
pub(crate) struct Panics(Mutex<Option<Box<dyn Any + Send>>>);

impl Panics {
    /// Runs what a helper does.
    pub(crate) fn catch(&self, work: impl FnOnce()) {
        // Nobody sees what it leaves behind: whoever lent it something is unwound too.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }

    /// Panics as the first of them did, once they have all ended.
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
        let panics = Panics::default();
        panics.catch(|| ());
        panics.catch(|| resume_unwind(Box::new(1)));
        panics.catch(|| resume_unwind(Box::new(2)));
        let passed_on = catch_unwind(AssertUnwindSafe(|| panics.pass_on()));
        assert_eq!(passed_on.unwrap_err().downcast_ref(), Some(&1));
    }

    #[test]
    fn without_a_panic_nothing_happens() {
        let panics = Panics::default();
        panics.catch(|| ());
        panics.pass_on();
    }
}
