//! The process that a worker runs in: clocks, processors, limits, the home directory.

use std::time::{Duration, SystemTime};

#[cfg(unix)]
pub(crate) use super::unix::host::{drive_directory, home, home_of, release};
#[cfg(windows)]
pub(crate) use super::windows::host::{drive_directory, home, home_of, release};

/// What a worker asks of its process rather than of a file system.
///
/// These are methods of the platform because their calls count as the worker's, and because the
/// platform in memory has a simulated clock and limits that a test chooses.
pub(crate) trait Host {
    /// Returns how many descriptors (or handles) the process may have.
    fn descriptor_limit(&self) -> usize;
    /// Returns how many processors the process may use.
    fn processors(&self) -> usize;
    /// Reads a monotonic clock.
    fn now(&self) -> Duration;
    fn sleep(&self, time: Duration);
    /// Reads the clock that stamps entries, since 1970.
    fn wall_clock(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
    /// Returns how often this thread has blocked; zero where the system does not say.
    fn waits(&self) -> u64 {
        0
    }
}
