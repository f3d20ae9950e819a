//! Two runs beside each other: `--compare` shows them, `--check` fails where the new one is worse.

use crate::report::{Line, Table, interval};
use crate::stats::Median;
use serde_json::Value;
use std::io;
use std::path::Path;

/// What is compared of a result.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    scenario: String,
    place: String,
    size: u64,
    contender: String,
    /// The ratio to the usual tool.
    ratio: Option<Median>,
    calls: Option<f64>,
}

/// Some calls of a run depend on the machine: its limits, the length of paths, and whether a second
/// thread is tried, which takes about 20 calls for 500 entries.
const TOLERANCE: f64 = 0.05;

/// The results in a file that `--json` wrote.
pub(crate) fn read(path: &Path) -> io::Result<Value> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    let value = serde_json::from_str(&text);
    value.map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

fn known(report: &Value) -> Vec<Known> {
    let results = report.get("results").and_then(Value::as_array);
    let text = |result: &Value, key: &str| Some(result.get(key)?.as_str()?.to_owned());
    let number = |result: &Value, key: &str| result.get(key).and_then(Value::as_f64);
    let one = |result: &Value| {
        let interval = result.get("ratio_interval").and_then(Value::as_array);
        let bound = |at: usize| interval.and_then(|bounds| bounds.get(at)?.as_f64());
        let ratio = number(result, "ratio").zip(bound(0)).zip(bound(1));
        Some(Known {
            scenario: text(result, "scenario")?,
            place: text(result, "place")?,
            size: result.get("size").and_then(Value::as_u64).unwrap_or(0),
            contender: text(result, "contender")?,
            ratio: ratio.map(|((middle, low), high)| Median { low, middle, high }),
            calls: number(result, "calls_for_one"),
        })
    };
    results.into_iter().flatten().filter_map(one).collect()
}

/// The ratios and calls of curt in both runs.
pub(crate) fn table(old: &Value, new: &Value) -> String {
    let titles = ["scenario", "place", "old ratio", "new ratio", "old calls", "new calls", "now"];
    let mut table = Table::new(&titles.map(str::to_owned));
    let old = known(old);
    let calls = |known: &Known| known.calls.map_or("–".to_owned(), |calls| format!("{calls:.3}"));
    for new in known(new).iter().filter(|known| known.contender == "curt") {
        let is_same = |old: &&Known| {
            [&old.scenario, &old.place, &old.contender]
                == [&new.scenario, &new.place, &new.contender]
                && old.size == new.size
        };
        let Some(old) = old.iter().find(is_same) else { continue };
        let verdict = match (old.ratio, new.ratio) {
            (Some(old), Some(new)) if new.high < old.low => "slower",
            (Some(old), Some(new)) if new.low > old.high => "faster",
            (Some(_), Some(_)) => "the same within the noise",
            _ => "not measured",
        };
        table.lines.push(Line::Cells(vec![
            new.scenario.clone(),
            new.place.clone(),
            interval(old.ratio),
            interval(new.ratio),
            calls(old),
            calls(new),
            verdict.to_owned(),
        ]));
    }
    table.text()
}

/// Where curt is worse than in the baseline: it makes more calls, or its ratio to the usual tool is
/// lower, for the same size, by more than the noise of both. Also if nothing could be compared.
pub(crate) fn worse(baseline: &Value, new: &Value) -> Vec<String> {
    let baseline = known(baseline);
    let mut worse = Vec::new();
    let mut compared = 0;
    for new in known(new).iter().filter(|known| known.contender == "curt") {
        let (scenario, place) = (&new.scenario, &new.place);
        let of_scenario =
            || baseline.iter().filter(|old| old.scenario == *scenario && old.contender == "curt");
        // The filesystem does not matter to calls.
        if let (Some(old), Some(calls)) = (of_scenario().find_map(|old| old.calls), new.calls) {
            compared += 1;
            if calls > old + TOLERANCE {
                let text = format!("{scenario}: {calls:.3} calls for one instead of {old:.3}");
                if !worse.contains(&text) {
                    worse.push(text);
                }
            }
        }
        let old = of_scenario()
            .find(|old| old.place == *place && old.size == new.size)
            .and_then(|old| old.ratio);
        if let (Some(old), Some(new)) = (old, new.ratio) {
            compared += 1;
            if new.high < old.low {
                let (now, before) = (new.middle, old.middle);
                worse.push(format!("{scenario} on {place}: ratio {now:.2} instead of {before:.2}"));
            }
        }
    }
    if compared == 0 {
        worse.push("nothing could be compared: is strace installed?".to_owned());
    }
    worse
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(ratio: Option<[f64; 3]>, calls: Option<f64>) -> Value {
        json!({ "results": [{
            "scenario": "walk",
            "place": "tmpfs",
            "contender": "curt",
            "ratio": ratio.map(|[_, middle, _]| middle),
            "ratio_interval": ratio.map(|[low, _, high]| [low, high]),
            "calls_for_one": calls,
        }] })
    }

    #[test]
    fn more_calls_are_always_worse() {
        let old = report(None, Some(1.0));
        assert!(worse(&old, &report(None, Some(1.0))).is_empty());
        assert!(worse(&old, &report(None, Some(0.5))).is_empty());
        let found = worse(&old, &report(Some([1.0, 2.0, 3.0]), Some(1.06)));
        assert_eq!(found, ["walk: 1.060 calls for one instead of 1.000"]);
    }

    #[test]
    fn a_ratio_is_worse_only_outside_the_noise_of_both() {
        let old = report(Some([1.9, 2.0, 2.1]), None);
        assert!(worse(&old, &report(Some([1.7, 1.8, 1.9]), None)).is_empty());
        let found = worse(&old, &report(Some([1.6, 1.7, 1.8]), None));
        assert_eq!(found, ["walk on tmpfs: ratio 1.70 instead of 2.00"]);
        assert!(table(&old, &report(Some([1.6, 1.7, 1.8]), None)).contains("slower"));
        assert!(table(&old, &report(Some([2.2, 2.3, 2.4]), None)).contains("faster"));
    }

    #[test]
    fn a_check_that_compares_nothing_fails() {
        assert_eq!(worse(&json!({}), &report(None, Some(1.0))).len(), 1);
        assert_eq!(worse(&report(None, Some(1.0)), &report(None, None)).len(), 1);
    }
}
