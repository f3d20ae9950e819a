//! How much is left to remove, for the progress line: what is there is counted on a separate thread
//! while it is removed, if that is quick.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use curt::{Cancel, Next, Remove, Threads};

use crate::args::{Prompt, RmOptions};
use crate::sys;

/// A count that takes longer is given up: it takes time from the removal.
const MOST_TIME: Duration = Duration::from_secs(1);

/// A count, which ends with the value.
pub(super) struct Count(Arc<State>);

#[derive(Default)]
struct State {
    cancel: Cancel,
    /// How many entries there were in all, 0 if that is not known.
    total: AtomicU64,
}

impl Count {
    /// Whether entries that are there are entries that will be removed, and may be counted.
    pub(super) fn is_possible(options: &RmOptions) -> bool {
        let removes_all = options.exclude.is_empty()
            && options.owner.is_none()
            && options.prompt != Prompt::Always;
        sys::CAN_REMOVE_OPEN_DIRECTORIES && removes_all && options.recursive && !options.dry_run
    }

    /// Begins to count what is left, when `removed` entries are gone.
    pub(super) fn begin(options: &RmOptions, operands: &[OsString], removed: u64) -> Count {
        let state = Arc::new(State::default());
        let counting = Arc::clone(&state);
        let operands = operands.to_vec();
        let (contents, cross_mounts) = (options.contents, options.cross_mounts);
        let begun = Instant::now();
        let count = move || {
            let removal = Remove::new().dry_run(true).threads(Threads::AtMost(1)).keep_errors(0);
            let removal = removal.contents_only(contents).cross_mounts(cross_mounts);
            let is_over = move || begun.elapsed() > MOST_TIME;
            let removal = removal
                .on_progress(move |_| if is_over() { Next::Stop } else { Next::Continue })
                .cancel(&counting.cancel);
            let report = removal.run(&operands);
            if !report.stopped {
                let total = removed + report.files + report.directories;
                counting.total.store(total, Ordering::Relaxed);
            }
        };
        // Without a thread there is no count.
        let _ = std::thread::Builder::new().spawn(count);
        Count(state)
    }

    /// Returns how many entries are left. What was removed before it could be counted is missing
    /// in it.
    pub(super) fn left(&self, removed: u64) -> Option<u64> {
        let total = Some(self.0.total.load(Ordering::Relaxed)).filter(|&total| total > 0)?;
        Some(total.saturating_sub(removed))
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.0.cancel.cancel();
    }
}
