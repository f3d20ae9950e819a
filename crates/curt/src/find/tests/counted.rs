//! The ways of searching beside one another: curt never makes more calls than the best of the others, but
//! for knowing how what it found is spelled, and where it stops in time.

use crate::find::model::{WAYS, count};

#[test]
fn curt_makes_the_fewest_calls_of_all_ways() {
    let counted = count(100);
    assert_eq!((counted.len(), WAYS.len()), (18, 4));
    for row in &counted {
        let [probes, all, look, ours] = row.calls;
        // Opening, asking and closing take two calls more than asking alone; others do not spell.
        let found = if row.workload.contains("found") { 2 } else { 0 };
        let best = probes.min(all).min(look);
        let k = row.extensions as u64;
        // A listing that holds more than one page is not read on.
        let bound = if row.workload.contains("look-alikes") { (3 + k).max(best) } else { best };
        assert!(ours <= bound + found, "{row:?}");
    }
    let of = |workload: &str, extensions| {
        let row = counted
            .iter()
            .find(|row| row.workload.contains(workload) && row.extensions == extensions);
        row.unwrap().calls
    };
    assert_eq!(of("absent", 11), [11, 1, 1, 1]);
    assert_eq!(of("no match", 4), [4, 3, 3, 3]);
    assert_eq!(of("no match", 2), [2, 3, 3, 2]);
    assert_eq!(of("random", 11), [11, 3, 3, 3]);
    let [probes, all, look, ours] = of("look-alikes", 11);
    assert_eq!((probes, look, ours), (11, 3 + 11, 3 + 11));
    assert!(all > 20, "{all}");
    assert_eq!(of("197 of 211", 11), [196 * 11 + 2, 196 * 3 + 4, 196 * 3 + 3 + 2, 196 * 3 + 4]);
}
