//! The part that all doors share: counting every call and, in tests, failing it.

use crate::calls::{Calls, Counter};
use crate::sys::Setup;

/// Counts the calls of one worker, and fails those that a test planned to fail.
pub(super) struct Gate {
    counter: Counter,
    names: &'static [&'static str],
    #[cfg(test)]
    faults: Option<std::sync::Arc<super::fault::Faults>>,
}

impl Gate {
    /// Makes a gate for calls with these names.
    pub(super) fn new(names: &'static [&'static str], setup: &Setup) -> Self {
        let _ = setup;
        Gate {
            counter: Counter::new(names),
            names,
            #[cfg(test)]
            faults: setup.faults.clone(),
        }
    }

    pub(super) fn calls(&self) -> Calls {
        self.counter.calls()
    }

    /// Counts a call; the error is the number that it must fail with. `kind` is an index into the
    /// names.
    #[cfg_attr(not(test), allow(clippy::unnecessary_wraps, reason = "only tests plan failures"))]
    pub(super) fn pass(&self, kind: usize) -> Result<(), i32> {
        self.counter.tick(kind);
        #[cfg(test)]
        if let Some(error) = self.faults.as_ref().and_then(|faults| faults.next(self.names[kind])) {
            return Err(error);
        }
        let _ = self.names;
        Ok(())
    }
}

/// Declares the calls of a door, each with the name it is counted by.
macro_rules! calls {
    ($($call:ident $name:expr,)*) => {
        #[derive(Clone, Copy)]
        #[allow(dead_code, reason = "not every system makes all of them")]
        pub(super) enum Call {
            $($call,)*
        }

        /// The names of the calls, in the order of [`Call`].
        const NAMES: &[&str] = &[$($name),*];
    };
}
pub(super) use calls;
