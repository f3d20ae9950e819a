//! `--compare` shows two runs. `--check` fails if the new run is worse.

use crate::named;
use crate::report::{Line, Table, interval};
use crate::stats::Median;
use serde_json::Value;
use std::io;
use std::path::Path;

#[derive(Clone, Debug, PartialEq)]
struct Known {
    scenario: String,
    place: String,
    size: u64,
    ratio: Option<Median>,
    calls: Option<f64>,
}

impl Known {
    fn is_like(&self, other: &Self) -> bool {
        (&self.scenario, &self.place, self.size) == (&other.scenario, &other.place, other.size)
    }
}

/// Allows for calls that depend on the machine: on its limits, the length of paths, and whether a
/// second thread is tried (20 calls).
fn tolerance(calls: f64) -> f64 {
    if calls < 0.1 { 0.01 } else { 0.05 }
}

pub(crate) fn read(path: &Path) -> io::Result<Value> {
    let text = std::fs::read_to_string(path).map_err(|error| named(path, &error))?;
    let value = serde_json::from_str(&text).map_err(|error| named(path, &error))?;
    if known(&value).is_empty() {
        return Err(named(path, &"no results in it, of those that --json writes"));
    }
    Ok(value)
}

fn known(report: &Value) -> Vec<Known> {
    let one = |result: &Value| {
        let text = |key| Some(result[key].as_str()?.to_owned());
        let [low, high] = [0, 1].map(|at| result["ratio_interval"][at].as_f64());
        let median = |middle| Some(Median { low: low?, middle, high: high? });
        (result["contender"] == "curt").then_some(())?;
        Some(Known {
            scenario: text("scenario")?,
            place: text("place")?,
            size: result["size"].as_u64().unwrap_or(0),
            ratio: result["ratio"].as_f64().and_then(median),
            calls: result["calls_for_one"].as_f64(),
        })
    };
    report["results"].as_array().into_iter().flatten().filter_map(one).collect()
}

pub(crate) fn table(old: &Value, new: &Value) -> String {
    let titles = ["scenario", "place", "old ratio", "new ratio", "old calls", "new calls", "now"];
    let mut table = Table::new(&titles);
    let old = known(old);
    let calls = |known: &Known| known.calls.map_or("–".to_owned(), |calls| format!("{calls:.3}"));
    for new in &known(new) {
        let Some(old) = old.iter().find(|old| old.is_like(new)) else { continue };
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

/// Returns the regressions: more calls, uncounted calls, a `wanted` scenario without a result, or
/// (if both runs had trees of the same size) a speed beside the usual tool that dropped by more
/// than the noise of both runs.
pub(crate) fn worse(baseline: &Value, new: &Value, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let (baseline, new) = (known(baseline), known(new));
    let is_missing =
        |old: &&Known| wanted(&old.scenario) && new.iter().all(|new| new.scenario != old.scenario);
    let missing = baseline.iter().filter(is_missing);
    let mut worse: Vec<String> =
        missing.map(|old| format!("{} on {}: not measured", old.scenario, old.place)).collect();
    let mut compared = 0;
    for new in &new {
        let (scenario, place) = (&new.scenario, &new.place);
        let of_scenario = || baseline.iter().filter(|old| old.scenario == *scenario);
        if let Some(old) = of_scenario().find_map(|old| old.calls) {
            compared += 1;
            let text = match new.calls {
                Some(calls) if calls <= old + tolerance(old) => None,
                Some(calls) => {
                    Some(format!("{scenario}: {calls:.3} calls for one instead of {old:.3}"))
                }
                None => Some(format!("{scenario}: no calls were counted: is strace installed?")),
            };
            worse.extend(text.filter(|text| !worse.contains(text)));
        }
        let old = of_scenario().find(|old| old.is_like(new)).and_then(|old| old.ratio);
        if let (Some(old), Some(new)) = (old, new.ratio) {
            compared += 1;
            if new.high < old.low {
                let (now, before) = (new.middle, old.middle);
                worse.push(format!("{scenario} on {place}: ratio {now:.2} instead of {before:.2}"));
            }
        }
    }
    if compared == 0 {
        worse.push("nothing could be compared".to_owned());
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

    fn check(baseline: &Value, new: &Value) -> Vec<String> {
        worse(baseline, new, |_| true)
    }

    #[test]
    fn more_calls_are_always_worse() {
        let old = report(None, Some(1.0));
        assert!(check(&old, &report(None, Some(1.0))).is_empty());
        assert!(check(&old, &report(None, Some(0.5))).is_empty());
        let found = check(&old, &report(Some([1.0, 2.0, 3.0]), Some(1.06)));
        assert_eq!(found, ["walk: 1.060 calls for one instead of 1.000"]);
        let few = report(None, Some(0.002));
        assert!(check(&few, &report(None, Some(0.004))).is_empty());
        assert_eq!(check(&few, &report(None, Some(0.04))).len(), 1);
    }

    #[test]
    fn a_ratio_is_worse_only_outside_the_noise_of_both() {
        let old = report(Some([1.9, 2.0, 2.1]), None);
        assert!(check(&old, &report(Some([1.7, 1.8, 1.9]), None)).is_empty());
        let found = check(&old, &report(Some([1.6, 1.7, 1.8]), None));
        assert_eq!(found, ["walk on tmpfs: ratio 1.70 instead of 2.00"]);
        assert!(table(&old, &report(Some([1.6, 1.7, 1.8]), None)).contains("slower"));
        assert!(table(&old, &report(Some([2.2, 2.3, 2.4]), None)).contains("faster"));
    }

    #[test]
    fn a_check_fails_where_it_cannot_compare() {
        assert_eq!(check(&json!({}), &report(None, Some(1.0))), ["nothing could be compared"]);
        let old = report(Some([1.9, 2.0, 2.1]), Some(1.0));
        let found = check(&old, &report(Some([1.9, 2.0, 2.1]), None));
        assert_eq!(found, ["walk: no calls were counted: is strace installed?"]);
        let found = check(&old, &json!({ "results": [] }));
        assert_eq!(found, ["walk on tmpfs: not measured", "nothing could be compared"]);
        assert_eq!(worse(&old, &json!({}), |_| false), ["nothing could be compared"]);
    }

    #[test]
    fn a_file_without_results_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("old.json");
        for text in ["", "{}", r#"{"results": [{"mean": 1}]}"#, "[1]"] {
            std::fs::write(&path, text).unwrap();
            assert!(read(&path).unwrap_err().to_string().contains("old.json: "), "{text}");
        }
        std::fs::write(&path, report(None, Some(1.0)).to_string()).unwrap();
        assert_eq!(check(&read(&path).unwrap(), &report(None, Some(1.0))).len(), 0);
    }
}
