//! The results in the shape that hyperfine writes, so that scripts made for that work here, with
//! more keys.

use super::{Report, answer};
use crate::calls::Slope;
use crate::command;
use crate::result::{Cell, Row};
use crate::stats::{mean, standard_deviation};
use serde_json::{Value, json};

/// All results.
pub(crate) fn json(report: &Report) -> Value {
    let rows = report.cells.iter().flat_map(|cell| cell.rows.iter().map(move |row| (cell, row)));
    let results: Vec<Value> = rows.map(|(cell, row)| result(cell, row)).collect();
    json!({ "results": results, "machine": report.machine, "processors_used_by_others": report.others })
}

fn result(cell: &Cell, row: &Row) -> Value {
    let samples = &row.samples;
    let times: Vec<f64> = samples.iter().map(|sample| sample.wall).collect();
    let used = samples.iter().filter_map(|sample| sample.used);
    let (user, system): (Vec<f64>, Vec<f64>) =
        used.clone().map(|used| (used.user, used.system)).unzip();
    let peaks: Vec<u64> = used.filter_map(|used| used.peak).collect();
    let usual = cell.usual();
    let ratio = usual.and_then(|usual| row.ratio(usual));
    json!({
        "command": command::line(&row.found),
        "mean": mean(&times),
        "stddev": standard_deviation(&times),
        "median": row.wall().map(|median| median.middle),
        "user": mean(&user),
        "system": mean(&system),
        "min": times.iter().copied().reduce(f64::min),
        "max": times.iter().copied().reduce(f64::max),
        "times": times,
        "memory_usage_byte": peaks,
        "scenario": cell.scenario.name,
        "place": cell.place,
        "contender": row.found.contender.name,
        "version": row.version,
        "size": cell.size,
        "units": cell.scenario.units(cell.size),
        "usual": usual.map(|usual| usual.found.contender.name),
        "ratio": ratio.map(|ratio| ratio.middle),
        "ratio_interval": ratio.map(|ratio| [ratio.low, ratio.high]),
        "calls_for_one": row.slope.as_ref().map(Slope::per_entry),
        "calls": row.slope.as_ref().map(|slope| &slope.by_name),
        "answer": answer(row),
    })
}
