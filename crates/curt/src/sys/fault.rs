//! Planned failures for tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::Setup;

#[derive(Debug, Default)]
pub(crate) struct Faults {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    seen: BTreeMap<&'static str, u64>,
    plan: Vec<PlannedFailure>,
    hit: u64,
}

/// Fails the `nth` call of a kind, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedFailure {
    pub(crate) kind: &'static str,
    nth: u64,
    pub(crate) errno: i32,
}

impl Faults {
    pub(crate) fn fail(self, kind: &'static str, nth: u64, errno: i32) -> Self {
        self.lock().plan.push(PlannedFailure { kind, nth, errno });
        self
    }

    /// Runs a single-threaded operation without failures, then fails each of its calls with each
    /// error in turn.
    pub(crate) fn each(
        setup: &Setup,
        errors: &[i32],
        mut run: impl FnMut(&Setup, Option<PlannedFailure>),
    ) {
        let mut with = |fails: Option<PlannedFailure>| {
            let plan = Mutex::new(State { plan: fails.into_iter().collect(), ..State::default() });
            let faults = Arc::new(Faults { state: plan });
            run(&Setup { faults: Some(Arc::clone(&faults)), ..setup.clone() }, fails);
            faults
        };
        // Use the run with the fewest calls: the first may also detect missing features, and
        // renames by other processes may cause retries (`EAGAIN`).
        let runs = (0..5).map(|_| with(None).lock().seen.clone());
        let calls = runs.min_by_key(|calls| calls.values().sum::<u64>()).unwrap_or_default();
        assert!(!calls.is_empty(), "it makes no call");
        for (kind, count) in calls {
            for nth in 0..count {
                for &errno in errors {
                    let fails = PlannedFailure { kind, nth, errno };
                    assert_eq!(with(Some(fails)).hits(), 1, "{fails:?}");
                }
            }
        }
    }

    pub(crate) fn next(&self, kind: &'static str) -> Option<i32> {
        let mut state = self.lock();
        let count = state.seen.entry(kind).or_default();
        let nth = *count;
        *count += 1;
        let errno = state
            .plan
            .iter()
            .find(|fails| (fails.kind, fails.nth) == (kind, nth))
            .map(|fails| fails.errno);
        state.hit += u64::from(errno.is_some());
        errno
    }

    pub(crate) fn hits(&self) -> u64 {
        self.lock().hit
    }

    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only tests of Linux ask"))]
    pub(crate) fn seen(&self, kind: &str) -> u64 {
        self.lock().seen.get(kind).copied().unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
