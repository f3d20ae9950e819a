//! The few statistics the reports need. Medians and quartiles, not means: on a machine that others
//! use too, one disturbed run must not move the result.

/// The middle of some values and how far they spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// First quartile.
    pub(crate) low: f64,
    /// Median.
    pub(crate) middle: f64,
    /// Third quartile.
    pub(crate) high: f64,
}

impl Spread {
    /// Median and quartiles of `values`, or nothing when there are none.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            low: quantile(&sorted, 0.25),
            middle: quantile(&sorted, 0.5),
            high: quantile(&sorted, 0.75),
        })
    }
}

/// The value below which the part `q` of the sorted, non-empty values lies, interpolated.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let position = q * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    let part = position - below as f64;
    sorted[below] * (1.0 - part) + sorted[above] * part
}

/// The mean, or nothing when there are no values.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample standard deviation: nothing for fewer than two values.
pub(crate) fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// A small deterministic generator (splitmix64): the same trees and the same orders on every
/// machine and in every run.
pub(crate) struct Random(u64);

impl Random {
    /// A generator that always gives the same sequence for the same seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Puts the values in a random order.
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_interpolates() {
        let spread = Spread::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((spread.low, spread.middle, spread.high), (1.75, 2.5, 3.25));
        let one = Spread::of(&[7.0]).unwrap();
        assert_eq!((one.low, one.middle, one.high), (7.0, 7.0, 7.0));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn one_disturbed_run_does_not_move_the_median() {
        let spread = Spread::of(&[1.0, 1.0, 1.0, 1.0, 1000.0]).unwrap();
        assert_eq!((spread.low, spread.middle, spread.high), (1.0, 1.0, 1.0));
    }

    #[test]
    fn mean_and_deviation() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), Some(5.0));
        let deviation = standard_deviation(&values).unwrap();
        assert!((deviation - 2.138_089_935).abs() < 1e-6, "{deviation}");
        assert_eq!(mean(&[]), None);
        assert_eq!(standard_deviation(&[1.0]), None);
    }

    #[test]
    fn shuffle_keeps_every_value_and_repeats_itself() {
        let order = |seed| {
            let mut values: Vec<u32> = (0..20).collect();
            Random::new(seed).shuffle(&mut values);
            values
        };
        let mut sorted = order(1);
        assert_eq!(order(1), sorted);
        assert_ne!(order(2), sorted);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
