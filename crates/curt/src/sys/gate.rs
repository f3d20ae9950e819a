//! The common part of all syscall layers: counts every call and, in tests, fails it as planned.

use crate::calls::{Calls, Counter};
use crate::sys::Setup;

pub(super) struct Gate {
    counter: Counter,
    names: &'static [&'static str],
    #[cfg(test)]
    faults: Option<std::sync::Arc<super::fault::Faults>>,
}

impl Gate {
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

    /// Counts a call. Returns the error number of a planned failure. `kind` is an index into
    /// `names`.
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

macro_rules! calls {
    ($($call:ident $name:expr,)*) => {
        #[derive(Clone, Copy)]
        #[allow(dead_code, reason = "not every system makes all of them")]
        pub(super) enum Call {
            $($call,)*
        }

        const NAMES: &[&str] = &[$($name),*];
    };
}
pub(super) use calls;
