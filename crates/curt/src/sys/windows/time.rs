//! Times of Windows: ticks of 100 ns since the beginning of 1601.

use crate::fields::Time;

const TICKS: i64 = 10_000_000;
/// Seconds from 1601 to 1970.
const BETWEEN: i64 = 11_644_473_600;

/// A time, also before 1970.
pub(super) fn time(ticks: u64) -> Time {
    let ticks = i64::from_ne_bytes(ticks.to_ne_bytes());
    Time {
        seconds: ticks.div_euclid(TICKS) - BETWEEN,
        nanoseconds: ticks.rem_euclid(TICKS) as u32 * 100,
    }
}

#[cfg(test)]
mod tests {
    use super::time;
    use crate::fields::Time;

    #[test]
    fn ticks_are_counted_from_1601() {
        const EPOCH: u64 = 116_444_736_000_000_000;
        for (ticks, seconds, nanoseconds) in [
            (EPOCH, 0, 0),
            (EPOCH + 15_000_001, 1, 500_000_100),
            (EPOCH - 1, -1, 999_999_900),
            (EPOCH - 15_000_000, -2, 500_000_000),
            (1, -11_644_473_600, 100),
            (u64::MAX, -11_644_473_601, 999_999_900),
        ] {
            assert_eq!(time(ticks), Time { seconds, nanoseconds }, "{ticks}");
        }
    }
}
