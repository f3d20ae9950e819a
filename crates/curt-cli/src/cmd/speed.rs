use std::time::{Duration, Instant};

const WINDOW: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Speed {
    since: Instant,
    count: u64,
    per_second: Option<u64>,
}

impl Default for Speed {
    fn default() -> Self {
        Speed { since: Instant::now(), count: 0, per_second: None }
    }
}

impl Speed {
    /// Returns the rate per second, or `None` during the first second.
    pub(super) fn update(&mut self, count: u64, now: Instant) -> Option<u64> {
        let elapsed = now.saturating_duration_since(self.since);
        if elapsed >= WINDOW {
            // Totals from several threads can arrive out of order.
            let done = u128::from(count.saturating_sub(self.count));
            self.per_second = u64::try_from(done * 1000 / elapsed.as_millis().max(1)).ok();
            self.since = now;
            self.count = self.count.max(count);
        }
        self.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::Speed;
    use std::time::{Duration, Instant};

    #[test]
    fn reports_the_rate_of_the_last_window() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut speed = Speed { since: begun, count: 0, per_second: None };
        assert_eq!(speed.update(400, at(500)), None);
        assert_eq!(speed.update(3000, at(2000)), Some(1500));
        assert_eq!(speed.update(3100, at(2500)), Some(1500), "the window is not over");
        assert_eq!(speed.update(4000, at(3000)), Some(1000));
        assert_eq!(speed.update(3900, at(4000)), Some(0), "totals out of order");
        assert_eq!(speed.update(4200, at(5000)), Some(200));
    }
}
