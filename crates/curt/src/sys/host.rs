//! The current process: clocks, processors, limits, home directories.

use std::time::{Duration, SystemTime};

#[cfg(unix)]
pub(crate) use super::unix::host::{drive_directory, home, home_of, release};
#[cfg(windows)]
pub(crate) use super::windows::host::{drive_directory, home, home_of, release};

/// Queries about this process. They are methods so that their calls count for the worker, and the
/// in-memory platform can simulate the results.
pub(crate) trait Host {
    fn descriptor_limit(&self) -> usize;
    fn processors(&self) -> usize;
    /// Reads a monotonic clock.
    fn now(&self) -> Duration;
    fn sleep(&self, time: Duration);
    /// Reads the clock that file times come from, as the time since 1970.
    fn wall_clock(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
    /// Returns how often this thread has blocked, or 0 if the system does not count it.
    fn waits(&self) -> u64 {
        0
    }
}
