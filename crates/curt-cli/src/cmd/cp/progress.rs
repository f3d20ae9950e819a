use std::fmt::Write;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use curt::copy::Totals;
use curt::{Cancel, Threads, Usage};

use super::Run;
use crate::cmd::exclude::Exclusions;
use crate::cmd::speed::Speed;
use crate::out::text::{counted, rounded_size};

#[derive(Default)]
pub(super) struct Progress {
    /// Of bytes.
    speed: Mutex<Speed>,
    total: OnceLock<u64>,
}

impl Progress {
    /// Sums up the sizes of the sources, for the remaining time.
    pub(super) fn measure(&self, run: &Run<'_>, exclusions: &Exclusions, cancel: &Cancel) {
        const DESCRIPTORS: usize = 16;
        let usage = Usage::new()
            .max_depth(0)
            .count_links(true)
            .follow(run.options.follow)
            .same_file_system(run.options.one_file_system)
            .exclude(|entry| exclusions.match_entry(entry))
            .threads(Threads::AtMost(1))
            .descriptors(DESCRIPTORS)
            .cancel(cancel);
        let report = usage.measure(&run.sources);
        if !report.stopped {
            _ = self.total.set(report.total().apparent);
        }
    }

    pub(super) fn line(&self, totals: &Totals) -> String {
        let speed = {
            let mut speed = self.speed.lock().unwrap_or_else(PoisonError::into_inner);
            speed.update(totals.bytes, Instant::now())
        };
        describe(totals, self.total.get().copied(), speed)
    }
}

fn describe(totals: &Totals, total: Option<u64>, speed: Option<u64>) -> String {
    let mut line = counted(totals.files, "file", "files");
    _ = write!(line, ", {}", rounded_size(totals.bytes));
    // Files may have grown since.
    let left = total.and_then(|total| total.checked_sub(totals.bytes));
    if let (Some(total), Some(_)) = (total, left) {
        _ = write!(line, " of {}", rounded_size(total));
    }
    if let Some(speed) = speed {
        _ = write!(line, ", {} per second", rounded_size(speed));
        if let Some(seconds) = left.and_then(|left| left.checked_div(speed)) {
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            _ = match hours {
                0 => write!(line, ", {minutes}:{:02} left", seconds % 60),
                _ => write!(line, ", {hours}:{minutes:02}:{:02} left", seconds % 60),
            };
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::describe;
    use curt::copy::Totals;

    #[test]
    fn the_remaining_time_needs_a_total_and_a_speed() {
        let mut totals = Totals::default();
        (totals.files, totals.bytes) = (1, 3 << 20);
        for (total, speed, line) in [
            (None, None, "1 file, 3.0 MiB"),
            (None, Some(2048), "1 file, 3.0 MiB, 2.0 KiB per second"),
            (Some(4 << 20), None, "1 file, 3.0 MiB of 4.0 MiB"),
            (Some(4 << 20), Some(0), "1 file, 3.0 MiB of 4.0 MiB, 0 bytes per second"),
            (
                Some(4 << 20),
                Some(1 << 14),
                "1 file, 3.0 MiB of 4.0 MiB, 16.0 KiB per second, 1:04 left",
            ),
            (
                Some(4 << 20),
                Some(100),
                "1 file, 3.0 MiB of 4.0 MiB, 100 bytes per second, 2:54:45 left",
            ),
            (Some(1 << 20), Some(2048), "1 file, 3.0 MiB, 2.0 KiB per second"),
        ] {
            assert_eq!(describe(&totals, total, speed), line);
        }
    }
}
