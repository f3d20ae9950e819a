//! Planned failures: in tests, every door asks here before it lets a call through.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// The calls that fail, shared by all workers of an operation.
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
    /// Plans that the nth call (from 0) of this name fails with an error number.
    pub(crate) fn fail(self, kind: &'static str, nth: u64, errno: i32) -> Self {
        self.lock().plan.push((kind, nth, errno));
        self
    }

    /// Counts a call of this name, and returns the error number that it must fail with.
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

    /// Returns how many planned failures have happened.
    pub(crate) fn hits(&self) -> u64 {
        self.lock().hit
    }

    /// Returns how many calls of this name there were.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only tests of Linux ask"))]
    pub(crate) fn seen(&self, kind: &str) -> u64 {
        self.lock().seen.get(kind).copied().unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
