//! Leap seconds. System times include them in the `right/` time zones.

/// Pairs of a time and the total of leap seconds from then on. Empty for most zones.
#[derive(Default)]
pub(crate) struct LeapSeconds(pub(crate) Vec<(i64, i64)>);

impl LeapSeconds {
    /// Returns how many leap seconds to subtract from a time, and a number to add to the seconds
    /// shown. That number is 0, except in a leap second, which the C library shows as second 60.
    pub(crate) fn at(&self, second: i64) -> (i64, i64) {
        let Some(last) = self.0.iter().rposition(|&(start, _)| start <= second) else {
            return (0, 0);
        };
        let (start, total) = self.0[last];
        let before = last.checked_sub(1).map_or(0, |before| self.0[before].1);
        if second > start || total <= before {
            return (total, 0);
        }
        let consecutive = |pair: &&[(i64, i64)]| {
            let ((start, total), (next, next_total)) = (pair[0], pair[1]);
            next.checked_sub(start) == Some(1) && next_total - total == 1
        };
        let more: i64 = self.0[..=last].windows(2).rev().take_while(consecutive).map(|_| 1).sum();
        (total, 1 + more)
    }
}
