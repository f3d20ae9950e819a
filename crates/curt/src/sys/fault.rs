//! Calls that fail on purpose: in tests, every door asks here before it lets a call through.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// Which calls fail, shared by all workers of one operation.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: BTreeMap<&'static str, u64>,
    plan: Vec<(&'static str, u64, i32)>,
    hit: u64,
}

impl Faults {
    /// Fails the nth call (from 0) of the kind with this name with an error number.
    pub(crate) fn fail(self, kind: &'static str, nth: u64, errno: i32) -> Self {
        self.lock().plan.push((kind, nth, errno));
        self
    }

    /// The error that the call about to be made must fail with.
    pub(crate) fn next(&self, kind: &'static str) -> Option<i32> {
        let mut state = self.lock();
        let count = state.seen.entry(kind).or_default();
        let nth = *count;
        *count += 1;
        let errno =
            state.plan.iter().find(|&&(k, n, _)| k == kind && n == nth).map(|&(_, _, errno)| errno);
        state.hit += u64::from(errno.is_some());
        errno
    }

    /// How many planned faults have happened.
    pub(crate) fn hits(&self) -> u64 {
        self.lock().hit
    }

    /// How many calls of the kind with this name there were.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "asked where all is counted"))]
    pub(crate) fn seen(&self, kind: &str) -> u64 {
        self.lock().seen.get(kind).copied().unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
