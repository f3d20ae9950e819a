//! The process that a worker runs in: its clocks, processors and limits, its home.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

#[cfg(unix)]
pub(crate) use super::unix::host::{drive_directory, home, home_of, long_name, release};
#[cfg(windows)]
pub(crate) use super::windows::host::{drive_directory, home, home_of, long_name, release};

/// What a worker asks of its process, and not of a file system.
///
/// Methods and not functions, because the calls are counted with those of the worker, and because tests in
/// memory have a clock that jumps, and limits of their choice.
pub(crate) trait Host {
    /// How many descriptors (or handles) the process may have.
    fn descriptor_limit(&self) -> usize;
    /// How many processors this process may use.
    fn processors(&self) -> usize;
    /// A monotonic clock.
    fn now(&self) -> Duration {
        monotonic()
    }
    /// Waits for this long.
    fn sleep(&self, time: Duration);
    /// The clock that entries are stamped with, since 1970.
    fn wall_clock(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
    /// How often this thread has given its processor away to wait for something; zero where the
    /// system does not say.
    fn waits(&self) -> u64 {
        0
    }
}

/// The time since the first question.
pub(super) fn monotonic() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
