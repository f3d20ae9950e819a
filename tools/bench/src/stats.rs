/// A median with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Median {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

impl Median {
    /// Uses the sign test: half of all values are below the true median, whatever their
    /// distribution, so two of the sorted values are bounds. Fewer than six values give less than
    /// 95 % confidence.
    pub(crate) fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let cut = outside(sorted.len());
        let middle = f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Some(Self { low: sorted[cut], middle, high: sorted[sorted.len() - 1 - cut] })
    }

    pub(crate) fn noise(&self) -> f64 {
        if self.middle > 0.0 { (self.high - self.low) / 2.0 / self.middle } else { 0.0 }
    }
}

/// Returns how many sorted values to cut off at each end: the true median lies beyond a bound with
/// a probability of at most 2.5 %.
fn outside(count: usize) -> usize {
    let mut term = 0.5_f64.powi(i32::try_from(count).unwrap_or(i32::MAX));
    let mut sum = 0.0;
    for cut in 0..count / 2 {
        sum += term;
        if sum > 0.025 {
            return cut.saturating_sub(1);
        }
        term *= (count - cut) as f64 / (cut + 1) as f64;
    }
    (count / 2).saturating_sub(1)
}

/// The splitmix64 generator. It gives the same trees and orders on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

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
    fn an_interval_is_that_of_the_sign_test() {
        for (count, rank) in [(6, 1), (7, 1), (8, 1), (9, 2), (12, 3), (15, 4), (20, 6), (25, 8)] {
            let values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
            let median = Median::of(&values).unwrap();
            assert_eq!((median.low, median.high), (f64::from(rank), f64::from(count + 1 - rank)));
            assert!((median.middle - f64::from(count + 1) / 2.0).abs() < 1e-9);
        }
        assert_eq!(Median::of(&[]), None);
        assert_eq!(Median::of(&[3.0]).map(|median| (median.low, median.high)), Some((3.0, 3.0)));
    }

    #[test]
    fn noise_is_half_of_the_interval() {
        let values = [9.0, 10.0, 10.0, 10.0, 10.0, 10.0, 11.0];
        assert!((Median::of(&values).unwrap().noise() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn an_order_is_random_and_the_same_every_time() {
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
